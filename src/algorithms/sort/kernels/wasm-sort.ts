/**
 * Merging numbers by WebAssembly, for arrays on the shared heap, and what the sorting kernels are told of elements; runs on
 * every thread that computes. The order and the twins are in numeric-sort.ts; bucket-job.ts sorts.
 */
import type { TypedArray } from '../../../core/memory/element-types.js';
import type { KernelExports } from '../../kernels/wasm-kernels.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../../kernels/wasm-kernels.js';
import type { Elements } from './merge-kernel.js';
import { numericKernel } from './numeric-sort.js';

type Suffix = 'I32' | 'U32' | 'I64' | 'U64' | 'F32' | 'F64';

const SUFFIXES: Readonly<Record<string, Suffix>> = {
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float32Array: 'F32',
  Float64Array: 'F64',
  BigInt64Array: 'I64',
  BigUint64Array: 'U64',
};

/** How the bits of elements become keys: see wasm/keys.ts. */
const KINDS = { U32: 0, U64: 0, I32: 1, I64: 1, F32: 2, F64: 2 } as const;

/** Added to a kind: larger elements first, NaN last all the same. */
export const DESCENDING = 4;

/** What the kernels sort: elements of 4 and 8 bytes; -1 for others. */
export function kindOf(xs: TypedArray): number {
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  return suffix === undefined ? -1 : KINDS[suffix];
}

/** Elements of the `Uint32Array` of places that sorting a range needs; their values do not matter. */
export const SORT_COUNTERS = 2 * 2048 + 8;

/** Merges the sorted left[i, iEnd) and right[j, jEnd) to out[k, ...), which lies apart: as `numericKernel(left).merge`. */
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
  const suffix = SUFFIXES[left[Symbol.toStringTag]];
  const pointers = suffix === undefined ? [NOT_IN_HEAP] : [left, right, out].map(pointerOf);
  if (pointers.includes(NOT_IN_HEAP)) {
    const [a, b, c] = [left, right, out] as unknown as [Elements, Elements, Elements];
    numericKernel(left).merge(a, i, iEnd, b, j, jEnd, c, k, undefined);
    return;
  }
  const size = left.BYTES_PER_ELEMENT;
  const [a, b, c] = pointers;
  const merge = (kernels() as KernelExports)[`merge${suffix}`];
  merge(a + i * size, iEnd - i, b + j * size, jEnd - j, c + k * size);
}
