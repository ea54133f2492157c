/**
 * Merges numbers by WebAssembly, and tells the sorting kernels which elements they sort; runs on every thread that computes.
 */
import type { TypedArray } from '../../../core/memory/element-types.js';
import { addressOf, NOT_IN_HEAP, pointerOf, sortKernels } from '../../kernels/wasm-kernels.js';
import type { MergeLoop } from './merge-kernel.js';
import { elementKernel } from './orders.js';

/** Kinds of conversion from the bits of elements to keys, for the types that have kernels: see wasm/keys.ts. */
const KINDS: Readonly<Record<string, number>> = {
  Int32Array: 1,
  Uint32Array: 0,
  Float32Array: 2,
  Float64Array: 2,
  BigInt64Array: 1,
  BigUint64Array: 0,
};

/** Added to a kind: larger elements first, NaN last all the same. */
export const DESCENDING = 4;

/** The kind of an array's elements; -1 for types that the kernels do not sort. */
export const kindOf = (xs: TypedArray): number => KINDS[xs[Symbol.toStringTag]] ?? -1;

/** Endings of the names of kernels that sort such keys, with indices or without. */
export const keySuffix = (keys: TypedArray): 'U32' | 'U64' => (keys.BYTES_PER_ELEMENT === 8 ? 'U64' : 'U32');
export const pairSuffix = (keys: TypedArray, order: Uint32Array | undefined): string =>
  `${keySuffix(keys)}${order === undefined ? 'Void' : 'U32'}`;

/** Elements of the `Uint32Array` of places that sorting a range needs; their values do not matter. */
export const SORT_COUNTERS = 2 * 2048 + 8;

/** Merges the sorted left[i, iEnd) and right[j, jEnd) to out[k, ...), which lies apart: as `elementKernel(left).merge`. */
export const mergeNumbers: MergeLoop<TypedArray> = (left, i, iEnd, right, j, jEnd, out, k) => {
  const merge = sortKernels.for('merge', left);
  if (merge === undefined || pointerOf(right) === NOT_IN_HEAP || pointerOf(out) === NOT_IN_HEAP) {
    elementKernel(left).merge(left as never, i, iEnd, right as never, j, jEnd, out as never, k);
    return;
  }
  merge(addressOf(left, i), iEnd - i, addressOf(right, j), jEnd - j, addressOf(out, k));
};
