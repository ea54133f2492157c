/**
 * Runs tasks on the caller, one after the other: as the oracle in tests, and where there are no threads. Tasks and joins are those
 * of a pool, but there is no worker group, there are no records, and nothing is published.
 */
import { type AsyncForkable, type AsyncTask, isAsync } from '../task/async-task.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import type { Forkable } from '../task/function-task.js';
import { attach, enter, leave } from './activation.js';
import { moments } from './extension.js';
import { refuseAsync, rootTask } from './scheduler.js';
import { SEQUENTIAL } from './worker-slot.js';

export class SequentialExecutor {
  readonly name = 'sequential';
  readonly parallelism = 1;

  /** Runs a task, or a call of a forkable function, to its end; returns its result or throws what it threw. */
  invokeSync<T>(task: ForkJoinTask<T>): T;
  invokeSync<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): R;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    return this.#run(rootTask('invokeSync', work, args));
  }

  #run(task: ForkJoinTask<unknown>): unknown {
    refuseAsync('invokeSync()', task);
    const below = enter(null, this);
    attach(null, SEQUENTIAL, 0);
    try {
      return runTask(task);
    } finally {
      leave(below);
    }
  }

  /** As `invokeSync`, but returns a promise. A synchronous task has ended before the promise is returned. */
  async invoke<T>(task: ForkJoinTask<T> | AsyncTask<T>): Promise<T>;
  async invoke<A extends unknown[], R>(fn: AsyncForkable<A, R>, ...args: A): Promise<R>;
  async invoke<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): Promise<R>;
  async invoke(work: unknown, ...args: unknown[]): Promise<unknown> {
    const task = rootTask('invoke', work, args);
    return isAsync(task) ? moments.alone(task) : this.#run(task);
  }
}
