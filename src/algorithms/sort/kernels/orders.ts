/**
 * Orders of elements, and of indices by the keys that they stand for, with merge kernels of their own; runs on every thread that
 * computes. Numbers go in the order of `TypedArray.prototype.sort`: -0 before 0, NaN last.
 */

import { specialize } from '../../../core/engine.js';
import type { TypedArray } from '../../../core/memory/element-types.js';
import { withoutBranches } from '../../patterns/recognise.js';
import { refusePromise } from '../../returned-promise.js';
import {
  type After,
  type Compare,
  type MergeKernel,
  makeMergeKernel,
  makeOrderBy,
  type Order,
} from './merge-kernel.js';

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
 * The order of elements of `xs`, as numbers or by a comparator.
 *
 * @param use tells functions apart that are used in different loops
 */
export function elementOrder(xs: TypedArray, compare: Compare | undefined, use = ''): Order {
  const type: string = xs[Symbol.toStringTag];
  const tag = `${use}${type}`;
  if (compare !== undefined) return specialize(makeOrderBy, tag, withoutBranches(compare), refusePromise);
  return { after: specialize(type.startsWith('Float') ? makeFloatAfter : makeIntegerAfter, tag) };
}

/** The kernel that merges and sorts elements. Each element type has a kernel of its own, so that V8 sees one type of array in its loops. */
export const elementKernel = (xs: TypedArray, compare?: Compare): MergeKernel =>
  kernelBy(xs[Symbol.toStringTag], elementOrder(xs, compare));

const kernelBy = (tag: string, { after, first }: Order): MergeKernel => specialize(makeMergeKernel, tag, after, first);

/** The kernel that merges and sorts indices by an order of their keys, which `make` makes one of indices. */
export const indexKernel = (make: typeof makeKeyAfter, type: string, { after, first }: Order): MergeKernel =>
  kernelBy(type, { after: specialize(make, type, after), first: first && specialize(make, type, first) });

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
  return [
    indexKernel(make, type, elementOrder(keys, compare, 'key ')),
    compare === undefined ? keys : { keys, context: given },
  ];
}
