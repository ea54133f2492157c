/** Units that the caller runs by itself, before a pool is asked. */
import type { Grain } from './grain.js';

/** Runs units [lo, hi); returns how many it ran: fewer, if what comes after them does not matter any more. */
export type Block = (lo: number, hi: number) => number;

/**
 * Runs units from `lo` on the calling thread, until `hi` or until `limitUs` have passed.
 *
 * @returns the unit to go on from; `hi` when done
 */
export function runOnCaller(lo: number, hi: number, grain: Grain, limitUs: number, block: Block): number {
  const startMs = performance.now();
  let nowMs = startMs;
  while (lo < hi && (nowMs - startMs) * 1000 < limitUs) {
    const end = Math.min(hi, lo + grain.callerUnits());
    const ran = block(lo, end);
    const thenMs = nowMs;
    nowMs = performance.now();
    if (ran > 0) grain.note(ran, nowMs - thenMs);
    if (ran < end - lo) return hi;
    lo = end;
  }
  return lo;
}
