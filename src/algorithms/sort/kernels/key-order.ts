/**
 * Orders of indices by the keys that they stand for, for merging and sorting indices; runs on every thread that computes.
 *
 * The merge kernel hands its context through to the order, so the keys travel as that. 64-bit integers are looked up as
 * pairs of words: as bigints each look would allocate.
 */

import { specialize } from '../../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../../core/memory/element-types.js';
import { type MergeKernel, makeMergeKernel } from './merge-kernel.js';

type Compare = (a: unknown, b: unknown, context: unknown) => unknown;
type After = (a: unknown, b: unknown, context: unknown) => boolean;

/** An order of indices: a kernel, and what it takes as its context. */
export interface IndexOrder {
  readonly kernel: MergeKernel;
  readonly context: unknown;
  /** Whether keys go as numbers, so that their bits tell. */
  readonly isNumeric: boolean;
}

/** A template, see specialize.ts. */
const makeIntegerKeyAfter = (): After =>
  function after(a, b, context) {
    const keys = context as Int32Array;
    return keys[a as number] > keys[b as number];
  };

/** A template, see specialize.ts: NaN last, -0 before 0. */
const makeFloatKeyAfter = (): After =>
  function after(a, b, context) {
    const keys = context as Float64Array;
    const x = keys[a as number];
    const y = keys[b as number];
    if (x < y) return false;
    if (x > y) return true;
    if (x === y) return x === 0 && 1 / x > 1 / y;
    return Number.isNaN(x) && !Number.isNaN(y);
  };

/** A template, see specialize.ts: on an Int32Array for signed keys, a Uint32Array for unsigned ones. */
const makePairKeyAfter = (): After =>
  function after(a, b, context) {
    const words = context as Int32Array;
    const i = 2 * (a as number);
    const j = 2 * (b as number);
    const x = words[i + 1];
    const y = words[j + 1];
    return x > y || (x === y && words[i] >>> 0 > words[j] >>> 0);
  };

/** A template, see specialize.ts. */
const makeCompareKeyAfter = (compare: Compare): After =>
  function after(a, b, given) {
    const { keys, context } = given as { keys: ArrayLike<unknown>; context: unknown };
    return +(compare(keys[a as number], keys[b as number], context) as number) > 0;
  };

/** The order of indices by their keys: as numbers, or by a comparator of keys. */
export function keyOrder(keys: TypedArray, compare: Compare | undefined, context: unknown): IndexOrder {
  const tag = `key ${keys[Symbol.toStringTag]}`;
  if (compare !== undefined) {
    const kernel = specialize(makeMergeKernel, tag, specialize(makeCompareKeyAfter, tag, compare));
    return { kernel, context: { keys, context }, isNumeric: false };
  }
  const isBig = isBigIntType(typeOfView(keys));
  const isFloat = tag.startsWith('key Float');
  const make = isBig ? makePairKeyAfter : isFloat ? makeFloatKeyAfter : makeIntegerKeyAfter;
  const kernel = specialize(makeMergeKernel, tag, specialize(make, tag));
  if (!isBig) return { kernel, context: keys, isNumeric: true };
  const { buffer, byteOffset, length } = keys;
  const words =
    tag === 'key BigInt64Array'
      ? new Int32Array(buffer, byteOffset, 2 * length)
      : new Uint32Array(buffer, byteOffset, 2 * length);
  return { kernel, context: words, isNumeric: true };
}
