/** The end of a body: nothing that a body has forked outlives it (fully strict). */

import { ENDED, Forked, HOLE, local, removeAt } from '../deque/private-stack.js';
import { isPublic, isTaken, stateOf } from '../memory/records.js';
import { CANCELLED, type ForkJoinTask, mark } from '../task/fork-join-task.js';
import { runInPlace } from './help.js';
import { conclude, joinAt, positionOfTask } from './join.js';
import { reclaim } from './publish.js';
import { cancelledByForker } from './requests.js';
import { awaitResult } from './wait.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Completes the forks that a body left when it returned; throws the first failure in fork order. */
export function finish(from: number): void {
  let failed = false;
  let failure: unknown;
  while (local.sp > from) {
    const k = local.sp - 1;
    const item = local.stack[k];
    if (item === HOLE || (item instanceof Forked && item.observed)) {
      removeAt(k);
      continue;
    }
    try {
      joinAt(k);
    } catch (error) {
      if (local.sp > k) throw error; // it was not joined: the stack is used up, or the worker group has crashed
      failed = true;
      failure = error; // from the top down, so the last failure is the first in fork order
    }
  }
  if (failed) throw failure;
}

/** Cancels the forks of a body that threw, if nobody has started them, and waits for the others. */
export function abandon(from: number): void {
  const own = thread.own as WorkerSlot; // a thread that has published has a slot
  for (let k = local.sp - 1; k >= from; k--) {
    if (!reclaim(k)) continue;
    const task = local.stack[k] as ForkJoinTask<unknown> | null;
    local.stack[k] = HOLE;
    if (task === null) continue;
    mark(task, CANCELLED, cancelledByForker(task));
  }
  while (local.sp > from) {
    const k = local.sp - 1;
    const item = local.stack[k] as Forked;
    if (item.entry !== ENDED && !own.memory.hasCrashed) awaitResult(own, item);
    if (item.task !== null && item.entry === ENDED && !item.observed)
      conclude(item.task as ForkJoinTask<unknown>, item.failed, item.value);
    if (!item.observed) thread.observer?.joined(k, item.account);
    removeAt(k);
  }
}

/** Takes a forked task of the running frame back; false if somebody has started it. */
export function unfork(task: ForkJoinTask<unknown>): boolean {
  const k = positionOfTask(task);
  if (k < local.base || !reclaim(k)) return false;
  removeAt(k);
  return true;
}

/** Brings a forked task home if it is done. It stays on the stack, marked as observed. */
export function poll(task: ForkJoinTask<unknown>): void {
  const k = positionOfTask(task);
  const item = k < 0 ? null : local.stack[k];
  if (!(item instanceof Forked)) return;
  if (item.entry !== ENDED) {
    const own = thread.own as WorkerSlot;
    const record = own.records.wordOf(item.entry);
    if (isPublic(own.words, record, item.entry) || isTaken(stateOf(own.words, record))) return;
    awaitResult(own, item);
  }
  item.observed = true;
  thread.observer?.joined(k, item.account);
  conclude(task, item.failed, item.value);
}

/** Completes all that the running body has forked so far; later joins find it done. */
export function helpQuiesce(): void {
  for (let k = local.sp - 1; k >= local.base; k--) {
    if (runInPlace(k)) continue;
    const item = local.stack[k] as Forked;
    if (item.entry !== ENDED) awaitResult(thread.own as WorkerSlot, item);
  }
  if (local.split >= local.base) local.split = local.sp; // none of them is queued any more
}
