/** The clock that profiles are measured by; on every thread that is observed. */
import { host } from '../../core/engine.js';

export const nowUs = (): number => performance.now() * 1000;

/** Time that one reading of the clock takes, at least (us); 0 if the clock does not show it. */
export function leastReadUs(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0, us = nowUs(); k < READS; k++) {
    const next = nowUs();
    least = Math.min(least, next - us);
    us = next;
  }
  return Math.max(0, least);
}
const READS = 200;

/** Offset of the clock of all threads from that of this thread (us): as of the quickest of some readings, since the system may interrupt one. */
export function aheadUs(): number {
  let least = Number.POSITIVE_INFINITY;
  let ahead = 0;
  for (let k = 0; k < PAIRS; k++) {
    const before = nowUs();
    const us = host().nowMs() * 1000;
    const took = nowUs() - before;
    if (took < least) {
      least = took;
      ahead = us - before - took / 2;
    }
  }
  return ahead;
}
const PAIRS = 10;
