/** Fills a part of a typed array; runs on every thread that computes. */
import type { TypedArray } from '../../core/memory/element-types.js';
import { addressOf, filterKernels } from '../kernels/wasm-kernels.js';

/**
 * As `xs.fill(value, lo, hi)`, 0 <= lo <= hi <= length; `value` is a number, or a bigint for arrays of those. V8 fills shared memory
 * element by element, and bytes one by one.
 */
export function fillElements(xs: TypedArray, value: number | bigint, lo: number, hi: number): void {
  const clamps = xs[Symbol.toStringTag] === 'Uint8ClampedArray';
  const fill = hi > lo && !clamps ? filterKernels.for('fill', xs) : undefined;
  if (fill === undefined) (xs as Float64Array).fill(value as number, lo, hi);
  else fill(addressOf(xs, lo), hi - lo, value);
}
