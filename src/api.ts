/** Everything the library offers, as this copy of it has it; runtime.ts decides which copy is used. */
export * from './algorithms/index.js';
export { type Forkable, registerError } from './core/code/registry.js';
export { registerClass } from './core/code/value-class.js';
export {
  CancellationError,
  NotShareableError,
  RejectedExecutionError,
  TaskRegistrationError,
  WorkerCrashError,
} from './core/errors.js';
export {
  type ArrayValues,
  free,
  isShared,
  sharedArray,
  type TypedArray,
  type TypedArrayConstructor,
} from './core/memory/shared-array.js';
export type { AbortSignalLike } from './core/pool/abort-signal.js';
export { ForkJoinPool } from './core/pool/fork-join-pool.js';
export type { ForkJoinPoolOptions, InvokeOptions } from './core/pool/options.js';
export type { Stats, WorkerStats } from './core/pool/stats.js';
export { task } from './core/task/call-task.js';
export { ForkJoinTask, RecursiveAction, RecursiveTask } from './core/task/fork-join-task.js';
export { type Fork, fork, forkable, join } from './core/task/function-task.js';
export type { NotAPromise, Synchronous } from './core/task/synchronous.js';
export { checkpoint } from './core/worker/checkpoint.js';
export { SequentialExecutor } from './core/worker/sequential-executor.js';
export { serveWhenSpawned } from './core/worker/serve.js';
export { type WorkerLocal, workerLocal } from './core/worker/worker-local.js';
