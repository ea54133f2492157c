/**
 * A call of a forkable function as a task object: what `task()` makes, and what a function task becomes when it leaves the fast
 * path of `fork` and `join`; runs on every thread.
 */

import { registry } from '../code/registry.js';
import { local } from '../deque/private-stack.js';
import { ForkJoinTask, NAME } from './fork-join-task.js';
import { argumentsOf, type Forkable, functions, indexOf } from './function-task.js';

export class CallTask<T> extends ForkJoinTask<T> {
  /** @internal This realm's index of the function. */ readonly index: number;
  /** @internal */ readonly args: unknown[];

  constructor(index: number, args: unknown[]) {
    super();
    this.index = index;
    this.args = args;
  }

  /** @internal */
  get [NAME](): string {
    return registry.functionEntries[this.index].name;
  }

  compute(): T {
    return functions[this.index](...this.args) as T;
  }
}

/** Calls are told by a brand and not by their class, because another copy of the library may have made them. */
const CALL = Symbol.for('furcate.call');
Object.defineProperty(CallTask.prototype, CALL, { value: true });

export const isCallTask = (task: object): task is CallTask<unknown> => CALL in task;

/** The private task in slot `k` of the stack, where null stands for a function task. */
export const taskAt = (k: number, task: object | null): ForkJoinTask<unknown> =>
  (task as ForkJoinTask<unknown> | null) ?? new CallTask(local.fn[k] >> 3, argumentsOf(k));

/**
 * Makes a task object of a forkable function and its arguments.
 *
 * @param fn a function made with `forkable`
 * @param args its arguments: numbers, data that can be cloned, and shared arrays
 * @returns a task that was not started, for `pool.invoke` with options, `parallelInvoke` and `invokeAll`
 * @throws TypeError when `fn` was not made with `forkable`
 * @example
 * const sorted = await pool.invoke(task(sortWords, words), { timeoutMs: 10_000 }); // => ['fork', 'join', 'steal']
 */
export function task<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): ForkJoinTask<R> {
  const index = indexOf(fn);
  if (index === undefined) {
    throw new TypeError(
      'furcate: task() takes a function made with forkable(import.meta.url, name, fn), and its arguments.',
    );
  }
  return new CallTask<R>(index, args);
}
