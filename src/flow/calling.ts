/** Calls of one function of the user's, as one thread makes them: whether its results are promised, and their copies; on every thread that computes. */
import { disown, isPromise } from '../core/engine.js';
import { Returned } from './returned.js';

type Copy = (result: unknown, k: number) => unknown;

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

  /** True if a call may go on after it has returned. Otherwise it needs no more than `ended`. */
  get mayWait(): boolean {
    return !this.#isSynchronous && this.#mayWait !== false;
  }

  /**
   * Calls the function.
   *
   * @param copy makes of a result that was promised what is to stay of it, before the thread writes to it again; `k` is handed to it
   * @param failed throws the error for what a promise has failed with
   * @returns a promise of what `copy` gives, if the function has returned a promise
   */
  result(call: () => unknown, copy: Copy, k: number, failed?: (error: unknown) => never): unknown {
    const returned = new Returned((result) => copy(result, k));
    return this.ended(returned.by(call), (result) => returned.copyOf(result), k, failed);
  }

  /** Returns what `result` gives for what the function has returned. */
  ended(result: unknown, copy: Copy, k: number, failed?: (error: unknown) => never): unknown {
    if (!isPromise(result)) {
      this.#mayWait ??= false;
      return result;
    }
    this.#mayWait = true;
    if (this.#isSynchronous) {
      disown(result);
      throw new TypeError(
        `furcate: ${this.#called} returned a promise, but it may fork, so it runs in a synchronous task. Use asyncForkable() for what awaits.`,
      );
    }
    return Promise.resolve(result).then((one) => copy(one, k), failed);
  }
}
