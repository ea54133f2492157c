/**
 * Timers for the time that cancelled work has before it is given up; runs on every thread.
 *
 * The owner of a pool gives up invocations that it has cancelled. What a failure has cancelled below an invocation, the threads of its
 * coroutines give up (`graceLeft`).
 */
import { MAX_TIMER_MS } from '../memory/record-kinds.js';

/** Calls `then` after a time, which may be for ever; returns a function that prevents it. */
export function after(ms: number, then: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
