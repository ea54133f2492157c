/**
 * The least and the greatest of a block in one pass; runs on every thread that computes.
 *
 * Both go into two elements of an array of the same type, so that results are exact, and bigints never leave it. Bigints
 * are compared as pairs of words: as bigints, each would be allocated.
 */

import { specialize } from '../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';

/** Elements [lo, hi), at least one, to out[at] and out[at + 1]. */
export type MinMaxKernel = (xs: ArrayLike<number>, lo: number, hi: number, out: Float64Array, at: number) => void;

/** A template, see specialize.ts. Behind the branch, which is hardly ever taken, Math sees to NaN and -0. */
const makeFloatMinMax = (): MinMaxKernel =>
  function minMax(xs, lo, hi, out, at) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let i = lo;
    for (const end = hi - 1; i < end; i += 2) {
      const x = xs[i];
      const y = xs[i + 1];
      if (!(x > min && x < max && y > min && y < max)) {
        min = Math.min(min, x, y);
        max = Math.max(max, x, y);
      }
    }
    if (i < hi) {
      min = Math.min(min, xs[i]);
      max = Math.max(max, xs[i]);
    }
    out[at] = min;
    out[at + 1] = max;
  };

/** A template, see specialize.ts. */
const makeIntegerMinMax = (): MinMaxKernel =>
  function minMax(xs, lo, hi, out, at) {
    let min = xs[lo];
    let max = min;
    for (let i = lo + 1; i < hi; i++) {
      const x = xs[i];
      if (x < min) min = x;
      if (x > max) max = x;
    }
    out[at] = min;
    out[at + 1] = max;
  };

/** A template, see specialize.ts. On words; `flip` makes upper words of either type order as unsigned ones. */
const makePairMinMax = (flipOf: () => number) => {
  const flip = flipOf();
  return function minMax(
    xs: ArrayLike<number>,
    lo: number,
    hi: number,
    out: { [i: number]: number },
    at: number,
  ): void {
    let minUpper = (xs[2 * lo + 1] ^ flip) >>> 0;
    let minLower = xs[2 * lo];
    let maxUpper = minUpper;
    let maxLower = minLower;
    for (let j = 2 * lo + 2; j < 2 * hi; j += 2) {
      const upper = (xs[j + 1] ^ flip) >>> 0;
      const lower = xs[j];
      if (upper < minUpper || (upper === minUpper && lower < minLower)) {
        minUpper = upper;
        minLower = lower;
      }
      if (upper > maxUpper || (upper === maxUpper && lower > maxLower)) {
        maxUpper = upper;
        maxLower = lower;
      }
    }
    out[2 * at] = minLower;
    out[2 * at + 1] = minUpper ^ flip;
    out[2 * at + 2] = maxLower;
    out[2 * at + 3] = maxUpper ^ flip;
  };
};

const signedFlip = (): number => 0x80000000 | 0;
const unsignedFlip = (): number => 0;

/** What the kernel of an array reads of it. */
export const numbersOf = (xs: TypedArray): ArrayLike<number> =>
  isBigIntType(typeOfView(xs))
    ? new Uint32Array(xs.buffer, xs.byteOffset, 2 * xs.length)
    : (xs as unknown as ArrayLike<number>);

/** The kernel for an array's type; it takes `numbersOf` of both arrays. */
export function minMaxKernel(xs: TypedArray): MinMaxKernel {
  const name = xs[Symbol.toStringTag];
  if (isBigIntType(typeOfView(xs))) {
    return specialize(makePairMinMax, name, name === 'BigInt64Array' ? signedFlip : unsignedFlip) as MinMaxKernel;
  }
  return specialize(name.startsWith('Float') ? makeFloatMinMax : makeIntegerMinMax, name);
}
