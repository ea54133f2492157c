/** Users' part of the core: tasks, pools, shared arrays, registrations. */
export { decodeText } from './code/decode-text.js';
export { type Forkable, type ForkableMark, registerError } from './code/registry.js';
export { registerClass } from './code/value-class.js';
export {
  CancellationError,
  NotShareableError,
  RejectedExecutionError,
  TaskRegistrationError,
  WorkerCrashError,
} from './errors.js';
export {
  type ArrayValues,
  free,
  isShared,
  type SharedArrayOptions,
  sharedArray,
  type TypedArray,
  type TypedArrayConstructor,
} from './memory/shared-array.js';
export type { CallOptions } from './pool/call-options.js';
export type { Executor, Invoker } from './pool/executor.js';
export { ForkJoinPool } from './pool/fork-join-pool.js';
export type { ForkJoinPoolOptions, InvokeOptions, Priority, WorkerEvent } from './pool/options.js';
export type { PoolState } from './pool/overview.js';
export type { LimitOption, PermitRequest } from './pool/permits.js';
export { SequentialExecutor } from './pool/sequential-executor.js';
export type { Stall, StallCause } from './pool/stall.js';
export type { SpareStats, Stats, WorkerStats } from './pool/stats.js';
export type { AbortSignalLike } from './task/abort-signal.js';
export {
  type AnyForkable,
  type AnyTask,
  type ArgumentsAfter,
  type ArgumentsOf,
  type AsyncForkable,
  type AsyncForkableMark,
  AsyncTask,
  asyncForkable,
  type JoinedAll,
  type OnlyScoped,
  type ResultOf,
  type Scope,
  type ScopeFork,
  type ScopeSignal,
  type SettledAll,
  type SyncWork,
} from './task/async-task.js';
export { atomicAdd, atomicMax, atomicMin, testAndSet } from './task/atomic-elements.js';
export { ForkJoinTask, RecursiveAction, RecursiveTask } from './task/fork-join-task.js';
export { type Fork, fork, forkable, join } from './task/function-task.js';
export type { NotAPromise, Synchronous } from './task/synchronous.js';
export { task } from './task/task.js';
export { carried } from './worker/carried.js';
export { checkpoint } from './worker/checkpoint.js';
export { isolate } from './worker/isolate.js';
export { report } from './worker/report.js';
export { type WorkerLocal, type WorkerLocalOptions, workerLocal } from './worker/worker-local.js';
