/** Joins of other tasks than the newest private one: in any order, taken back (publish.ts), or waited for (wait.ts). */

import { Forked, HANDLE_MASK, HOLE, local, removeSlot, SETTLED } from '../deque/private-stack.js';
import { show } from '../errors.js';
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
import { awaitResult, type Outcome } from './wait.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** The slot of a forked task on the private stack, or -1. */
export function slotOfTask(task: ForkJoinTask<unknown>): number {
  const k = -1 - task.$state;
  if (k < 0 || k >= local.sp) return -1;
  const item = local.stack[k];
  return item === task || (item instanceof Forked && item.task === task) ? k : -1;
}

export function joinTask(task: ForkJoinTask<unknown>): unknown {
  if (task.$state >= COMPLETED) return reportOf(task);
  if (isAwaiting()) throw outsideError('join()');
  giveWayIfAsked();
  const k = slotOfTask(task);
  if (k < local.base) throw badJoin(task, k);
  return joinSlot(k);
}

export function joinHandle(handle: unknown): unknown {
  if (isAwaiting()) throw outsideError('join()');
  if (typeof handle !== 'number') throw noHandle(handle);
  giveWayIfAsked();
  const k = slotOfHandle(handle);
  if (k < 0) {
    throw new Error(
      'furcate: join() of a handle that is stale or from elsewhere. A handle is what fork() gave in this task, joined once, before the task returns.',
    );
  }
  return joinSlot(k);
}

/** Finds a handle by binary search: handles grow with the stack, and slots of task objects between them have none. */
function slotOfHandle(handle: number): number {
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
    const here = local.handles[k] & HANDLE_MASK;
    if (here === handle) return local.stack[k] === HOLE ? -1 : k;
    if (isOlder(here, handle)) low = middle + 1;
    else high = k;
  }
  return -1;
}

/** Slots beyond the length of `handles` hold task objects only. */
const isCall = (k: number): boolean => (local.handles[k] ?? -1) !== -1;

/** Compares modulo 2^30. */
const isOlder = (a: number, b: number): boolean => ((b - a) & HANDLE_MASK) < (HANDLE_MASK + 1) / 2;

/** Joins slot `k` of the running frame: takes it off the stack, and returns the result or throws the failure. */
export function joinSlot(k: number): unknown {
  const item = local.stack[k];
  if (item instanceof Forked && (thread.own?.checked === true || !reclaim(k))) {
    if (item.entry !== SETTLED) awaitResult(thread.own as WorkerSlot, item);
    removeSlot(k);
    const { failed, value } =
      item.task === null ? item : conclude(item.task as ForkJoinTask<unknown>, item.failed, item.value);
    if (failed) throw value;
    return value;
  }
  const task = taskAt(k, local.stack[k]); // before the frame starts, which may reuse the slot
  removeSlot(k);
  return runTask(task);
}

/** Writes the outcome into the task object, and returns it. A task that cannot be written to has failed. */
export function conclude(task: ForkJoinTask<unknown>, failed: boolean, value: unknown): Outcome {
  const unwritable = mark(task, failed ? EXCEPTIONAL : COMPLETED, value);
  return unwritable === undefined ? { failed, value } : { failed: true, value: unwritable };
}

function noHandle(value: unknown): TypeError {
  const what = isTask(value) ? `a ${nameOf(value)}. Write task.join()` : show(value);
  return new TypeError(`furcate: join() takes a handle, the number that fork() gave; it was given ${what}.`);
}

function badJoin(task: ForkJoinTask<unknown>, slot: number): Error {
  const [what, cure] =
    task.$state === FRESH
      ? ['was never forked', 'Call fork() first, or invoke() to run it here.']
      : [
          slot >= 0 ? 'another task forked' : 'is running, or that was forked elsewhere',
          'Only the task that forked it may join it.',
        ];
  return new Error(`furcate: join() of a ${nameOf(task)} that ${what}. ${cure}`);
}
