/**
 * Counts flights by delay, with parallelForRange.
 *
 * Each range counts into its own array, and then adds that array to the shared counts with `Atomics.add`. Integer sums are equal in
 * any order, so the answer does not depend on how the rows are split into ranges.
 */
import { parallelForRange, sharedArray } from 'furcate';
import { percent, whole } from '../words.js';
import { type Material, type Question, sameNumbers } from './question.js';

/** Bounds and width of the bins (minutes). The first bin counts all flights below LOW_MINUTES, the last all from HIGH_MINUTES on. */
export const LOW_MINUTES = -60;
export const HIGH_MINUTES = 180;
export const BIN_MINUTES = 5;
/** Rows in a range: enough to hide the microsecond that adding the counts of a range to the shared counts costs. */
const ROWS_PER_RANGE = 32_768;
const BINS = (HIGH_MINUTES - LOW_MINUTES) / BIN_MINUTES + 2;

export interface DelayHistogram {
  readonly counts: Uint32Array;
}

export function delayHistogramQuestion({ flights, pool }: Material): Question<DelayHistogram> {
  const { count, delay } = flights;
  const shared = sharedArray(Uint32Array, BINS);
  return {
    title: 'How are the delays spread?',
    calls: 'parallelForRange',
    criterion: 'bit for bit: counts are integers',

    sequential() {
      const counts = new Uint32Array(BINS);
      for (let row = 0; row < count; row++) {
        const bin = Math.floor((delay[row] - LOW_MINUTES) / BIN_MINUTES) + 1;
        counts[Math.min(BINS - 1, Math.max(0, bin))]++;
      }
      return { counts };
    },

    async parallel() {
      shared.fill(0);
      await parallelForRange(
        count,
        (lo, hi, { delay, shared, low, width }) => {
          const bins = shared.length;
          const counts = new Uint32Array(bins);
          for (let row = lo; row < hi; row++) {
            const bin = Math.floor((delay[row] - low) / width) + 1;
            counts[Math.min(bins - 1, Math.max(0, bin))]++;
          }
          for (let bin = 0; bin < bins; bin++) Atomics.add(shared, bin, counts[bin]);
        },
        { pool, threshold: ROWS_PER_RANGE, context: { delay, shared, low: LOW_MINUTES, width: BIN_MINUTES } },
      );
      return { counts: shared };
    },

    equal: (a, b) => sameNumbers(a.counts, b.counts),

    facts: ({ counts }) => [
      { label: 'early', value: share(counts, Number.NEGATIVE_INFINITY, 0, count) },
      { label: '0 to 14 min late', value: share(counts, 0, 15, count) },
      { label: '15 to 59 min late', value: share(counts, 15, 60, count) },
      { label: '1 to 3 h late', value: share(counts, 60, HIGH_MINUTES, count) },
      { label: '3 h late or more', value: share(counts, HIGH_MINUTES, Number.POSITIVE_INFINITY, count) },
    ],
  };
}

/** The delay at which a bin starts. */
export function binStart(bin: number): number {
  return bin === 0 ? Number.NEGATIVE_INFINITY : LOW_MINUTES + (bin - 1) * BIN_MINUTES;
}

function share(counts: Uint32Array, from: number, to: number, all: number): string {
  let flights = 0;
  counts.forEach((inBin, bin) => {
    if (binStart(bin) >= from && binStart(bin) < to) flights += inBin;
  });
  return `${whole(flights)} flights (${percent(flights, all)})`;
}
