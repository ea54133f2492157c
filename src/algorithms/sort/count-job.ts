/**
 * Sorting elements of one or two bytes by counting them: what its tasks run; on every thread that computes.
 *
 * Each chunk counts its elements by value; the root adds the counts up to where each value begins; then every thread fills
 * segments of the array. Nothing is moved, so whenever the call ends, the caller can fill in what is missing (`refill`).
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { unitByUnit } from '../schedule/grain.js';
import { eachUnit, type WorkStage } from '../schedule/stages.js';
import { LEAVES_PER_THREAD } from '../tuning.js';

/** Checks whether elements of this type are sorted by counting. */
export const isCounted = (xs: TypedArray): boolean =>
  xs.BYTES_PER_ELEMENT <= 2 && !xs[Symbol.toStringTag].startsWith('F');

/** The word that is 1 once elements are being overwritten. Plain: the root writes it, and the caller reads it after the job. */
const W_FILLING = 0;
const W_ROWS = 1;

const valuesOf = (xs: TypedArray): number => 2 ** (8 * xs.BYTES_PER_ELEMENT);

/** The least value of the type. */
const leastOf = (xs: TypedArray): number => (xs[Symbol.toStringTag].startsWith('Int') ? -valuesOf(xs) / 2 : 0);

/**
 * Number of words that such a sort needs: `W_FILLING`, then a row of counts for each chunk, of which there are few. The first row
 * becomes where values begin.
 */
export const countWords = (xs: TypedArray, parallelism: number): number =>
  W_ROWS + valuesOf(xs) * Math.max(1, Math.min(2 * parallelism, Math.ceil(xs.length / valuesOf(xs))));

/** Fills [lo, hi) of a sorted array. */
function fill(xs: TypedArray, counts: Uint32Array, lo: number, hi: number): void {
  const values = valuesOf(xs);
  const least = leastOf(xs);
  const starts = counts.subarray(W_ROWS, W_ROWS + values);
  let value = 0; // the last one that begins at lo or before
  for (let step = values / 2; step >= 1; step /= 2) if (starts[value + step] <= lo) value += step;
  for (let at = lo; at < hi; value++) {
    const end = value + 1 < values ? Math.min(hi, starts[value + 1]) : hi;
    if (end > at) (xs as Uint8Array).fill(value + least, at, end);
    at = end;
  }
}

/** Puts all elements back, after a call that did not come to its end. */
export function refill(xs: TypedArray, counts: Uint32Array): void {
  if (counts[W_FILLING] === 1) fill(xs, counts, 0, xs.length);
}

/** The stages; both count each element as done. */
export function countStages(xs: TypedArray, counts: Uint32Array, parallelism: number): WorkStage[] {
  const { length } = xs;
  const values = valuesOf(xs);
  const chunks = (counts.length - W_ROWS) / values;
  const segments = LEAVES_PER_THREAD * parallelism;
  const rowOf = (chunk: number): number => W_ROWS + chunk * values;

  function countChunk(chunk: number): number {
    const [lo, hi] = [chunk, chunk + 1].map((end) => Math.min(length, end * Math.ceil(length / chunks)));
    count(xs as Uint16Array, lo, hi, counts.subarray(rowOf(chunk), rowOf(chunk + 1)), leastOf(xs));
    return hi - lo;
  }

  /** Turns the counts into the places where values begin. */
  function place(): void {
    let start = 0;
    for (let value = 0; value < values; value++) {
      let sum = 0;
      for (let chunk = 0; chunk < chunks; chunk++) sum += counts[rowOf(chunk) + value];
      counts[W_ROWS + value] = start;
      start += sum;
    }
  }

  function fillSegment(segment: number): number {
    const [lo, hi] = [segment, segment + 1].map((end) => Math.min(length, end * Math.ceil(length / segments)));
    fill(xs, counts, lo, hi);
    return hi - lo;
  }

  return [
    { units: chunks, grain: unitByUnit(), run: eachUnit(countChunk), after: place },
    {
      units: segments,
      grain: unitByUnit(),
      before() {
        counts[W_FILLING] = 1;
      },
      run: eachUnit(fillSegment),
    },
  ];
}

function count(xs: Uint16Array, lo: number, hi: number, row: Uint32Array, least: number): void {
  row.fill(0);
  for (let i = lo; i < hi; i++) row[xs[i] - least]++;
}
