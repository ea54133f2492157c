/** Joins of other tasks than the newest private one: in any order, taken back (publish.ts), or waited for (wait.ts). */

import { ENDED, Forked, HANDLE_MASK, HOLE, handleAt, local, removeAt } from '../deque/private-stack.js';
import { refuseRevoked, show } from '../errors.js';
import { taskAt } from '../task/call-task.js';
import {
  COMPLETED,
  EXCEPTIONAL,
  type ForkJoinTask,
  FRESH,
  isTask,
  mark,
  nameOf,
  reportOf,
  runTask,
} from '../task/fork-join-task.js';
import { giveWayIfAsked } from './give-way.js';
import { isAwaiting } from './place.js';
import { reclaim } from './publish.js';
import { outsideError } from './requests.js';
import { awaitResult, mayRunChecked, type TaskOutcome } from './wait.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** The position of a forked task on the private stack, or -1. */
export function positionOfTask(task: ForkJoinTask<unknown>): number {
  const k = -1 - task.$state;
  if (k < 0 || k >= local.sp) return -1;
  const item = local.stack[k];
  return item === task || (item instanceof Forked && item.task === task) ? k : -1;
}

export function joinTask(task: ForkJoinTask<unknown>): unknown {
  if (task.$state >= COMPLETED) return reportOf(task);
  if (isAwaiting()) throw outsideError('join()');
  giveWayIfAsked();
  const k = positionOfTask(task);
  if (k < local.base) throw badJoin(task, k);
  return joinAt(k);
}

export function joinHandle(handle: unknown): unknown {
  if (isAwaiting()) throw outsideError('join()');
  if (typeof handle !== 'number') throw noHandle(handle);
  giveWayIfAsked();
  const k = positionOfHandle(handle);
  if (k < 0) {
    throw new Error(
      'furcate: join() of a handle that is stale or from elsewhere. A handle is what fork() gave in this task, joined once, before the task returns.',
    );
  }
  return joinAt(k);
}

/** Finds a handle by binary search: handles grow with the stack, and positions of task objects between them have none. */
function positionOfHandle(handle: number): number {
  let low = local.base;
  let high = local.sp;
  while (low < high) {
    const middle = (low + high) >> 1;
    let k = middle;
    while (k >= low && !isCall(k)) k--;
    if (k < low) {
      low = middle + 1;
      continue;
    }
    const here = handleAt(k) & HANDLE_MASK;
    if (here === handle) return local.stack[k] === HOLE ? -1 : k;
    if (isOlder(here, handle)) low = middle + 1;
    else high = k;
  }
  return -1;
}

const isCall = (k: number): boolean => handleAt(k) !== -1;

/** Compares modulo 2^30. */
const isOlder = (a: number, b: number): boolean => ((b - a) & HANDLE_MASK) < (HANDLE_MASK + 1) / 2;

/** Joins position `k` of the running frame: takes it off the stack, and returns the result or throws the failure. */
export function joinAt(k: number): unknown {
  const item = local.stack[k];
  if (item instanceof Forked && ((thread.own?.checked === true && mayRunChecked()) || !reclaim(k))) {
    if (item.entry !== ENDED) {
      thread.observer?.waits();
      awaitResult(thread.own as WorkerSlot, item);
    }
    thread.observer?.joined(k, item.account);
    removeAt(k);
    const { failed, value } =
      item.task === null ? item : conclude(item.task as ForkJoinTask<unknown>, item.failed, item.value);
    if (failed) throw value;
    return value;
  }
  const task = taskAt(k, local.stack[k]); // before the frame starts, which may reuse the position
  const { observer } = thread;
  const begun = observer?.begins(k, task);
  removeAt(k);
  if (begun === undefined) return runTask(task);
  try {
    return runTask(task);
  } finally {
    observer?.ended(begun);
  }
}

/** Writes the outcome into the task object, and returns it. A task that cannot be written to has failed. */
export function conclude(task: ForkJoinTask<unknown>, failed: boolean, value: unknown): TaskOutcome {
  const unwritable = mark(task, failed ? EXCEPTIONAL : COMPLETED, value);
  return unwritable === undefined ? { failed, value } : { failed: true, value: unwritable };
}

function noHandle(value: unknown): TypeError {
  refuseRevoked(value, 'what join() was given');
  const what = isTask(value) ? `a ${nameOf(value)}. Write task.join()` : show(value);
  return new TypeError(`furcate: join() takes a handle, the number that fork() gave; it was given ${what}.`);
}

function badJoin(task: ForkJoinTask<unknown>, position: number): Error {
  const [what, cure] =
    task.$state === FRESH
      ? ['was never forked', 'Call fork() first, or invoke() to run it here.']
      : [
          position >= 0 ? 'another task forked' : 'is running, or that was forked elsewhere',
          'Only the task that forked it may join it.',
        ];
  return new Error(`furcate: join() of a ${nameOf(task)} that ${what}. ${cure}`);
}
