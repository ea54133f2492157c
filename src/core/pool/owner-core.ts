/**
 * Interface between a pool and what runs its tasks: worker groups (pool-core.ts), or the thread that calls
 * (calling-thread.ts).
 */
import type { ForkJoinTask } from '../task/fork-join-task.js';
import type { ExecutorCore } from './executor.js';
import type { PoolSettings, SubmitOptions } from './options.js';
import type { Stats } from './stats.js';

export interface OwnerCore extends ExecutorCore {
  readonly settings: PoolSettings;
  readonly isClosed: boolean;
  stats(): Stats;
  /** Resolves when the workers are up. */
  ready(): Promise<void>;
  /** @param worker the one that is to run it; any if left out */
  submit<T>(task: ForkJoinTask<T>, options: SubmitOptions, dependencies: number, worker?: number): Promise<T>;
  /** Resolves once nothing is in flight, or when the time is up; to whether nothing is. */
  awaitQuiescence(ms?: number): Promise<boolean>;
  close(): Promise<void>;
  terminate(): Promise<void>;
}
