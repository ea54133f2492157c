/**
 * Joins that are not the newest private task: found in any order, taken back (reclaim.ts), or waited for (wait.ts).
 */

import { Forked, HANDLE_MASK, HOLE, local, removeSlot, SETTLED } from '../deque/private-stack.js';
import {
  COMPLETED,
  EXCEPTIONAL,
  type ForkJoinTask,
  FRESH,
  isTask,
  nameOf,
  reportOf,
  runTask,
} from '../task/fork-join-task.js';
import { runCall, takeArguments } from '../task/function-task.js';
import { reclaim } from './reclaim.js';
import { settle } from './wait.js';
import { thread } from './worker-slot.js';

/** The slot of a forked task on the private stack, or -1. */
export function slotOfTask(task: ForkJoinTask<unknown>): number {
  const k = -1 - task.$state;
  if (k < 0 || k >= local.sp) return -1;
  const item = local.stack[k];
  return item === task || (item instanceof Forked && item.task === task) ? k : -1;
}

export function joinTask(task: ForkJoinTask<unknown>): unknown {
  if (task.$state >= COMPLETED) return reportOf(task);
  const k = slotOfTask(task);
  if (k < local.base) throw badJoin(task, k);
  return joinSlot(k);
}

export function joinHandle(handle: unknown): unknown {
  if (typeof handle !== 'number') throw noHandle(handle);
  const k = slotOfHandle(handle);
  if (k < 0) {
    throw new Error(
      'furcate: join() of a handle that is stale or from elsewhere. A handle is what fork() gave in this task, joined once, before the task returns.',
    );
  }
  return joinSlot(k);
}

/** Handles grow with the stack; slots of task objects between them have none. */
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

/** Beyond their capacity there are class tasks only. */
const isCall = (k: number): boolean => (local.handles[k] ?? -1) !== -1;

/** Compares modulo 2^30. */
const isOlder = (a: number, b: number): boolean => ((b - a) & HANDLE_MASK) < (HANDLE_MASK + 1) / 2;

/** Joins slot `k` of the running frame: takes it off the stack and gives its result, or throws its failure. */
export function joinSlot(k: number): unknown {
  const item = local.stack[k];
  if (!(item instanceof Forked)) {
    const task = item as ForkJoinTask<unknown> | null;
    return task === null ? runPrivateCall(k) : runPrivateTask(k, task);
  }
  const own = thread.own;
  if (item.entry !== SETTLED && own !== null) {
    if (!own.checked && reclaim(own, k, item)) {
      return item.task === null ? runPrivateCall(k) : runPrivateTask(k, item.task as ForkJoinTask<unknown>);
    }
    settle(own, item);
  }
  removeSlot(k);
  const { failed, value } = item;
  if (item.task !== null) conclude(item.task as ForkJoinTask<unknown>, failed, value);
  if (failed) throw value;
  return value;
}

function runPrivateTask(k: number, task: ForkJoinTask<unknown>): unknown {
  removeSlot(k);
  return runTask(task);
}

/** The arguments are read before the frame starts, which may reuse the slot. */
function runPrivateCall(k: number): unknown {
  const index = local.fn[k] >> 3;
  const args = takeArguments(k);
  removeSlot(k);
  return runCall(index, args);
}

/** Writes the outcome into the task object. */
export function conclude(task: ForkJoinTask<unknown>, failed: boolean, value: unknown): void {
  task.$state = failed ? EXCEPTIONAL : COMPLETED;
  task.$result = value;
}

function noHandle(value: unknown): TypeError {
  const cure = isTask(value) ? ' Write task.join().' : '';
  return new TypeError(
    `furcate: join() takes a handle, the number that fork() gave; it was given ${kindOf(value)}.${cure}`,
  );
}

const kindOf = (value: unknown): string =>
  isTask(value) ? `a ${nameOf(value)}` : value === null ? 'null' : typeof value;

function badJoin(task: ForkJoinTask<unknown>, slot: number): Error {
  const name = nameOf(task);
  if (task.$state === FRESH) {
    return new Error(
      `furcate: join() of a ${name} that was never forked. Call fork() first, or invoke() to run it here.`,
    );
  }
  if (slot >= 0)
    return new Error(
      `furcate: join() of a ${name} that another task forked. Only the task that forked it may join it.`,
    );
  return new Error(
    `furcate: join() of a ${name} that is running, or that was forked elsewhere. Only the task that forked it may join it.`,
  );
}
