/**
 * Loops that count elements into a table of bins; runs on every thread that computes.
 *
 * Equal-width bins are fixed as: x counts if min <= x <= max, in bin `min(bins - 1, trunc((x - min) * scale))`, with
 * `scale = bins / (max - min)`, all in doubles. Other kernels have to agree with that bit for bit.
 */
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { fresh } from '../fresh.js';

type BinOf = (x: unknown, i: number, context: unknown) => unknown;

/** Counts elements [lo, hi) into table[base + bin]. */
export type BinLoop = (
  xs: ArrayLike<unknown>,
  lo: number,
  hi: number,
  table: Uint32Array,
  base: number,
  bins: number,
  context: unknown,
) => void;

/** Says what is wrong with a bin: throws. */
export type Refuse = (bin: unknown, i: number, bins: number) => never;

/** A maker, see fresh.ts. The bin is taken first: the function may run other leaves, which count into other tables. */
export const makeBinLoop = (binOf: BinOf, refuse: Refuse): BinLoop =>
  function binLoop(xs, lo, hi, table, base, bins, context) {
    for (let i = lo; i < hi; i++) {
      const bin = binOf(xs[i], i, context);
      if (typeof bin !== 'number' || bin >>> 0 !== bin || bin >= bins) refuse(bin, i, bins);
      table[base + (bin as number)]++;
    }
  };

/** Counts elements [lo, hi) of a range into table[base + bin]. */
export type RangeLoop = (
  xs: ArrayLike<number>,
  lo: number,
  hi: number,
  table: Uint32Array,
  base: number,
  bins: number,
  min: number,
  max: number,
) => void;

/** A maker, see fresh.ts. */
const makeRangeLoop = (): RangeLoop =>
  function rangeLoop(xs, lo, hi, table, base, bins, min, max) {
    const scale = bins / (max - min);
    const last = bins - 1;
    for (let i = lo; i < hi; i++) {
      const x = xs[i];
      if (x >= min && x <= max) {
        const bin = ((x - min) * scale) | 0;
        table[base + (bin < last ? bin : last)]++;
      }
    }
  };

/** A maker, see fresh.ts. On words: x is the double next to the bigint, as `Number(x)` is. */
const makePairRangeLoop = (signOf: () => number): RangeLoop => {
  const signed = signOf() === -1;
  return function rangeLoop(words, lo, hi, table, base, bins, min, max) {
    const scale = bins / (max - min);
    const last = bins - 1;
    for (let j = 2 * lo; j < 2 * hi; j += 2) {
      const upper = signed ? words[j + 1] | 0 : words[j + 1];
      const x = upper * 4294967296 + words[j];
      if (x >= min && x <= max) {
        const bin = ((x - min) * scale) | 0;
        table[base + (bin < last ? bin : last)]++;
      }
    }
  };
};

const signedWords = (): number => -1;
const unsignedWords = (): number => 0;

/** The loop over a range for an array's type, and what it reads of the array. */
export function rangeKernel(xs: TypedArray): { numbers: ArrayLike<number>; loop: RangeLoop } {
  const name = xs[Symbol.toStringTag];
  if (!isBigIntType(typeOfView(xs))) {
    return { numbers: xs as unknown as ArrayLike<number>, loop: fresh(makeRangeLoop, name) };
  }
  return {
    numbers: new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length),
    loop: fresh(makePairRangeLoop, name, name === 'BigInt64Array' ? signedWords : unsignedWords),
  };
}
