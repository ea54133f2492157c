/**
 * Filling part of an array; runs on every thread that computes. V8 fills shared memory element by element, and bytes one by one.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import type { KernelExports } from '../kernels/kernel-exports.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

const FILLS: Readonly<Record<string, 'fill8' | 'fill16' | 'fill32' | 'fillF32' | 'fillF64'>> = {
  Int8Array: 'fill8',
  Uint8Array: 'fill8',
  Int16Array: 'fill16',
  Uint16Array: 'fill16',
  Int32Array: 'fill32',
  Uint32Array: 'fill32',
  Float32Array: 'fillF32',
  Float64Array: 'fillF64',
};

/** As `xs.fill(value, lo, hi)`, 0 <= lo <= hi <= length; `value` is a number, or a bigint for arrays of those. */
export function fillElements(xs: TypedArray, value: number | bigint, lo: number, hi: number): void {
  const pointer = hi > lo ? pointerOf(xs) : NOT_IN_HEAP;
  const name = xs[Symbol.toStringTag];
  const at = pointer + lo * xs.BYTES_PER_ELEMENT;
  const fill = FILLS[name];
  if (pointer !== NOT_IN_HEAP && fill !== undefined) (kernels() as KernelExports)[fill](at, hi - lo, value as number);
  else if (pointer !== NOT_IN_HEAP && typeof value === 'bigint')
    (kernels() as KernelExports).fill64(at, hi - lo, value);
  else (xs as Float64Array).fill(value as number, lo, hi);
}
