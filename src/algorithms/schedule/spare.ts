/**
 * A buffer that is kept for the next use; runs on every thread that computes. While the buffer is in use there is no spare one: a
 * user's function may wait for other tasks, which run on the same thread meanwhile and need a buffer of their own.
 */
export class Spare<T> {
  readonly #make: () => T;
  #spare: T | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** Runs `use` with a buffer, which is kept unless it throws. */
  with<R>(use: (buffer: T) => R): R {
    const buffer = this.#spare ?? this.#make();
    this.#spare = undefined;
    const result = use(buffer);
    this.#spare = buffer;
    return result;
  }
}
