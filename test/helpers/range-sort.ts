/** The kernels that sort one bucket, called as bucket-job.ts calls them. */
import type { KernelExports } from '../../src/algorithms/kernels/wasm-kernels.js';
import { kernels, pointerOf } from '../../src/algorithms/kernels/wasm-kernels.js';
import { kindOf, SORT_COUNTERS } from '../../src/algorithms/sort/kernels/wasm-sort.js';
import { sharedArray, type TypedArray } from '../../src/core/memory/shared-array.js';

const counters = sharedArray(Uint32Array, SORT_COUNTERS);

/** An array, and its order, if that is asked for. */
interface Bucket {
  readonly keys: TypedArray;
  readonly indices: Uint32Array | undefined;
}

/**
 * Sorts a bucket whose elements lie in several parts, in the array and between what does not belong to it.
 *
 * @param ends where parts end, ascending; the last is the length
 */
export function sortParts(keys: TypedArray, indices: Uint32Array | undefined, ends: readonly number[]): Bucket {
  const Type = keys.constructor as new (length: number) => TypedArray;
  const [near, far, out] = [1, 2, 3].map(() => sharedArray(Type as typeof Float64Array, keys.length));
  const order = [1, 2, 3].map(() => sharedArray(Uint32Array, keys.length));
  // The row before says where parts begin.
  const bounds = sharedArray(Uint32Array, [0, ...ends.slice(0, -1), ...ends]);
  const rows = ends.length;
  counters.fill(0xdeadbeef);
  const wasm = kernels() as KernelExports;
  const bits = keys.BYTES_PER_ELEMENT === 8 ? 64 : 32;
  const parts = [pointerOf(keys), pointerOf(bounds) + 4 * rows, 4 * rows, rows] as const;
  const rooms = [pointerOf(near), pointerOf(far), pointerOf(out)] as const;
  const rest = [kindOf(keys), bits, pointerOf(counters)] as const;
  if (indices === undefined) {
    wasm[`sort${bits}`](...parts, keys.length, ...rooms, ...rest);
    return { keys: out, indices };
  }
  const [payload, nearPayload, farPayload, outPayload] = [indices, ...order].map(pointerOf);
  wasm[`sortPairs${bits}`](...parts, keys.length, ...rooms, ...rest, payload, nearPayload, farPayload, outPayload);
  return { keys: out, indices: order[2] };
}

/** Sorts shared keys in place, with room for as many, and with them indices. */
export function sortInPlace(keys: TypedArray, indices: Uint32Array | undefined): Bucket {
  const Type = keys.constructor as new (length: number) => TypedArray;
  const far = pointerOf(sharedArray(Type as typeof Float64Array, keys.length));
  const bounds = sharedArray(Uint32Array, [0, keys.length]);
  counters.fill(0xdeadbeef);
  const wasm = kernels() as KernelExports;
  const bits = keys.BYTES_PER_ELEMENT === 8 ? 64 : 32;
  const here = pointerOf(keys);
  const range = [here, pointerOf(bounds) + 4, 4, 1, keys.length, here, far, here] as const;
  const rest = [kindOf(keys), bits, pointerOf(counters)] as const;
  if (indices === undefined) wasm[`sort${bits}`](...range, ...rest);
  else {
    const at = pointerOf(indices);
    wasm[`sortPairs${bits}`](...range, ...rest, at, at, pointerOf(sharedArray(Uint32Array, keys.length)), at);
  }
  return { keys, indices };
}
