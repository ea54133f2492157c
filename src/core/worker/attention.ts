/**
 * What a worker does when its attention word is set: feed hungry thieves, and see that its invocation was cancelled.
 */

import { local } from '../deque/private-stack.js';
import { CancellationError } from '../errors.js';
import { and, load, or } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import {
  ATTENTION_CANCEL,
  ATTENTION_CHECKED,
  ATTENTION_HUNGRY,
  C_PHASE,
  C_SLEEPERS,
  PHASE_CRASHED,
  slotWord,
  W_ATTENTION,
} from '../memory/layout.js';
import { FRESH, isTask, nameOf } from '../task/fork-join-task.js';
import { publishAll, publishHalf } from './publish.js';
import { type Seat, thread } from './seat.js';

/** Why an invocation was cancelled (`R_CANCEL` of its root). */
export const CANCELLED_BY_SIGNAL = 1;
export const CANCELLED_BY_TIMEOUT = 2;
export const CANCELLED_BY_POOL = 3;
export const CANCELLED_BY_CRASH = 4;

/** Behind every fork and join whose attention word is set. */
export function attend(): void {
  const seat = thread.seat;
  if (seat === null) {
    forkedOutside();
    return;
  }
  const bits = load(seat.words, seat.attentionWord);
  if ((bits & ATTENTION_CANCEL) !== 0) seeCancellation(seat);
  if ((bits & ATTENTION_CHECKED) !== 0) publishAll(seat);
  else if ((bits & ATTENTION_HUNGRY) !== 0) publishHalf(seat);
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
  if (local.attention[0] !== 0 && thread.seat !== null) attend();
}

function seeCancellation(seat: Seat): void {
  and(seat.words, seat.attentionWord, ~ATTENTION_CANCEL); // C1: before the reason is read; a later one sets it again
  const reason = cancellation(seat);
  if (reason === 0) return;
  or(seat.words, seat.attentionWord, ATTENTION_CANCEL); // every later fork and join of this invocation sees it too
  throw cancellationError(reason);
}

/** Why the work on this thread's stack should end, 0 if it should not. */
export const cancellation = (seat: Seat): number =>
  load(seat.words, C_PHASE) === PHASE_CRASHED ? CANCELLED_BY_CRASH : seat.cancelledBy(thread.invocation);

export function cancellationError(reason: number): CancellationError {
  if (reason === CANCELLED_BY_SIGNAL)
    return new CancellationError('furcate: the invocation was aborted.', { aborted: true });
  if (reason === CANCELLED_BY_TIMEOUT)
    return new CancellationError('furcate: the invocation took longer than timeoutMs.');
  if (reason === CANCELLED_BY_CRASH) return new CancellationError('furcate: a worker of the pool crashed.');
  return new CancellationError('furcate: the pool was terminated.');
}

/** Asks every thread of a crew to look at its invocation. */
export function callAttention(memory: ControlMemory, bit: number): void {
  const { layout, words } = memory;
  for (let slot = 0; slot <= layout.parallelism; slot++) or(words, slotWord(layout, slot) + W_ATTENTION, bit);
}

/** Tells one worker that a thief found nothing to take from it. */
export function markHungry(seat: Seat, victim: number): void {
  const { words, memory } = seat;
  const at = slotWord(memory.layout, victim) + W_ATTENTION;
  if ((load(words, at) & ATTENTION_HUNGRY) === 0) or(words, at, ATTENTION_HUNGRY);
}

/** A worker that starts something big while others sleep feeds them without being asked: they cannot ask. */
export function feedSleepers(seat: Seat): void {
  if (load(seat.words, C_SLEEPERS) > 0) or(seat.words, seat.attentionWord, ATTENTION_HUNGRY);
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
