/**
 * Sorting elements of one or two bytes by counting them: what its tasks run; on every thread that computes.
 *
 * Each chunk counts its elements by value; the root adds the counts up to where each value begins; then every thread fills
 * parts of the array. Nothing is moved, so whenever the call ends, the caller can fill in what is missing (`refill`).
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import type { CallArrays } from '../call/call-arrays.js';
import { unitByUnit } from '../schedule/grain.js';
import { eachUnit, type Stage, stagedKind } from '../schedule/stages.js';
import { LEAVES_PER_THREAD } from '../tuning.js';

export interface CountSpec {
  readonly xs: TypedArray;
  /** `W_FILLING`, then a row of counts for each chunk; the first row becomes where each value begins. */
  readonly counts: Uint32Array;
  readonly parallelism: number;
}

/** Whether elements of this type are sorted by counting. */
export const isCounted = (xs: TypedArray): boolean =>
  xs.BYTES_PER_ELEMENT <= 2 && !xs[Symbol.toStringTag].startsWith('F');

/** The word that is 1 once elements are being overwritten. Plain: the root writes it, and the caller reads it after the job. */
const W_FILLING = 0;
const W_ROWS = 1;

const valuesOf = (xs: TypedArray): number => 2 ** (8 * xs.BYTES_PER_ELEMENT);

/** The least value of the type. */
const leastOf = (xs: TypedArray): number => (xs[Symbol.toStringTag].startsWith('Int') ? -valuesOf(xs) / 2 : 0);

/** How many chunks: few, because each has a row of counts. */
const chunksFor = (xs: TypedArray, parallelism: number): number =>
  Math.max(1, Math.min(2 * parallelism, Math.ceil(xs.length / valuesOf(xs))));

export function countSpec(arrays: CallArrays, xs: TypedArray, parallelism: number): CountSpec {
  const counts = arrays.scratch(Uint32Array, W_ROWS + chunksFor(xs, parallelism) * valuesOf(xs));
  counts[W_FILLING] = 0;
  return { xs, counts, parallelism };
}

/** How often each element is counted as done. */
export const COUNT_PASSES = 2;

/** Fills [lo, hi) of a sorted array. */
function fill({ xs, counts }: CountSpec, lo: number, hi: number): void {
  const small = xs as Uint8Array;
  const values = valuesOf(xs);
  const starts = counts.subarray(W_ROWS, W_ROWS + values);
  let value = 0; // the last one that begins at lo or before
  for (let step = values / 2; step >= 1; step /= 2) if (starts[value + step] <= lo) value += step;
  const least = leastOf(xs);
  for (let at = lo; at < hi; value++) {
    const end = value + 1 < values ? Math.min(hi, starts[value + 1]) : hi;
    if (end > at) small.fill(value + least, at, end);
    at = end;
  }
}

/** Puts all elements back, after a call that did not come to its end. */
export function refill(spec: CountSpec): void {
  if (spec.counts[W_FILLING] === 1) fill(spec, 0, spec.xs.length);
}

function openCount(spec: CountSpec): Stage[] {
  const { xs, counts, parallelism } = spec;
  const { length } = xs;
  const values = valuesOf(xs);
  const least = leastOf(xs);
  const chunks = chunksFor(xs, parallelism);
  const chunkElements = Math.ceil(length / chunks);
  const parts = LEAVES_PER_THREAD * parallelism;
  const partElements = Math.ceil(length / parts);
  const rowOf = (chunk: number): number => W_ROWS + chunk * values;
  return [
    {
      units: chunks,
      grain: unitByUnit(),
      run: eachUnit((chunk) => {
        const lo = chunk * chunkElements;
        const hi = Math.min(length, lo + chunkElements);
        count(xs as Uint16Array, lo, hi, counts.subarray(rowOf(chunk), rowOf(chunk + 1)), least);
        return hi - lo;
      }),
      after() {
        let start = 0;
        for (let value = 0; value < values; value++) {
          let sum = 0;
          for (let chunk = 0; chunk < chunks; chunk++) sum += counts[rowOf(chunk) + value];
          counts[W_ROWS + value] = start;
          start += sum;
        }
      },
    },
    {
      units: parts,
      grain: unitByUnit(),
      before() {
        counts[W_FILLING] = 1;
      },
      run(first, end) {
        const lo = Math.min(length, first * partElements);
        const hi = Math.min(length, end * partElements);
        fill(spec, lo, hi);
        return hi - lo;
      },
    },
  ];
}

function count(xs: Uint16Array, lo: number, hi: number, row: Uint32Array, least: number): void {
  row.fill(0);
  for (let i = lo; i < hi; i++) row[xs[i] - least]++;
}

export const COUNT_SORT = stagedKind<CountSpec>('sort by counting', openCount);
