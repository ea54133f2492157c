/** The kernels that sort one bucket, called as bucket-job.ts calls them. */
import { pointerOf, sortKernels } from '../../src/algorithms/kernels/wasm-kernels.js';
import { keySuffix, kindOf, pairSuffix, SORT_COUNTERS } from '../../src/algorithms/sort/kernels/wasm-sort.js';
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
  const [source, target, out] = [1, 2, 3].map(() => like(keys));
  const order = [1, 2, 3].map(() => sharedArray(Uint32Array, keys.length));
  // The row before says where parts begin.
  const bounds = sharedArray(Uint32Array, [0, ...ends.slice(0, -1), ...ends]);
  const rows = ends.length;
  const parts = [pointerOf(bounds) + 4 * rows, 4 * rows, rows] as const;
  const wasm = sortKernels.exports();
  wasm[`gather${keySuffix(keys)}`](pointerOf(keys), ...parts, pointerOf(source));
  if (indices !== undefined) wasm.gatherU32(pointerOf(indices), ...parts, pointerOf(order[0]));
  sort([source, target, out], indices === undefined ? undefined : order);
  return { keys: out, indices: indices && order[2] };
}

/** Sorts shared keys in place, with room for as many, and with them indices. */
export function sortInPlace(keys: TypedArray, indices: Uint32Array | undefined): Bucket {
  const order = indices && [indices, sharedArray(Uint32Array, keys.length), indices];
  sort([keys, like(keys), keys], order);
  return { keys, indices };
}

const like = (keys: TypedArray): TypedArray =>
  sharedArray(keys.constructor as unknown as Float64ArrayConstructor, keys.length) as TypedArray;

/** From the first array to the third, by way of the second. */
function sort(keys: readonly TypedArray[], order: readonly TypedArray[] | undefined): void {
  counters.fill(0xdeadbeef);
  const [source, target, out] = keys.map(pointerOf);
  const [p, pTarget, pOut] = order === undefined ? [0, 0, 0] : order.map(pointerOf);
  const bits = 8 * keys[0].BYTES_PER_ELEMENT;
  const kernel = sortKernels.exports()[`sort${pairSuffix(keys[0], order?.[0] as Uint32Array | undefined)}`];
  kernel(keys[0].length, source, target, out, kindOf(keys[0]), bits, pointerOf(counters), p, pTarget, pOut);
}
