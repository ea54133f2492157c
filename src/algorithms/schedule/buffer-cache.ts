/**
 * A cache of one buffer, which a thread keeps for its next use; runs on every thread. While the buffer is in use the cache is empty: a user's
 * function may wait for other tasks, or make another call, and what runs then on the same thread needs a buffer of its own.
 */
export class BufferCache<T> {
  readonly #make: () => T;
  #cached: T | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** The cached buffer, or a new one. It holds any values. */
  take(): T {
    const buffer = this.#cached ?? this.#make();
    this.#cached = undefined;
    return buffer;
  }

  /** Keeps a buffer that was taken and is no longer used. */
  give(buffer: T): void {
    this.#cached = buffer;
  }
}
