/** Timers of a pool that may be for ever; runs on the thread that owns the pool. */

/** Timers of the platform fire at once beyond this; such a time never comes. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `then` after a time, which may be for ever; returns what prevents it. */
export function after(ms: number, then: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
