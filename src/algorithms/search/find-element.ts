/**
 * Where a value first occurs in part of an array, as `indexOf` has it: 0 finds -0, NaN nothing; runs on every thread that
 * computes. On shared memory the built-in takes a third longer than elsewhere.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import { constructorOfType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { addressOf, filterKernels, type Kernel } from '../kernels/wasm-kernels.js';

/** `find(xs, value, lo, hi)` gives the index of the first equal element, or `hi`. */
export type Find = (xs: TypedArray, value: number | bigint, lo: number, hi: number) => number;

/** A template, see specialize.ts. The built-in takes a third to two thirds of a loop's time. */
const makeFind = (): Find => (xs, value, lo, hi) => {
  const at = (xs as Float64Array).subarray(lo, hi).indexOf(value as number);
  return at < 0 ? hi : lo + at;
};

/** One function for each type, because the measured cost belongs to the function. */
const made = new Map<number, Find>();

/** How to find elements of such an array: by WebAssembly where it is on the shared heap. */
export function findKernel(xs: TypedArray): Find {
  if (filterKernels.for('find', xs) === undefined) return scalarFind(xs);
  const type = typeOfView(xs);
  let find = made.get(type);
  if (find === undefined) {
    find = makeKernelFind(type);
    made.set(type, find);
  }
  return find;
}

/** The scalar version. */
export const scalarFind = (xs: TypedArray): Find => specialize(makeFind, typesTag(xs));

function makeKernelFind(type: number): Find {
  const probe = new (constructorOfType(type) as unknown as Float64ArrayConstructor)(1);
  return (xs, value, lo, hi) => {
    probe[0] = value as number;
    if (probe[0] !== value) return hi; // no value of the type; NaN
    return lo + (filterKernels.for('find', xs) as Kernel)(addressOf(xs, lo), hi - lo, value);
  };
}
