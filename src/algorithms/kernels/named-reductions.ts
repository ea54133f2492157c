/**
 * Blocks of the named reductions ('sum', 'min', ...) over one element type; runs on every thread that computes.
 *
 * Numbers have eight accumulators: element lo + 8 t + j goes to the j-th, and the last few elements go to the first. They are
 * combined as ((a0.a4).(a2.a6)).((a1.a5).(a3.a7)). The order is fixed, and the two-lane vectors of wasm/reduce-kernels.ts follow it. It is
 * also faster than a plain loop (6.5 against 12.8 ms for a sum of 1e7 float64), which waits for each addition. Bigints are exact
 * however many there are: their sum adds the upper and lower halves of the elements as numbers.
 */

import { specialize } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { BIGINTS, type NamedReduction, NEUTRAL, NUMBERS, type Operator } from './operators.js';
import { addressOf, reduceKernels } from './wasm-kernels.js';

export interface BlockFold {
  /** Folds elements [lo, hi) of the array, at least one. */
  readonly fold: (lo: number, hi: number) => number | bigint;
  /**
   * Folds four blocks of n elements, a multiple of 8, from element lo on: each as `fold` does, then two pairs of them, then both
   * pairs. The values of the blocks go to the address `totals`, if that is not 0. Undefined where `fold` four times is as fast.
   */
  readonly four?: ((lo: number, n: number, totals: number) => number) | undefined;
  /** The kernel that runs, which the measured cost belongs to. */
  readonly owner: object;
}

type ReductionLoop = (xs: ArrayLike<number>, lo: number, hi: number) => number;

// Templates, see specialize.ts.

const makeNumberFold = (op: Operator, start: () => number): ReductionLoop =>
  function numberFold(xs, lo, hi) {
    let a0 = start();
    let a1 = start();
    let a2 = start();
    let a3 = start();
    let a4 = start();
    let a5 = start();
    let a6 = start();
    let a7 = start();
    let i = lo;
    for (const end = hi - 7; i < end; i += 8) {
      a0 = op(a0, xs[i]);
      a1 = op(a1, xs[i + 1]);
      a2 = op(a2, xs[i + 2]);
      a3 = op(a3, xs[i + 3]);
      a4 = op(a4, xs[i + 4]);
      a5 = op(a5, xs[i + 5]);
      a6 = op(a6, xs[i + 6]);
      a7 = op(a7, xs[i + 7]);
    }
    for (; i < hi; i++) a0 = op(a0, xs[i]);
    return op(op(op(a0, a4), op(a2, a6)), op(op(a1, a5), op(a3, a7)));
  };

const makeBigFold = (op: Operator): ReductionLoop =>
  function bigFold(xs, lo, hi) {
    let a = xs[lo];
    for (let i = lo + 1; i < hi; i++) a = op(a, xs[i]);
    return a;
  };

/** Adds up every other half of the elements, as words. The sum of a block of 4096 stays far below 2^53. */
const makeHalvesSum = (asHalf: (word: number) => number): ReductionLoop =>
  function halvesSum(words, first, end) {
    let sum = 0;
    for (let i = first; i < end; i += 2) sum += asHalf(words[i]);
    return sum;
  };

// What the templates take. -0 changes no sum. The branch of `lesser` and `greater` is hardly ever taken; Math sees to NaN and -0.

const asItIs = (word: number): number => word;
const asSigned = (word: number): number => word | 0;
const lesser: Operator = (m, x) => (x > m ? m : Math.min(m, x));
const greater: Operator = (m, x) => (x < m ? m : Math.max(m, x));
const zero = (): number => 0;

/** Operators with their neutral elements. */
const FOLDS: Readonly<Record<NamedReduction, readonly [Operator, () => number]>> = {
  sum: [NUMBERS.sum, () => -0],
  product: [NUMBERS.product, () => 1],
  min: [lesser, () => Number.POSITIVE_INFINITY],
  max: [greater, () => Number.NEGATIVE_INFINITY],
  and: [NUMBERS.and, () => -1],
  or: [NUMBERS.or, zero],
  xor: [NUMBERS.xor, zero],
};

const isUnsigned = (xs: TypedArray): boolean => xs[Symbol.toStringTag].includes('Uint');

/** The reduction of that name: by WebAssembly for an array on the shared heap, else by its scalar version. Both give the same bits. */
export function namedReduction(op: NamedReduction, xs: TypedArray): BlockFold {
  const isBig = isBigIntType(typeOfView(xs));
  if (isBig && op === 'sum') return sumOfHalves(xs);
  const kernel = reduceKernels.for(op, xs);
  if (kernel === undefined) {
    const loop = isBig
      ? specialize(makeBigFold, `${op} ${typeOfView(xs)}`, BIGINTS[op])
      : specialize(makeNumberFold, typeOfView(xs), ...FOLDS[op]);
    return { owner: loop, fold: (lo, hi) => loop(xs as unknown as ArrayLike<number>, lo, hi) };
  }
  const run = (lo: number, hi: number): number => kernel(addressOf(xs, lo), hi - lo);
  const four = op === 'sum' ? reduceKernels.for('sumFour', xs) : undefined;
  return {
    owner: kernel,
    // WebAssembly returns integers of 64 bits as signed ones.
    fold: isBig && isUnsigned(xs) ? (lo, hi) => BigInt.asUintN(64, run(lo, hi) as unknown as bigint) : run,
    four: four && ((lo, n, totals) => four(addressOf(xs, lo), n, totals)),
  };
}

function sumOfHalves(xs: TypedArray): BlockFold {
  const whole = (upper: number, lower: number): bigint => BigInt(upper) * 4294967296n + BigInt(lower);
  const upper = reduceKernels.for('sumUpper', xs);
  const lower = reduceKernels.for('sumLower', xs);
  if (upper !== undefined && lower !== undefined) {
    const sum = (lo: number, n: number): bigint => whole(upper(addressOf(xs, lo), n), lower(addressOf(xs, lo), n));
    return { owner: upper, fold: (lo, hi) => sum(lo, hi - lo) };
  }
  const words = new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length);
  const uppers = specialize(makeHalvesSum, 'upper', isUnsigned(xs) ? asItIs : asSigned);
  const lowers = specialize(makeHalvesSum, 'lower', asItIs);
  return { owner: uppers, fold: (lo, hi) => whole(uppers(words, 2 * lo + 1, 2 * hi), lowers(words, 2 * lo, 2 * hi)) };
}

const NEUTRAL_INT64 = { sum: 0n, product: 1n, min: 2n ** 63n - 1n, max: -(2n ** 63n), and: -1n, or: 0n, xor: 0n };
const NEUTRAL_UINT64 = { ...NEUTRAL_INT64, min: 2n ** 64n - 1n, max: 0n, and: 2n ** 64n - 1n };

/**
 * Result of a reduction of no elements: the neutral element among the values of the type. Of bigints there is no
 * infinity, so 'min' and 'max' give the type's own extremes. Mapped values have no type; they count as signed.
 */
export function emptyResult(op: NamedReduction, xs: TypedArray | undefined, isMapped: boolean): number | bigint {
  if (xs === undefined) return NEUTRAL[op];
  const unsigned = isUnsigned(xs) && !isMapped;
  if (isBigIntType(typeOfView(xs))) return (unsigned ? NEUTRAL_UINT64 : NEUTRAL_INT64)[op];
  return op === 'and' && unsigned ? 2 ** (8 * xs.BYTES_PER_ELEMENT) - 1 : NEUTRAL[op];
}
