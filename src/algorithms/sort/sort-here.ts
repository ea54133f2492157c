/**
 * Sorts of short arrays, which the calling thread does at once.
 *
 * Numbers are copied to the shared heap and sorted there by one call of a kernel. The built-in sort does arrays that are
 * too short for this, and all where there is no WebAssembly.
 */
import { compiled } from '../../core/code/source.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import { LocalArrays } from '../call/local-arrays.js';
import { contextOf } from '../call/user-function.js';
import { kernelsUsable, pointerOf, sortKernels } from '../kernels/wasm-kernels.js';
import { explaining } from '../schedule/user-piece.js';
import { KERNEL_ELEMENTS } from '../tuning.js';
import type { Ordering } from './comparator.js';
import type { Compare } from './kernels/merge-kernel.js';
import { elementKernel, keyOrder } from './kernels/orders.js';
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
  const arrays = new LocalArrays();
  try {
    const onHeap = <T extends TypedArray>(type: ArrayType<T>, length: number): T =>
      arrays.scratch(type, length, undefined, true);
    const source = onHeap<TypedArray>(keyTypeOf(keys), length);
    const target = onHeap<TypedArray>(keyTypeOf(keys), length);
    const indexCount = order === undefined ? 0 : length;
    const indices = onHeap(Uint32Array, indexCount);
    const indicesTarget = onHeap(Uint32Array, indexCount);
    const places = onHeap(Uint32Array, SORT_COUNTERS);
    (source as Float64Array).set(keys as Float64Array);
    for (let i = 0; i < indexCount; i++) indices[i] = i;
    const sort = sortKernels.exports()[`sort${pairSuffix(source, order)}`];
    const [from, to, counters] = [source, target, places].map(pointerOf);
    const [p, pTarget] = order === undefined ? [0, 0] : [indices, indicesTarget].map(pointerOf);
    sort(length, from, to, from, kindOf(source), 8 * source.BYTES_PER_ELEMENT, counters, p, pTarget, p);
    if (order === undefined) (keys as Float64Array).set(source as Float64Array);
    else order.set(indices);
    return true;
  } finally {
    arrays.release();
  }
}

/** Sorts in place, with the same recompiled comparator as in the pool; returns the array. */
export function sortHere(xs: TypedArray, ordering: Ordering): TypedArray {
  const { compare, context, called } = ordering;
  if (compare === undefined) {
    sortNumbers(xs);
    return xs;
  }
  const kernel = elementKernel(xs, compiled(compare) as Compare);
  const buffer = new (typeOf<TypedArray>(xs))(2 * xs.length);
  explaining({ calls: called, context }, () => sortAside(kernel, xs, buffer, contextOf(ordering)));
  return xs;
}

/** Puts the indices that sort an array into `indices`, and returns them. */
export function argsortHere(keys: TypedArray, indices: Uint32Array, ordering: Ordering): Uint32Array {
  const { compare, context, called } = ordering;
  if (compare === undefined && indices.length >= KERNEL_ELEMENTS && sortByKernel(keys, indices)) return indices;
  const order = keyOrder(keys, compare && (compiled(compare) as Compare), contextOf(ordering));
  for (let i = 0; i < indices.length; i++) indices[i] = i;
  const temp = new Uint32Array(indices.length);
  explaining({ calls: called, context }, () =>
    order.kernel.sort(indices, temp, 0, indices.length, false, order.context),
  );
  return indices;
}
