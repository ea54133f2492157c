/**
 * The door of the core: all that algorithms, and whatever else stands on the core, take from it. Beside it they import the ground alone
 * (errors.ts, tuning.ts, memory/atomics.ts, memory/wide-count.ts, memory/element-types.ts). src/algorithms/README.md builds an algorithm from these names.
 *
 * The build leaves of this list what a part uses.
 */

// Calls: what the public functions do before there is work for a pool, and how the work gets to run.

export { callSite, withCallSite } from './code/call-site.js';
export { explainRevoked } from './code/revoked.js';
export { CallHold } from './pool/call-hold.js';
export { CALL_OPTIONS } from './pool/call-options.js';
export type { Callee } from './pool/callee.js';
export { enter } from './pool/entry.js';
export { coreOf, isExecutor, type LimitedInvoke } from './pool/executor.js';
export { invokeAll, invokeAllSync } from './pool/invoke-all.js';
export { permitted } from './pool/permitted.js';
export { type LimitOption, PERMITS, type PermitRequest } from './pool/permits.js';
export {
  type AdmittedCall,
  admit,
  type CallOptions,
  type PoolJob,
  progress,
  promised,
  refuseDead,
  runJob,
  runJobSync,
  stalled,
  startEarly,
} from './pool/run-job.js';
export { CallSignal, watchEnds } from './pool/signal.js';
export { after } from './worker/grace.js';

// Jobs, and the tasks that run them: what all threads of a call share, and how one gives a part of it to another.

export { builtin, builtinAsync, builtinClass, forkableName, forkKind } from './code/registry.js';
export { receiving } from './code/returns.js';
export { type JobKind, jobKind, jobState, jobWords } from './job/job.js';
export type { AsyncForkable, AsyncTask, OnlyScoped, Scope } from './task/async-task.js';
export { type ForkJoinTask, isTask, nameOf } from './task/fork-join-task.js';
export { inFrame } from './task/frame.js';
export { type Forkable, fork, join } from './task/function-task.js';
export { disown, isPromise } from './task/slow-paths.js';
export type { NotAPromise, Synchronous } from './task/synchronous.js';
export { isAskedBy, loopCheckpoint } from './worker/checkpoint.js';

// The user's functions: how they travel to other threads, and how each thread gets loops of its own for them.

export { asyncOrGenerator } from './code/class-check.js';
export { importTasks } from './code/main-module.js';
export { hasCodeOf } from './code/registry.js';
export {
  compiled,
  compileSource,
  explainThrown,
  isForkable,
  kernel,
  kernelOf,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  shipContext,
  shipFunction,
} from './code/source.js';
export { specialize, typesTag } from './code/specialize.js';
export { tokensOf } from './code/tokens.js';
export { part, withPart } from './library/parts.js';

// Values that are not in shared memory: as bytes, and back.

export { openData } from './code/data-copy.js';
export { sizeOf } from './code/object-kind.js';
export { cloned, copyData } from './task/clone.js';
export { Parcel, pack } from './task/parcel.js';
export { moved } from './task/transfer.js';

// Shared memory.

export { bytesAt, keepArrays, kernelMemory } from './memory/heap.js';
export { Pins } from './memory/pins.js';
export {
  free,
  freeScratch,
  isDetached,
  isHeap,
  isShared,
  nonOwning,
  scratchArray,
  sharedArray,
  shrunk,
  unfilledArray,
} from './memory/shared-array.js';
export { arenaOfThread } from './worker/worker-slot.js';

// This thread.

export { isLoading } from './code/main-module.js';
export { environmentVariable, host, openFile, turn } from './platform/host.js';
export { endPiece } from './worker/piece.js';
export { isChecked, isComputing } from './worker/place.js';
export { report } from './worker/report.js';
export { residents } from './worker/residents.js';

// For insight: what looks at pools and threads from outside.

export { codeTable } from './code/table.js';
export { local } from './deque/private-stack.js';
export type { Observer } from './observe/observer.js';
export type { RecordHome } from './observe/record-home.js';
export { contextVariable } from './platform/caller-context.js';
export type { Stall, StallHome } from './pool/stall.js';
export { taskLabel } from './task/label.js';
export { hooks, install, type Told } from './worker/extension.js';
export { observeHere, observerHere, RECORDS } from './worker/observe.js';

// For executors that send tasks to other processes.

export {
  identityOf,
  packOutcome,
  packTask,
  packValue,
  unpackOutcome,
  unpackTask,
  unpackValue,
} from './wire/parcel.js';
export { rootTask } from './worker/scheduler.js';
