/**
 * Sorts of short arrays, which the calling thread does at once.
 *
 * Numbers are copied to the shared heap and sorted there by one call of a kernel. The built-in sort does arrays that are
 * too short for this, and all where there is no WebAssembly.
 */
import { compiled, observerHere } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import { LocalArrays } from '../call/local-arrays.js';
import { contextOf } from '../call/user-function.js';
import { kernelsUsable, pointerOf, sortKernels } from '../kernels/wasm-kernels.js';
import { costOf } from '../schedule/cost.js';
import { explaining } from '../schedule/user-piece.js';
import { KERNEL_ELEMENTS, SAMPLE_ELEMENTS } from '../tuning.js';
import type { Ordering } from './comparator.js';
import type { Compare } from './kernels/merge-kernel.js';
import { orderOf } from './kernels/orders.js';
import { kindOf, pairSuffix, SORT_COUNTERS } from './kernels/wasm-sort.js';
import { sortAside } from './merge-sort.js';

/** The type that the kernels sort instead of this one: it has all of its values. */
export function keyTypeOf(xs: TypedArray): ArrayType {
  if (kindOf(xs) >= 0) return typeOf(xs);
  const name: string = xs[Symbol.toStringTag];
  return name.startsWith('F') ? Float32Array : name.startsWith('I') ? Int32Array : Uint32Array;
}

/** Sorts as `TypedArray.prototype.sort` does. */
export function sortNumbers(xs: TypedArray): void {
  if (isSorted(xs)) return;
  if (xs.length < KERNEL_ELEMENTS || !sortByKernel(xs, undefined)) xs.sort();
}

/** Stops at the first pair out of order. Zeros count as out of order: -0 and 0. */
function isSorted(xs: TypedArray): boolean {
  for (let i = 1; i < xs.length; i++) {
    const a = xs[i - 1] as number;
    const b = xs[i] as number;
    // biome-ignore lint/suspicious/noDoubleEquals: 0n == 0, and both kinds of element come here
    if (!(a < b || (a === b && a != 0))) return false;
  }
  return true;
}

/** Sorts copies on the heap: of the keys, or with them indices. Returns false where that is not possible. */
function sortByKernel(keys: TypedArray, order: Uint32Array | undefined): boolean {
  if (!kernelsUsable()) return false;
  const { length } = keys;
  const type = keyTypeOf(keys);
  const bytes = type.BYTES_PER_ELEMENT;
  const arrays = new LocalArrays();
  try {
    // Two arrays of keys, counters, and two arrays of indices.
    const words = SORT_COUNTERS + (order === undefined ? 0 : 2 * length);
    const all = arrays.scratch<TypedArray>(type, 2 * length + Math.ceil((4 * words) / bytes), undefined, true);
    const source = all.subarray(0, length);
    const from = pointerOf(all);
    const to = from + length * bytes;
    const counters = to + length * bytes;
    const indicesFrom = counters + 4 * SORT_COUNTERS;
    const indicesTo = indicesFrom + 4 * length;
    const indices = new Uint32Array(all.buffer, indicesFrom, order === undefined ? 0 : length);
    (source as Float64Array).set(keys as Float64Array);
    for (let i = 0; i < indices.length; i++) indices[i] = i;
    const sort = sortKernels.exports()[`sort${pairSuffix(source, order)}`];
    sort(length, from, to, from, kindOf(source), 8 * bytes, counters, indicesFrom, indicesTo, indicesFrom);
    if (order === undefined) (keys as Float64Array).set(source as Float64Array);
    else order.set(indices);
    return true;
  } finally {
    arrays.release();
  }
}

/** About as many comparisons as a sort makes, which the cost of a comparator is counted in. */
export const comparisons = (length: number): number => length * Math.log2(length);

/**
 * Sorts in place, with the same recompiled comparator as in the pool: elements, or with `keys` indices of these, which are written
 * first.
 */
export function sortHere(xs: TypedArray, keys: TypedArray | undefined, ordering: Ordering): void {
  const observer = observerHere();
  if (observer === undefined) {
    sortAtOnce(xs, keys, ordering);
    return;
  }
  observer.units(0, 1, ordering.compare === undefined ? ordering.callee.names.promise : ordering.called, () => {
    sortAtOnce(xs, keys, ordering);
    return xs.length;
  });
  observer.stageEnded();
}

function sortAtOnce(xs: TypedArray, keys: TypedArray | undefined, ordering: Ordering): void {
  const { compare, context, called: calls } = ordering;
  if (keys === undefined && compare === undefined) {
    sortNumbers(xs);
    return;
  }
  if (keys !== undefined) {
    const isLong = compare === undefined && xs.length >= KERNEL_ELEMENTS;
    if (isLong && sortByKernel(keys, xs as Uint32Array)) return;
    for (let i = 0; i < xs.length; i++) xs[i] = i;
  }
  const comparator = compare && (compiled(compare) as Compare);
  const [kernel, given] = orderOf(xs, keys, comparator, contextOf(ordering));
  const buffer = new (typeOf(xs))(2 * xs.length);
  const begunMs = performance.now();
  explaining({ calls, context }, () => sortAside(kernel, xs, buffer, given));
  if (comparator !== undefined && xs.length >= SAMPLE_ELEMENTS)
    costOf(comparator).note(comparisons(xs.length), performance.now() - begunMs);
}
