/** Merge sort: parts are sorted by insertion when they are short. */
import type { Numbers } from './config.js';

const SHORT = 20;

/** Merges a, from `a0` to `a1`, and b into `out` from `at` on. */
export function merge(
  xs: Float64Array,
  a0: number,
  a1: number,
  b0: number,
  b1: number,
  out: Float64Array,
  at: number,
): void {
  while (a0 < a1 && b0 < b1) out[at++] = xs[b0] < xs[a0] ? xs[b0++] : xs[a0++];
  while (a0 < a1) out[at++] = xs[a0++];
  while (b0 < b1) out[at++] = xs[b0++];
}

/** Sorts elements lo to hi - 1 of `xs`. */
export function sort(xs: Float64Array, room: Float64Array, lo: number, hi: number): void {
  if (hi - lo <= SHORT) {
    for (let i = lo + 1; i < hi; i++) {
      const x = xs[i];
      let place = i;
      for (; place > lo && xs[place - 1] > x; place--) xs[place] = xs[place - 1];
      xs[place] = x;
    }
    return;
  }
  const [q1, q2, q3] = quarters(lo, hi);
  sort(xs, room, lo, q1);
  sort(xs, room, q1, q2);
  sort(xs, room, q2, q3);
  sort(xs, room, q3, hi);
  merge(xs, lo, q1, q1, q2, room, lo);
  merge(xs, q2, q3, q3, hi, room, q2);
  merge(room, lo, q2, q2, hi, xs, lo);
}

export function quarters(lo: number, hi: number): [number, number, number] {
  const quarter = (hi - lo) >>> 2;
  return [lo + quarter, lo + 2 * quarter, lo + 3 * quarter];
}

export const sequential = ({ xs, room }: Numbers): void => sort(xs, room, 0, xs.length);
