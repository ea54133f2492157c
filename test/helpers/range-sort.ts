/** The kernels that sort one range of the heap, called as bucket-job.ts calls them. */
import type { KernelExports } from '../../src/algorithms/kernels/kernel-exports.js';
import { kernels, pointerOf } from '../../src/algorithms/kernels/wasm-kernels.js';
import { kindOf, SORT_COUNTERS } from '../../src/algorithms/kernels/wasm-sort.js';
import { sharedArray, type TypedArray } from '../../src/core/memory/shared-array.js';

const places = sharedArray(Uint32Array, SORT_COUNTERS);

/** An array and room for as many elements. */
type Sides<T extends TypedArray> = readonly [here: T, other: T];

/** Sorts shared keys, and with them indices; gives the sides that they are on then. */
export function sortRange(
  [keys, otherKeys]: Sides<TypedArray>,
  { toOther, indices }: { toOther: boolean; indices?: Sides<Uint32Array> },
): { keys: TypedArray; indices: Uint32Array | undefined } {
  places.fill(0xdeadbeef);
  const { sort32, sort64, sortPairs32, sortPairs64 } = kernels() as KernelExports;
  const isWide = keys.BYTES_PER_ELEMENT === 8;
  const range = [pointerOf(keys), pointerOf(otherKeys), keys.length, toOther ? 1 : 0, kindOf(keys), 0] as const;
  if (indices === undefined) (isWide ? sort64 : sort32)(...range, pointerOf(places));
  else {
    const sort = isWide ? sortPairs64 : sortPairs32;
    sort(...range, pointerOf(places), pointerOf(indices[0]), pointerOf(indices[1]));
  }
  return { keys: toOther ? otherKeys : keys, indices: indices?.[toOther ? 1 : 0] };
}
