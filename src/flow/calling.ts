/** Calls of one function of the user's, as one thread makes them: whether its results are promised, and their copies; on every thread that computes. */
import { disown, isPromise } from '../core/engine.js';

export class Calling {
  readonly #called: string;
  readonly #isSynchronous: boolean;
  /** True if the function may return a promise: it has done so on this thread, or was not called yet. */
  #mayWait: boolean | undefined;

  /**
   * @param called what errors call the function
   * @param isSynchronous whether it runs in synchronous tasks, because it may fork. Then it must not return promises
   */
  constructor(called: string, isSynchronous: boolean) {
    this.#called = called;
    this.#isSynchronous = isSynchronous;
  }

  /** True if a call may go on after it has returned, so that somebody should take what it returns then (`Returned`). */
  get mayWait(): boolean {
    return !this.#isSynchronous && this.#mayWait !== false;
  }

  /** Checks whether the function has returned a promise. @throws TypeError where it must not */
  waits(made: unknown): made is PromiseLike<unknown> {
    if (!isPromise(made)) {
      this.#mayWait ??= false;
      return false;
    }
    this.#mayWait = true;
    if (!this.#isSynchronous) return true;
    disown(made);
    throw new TypeError(
      `furcate: ${this.#called} returned a promise, but it may fork, so it runs in a synchronous task. Use asyncForkable() for what awaits.`,
    );
  }
}
