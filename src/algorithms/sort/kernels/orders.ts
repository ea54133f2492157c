/**
 * Orders of elements, and of indices by the keys that they stand for, with merge kernels of their own; runs on every thread that
 * computes. Numbers go in the order of `TypedArray.prototype.sort`: -0 before 0, NaN last.
 */

import { specialize } from '../../../core/code/specialize.js';
import type { TypedArray } from '../../../core/memory/element-types.js';
import { withoutBranches } from '../../patterns/recognise.js';
import { type After, type Compare, type MergeKernel, makeAfterOf, makeMergeKernel } from './merge-kernel.js';

/** A template, see specialize.ts. */
const makeIntegerAfter = (): After =>
  function after(a, b) {
    return (a as number) > (b as number);
  };

/** A template, see specialize.ts. */
const makeFloatAfter = (): After =>
  function after(left, right) {
    const a = left as number;
    const b = right as number;
    if (a < b) return false;
    if (a > b) return true;
    if (a === b) return a === 0 && 1 / a > 1 / b;
    return Number.isNaN(a) && !Number.isNaN(b);
  };

/** A template, see specialize.ts: the order of two indices is that of their keys, which are the context. */
const makeKeyAfter = (after: After): After =>
  function keyAfter(a, b, given) {
    const keys = given as ArrayLike<unknown>;
    return after(keys[a as number], keys[b as number], undefined);
  };

/** A template, see specialize.ts: with a comparator that has a context of its own. */
export const makeComparedKeyAfter = (after: After): After =>
  function keyAfter(a, b, given) {
    const { keys, context } = given as { keys: ArrayLike<unknown>; context: unknown };
    return after(keys[a as number], keys[b as number], context);
  };

/**
 * Says whether an element of `xs` has to come after another one, as numbers or by a comparator.
 *
 * @param use tells functions apart that are used in different loops
 */
export function afterOf(xs: TypedArray, compare: Compare | undefined, use = ''): After {
  const type: string = xs[Symbol.toStringTag];
  const tag = `${use}${type}`;
  if (compare !== undefined) return specialize(makeAfterOf, tag, withoutBranches(compare));
  return specialize(type.startsWith('Float') ? makeFloatAfter : makeIntegerAfter, tag);
}

/** The kernel that merges and sorts elements. Each element type has a kernel of its own, so that V8 sees one type of array in its loops. */
export const elementKernel = (xs: TypedArray, compare?: Compare): MergeKernel =>
  specialize(makeMergeKernel, xs[Symbol.toStringTag], afterOf(xs, compare));

/**
 * The kernel that merges and sorts elements, or the indices of `keys`; and what its functions take as their context.
 *
 * @param given the context of the comparator
 */
export function orderOf(
  xs: TypedArray,
  keys: TypedArray | undefined,
  compare: Compare | undefined,
  given: unknown,
): [kernel: MergeKernel, context: unknown] {
  if (keys === undefined) return [elementKernel(xs, compare), given];
  const type = keys[Symbol.toStringTag];
  const make = compare === undefined ? makeKeyAfter : makeComparedKeyAfter;
  const kernel = specialize(makeMergeKernel, type, specialize(make, type, afterOf(keys, compare, 'key ')));
  return [kernel, compare === undefined ? keys : { keys, context: given }];
}
