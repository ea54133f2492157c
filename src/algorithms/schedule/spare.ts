/**
 * A buffer that a thread keeps for its next use; runs on every thread. While the buffer is in use there is no spare one: a user's
 * function may wait for other tasks, or make another call, and what runs then on the same thread needs a buffer of its own.
 */
export class Spare<T> {
  readonly #make: () => T;
  #spare: T | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** The spare buffer, or a new one. It holds any values. */
  take(): T {
    const buffer = this.#spare ?? this.#make();
    this.#spare = undefined;
    return buffer;
  }

  /** Keeps a buffer that was taken and is no longer used. */
  give(buffer: T): void {
    this.#spare = buffer;
  }
}
