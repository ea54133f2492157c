/** Copies elements from one typed array to another; runs on every thread that computes. */
import type { TypedArray } from '../../core/memory/element-types.js';
import { filterKernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

/**
 * Copies `n` elements of `from`, starting at index `lo`, to `to`, starting at index `at`. V8 copies between shared arrays word by
 * word; the copy instruction of WebAssembly is as fast as `memcpy`.
 */
export function moveElements(from: TypedArray, lo: number, n: number, to: TypedArray, at: number): void {
  if (n === 0) return;
  const size = from.BYTES_PER_ELEMENT;
  const source = pointerOf(from);
  const target = source === NOT_IN_HEAP ? NOT_IN_HEAP : pointerOf(to);
  if (target === NOT_IN_HEAP) (to as Float64Array).set(from.subarray(lo, lo + n) as Float64Array, at);
  else filterKernels.exports().copy(target + at * size, source + lo * size, n * size);
}
