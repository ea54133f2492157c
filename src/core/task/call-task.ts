/**
 * A call of a forkable function as a task object: what `task()` makes, and what a function task becomes when it leaves the fast
 * path of `fork` and `join`; runs on every thread.
 */

import { nameOfCall, registry } from '../code/registry.js';
import { ForkJoinTask, NAME } from './fork-join-task.js';
import { callAt, functions } from './function-task.js';

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
    return nameOfCall(registry.functionEntries[this.index], this.args, 'call');
  }

  compute(): T {
    return functions[this.index](...this.args) as T;
  }
}

export const isCallTask = (task: object): task is CallTask<unknown> => task instanceof CallTask;

/** The private task at position `k` of the stack, where null stands for a function task. */
export const taskAt = (k: number, task: object | null): ForkJoinTask<unknown> =>
  (task as ForkJoinTask<unknown> | null) ?? new CallTask(...callAt(k));
