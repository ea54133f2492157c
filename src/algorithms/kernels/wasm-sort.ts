/**
 * Sorting and merging numbers by WebAssembly, for arrays on the shared heap; runs on every thread that computes.
 * The order and the twins are in numeric-sort.ts and index-sort.ts; large arrays are sorted by bucket-job.ts.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import type { KernelExports } from './kernel-exports.js';
import type { Elements } from './merge-kernel.js';
import { numericKernel } from './numeric-sort.js';
import { kernels, NOT_IN_HEAP, pointerOf } from './wasm-kernels.js';

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

/** Elements of the `Uint32Array` of counters that a sort needs; their values do not matter. */
export const SORT_COUNTERS = 2 * 2048 + 8;

/**
 * Sorts in place, in one thread. `scratch` has the same type and length, `counters` `SORT_COUNTERS` elements; all on the
 * shared heap.
 *
 * @returns whether it did: not without WebAssembly, nor for elements of other than 4 or 8 bytes
 */
export function sortInHeap(xs: TypedArray, scratch: TypedArray, counters: Uint32Array): boolean {
  const kind = kindOf(xs);
  if (kind < 0 || [xs, scratch, counters].some((view) => pointerOf(view) === NOT_IN_HEAP)) return false;
  const { sort32, sort64 } = kernels() as KernelExports;
  const sort = xs.BYTES_PER_ELEMENT === 8 ? sort64 : sort32;
  if (xs.length > 1) sort(pointerOf(xs), pointerOf(scratch), xs.length, 0, kind, 0, pointerOf(counters));
  return true;
}

/**
 * Sorts keys in place, and with them the elements of `index`: stable, NaN last. NaNs may come out with other bits. As
 * `sortInHeap`, with scratch space for both.
 */
export function sortWithIndexInHeap(
  keys: TypedArray,
  keysScratch: TypedArray,
  index: Uint32Array,
  indexScratch: Uint32Array,
  counters: Uint32Array,
): boolean {
  const kind = kindOf(keys);
  const views = [keys, keysScratch, counters, index, indexScratch];
  const pointers = views.map(pointerOf);
  if (kind < 0 || pointers.includes(NOT_IN_HEAP)) return false;
  const [from, other, places, payload, payloadOther] = pointers;
  const { sortPairs32, sortPairs64 } = kernels() as KernelExports;
  const sort = keys.BYTES_PER_ELEMENT === 8 ? sortPairs64 : sortPairs32;
  if (keys.length > 1) sort(from, other, keys.length, 0, kind, 0, places, payload, payloadOther);
  return true;
}

/** Merges the sorted src[i, iEnd) and src[j, jEnd) to out[k, ...), which lies apart: as `numericKernel(src).merge`. */
export function mergeNumbers(
  src: TypedArray,
  i: number,
  iEnd: number,
  j: number,
  jEnd: number,
  out: TypedArray,
  k: number,
): void {
  const suffix = SUFFIXES[src[Symbol.toStringTag]];
  const from = suffix === undefined ? NOT_IN_HEAP : pointerOf(src);
  const to = from === NOT_IN_HEAP ? NOT_IN_HEAP : pointerOf(out);
  if (to === NOT_IN_HEAP) {
    numericKernel(src).merge(src as unknown as Elements, i, iEnd, j, jEnd, out as unknown as Elements, k, undefined);
    return;
  }
  const size = src.BYTES_PER_ELEMENT;
  const merge = (kernels() as KernelExports)[`merge${suffix}`];
  merge(from + i * size, iEnd - i, from + j * size, jEnd - j, to + k * size);
}
