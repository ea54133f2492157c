/**
 * How long cancelled work may go on before it is given up, and the timers for that; runs on every thread.
 *
 * The owner of a pool gives up invocations that it has cancelled. What a failure has cancelled below an invocation, the threads of its
 * coroutines give up. They find the grace of the invocation in the word where its cancellation would be.
 */
import { COROUTINE_GRACE_MS } from '../tuning.js';

/** The longest time of the platform's timers (milliseconds), which fire at once beyond it. Such a time counts as for ever. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `then` after a time, which may be for ever; returns a function that prevents it. */
export function after(ms: number, then: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

/** `R_CANCEL` of a root that is not cancelled: 0, or less if its invocation has a grace. */
export const graceWord = (graceMs: number): number =>
  graceMs === Number.POSITIVE_INFINITY ? 0 : -Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(graceMs)));

/** How long coroutines may go on that a failure has cancelled (milliseconds); `word` is `R_CANCEL` of their root, or 0. */
export const graceIn = (word: number): number => -word || COROUTINE_GRACE_MS;
