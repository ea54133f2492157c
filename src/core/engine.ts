/**
 * The door of the core: all that algorithms, and whatever else stands on the core, take from it. Beside it they import the ground alone
 * (errors.ts, tuning.ts, memory/atomics.ts, memory/wide-count.ts, memory/element-types.ts).
 *
 * The names are grouped by who needs them. The first group is all that a small extension takes: src/algorithms/README.md builds one from it, and
 * test/unit/core/door.test.ts runs that. A name of a later group that others come to need moves up (test/helpers/door.ts checks the groups).
 *
 * The build leaves of this list what a part uses.
 */

// For any extension: a call, its job, the tasks that run it on every thread, and the user's functions in them.

export { builtin } from './code/registry.js';
export {
  compiled,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  shipContext,
  shipFunction,
} from './code/source.js';
export { type JobKind, jobKind, jobName, jobState, jobWords } from './job/job.js';
export { sharedArray } from './memory/shared-array.js';
export { beginCall } from './pool/begin-call.js';
export { Call } from './pool/call.js';
export { type CallJob, progress } from './pool/call-job.js';
export type { Callee, CallOptions } from './pool/call-options.js';
export { CallSignal } from './pool/signal.js';
export type { Scope } from './task/async-task.js';
export { type Forkable, fork, join } from './task/function-task.js';
export { disown, isPromise } from './task/slow-paths.js';
export { loopCheckpoint } from './worker/checkpoint.js';
export { isComputing } from './worker/place.js';

// For several: more of calls, functions, values and threads.

export { callSite, withCallSite } from './code/call-site.js';
export { asyncOrGenerator } from './code/class-check.js';
export { openData } from './code/data-copy.js';
export { builtinClass, forkKind } from './code/registry.js';
export { explainThrown, isForkable } from './code/source.js';
export { bytesAt } from './memory/heap.js';
export { Pins } from './memory/pins.js';
export { isDetached } from './memory/shared-array.js';
export type { Observer } from './observe/observer.js';
export { environmentVariable, host, turn } from './platform/host.js';
export { promised, stalled } from './pool/begin-call.js';
export type { LimitOption } from './pool/permits.js';
export type { OnlyScoped } from './task/async-task.js';
export { cloned, cloneOfValue, copyData } from './task/clone.js';
export { isTask } from './task/fork-join-task.js';
export { Parcel } from './task/parcel.js';
export { install } from './worker/extension.js';
export { after } from './worker/grace.js';
export { observerHere } from './worker/observe.js';
export { endPiece } from './worker/piece.js';
export { isChecked } from './worker/place.js';
export { arenaOfThread } from './worker/worker-slot.js';

// For algorithms.

export { decodeText } from './code/decode-text.js';
export { explainRevoked } from './code/revoked.js';
export { compileSource, kernel, kernelOf } from './code/source.js';
export { specialize, typesTag } from './code/specialize.js';
export { tokensOf } from './code/tokens.js';
export { part, withPart } from './library/parts.js';
export { keepArrays, kernelMemory } from './memory/heap.js';
export {
  free,
  freeScratch,
  isHeap,
  isShared,
  nonOwning,
  scratchArray,
  shrunk,
  unfilledArray,
} from './memory/shared-array.js';
export { openFile } from './platform/host.js';
export { isExecutor } from './pool/executor.js';
export { invokeAll, invokeAllSync } from './pool/invoke-all.js';
export { refuseDead } from './pool/refuse-dead.js';
export type { AsyncTask } from './task/async-task.js';
export type { ForkJoinTask } from './task/fork-join-task.js';
export type { NotAPromise, Synchronous } from './task/synchronous.js';

// For flows.

export { isLoading } from './code/main-module.js';
export { sizeOf } from './code/object-kind.js';
export { builtinAsync, forkableName } from './code/registry.js';
export { receiving } from './code/returns.js';
export { CALL_OPTIONS } from './pool/call-options.js';
export type { LimitedInvoke } from './pool/executor.js';
export { PERMITS, type PermitRequest } from './pool/permits.js';
export type { AsyncForkable } from './task/async-task.js';
export { inFrame } from './task/frame.js';
export { pack } from './task/parcel.js';
export { moved } from './task/transfer.js';
export { isAskedBy } from './worker/checkpoint.js';
export { report } from './worker/report.js';
export { residents } from './worker/residents.js';

// For insight: what looks at pools and threads from outside.

export { codeTable } from './code/table.js';
export { local } from './deque/private-stack.js';
export type { RecordHome } from './observe/record-home.js';
export { contextVariable } from './platform/caller-context.js';
export type { Stall, StallHome } from './pool/stall.js';
export { linesOf, taskLabel } from './task/label.js';
export { hooks, type Told } from './worker/extension.js';
export { observeHere, RECORDS } from './worker/observe.js';

// For the cluster, which sends tasks to other processes.

export { importTasks } from './code/main-module.js';
export { hasCodeOf } from './code/registry.js';
export { withPermits } from './pool/begin-call.js';
export { coreOf } from './pool/executor.js';
export { checkLimit } from './pool/permits.js';
export { watchEnds } from './pool/signal.js';
export { nameOf } from './task/fork-join-task.js';
export { identityOf, packOutcome, packTask, packValue, unpackOutcome, unpackTask, unpackValue } from './wire/parcel.js';
export { rootTask } from './worker/scheduler.js';
