/**
 * Blocks of the named reductions ('sum', 'min', ...) over one element type; runs on every thread that computes.
 *
 * A kernel is a tight loop over [lo, hi) of one block, at least one element. Sums and products of numbers keep eight
 * accumulators, element lo + 8 t + j in the j-th and the last few in the first, and add them up as
 * ((a0+a4)+(a2+a6))+((a1+a5)+(a3+a7)): a fixed order, and one that the two-lane vectors of wasm/reduce-kernels.ts follow. It is also faster than
 * the plain loop (6.5 against 12.8 ms for 1e7 float64), which waits for each addition.
 * Bigints are exact however many there are: a sum adds the upper and lower halves of the elements as numbers.
 */

import { specialize } from '../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { BlockFold } from './block-fold.js';
import type { NamedReduction } from './operators.js';
import { wasmReduction } from './wasm-reductions.js';

/** An array of numbers or of bigints, seen by one kernel as one of them. */
type Numbers = ArrayLike<number>;
type Kernel = (xs: Numbers, lo: number, hi: number) => number | bigint;

// Templates, see specialize.ts.

const makeSum = (): Kernel => (xs, lo, hi) => {
  let a0 = -0; // -0 is what adding leaves as it is; and a double from the start
  let a1 = -0;
  let a2 = -0;
  let a3 = -0;
  let a4 = -0;
  let a5 = -0;
  let a6 = -0;
  let a7 = -0;
  let i = lo;
  for (const end = hi - 7; i < end; i += 8) {
    a0 += xs[i];
    a1 += xs[i + 1];
    a2 += xs[i + 2];
    a3 += xs[i + 3];
    a4 += xs[i + 4];
    a5 += xs[i + 5];
    a6 += xs[i + 6];
    a7 += xs[i + 7];
  }
  for (; i < hi; i++) a0 += xs[i];
  return a0 + a4 + (a2 + a6) + (a1 + a5 + (a3 + a7));
};

const makeProduct = (): Kernel => (xs, lo, hi) => {
  let a0 = 1.5; // a double from the start, made 1 below
  a0 -= 0.5;
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let a4 = a0;
  let a5 = a0;
  let a6 = a0;
  let a7 = a0;
  let i = lo;
  for (const end = hi - 7; i < end; i += 8) {
    a0 *= xs[i];
    a1 *= xs[i + 1];
    a2 *= xs[i + 2];
    a3 *= xs[i + 3];
    a4 *= xs[i + 4];
    a5 *= xs[i + 5];
    a6 *= xs[i + 6];
    a7 *= xs[i + 7];
  }
  for (; i < hi; i++) a0 *= xs[i];
  return a0 * a4 * (a2 * a6) * (a1 * a5 * (a3 * a7));
};

/** `!(x > m)` is a branch hardly ever taken; behind it Math.min sees to NaN and -0. */
const makeMin = (): Kernel => (xs, lo, hi) => {
  let m = Number.POSITIVE_INFINITY;
  let n = m;
  let i = lo;
  for (const end = hi - 1; i < end; i += 2) {
    const x = xs[i];
    const y = xs[i + 1];
    if (!(x > m)) m = Math.min(m, x);
    if (!(y > n)) n = Math.min(n, y);
  }
  if (i < hi) m = Math.min(m, xs[i]);
  return Math.min(m, n);
};

const makeMax = (): Kernel => (xs, lo, hi) => {
  let m = Number.NEGATIVE_INFINITY;
  let n = m;
  let i = lo;
  for (const end = hi - 1; i < end; i += 2) {
    const x = xs[i];
    const y = xs[i + 1];
    if (!(x < m)) m = Math.max(m, x);
    if (!(y < n)) n = Math.max(n, y);
  }
  if (i < hi) m = Math.max(m, xs[i]);
  return Math.max(m, n);
};

const makeAnd = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo] & xs[lo]; // an int32, as all that follow
  for (let i = lo + 1; i < hi; i++) a &= xs[i];
  return a;
};

const makeOr = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo] & xs[lo];
  for (let i = lo + 1; i < hi; i++) a |= xs[i];
  return a;
};

const makeXor = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo] & xs[lo];
  for (let i = lo + 1; i < hi; i++) a ^= xs[i];
  return a;
};

/** On the halves of the elements as uint32, lower first. A block of 4096 stays far below 2^53. */
const makeBigSum = (): Kernel => (halves, lo, hi) => {
  let lower = 0;
  let upper = 0;
  for (let i = 2 * lo; i < 2 * hi; i += 2) {
    lower += halves[i];
    upper += halves[i + 1] | 0;
  }
  return BigInt(upper) * 4294967296n + BigInt(lower);
};

const makeBigUnsignedSum = (): Kernel => (halves, lo, hi) => {
  let lower = 0;
  let upper = 0;
  for (let i = 2 * lo; i < 2 * hi; i += 2) {
    lower += halves[i];
    upper += halves[i + 1];
  }
  return BigInt(upper) * 4294967296n + BigInt(lower);
};

const makeBigProduct = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo];
  for (let i = lo + 1; i < hi; i++) a *= xs[i];
  return a;
};

const makeBigMin = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo];
  for (let i = lo + 1; i < hi; i++) if (xs[i] < a) a = xs[i];
  return a;
};

const makeBigMax = (): Kernel => (xs, lo, hi) => {
  let a = xs[lo];
  for (let i = lo + 1; i < hi; i++) if (xs[i] > a) a = xs[i];
  return a;
};

const NUMBER_TEMPLATES: Record<NamedReduction, () => Kernel> = {
  sum: makeSum,
  product: makeProduct,
  min: makeMin,
  max: makeMax,
  and: makeAnd,
  or: makeOr,
  xor: makeXor,
};

const BIGINT_TEMPLATES: Record<NamedReduction, () => Kernel> = {
  ...NUMBER_TEMPLATES,
  sum: makeBigSum,
  product: makeBigProduct,
  min: makeBigMin,
  max: makeBigMax,
};

/** The kernel of that name and type: WebAssembly for arrays on the shared heap, else its twin. Both give the same bits. */
export function namedKernel(op: NamedReduction, xs: TypedArray, type: number): BlockFold {
  return wasmReduction(op, xs, type) ?? namedTwin(op, xs, type);
}

/** The same in TypeScript. */
export function namedTwin(op: NamedReduction, xs: TypedArray, type: number): BlockFold {
  const makers = isBigIntType(type) ? BIGINT_TEMPLATES : NUMBER_TEMPLATES;
  const isBigSum = isBigIntType(type) && op === 'sum';
  const isUnsigned = xs[Symbol.toStringTag] === 'BigUint64Array';
  return {
    source: isBigSum ? new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length) : (xs as unknown as Numbers),
    kernel: specialize(
      isBigSum && isUnsigned ? makeBigUnsignedSum : makers[op],
      `${op} ${type}`,
    ) as BlockFold['kernel'],
  };
}

/**
 * What a reduction of no elements gives: the neutral element among the values of the type. Of bigints there is no
 * infinity, so 'min' and 'max' give the type's own extremes. Mapped values have no type; they count as signed.
 */
export function emptyResult(op: NamedReduction, xs: TypedArray, isMapped: boolean): number | bigint {
  const isBig = isBigIntType(typeOfView(xs));
  const unsigned = xs[Symbol.toStringTag].includes('Uint') && !isMapped;
  const bits = 8 * xs.BYTES_PER_ELEMENT;
  if (op === 'product') return isBig ? 1n : 1;
  if (op === 'min') {
    if (!isBig) return Number.POSITIVE_INFINITY;
    return unsigned ? (1n << 64n) - 1n : (1n << 63n) - 1n;
  }
  if (op === 'max') {
    if (!isBig) return Number.NEGATIVE_INFINITY;
    return unsigned ? 0n : -(1n << 63n);
  }
  if (op === 'and') {
    if (isBig) return unsigned ? (1n << 64n) - 1n : -1n;
    return unsigned ? 2 ** bits - 1 : -1;
  }
  return isBig ? 0n : 0;
}
