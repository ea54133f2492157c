/**
 * Counting elements into bins: of equal width between `min` and `max`, or as a function says; runs on every thread that computes.
 *
 * Of bins of equal width, element x counts in bin floor((x - min) * bins / (max - min)), computed as doubles in that order. For integers
 * that is the exact bin, where multiplying by the reciprocal would put 49 of [0, 98] into the first of two bins. x == max counts in the last
 * bin; NaN and what is below min or above max does not count. A bigint counts as the double next to it.
 *
 * Each lane counts in a table of its own, and tables are added up at the end. In a table a bin has four counters side by side,
 * while they fit the caches: neighbours often fall into one bin, and a counter that was just stored is slow to load. In WebAssembly
 * (wasm/histogram-kernels.ts) the quotient of integers is a product and a shift wherever that is exact.
 */

import { specialize } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { inPieces } from '../kernels/pieces.js';
import { addressOf, histogramKernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

/** Bins of equal width. */
export interface Bins {
  /** An integer from 1 to `MAX_BINS`. */
  readonly bins: number;
  /** Finite, and so is `(max - min) * bins`; min < max. */
  readonly min: number;
  readonly max: number;
}

/** Most bins, so that 32 bits can name a bin (a power of two). */
export const MAX_BINS = 2 ** 30;

/** Most bins that have four counters each: 32 KB together. */
const FOURFOLD_BINS = 2048;

/** Number of counters that a bin has in a table. */
export const countersOf = (bins: number): number => (bins <= FOURFOLD_BINS ? 4 : 1);

/** Elements of a table, a `Uint32Array`, all zero. Behind the bins there is one for x == max, and one for what does not count. */
export const tableElements = (bins: number): number => countersOf(bins) * (bins + 2);

/** Adds bins [lo, hi) of a table to what `counts` holds. */
export function addTable(table: Uint32Array, bins: number, counts: Uint32Array, lo = 0, hi = bins): void {
  const counters = countersOf(bins);
  const shift = Math.log2(counters);
  for (let at = lo * counters; at < hi * counters; at++) counts[at >> shift] += table[at];
  if (hi < bins) return;
  for (let at = bins * counters; at < (bins + 1) * counters; at++) counts[bins - 1] += table[at]; // x == max
}

/** Counts elements [lo, hi) of an array. */
export type Tally = (lo: number, hi: number) => void;

/** Gives the bin of element i, which is x. */
type BinOfElement = (x: number, i: number, context: unknown) => unknown;

/** Called for an answer that is not a bin; it may throw. */
type NoBin = (bin: unknown, i: number, bins: number) => void;

/** The counter of a bin for elements whose index has the last two bits k. */
type CounterOf = (bin: number, k: number) => number;

const single: CounterOf = (bin) => bin;
const fourfold: CounterOf = (bin, k) => (bin << 2) | k;

type NumberList = ArrayLike<number>;

/**
 * A template, see specialize.ts. The counter is read after the call, since the function may run other leaves, which count there too.
 * Four elements a round take half as long as one.
 */
const makeBinLoop = (binOf: BinOfElement, noBin: NoBin, place: CounterOf) => {
  function count(x: number, i: number, k: number, table: Uint32Array, bins: number, context: unknown): void {
    const bin = binOf(x, i, context);
    const at = typeof bin === 'number' ? bin | 0 : -1;
    if (at === bin && at >= 0 && at < bins) table[place(at, k)]++;
    else noBin(bin, i, bins);
  }

  return function binLoop(xs: NumberList, lo: number, hi: number, table: Uint32Array, bins: number, context: unknown) {
    let i = lo;
    for (const odd = lo + ((hi - lo) & 3); i < odd; i++) count(xs[i], i, 0, table, bins, context);
    for (; i < hi; i += 4) {
      count(xs[i], i, 0, table, bins, context);
      count(xs[i + 1], i + 1, 1, table, bins, context);
      count(xs[i + 2], i + 2, 2, table, bins, context);
      count(xs[i + 3], i + 3, 3, table, bins, context);
    }
  };
};

/** Counts by a function, into a table of so many counters a bin. */
export function tallyBy(
  xs: TypedArray,
  binOf: BinOfElement,
  noBin: NoBin,
  context: unknown,
  bins: number,
  table: Uint32Array,
  counters: number,
): Tally {
  const loop = specialize(makeBinLoop, typeOfView(xs), binOf, noBin, counters === 1 ? single : fourfold);
  return (lo, hi) => loop(xs as Float64Array, lo, hi, table, bins, context);
}

/** Bins of equal width, as the functions below know them. */
interface Scale extends Bins {
  /** Of bigints. */
  readonly words: Uint32Array;
}

const binAt = (x: number, { bins, min, max }: Bins): number =>
  x >= min && x <= max ? Math.min((((x - min) * bins) / (max - min)) | 0, bins - 1) : -1; // `| 0` is floor here
const binOfNumber: BinOfElement = (x, _, scale) => binAt(x, scale as Scale);
const binOfSigned: BinOfElement = (_, i, scale) => {
  const { words } = scale as Scale;
  return binAt((words[2 * i + 1] | 0) * 4294967296 + words[2 * i], scale as Scale);
};
const binOfUnsigned: BinOfElement = (_, i, scale) => {
  const { words } = scale as Scale;
  return binAt(words[2 * i + 1] * 4294967296 + words[2 * i], scale as Scale);
};
const outside: NoBin = () => {};

/** Prepares counting into bins of equal width; a table has the usual counters, or one for each bin and no more. */
export function tallyBins(xs: TypedArray, spec: Bins, table: Uint32Array, counters = countersOf(spec.bins)): Tally {
  // Kernels count x == max, and what is outside, behind the bins. A caller's `counts` have no room there.
  const tally = table.length >= tableElements(spec.bins) ? wasmTally(xs, spec, table) : undefined;
  if (tally !== undefined) return (lo, hi) => inPieces(lo, hi, tally);
  const { bins, min, max } = spec;
  const isBig = isBigIntType(typeOfView(xs));
  const words = isBig ? new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length) : table;
  const isSigned = xs[Symbol.toStringTag] === 'BigInt64Array';
  const binOf = !isBig ? binOfNumber : isSigned ? binOfSigned : binOfUnsigned;
  const scale: Scale = { bins, min, max, words };
  return tallyBy(isBig ? words : xs, binOf, outside, scale, bins, table, counters);
}

/** Checks whether WebAssembly counts elements of this array, into a table that is on the heap too. */
export const canTally = (xs: TypedArray): boolean => histogramKernels.for('histogramOne', xs) !== undefined;

function wasmTally(xs: TypedArray, spec: Bins, table: Uint32Array): Tally | undefined {
  if (!canTally(xs) || pointerOf(table) === NOT_IN_HEAP) return undefined;
  const [kernel, a, b, c = 0, d = 0, e = 0, f = 0] = kernelFor(xs, spec, table.byteOffset);
  const tally = histogramKernels.for(`${kernel}${countersOf(spec.bins) === 1 ? 'One' : 'Four'}`, xs);
  return (lo, hi) => tally?.(addressOf(xs, lo), hi - lo, a, b, c, d, e, f); // kernels ignore arguments beyond their own
}

/** The kernel that finds bins by a shift, a product or a division, and its arguments after the elements. */
function kernelFor(xs: TypedArray, spec: Bins, table: number): [kernel: string, ...args: number[]] {
  const { bins, min, max } = spec;
  const width = widthShift(xs, spec);
  if (width !== undefined) return ['shiftHistogram', min, width, table];
  const exact = xs[Symbol.toStringTag].startsWith('Float') ? undefined : productFor(spec);
  if (exact === undefined) return ['histogram', min, max, bins, table];
  return ['exactHistogram', min, max - min, exact.factor, exact.shift, bins, table];
}

/** The logarithm of the width of bins, if it is an integer and the bins hold all values of the type. */
function widthShift(xs: TypedArray, { bins, min, max }: Bins): number | undefined {
  const bits = 8 * xs.BYTES_PER_ELEMENT;
  const name = xs[Symbol.toStringTag];
  if (name.startsWith('Float')) return undefined;
  const least = name.includes('Uint') ? 0 : -(2 ** (bits - 1));
  const shift = Math.log2((max - min) / bins);
  const covers = min === least && max >= least + 2 ** bits - 1;
  return covers && Number.isInteger(shift) && shift >= 0 && shift < 32 ? shift : undefined;
}

/**
 * A factor and a shift such that floor(d * bins / range) is d * factor >> shift for all integers d from 0 to range; or
 * `undefined`. With factor = ceil(bins * 2^shift / range) the product is too large by d * excess / (range * 2^shift), which
 * does no harm while it is less than 1 / range, the least distance from below to the next integer.
 */
export function productFor(spec: Bins): { factor: number; shift: number } | undefined {
  const { bins, min, max } = spec;
  // Programs call with the same bins again and again, and finding a product takes up to 30 us.
  const isLast = last?.spec.bins === bins && last.spec.min === min && last.spec.max === max;
  if (!isLast) last = { spec, product: findProduct(spec) };
  return last?.product;
}

let last: { readonly spec: Bins; readonly product: ReturnType<typeof productFor> } | undefined;

function findProduct({ bins, min, max }: Bins): { factor: number; shift: number } | undefined {
  const distance = max - min;
  if (!Number.isInteger(min) || !Number.isInteger(max) || Math.abs(min) > 2 ** 52 || distance > 2 ** 32)
    return undefined;
  if (distance * bins > 2 ** 53) return undefined; // there the quotient of doubles is not exact itself
  const range = BigInt(distance);
  // range * factor is about bins * 2^shift, and the factor itself travels as a double.
  for (let shift = 62 - Math.ceil(Math.log2(bins)); shift >= 0; shift--) {
    const scaled = BigInt(bins) << BigInt(shift);
    const factor = (scaled + range - 1n) / range;
    if (factor > 2n ** 53n) continue;
    if (range * (factor * range - scaled) < 1n << BigInt(shift)) return { factor: Number(factor), shift };
  }
  return undefined;
}
