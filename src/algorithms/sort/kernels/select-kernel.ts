/**
 * The first k of a block in some order; runs on every thread that computes.
 *
 * A list gathers the indices of elements that come before the last of some k elements. Whenever the list is full, it is sorted and
 * cut to its first k. Nearly all elements cost one comparison.
 */

import { specialize } from '../../../core/engine.js';
import type { TypedArray } from '../../../core/memory/element-types.js';
import type { After, Compare, Sort } from './merge-kernel.js';
import { elementOrder, indexKernel, makeComparedKeyAfter } from './orders.js';

/** Elements of the list of `select`, whose second half is a buffer for its sorts. The longer it is, the fewer sorts there are. */
export const listElements = (k: number): number => Math.max(4 * k, 64);

type Keys = ArrayLike<unknown>;

/** No such element is known. */
export const NO_HINT = -1;

/** A template, see specialize.ts. `sort` sorts indices by `after`. */
export const makeSelect = (after: After, sort: Sort) =>
  /**
   * Finds the indices of the first k elements of xs[lo, hi): in order, if there are k. What comes before others in the block comes
   * before them among equal elements, too.
   *
   * @param hint the last of some k elements of the array: what does not come before it is left out; or `NO_HINT`
   * @returns how many there are
   */
  function select(xs: Keys, lo: number, hi: number, k: number, list: Uint32Array, hint: number, context: unknown) {
    const room = list.length / 2;
    const buffer = list.subarray(room);
    let count = 0;
    let isOpen = hint < 0;
    let last = xs[isOpen ? lo : hint]; // always an element, so that V8 knows its type
    for (let i = lo; i < hi; i++) {
      if (!isOpen && !after(last, xs[i], context)) continue;
      list[count++] = i;
      if (count < room) continue;
      sort(list, buffer, 0, count, false, { keys: xs, context });
      count = k;
      isOpen = false;
      last = xs[list[k - 1]];
    }
    if (count < k) return count;
    sort(list, buffer, 0, count, false, { keys: xs, context });
    return k;
  };

/** A template, see specialize.ts: largest first. Calling the order of a sort with its arguments exchanged takes 1.3 times as long. */
const makeLargerInteger = (): After =>
  function largestFirst(a, b) {
    return (a as number) < (b as number);
  };

/** A template, see specialize.ts: largest first, 0 before -0, NaN last. */
const makeLargerFloat = (): After =>
  function largestFirst(left, right) {
    const a = left as number;
    const b = right as number;
    if (a < b) return true;
    if (a > b) return false;
    if (a === b) return a === 0 && 1 / a < 1 / b;
    return !Number.isNaN(b); // one of them is NaN
  };

/** Selects the first elements of an array in the order of a comparator, or its largest numbers. */
export function selectKernel(xs: TypedArray, compare?: Compare) {
  const type: string = xs[Symbol.toStringTag];
  const makeLarger = type.startsWith('Float') ? makeLargerFloat : makeLargerInteger;
  const order = compare === undefined ? { after: specialize(makeLarger, type) } : elementOrder(xs, compare, 'top ');
  const { sort } = indexKernel(makeComparedKeyAfter, type, order);
  return specialize(makeSelect, type, order.after, sort);
}
