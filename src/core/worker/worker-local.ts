/** One value for each thread, made on first use, such as a scratch buffer; runs on every thread. */

import { inspect } from '../task/slow-paths.js';
import type { NotAPromise } from '../task/synchronous.js';

/** Gives the calling thread's own value. */
export interface WorkerLocal<T> {
  get(): T;
}

/**
 * Makes a value that every worker (and every other thread) has one of, made there by `init` on first use and kept while the
 * thread lives. Declare it at the top level of a module that tasks import.
 *
 * @param init makes the value; runs at most once a thread
 * @throws TypeError when `init` is not a function; `get()` does when `init` returns a promise
 * @example
 * const scratch = workerLocal(() => new Float64Array(1024));
 * // in a task: scratch.get().fill(0)
 */
export function workerLocal<T>(init: () => T & NotAPromise): WorkerLocal<T> {
  if (typeof init !== 'function')
    throw new TypeError('furcate: workerLocal(init) takes a function that makes the value.');
  let made: { readonly value: T } | undefined;
  return {
    get(): T {
      if (made === undefined) {
        const value = init();
        inspect(value, () => 'init of workerLocal()');
        made = { value };
      }
      return made.value;
    },
  };
}
