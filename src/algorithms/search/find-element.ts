/**
 * Where a value first occurs in part of an array, as `indexOf` has it: 0 finds -0, NaN nothing; runs on every thread that
 * computes. On shared memory the built-in takes a third longer than elsewhere.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import { constructorOfType, isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { KernelExports } from '../kernels/kernel-exports.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

/** `find(xs, value, lo, hi)` gives an index from lo to hi, which is where there is none. */
export type Find = (xs: TypedArray, value: number | bigint, lo: number, hi: number) => number;

/** A template, see specialize.ts. The built-in takes a third to two thirds of a loop's time. */
const makeFind = (): Find => (xs, value, lo, hi) => {
  const at = (xs as Float64Array).subarray(lo, hi).indexOf(value as number);
  return at < 0 ? hi : lo + at;
};

const FINDS: Readonly<Record<string, 'find8' | 'find16' | 'find32' | 'findF32' | 'findF64'>> = {
  Int8Array: 'find8',
  Uint8Array: 'find8',
  Uint8ClampedArray: 'find8',
  Int16Array: 'find16',
  Uint16Array: 'find16',
  Int32Array: 'find32',
  Uint32Array: 'find32',
  Float32Array: 'findF32',
  Float64Array: 'findF64',
};

/** Made once for each type, so that what was measured can be remembered. */
const made = new Map<number, Find>();

/** How to find elements of such an array: by WebAssembly where it is on the shared heap. */
export function findKernel(xs: TypedArray): Find {
  if (pointerOf(xs) === NOT_IN_HEAP) return findTwin(xs);
  const type = typeOfView(xs);
  let find = made.get(type);
  if (find === undefined) {
    const found = isBigIntType(type) ? makeBigFind() : makeNumberFind(xs);
    if (found === undefined) return findTwin(xs);
    find = found;
    made.set(type, find);
  }
  return find;
}

/** The same in TypeScript. */
export const findTwin = (xs: TypedArray): Find => specialize(makeFind, typesTag(xs));

function makeNumberFind(xs: TypedArray): Find | undefined {
  const name = FINDS[xs[Symbol.toStringTag]];
  if (name === undefined) return undefined; // Float16Array
  const size = xs.BYTES_PER_ELEMENT;
  const probe = new (constructorOfType(typeOfView(xs)) as unknown as Float64ArrayConstructor)(1);
  return (array, value, lo, hi) => {
    probe[0] = value as number;
    if (probe[0] !== value) return hi; // no value of the type; NaN
    return lo + (kernels() as KernelExports)[name](pointerOf(array) + lo * size, hi - lo, value);
  };
}

const makeBigFind = (): Find => {
  const probe = { signed: new BigInt64Array(1), unsigned: new BigUint64Array(1) };
  return (array, value, lo, hi) => {
    const one = array[Symbol.toStringTag] === 'BigInt64Array' ? probe.signed : probe.unsigned;
    one[0] = value as bigint;
    if (one[0] !== value) return hi;
    return lo + (kernels() as KernelExports).find64(pointerOf(array) + lo * 8, hi - lo, value);
  };
};
