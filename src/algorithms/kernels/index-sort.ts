/**
 * Sorting numbers and, with them, what belongs to each; runs on every thread that computes. The twin of `sortWithIndexInHeap`.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { fresh } from '../fresh.js';
import { type Elements, makeMergeKernel } from './merge-kernel.js';
import { afterOf } from './numeric-sort.js';

/** A maker, see fresh.ts. */
const makeAfterAt = (after: (a: unknown, b: unknown) => boolean) =>
  function afterAt(i: unknown, j: unknown, keys: unknown): boolean {
    return after((keys as Elements)[i as number], (keys as Elements)[j as number]);
  };

/** Sorts keys in place, and with them the elements of `index`: stable, in the order of `TypedArray.prototype.sort`. */
export function sortWithIndexTwin(keys: TypedArray, index: Uint32Array): void {
  const n = keys.length;
  const name = keys[Symbol.toStringTag];
  const kernel = fresh(makeMergeKernel, `${name} by index`, fresh(makeAfterAt, name, afterOf(keys)));
  const places = Uint32Array.from({ length: n }, (_, i) => i);
  kernel.sort(places as unknown as Elements, new Uint32Array(n) as unknown as Elements, 0, n, false, keys);
  const [oldKeys, oldIndex] = [keys.slice() as unknown as Float64Array, index.slice()];
  for (let k = 0; k < n; k++) {
    (keys as unknown as Float64Array)[k] = oldKeys[places[k]];
    index[k] = oldIndex[places[k]];
  }
}
