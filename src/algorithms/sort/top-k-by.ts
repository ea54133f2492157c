/**
 * `parallelTopK` of an array of objects, by a key of each; runs on the calling thread, which alone has the objects.
 *
 * A small k needs one comparison for most keys, which takes less time than reading the key from its object. So sharing the work
 * would gain nothing, and the calling thread selects them, as each block does in top-k.ts. For a large k, keys are sorted as by
 * `parallelSortBy`.
 */
import type { Callee } from '../../core/engine.js';
import { checkArray, checkCount, checkIndices, readOptions } from '../call/options.js';
import { shown } from '../shown.js';
import { TOP_K_SHARE } from '../tuning.js';
import { type ArgsortSteps, argsorts } from './argsort-steps.js';
import { type Argsort, comparison, orderOf } from './item-order.js';
import { type After, makeMergeKernel } from './kernels/merge-kernel.js';
import { listElements, makeSelect, NO_HINT } from './kernels/select-kernel.js';
import { type ItemOrder, ORDER_OPTIONS, readOrder, type SortByOptions, type SortKeys } from './sort-keys.js';

/** Options of `parallelTopK` for objects: it takes those with the largest keys, unless `descending` says otherwise. */
export interface TopKByOptions<T, K extends SortKeys = SortKeys> extends SortByOptions<T, K> {
  /**
   * Called as `key(item)` on the calling thread, once for each item in order, so it may use what it likes; returns a
   * number, a bigint, a string, or an array of these, as many and of the same kinds for all items.
   */
  key: (item: T) => K;
}

/** The steps of a call with `items` that are not a typed array. */
export function* topKBySteps(
  callee: Callee,
  items: readonly unknown[],
  k: unknown,
  rest: readonly unknown[],
): ArgsortSteps<unknown[] | Uint32Array> {
  const { name } = callee;
  if (!Array.isArray(items)) checkArray(name, 'xs', items); // which throws
  const count = checkCount(name, 'k', k);
  if (typeof rest[0] === 'function') {
    throw new TypeError(
      `furcate: ${name}: compare is for typed arrays, but xs is an array. Give a key: parallelTopK(items, k, { key: (item) => item.score }).`,
    );
  }
  const options = readOptions(callee, rest[0] ?? rest[1], ['key', ...ORDER_OPTIONS, 'indices']);
  const givesIndices = checkIndices(name, options);
  const { key } = options.given;
  if (key === undefined) {
    throw new TypeError(
      `furcate: ${name}: xs must be a typed array, or an array with options.key, but it is ${shown(items)} without. Make it one, sharedArray(Float64Array, values), or give a key: parallelTopK(items, k, { key: (item) => item.score }).`,
    );
  }
  const snapshot = items.slice();
  const order = yield* readOrder(name, snapshot, 'options.key', key, options.given, true);
  const { length } = snapshot;
  const indices = yield* argsorts(callee, options, length, topOf(order, length, Math.min(count, length)));
  options.call.onProgress?.(length, length);
  return givesIndices ? indices.slice() : Array.from(indices, (i) => snapshot[i]);
}

/** The indices of the first k items. */
function* topOf(order: ItemOrder, length: number, k: number): Argsort {
  if (k > length * TOP_K_SHARE) return (yield* orderOf(order)).subarray(0, k);
  const list = new Uint32Array(listElements(k));
  if (k === 0) return list.subarray(0, 0);
  const compare = comparison(order);
  const after: After = (i, j) => compare(i as number, j as number) > 0;
  const indices = new Uint32Array(length);
  for (let i = 0; i < length; i++) indices[i] = i;
  const select = makeSelect(after, makeMergeKernel(after).sort);
  return list.subarray(0, select(indices, 0, length, k, list, NO_HINT, undefined));
}
