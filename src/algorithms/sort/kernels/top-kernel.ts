/**
 * The first k of a block in some order, by a bounded heap of indices; runs on every thread that computes.
 *
 * The root of the heap is the last of the k elements in order; of equal elements it is the one with the highest index. Elements come
 * by ascending index, so an element that equals the root cannot replace it. Nearly all elements cost one comparison.
 */

import { specialize } from '../../../core/code/specialize.js';
import type { TypedArray } from '../../../core/memory/element-types.js';
import type { After, Compare } from './merge-kernel.js';
import { afterOf } from './orders.js';

/** No such element is known. */
export const NO_HINT = -1;

type Keys = ArrayLike<unknown>;

/** A template, see specialize.ts. `after` says whether an element has to come after another one of a higher index. */
export const makeTopKernel = (after: After) => {
  function comesAfter(xs: Keys, i: number, j: number, context: unknown): boolean {
    return i < j ? after(xs[i], xs[j], context) : !after(xs[j], xs[i], context);
  }

  function down(xs: Keys, heap: Uint32Array, count: number, at: number, item: number, context: unknown): void {
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && comesAfter(xs, heap[child + 1], heap[child], context)) child++;
      if (!comesAfter(xs, heap[child], item, context)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = item;
  }

  function up(xs: Keys, heap: Uint32Array, at: number, item: number, context: unknown): void {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesAfter(xs, item, heap[parent], context)) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = item;
  }

  return {
    /**
     * Puts the indices of the first k elements of xs[lo, hi) into a heap.
     *
     * @param hint the last of some k elements of the array: what comes after it is left out; or `NO_HINT`
     * @returns how many there are
     */
    select(xs: Keys, lo: number, hi: number, k: number, heap: Uint32Array, hint: number, context: unknown): number {
      let count = 0;
      let i = lo;
      for (; i < hi && count < k; i++) {
        if (hint >= 0 && after(xs[i], xs[hint], context)) continue;
        up(xs, heap, count, i, context);
        count++;
      }
      if (i >= hi) return count;
      let last = xs[heap[0]];
      for (; i < hi; i++) {
        if (after(last, xs[i], context)) {
          down(xs, heap, count, 0, i, context);
          last = xs[heap[0]];
        }
      }
      return count;
    },
    /** Turns a heap into the list of its indices, in order. */
    order(xs: Keys, heap: Uint32Array, count: number, context: unknown): void {
      while (count > 1) {
        const first = heap[0];
        count--;
        down(xs, heap, count, 0, heap[count], context);
        heap[count] = first;
      }
    },
  };
};

/** A template, see specialize.ts: largest first. Calling `afterOf` with its arguments exchanged takes 1.3 times as long. */
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
    return Number.isNaN(a) && !Number.isNaN(b);
  };

/** The kernel for the first elements of an array in the order of a comparator, or for its largest numbers. */
export function topKernel(xs: TypedArray, compare?: Compare) {
  const tag = `top ${xs[Symbol.toStringTag]}`;
  if (compare !== undefined) return specialize(makeTopKernel, tag, afterOf(xs, compare, 'top '));
  const makeLarger = tag.includes('Float') ? makeLargerFloat : makeLargerInteger;
  return specialize(makeTopKernel, tag, specialize(makeLarger, tag));
}
