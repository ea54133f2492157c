/** The selection as threads see it: a lower and an upper bound for each dimension, in shared memory. */
import { sharedArray } from 'furcate';
import { DIMENSIONS, type Range } from './dimensions.js';

/** The bounds of dimension `d` are at `2 * d` (included) and `2 * d + 1` (excluded). */
export type Bounds = Int32Array;

/** What a flight without a value has in its columns: outside of all bounds, the open ones too. */
export const MISSING = -0x8000;
const OPEN_LOW = MISSING + 1;
const OPEN_HIGH = 0x8000;

export function openBounds(): Bounds {
  const bounds = sharedArray(Int32Array, 2 * DIMENSIONS.length);
  DIMENSIONS.forEach((_, d) => {
    setRange(bounds, d, undefined);
  });
  return bounds;
}

/** Selects a range of a dimension. Where it reaches the end of the chart, it has no bound; undefined is the whole dimension. */
export function setRange(bounds: Bounds, d: number, range: Range | undefined): void {
  const { low, high } = DIMENSIONS[d];
  bounds[2 * d] = range === undefined || range.low <= low ? OPEN_LOW : range.low;
  bounds[2 * d + 1] = range === undefined || range.high >= high ? OPEN_HIGH : range.high;
}
