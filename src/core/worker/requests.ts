/**
 * What a worker does when its request word is set: feed thieves that ask, and see that its invocation was cancelled.
 */

import { local } from '../deque/private-stack.js';
import { CancellationError } from '../errors.js';
import { and, load, or } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import {
  C_PHASE,
  C_SLEEPERS,
  PHASE_CRASHED,
  REQUEST_CANCEL,
  REQUEST_CHECKED,
  REQUEST_STEAL,
  slotWord,
  W_REQUESTS,
} from '../memory/layout.js';
import { FRESH, isTask, nameOf } from '../task/fork-join-task.js';
import { publishAll, publishHalf } from './publish.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Why an invocation was cancelled (`R_CANCEL` of its root). */
export const CANCELLED_BY_SIGNAL = 1;
export const CANCELLED_BY_TIMEOUT = 2;
export const CANCELLED_BY_POOL = 3;
export const CANCELLED_BY_CRASH = 4;

/** Behind every fork and join whose request word is set. */
export function attend(): void {
  const own = thread.own;
  if (own === null) {
    forkedOutside();
    return;
  }
  const bits = load(own.words, own.requestsWord);
  if ((bits & REQUEST_CANCEL) !== 0) seeCancellation(own);
  if ((bits & REQUEST_CHECKED) !== 0) publishAll(own);
  else if ((bits & REQUEST_STEAL) !== 0) publishHalf(own);
}

/**
 * Lets a long task take part in the pool: throws once its invocation is cancelled, and gives forked tasks of this worker to
 * others that have nothing to do. Fork, join and the algorithms' own loops do so by themselves; call it in loops of your own
 * that take longer than a `graceMs` or an abort may. It costs about as much as an empty call. Outside of a task, and where an
 * algorithm runs on the caller, it does nothing.
 *
 * An inline function of an algorithm gets it through its context: `{ context: { checkpoint } }`.
 *
 * @throws CancellationError once the invocation is cancelled: by its signal, its time-out, or the end of its pool
 * @example
 * export const solve = forkable(import.meta.url, 'solve', (state: number): number => {
 *   while (!isSolved(state)) {
 *     checkpoint();
 *     state = improve(state);
 *   }
 *   return state;
 * });
 */
export function checkpoint(): void {
  if (local.requests[0] !== 0 && thread.own !== null) attend();
}

function seeCancellation(own: WorkerSlot): void {
  and(own.words, own.requestsWord, ~REQUEST_CANCEL); // C1: before the reason is read; a later one sets it again
  const reason = cancellation(own);
  if (reason === 0) return;
  or(own.words, own.requestsWord, REQUEST_CANCEL); // every later fork and join of this invocation sees it too
  throw cancellationError(reason);
}

/** Why the work on this thread's stack should end, 0 if it should not. */
export const cancellation = (own: WorkerSlot): number =>
  load(own.words, C_PHASE) === PHASE_CRASHED ? CANCELLED_BY_CRASH : own.cancelledBy(thread.invocation);

export function cancellationError(reason: number): CancellationError {
  if (reason === CANCELLED_BY_SIGNAL)
    return new CancellationError('furcate: the invocation was aborted.', { aborted: true });
  if (reason === CANCELLED_BY_TIMEOUT)
    return new CancellationError('furcate: the invocation took longer than timeoutMs.');
  if (reason === CANCELLED_BY_CRASH) return new CancellationError('furcate: a worker of the pool crashed.');
  return new CancellationError('furcate: the pool was terminated.');
}

/** Asks every thread of a worker group to look at its invocation. */
export function requestOfAll(memory: ControlMemory, bit: number): void {
  const { layout, words } = memory;
  for (let slot = 0; slot <= layout.parallelism; slot++) or(words, slotWord(layout, slot) + W_REQUESTS, bit);
}

/** Tells one worker that a thief found nothing to take from it. */
export function requestSteal(own: WorkerSlot, victim: number): void {
  const { words, memory } = own;
  const at = slotWord(memory.layout, victim) + W_REQUESTS;
  if ((load(words, at) & REQUEST_STEAL) === 0) or(words, at, REQUEST_STEAL);
}

/** A worker that starts something big while others sleep feeds them without being asked: they cannot ask. */
export function feedSleepers(own: WorkerSlot): void {
  if (load(own.words, C_SLEEPERS) > 0) or(own.words, own.requestsWord, REQUEST_STEAL);
}

function forkedOutside(): void {
  const i = local.sp - 1; // the fork that brought us here
  const item = local.stack[i];
  local.stack[i] = null;
  local.handles[i] = -1;
  local.sp = i;
  if (isTask(item)) item.$state = FRESH;
  const what = item === null ? 'fork()' : `fork() of a ${nameOf(item)}`;
  throw new Error(
    `furcate: ${what} outside a pool. Start with await pool.invoke(task) or pool.invokeSync(task), and fork inside compute().`,
  );
}
