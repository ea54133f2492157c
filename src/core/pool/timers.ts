/** Timers of a pool; run on the thread that owns the pool. */

/** The longest time of the platform's timers (milliseconds), which fire at once beyond it. We take such a time as for ever. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `then` after a time, which may be for ever; returns a function that prevents it. */
export function after(ms: number, then: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
