/**
 * Finds where a value first occurs in part of an array, as `indexOf` does: 0 finds -0, and NaN is never found. Runs on every
 * thread that computes. On shared memory the built-in takes a third longer than elsewhere.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import { constructorOfType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { KernelExports } from '../kernels/kernel-exports.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

/** `find(xs, value, lo, hi)` gives the index of the first equal element, or `hi`. */
export type Find = (xs: TypedArray, value: number | bigint, lo: number, hi: number) => number;

/** A template, see specialize.ts. The built-in takes a third to two thirds of a loop's time. */
const makeFind = (): Find => (xs, value, lo, hi) => {
  const at = (xs as Float64Array).subarray(lo, hi).indexOf(value as number);
  return at < 0 ? hi : lo + at;
};

/** Kernels by type; Float16Array has none. */
const KERNELS = {
  Int8Array: 'find8',
  Uint8Array: 'find8',
  Uint8ClampedArray: 'find8',
  Int16Array: 'find16',
  Uint16Array: 'find16',
  Int32Array: 'find32',
  Uint32Array: 'find32',
  Float32Array: 'findF32',
  Float64Array: 'findF64',
  BigInt64Array: 'find64',
  BigUint64Array: 'find64',
} as const;

/** Made once for each type, so that what was measured can be remembered. */
const made = new Map<string, Find>();

/** How to find elements of such an array: by WebAssembly where it is on the shared heap. */
export function findKernel(xs: TypedArray): Find {
  const type: string = xs[Symbol.toStringTag];
  if (pointerOf(xs) === NOT_IN_HEAP || !(type in KERNELS)) return findTwin(xs);
  let find = made.get(type);
  if (find === undefined) {
    find = makeHeapFind(xs);
    made.set(type, find);
  }
  return find;
}

/** The same in TypeScript. */
export const findTwin = (xs: TypedArray): Find => specialize(makeFind, typesTag(xs));

function makeHeapFind(xs: TypedArray): Find {
  const kernel = KERNELS[xs[Symbol.toStringTag] as keyof typeof KERNELS];
  const size = xs.BYTES_PER_ELEMENT;
  const probe = new (constructorOfType(typeOfView(xs)) as unknown as Float64ArrayConstructor)(1);
  return (array, value, lo, hi) => {
    probe[0] = value as number;
    if (probe[0] !== value) return hi; // no value of the type; NaN
    const find = (kernels() as KernelExports)[kernel] as (p: number, n: number, x: number | bigint) => number;
    return lo + find(pointerOf(array) + lo * size, hi - lo, value);
  };
}
