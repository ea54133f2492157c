/** What models use of the shipped source; bundled by load-source.ts. Named one by one: a copy is made a thread and run. */
import { KeyTable } from '../../../src/algorithms/containers/key-table.js';
import { chainedStages } from '../../../src/algorithms/schedule/lookback.js';
import * as ranges from '../../../src/algorithms/schedule/ranges.js';
import { hasLeftStack, local } from '../../../src/core/deque/private-stack.js';
import { EMPTY, OwnerDeque, ThiefDeque } from '../../../src/core/deque/public-deque.js';
import { ControlMemory } from '../../../src/core/memory/control.js';
import { HeapLock } from '../../../src/core/memory/heap-lock.js';
import {
  complete,
  isPublic,
  OwnerRecords,
  setPublic,
  stateOf,
  tryAwait,
  tryClaim,
  tryTake,
} from '../../../src/core/memory/records.js';
import { host } from '../../../src/core/platform/host.js';
import { runOnCaller } from '../../../src/core/pool/caller.js';
import { Invocations } from '../../../src/core/pool/invocation.js';
import { WorkerGroup } from '../../../src/core/pool/worker-group.js';
import { asyncForkable } from '../../../src/core/task/async-task.js';
import { CallTask } from '../../../src/core/task/call-task.js';
import { RecursiveTask, runTask } from '../../../src/core/task/fork-join-task.js';
import { asyncIndexOf, fork, forkable, indexOf, join } from '../../../src/core/task/function-task.js';
import { CoroutineFork } from '../../../src/extensions/async/coroutine-fork.js';
import '../../../src/extensions/async/index.js'; // so that workers begin asynchronous tasks
import { CoroutineScheduler } from '../../../src/extensions/async/coroutine-scheduler.js';
import { Race } from '../../../src/extensions/async/race.js';
import { blocking } from '../../../src/extensions/spares/index.js';
import { gone, start } from '../../../src/extensions/spares/start.js';
import '../../../src/extensions/reports/index.js';
import { attach, attached, detach, enter, leave, within } from '../../../src/core/worker/activation.js';
import { checkpoint } from '../../../src/core/worker/checkpoint.js';
import { isLowInvocation } from '../../../src/core/worker/give-way.js';
import { leavesInOrder } from '../../../src/core/worker/in-sight.js';
import { isolate } from '../../../src/core/worker/isolate.js';
import { report } from '../../../src/core/worker/report.js';
import { requestOfAll } from '../../../src/core/worker/requests.js';
import { lastLook, workLoop } from '../../../src/core/worker/search.js';
import { eventOf, feedSleepers, sleep, sleepInLoop, wakeOne, wakeSlot } from '../../../src/core/worker/sleep.js';
import * as best from '../../../src/flows/best/cell.js';
import * as readiness from '../../../src/flows/graph/readiness.js';
import '../../../src/core/worker/scheduler.js';
import { forIdle, forJoin, hasWork, runStolen, trySteal } from '../../../src/core/worker/steal.js';
import { setInvocation, thread, WorkerSlot } from '../../../src/core/worker/worker-slot.js';

const library = {
  KeyTable,
  best,
  chainedStages,
  ranges,
  readiness,
  local,
  hasLeftStack,
  enter,
  leave,
  attach,
  attached,
  detach,
  within,
  EMPTY,
  OwnerDeque,
  ThiefDeque,
  ControlMemory,
  HeapLock,
  OwnerRecords,
  complete,
  isPublic,
  setPublic,
  stateOf,
  tryAwait,
  tryClaim,
  tryTake,
  host,
  runOnCaller,
  WorkerGroup,
  Invocations,
  blocking,
  startSpares: start,
  spareGone: gone,
  CallTask,
  asyncForkable,
  asyncIndexOf,
  RecursiveTask,
  fork,
  forkable,
  indexOf,
  join,
  runTask,
  isLowInvocation,
  isolate,
  requestOfAll,
  checkpoint,
  report,
  feedSleepers,
  eventOf,
  CoroutineFork,
  Race,
  CoroutineScheduler,
  lastLook,
  sleep,
  sleepInLoop,
  wakeOne,
  wakeSlot,
  workLoop,
  leavesInOrder,
  forIdle,
  forJoin,
  hasWork,
  runStolen,
  trySteal,
  WorkerSlot,
  setInvocation,
  thread,
};

export type Library = typeof library;

// The factory that load-source.ts makes of the bundle returns it.
export default library;
