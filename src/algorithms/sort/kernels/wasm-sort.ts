/**
 * Numbers on the shared heap, merged by WebAssembly, and what the sorting kernels are told of elements; runs on every thread that
 * computes.
 */
import type { TypedArray } from '../../../core/memory/element-types.js';
import { NOT_IN_HEAP, pointerOf, sortKernels } from '../../kernels/wasm-kernels.js';
import type { Elements } from './merge-kernel.js';
import { elementKernel } from './orders.js';

/** Types that have kernels, and how the bits of their elements become keys: see wasm/keys.ts. */
const TYPES = {
  Int32Array: { suffix: 'I32', kind: 1 },
  Uint32Array: { suffix: 'U32', kind: 0 },
  Float32Array: { suffix: 'F32', kind: 2 },
  Float64Array: { suffix: 'F64', kind: 2 },
  BigInt64Array: { suffix: 'I64', kind: 1 },
  BigUint64Array: { suffix: 'U64', kind: 0 },
} as const;

const typeIn = (xs: TypedArray) =>
  TYPES[xs[Symbol.toStringTag] as keyof typeof TYPES] as (typeof TYPES)[keyof typeof TYPES] | undefined;

/** Added to a kind: larger elements first, NaN last all the same. */
export const DESCENDING = 4;

/** What the kernels sort: elements of 4 and 8 bytes; -1 for others. */
export const kindOf = (xs: TypedArray): number => typeIn(xs)?.kind ?? -1;

/** Elements of the `Uint32Array` of places that sorting a range needs; their values do not matter. */
export const SORT_COUNTERS = 2 * 2048 + 8;

/** Merges the sorted left[i, iEnd) and right[j, jEnd) to out[k, ...), which lies apart: as `elementKernel(left).merge`. */
export function mergeNumbers(
  left: TypedArray,
  i: number,
  iEnd: number,
  right: TypedArray,
  j: number,
  jEnd: number,
  out: TypedArray,
  k: number,
): void {
  const type = typeIn(left);
  const [a, b, c] = [left, right, out].map(pointerOf);
  if (type === undefined || a === NOT_IN_HEAP || b === NOT_IN_HEAP || c === NOT_IN_HEAP) {
    const [x, y, z] = [left, right, out] as unknown as [Elements, Elements, Elements];
    elementKernel(left).merge(x, i, iEnd, y, j, jEnd, z, k, undefined);
    return;
  }
  const size = left.BYTES_PER_ELEMENT;
  const merge = sortKernels.exports()[`merge${type.suffix}`];
  merge(a + i * size, iEnd - i, b + j * size, jEnd - j, c + k * size);
}
