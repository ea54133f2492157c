/**
 * Histograms of bins of equal width between `min` and `max`; runs on every thread that computes.
 *
 * Element x counts in bin floor((x - min) * bins / (max - min)), computed as doubles in that order: for integers that is the exact
 * bin, where multiplying by the reciprocal would put 49 of [0, 98] into the first of two bins. x == max counts in the last
 * bin; NaN and what is below min or above max does not count. A bigint counts as the double next to it.
 *
 * Counters are kept in tables on the caller's side, one for each thread, and added up at the end. In WebAssembly a bin has
 * four, one for each stream (see wasm/histogram-kernels.ts), while they fit the caches; and the quotient of integers is a
 * product and a shift wherever that is exact.
 */

import { specialize } from '../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { KernelExports } from '../kernels/kernel-exports.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

export interface Bins {
  /** An integer from 1 to `MAX_BINS`. */
  readonly bins: number;
  /** Finite, and so is `(max - min) * bins`; min < max. */
  readonly min: number;
  readonly max: number;
}

/** Bins that indices of 32 bits can name. */
export const MAX_BINS = 2 ** 30;

/** Up to so many bins have four counters each (elements): 32 KB together. */
const FOURFOLD_BINS = 2048;

/** How many counters a bin has, side by side, in a table that `tallyBins` counts in. */
const countersOf = (bins: number): number => (bins <= FOURFOLD_BINS ? 4 : 1);

/** Elements of that table, a `Uint32Array`, all zero. */
export const tableElements = ({ bins }: Pick<Bins, 'bins'>): number => countersOf(bins) * (bins + 2);

/** Adds bins [lo, hi) of a table to what `counts` holds. */
export function addTable(table: Uint32Array, bins: number, counts: Uint32Array, lo = 0, hi = bins): void {
  const counters = countersOf(bins);
  const countAt = (bin: number): number => {
    let sum = 0;
    for (let at = bin * counters; at < (bin + 1) * counters; at++) sum += table[at];
    return sum;
  };
  for (let bin = lo; bin < hi; bin++) counts[bin] += countAt(bin);
  if (hi === bins) counts[bins - 1] += countAt(bins); // x == max
}

// Templates, see specialize.ts. The quotient of x == max, and of what rounds to it, is `bins`.

/** Four at a time: 100,000 doubles take 1.07 times what a loop takes that trusts its elements, not 1.24. */
const makeTally = (quotient: Quotient, place: Place) =>
  function tally(
    xs: ArrayLike<number>,
    lo: number,
    hi: number,
    bins: number,
    min: number,
    max: number,
    counts: Uint32Array,
  ): void {
    const range = max - min;
    const scale = bins / range;
    const last = bins - 1;
    let i = lo;
    // `| 0` is floor: bins are fewer than 2^31.
    for (const end = hi - 3; i < end; i += 4) {
      const a = xs[i];
      const b = xs[i + 1];
      const c = xs[i + 2];
      const d = xs[i + 3];
      if (a >= min && a <= max) counts[place(Math.min(quotient(a - min, bins, range, scale) | 0, last))]++;
      if (b >= min && b <= max) counts[place(Math.min(quotient(b - min, bins, range, scale) | 0, last))]++;
      if (c >= min && c <= max) counts[place(Math.min(quotient(c - min, bins, range, scale) | 0, last))]++;
      if (d >= min && d <= max) counts[place(Math.min(quotient(d - min, bins, range, scale) | 0, last))]++;
    }
    for (; i < hi; i++) {
      const x = xs[i];
      if (x >= min && x <= max) counts[place(Math.min(quotient(x - min, bins, range, scale) | 0, last))]++;
    }
  };

/** Where the first counter of a bin is. A product with a number that V8 does not know would cost a tenth. */
type Place = (bin: number) => number;

const single: Place = (bin) => bin;
const fourfold: Place = (bin) => bin * 4;

/** How many bins' widths a distance from `min` is; `scale` is the quotient of bins and range. */
type Quotient = (distance: number, bins: number, range: number, scale: number) => number;

const byDivision: Quotient = (distance, bins, range) => (distance * bins) / range;

/** The same to the last bit where range is a power of two: nothing is rounded by it. 100,000 doubles in 178 us, not 233. */
const byScale: Quotient = (distance, _bins, _range, scale) => distance * scale;

function quotientFor({ bins, min, max }: Bins): Quotient {
  const range = max - min;
  const scale = bins / range;
  const isPower = 2 ** Math.round(Math.log2(range)) === range;
  return isPower && scale > 2 ** -1000 && scale < 2 ** 1000 ? byScale : byDivision;
}

/** Counts elements [lo, hi) of an array of numbers. Shared arrays are fast if the table is one too. */
export type TallyBins = (lo: number, hi: number) => void;

/** Whether elements of this array are counted in WebAssembly, where the table is on the heap too. */
export const canTally = (xs: TypedArray): boolean =>
  xs[Symbol.toStringTag] in SUFFIXES && pointerOf(xs) !== NOT_IN_HEAP;

/** Prepares counting in a table. */
export function tallyBins(xs: TypedArray, spec: Bins, table: Uint32Array): TallyBins {
  return wasmTally(xs, spec, table) ?? tallyBinsTwin(xs, spec, table, countersOf(spec.bins) === 1 ? single : fourfold);
}

/** On the words of bigints. */
const makePairTally = (isSigned: () => boolean, place: Place) => {
  const signed = isSigned();
  return function pairTally(
    words: ArrayLike<number>,
    lo: number,
    hi: number,
    bins: number,
    min: number,
    max: number,
    counts: Uint32Array,
  ): void {
    const range = max - min;
    const last = bins - 1;
    for (let j = 2 * lo; j < 2 * hi; j += 2) {
      const x = (signed ? words[j + 1] | 0 : words[j + 1]) * 4294967296 + words[j];
      if (x >= min && x <= max) counts[place(Math.min((((x - min) * bins) / range) | 0, last))]++;
    }
  };
};

const yes = (): boolean => true;
const no = (): boolean => false;

/** The same in TypeScript, into the first counter of each bin. */
export function tallyBinsTwin(xs: TypedArray, spec: Bins, counts: Uint32Array, place = single): TallyBins {
  const { bins, min, max } = spec;
  const tag = typeOfView(xs);
  if (isBigIntType(tag)) {
    const words = new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length);
    const tally = specialize(makePairTally, tag, xs[Symbol.toStringTag] === 'BigInt64Array' ? yes : no, place);
    return (lo, hi) => tally(words, lo, hi, bins, min, max, counts);
  }
  const tally = specialize(makeTally, tag, quotientFor(spec), place);
  return (lo, hi) => tally(xs as unknown as ArrayLike<number>, lo, hi, bins, min, max, counts);
}

const SUFFIXES: Readonly<Record<string, 'I8' | 'U8' | 'I16' | 'U16' | 'I32' | 'U32' | 'F32' | 'F64'>> = {
  Int8Array: 'I8',
  Uint8Array: 'U8',
  Uint8ClampedArray: 'U8',
  Int16Array: 'I16',
  Uint16Array: 'U16',
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float32Array: 'F32',
  Float64Array: 'F64',
};

function wasmTally(xs: TypedArray, spec: Bins, table: Uint32Array): TallyBins | undefined {
  const { bins, min, max } = spec;
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  if (suffix === undefined) return undefined;
  const p = pointerOf(xs);
  const counters = pointerOf(table);
  if (p === NOT_IN_HEAP || counters === NOT_IN_HEAP) return undefined;
  const all = kernels() as KernelExports;
  const size = xs.BYTES_PER_ELEMENT;
  const many = bins > FOURFOLD_BINS ? 'Many' : '';
  const width = widthShift(xs, spec);
  if (width !== undefined) {
    const tally = all[`shiftHistogram${many}${suffix as 'I32'}`];
    return (lo, hi) => tally(p + lo * size, hi - lo, min, width, counters);
  }
  const exact = suffix === 'F32' || suffix === 'F64' ? undefined : productFor(spec);
  if (exact !== undefined) {
    const tally = all[`exactHistogram${many}${suffix as 'I32'}`];
    const { factor, shift } = exact;
    return (lo, hi) => tally(p + lo * size, hi - lo, min, max - min, factor, shift, bins, counters);
  }
  const tally = all[`histogram${many}${suffix}`];
  return (lo, hi) => tally(p + lo * size, hi - lo, min, max, bins, counters);
}

/** The power of two that bins are wide, where they begin with the least value of the type and the greatest is inside. */
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
  // Each chunk of a histogram asks for the same one, and finding it takes longer than a chunk.
  if (last?.spec.bins !== bins || last.spec.min !== min || last.spec.max !== max) {
    last = { spec, product: findProduct(spec) };
  }
  return last.product;
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
