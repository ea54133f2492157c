/**
 * `parallelTopK`: the first k elements in some order; the calls run on the caller, the blocks on every thread that
 * computes.
 *
 * Each block selects its own first k elements, and the root selects the first k of those. Without a comparator, a thread that has
 * finished a block skips later elements that cannot beat the k-th of that block. With a comparator it does not: comparators
 * may be inconsistent, and the result would then depend on the schedule. For a large k the elements are sorted instead.
 */
import { type Callee, compiled, free, isShared, type ShippedFunction, unfilledArray } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type PreparedCall, type Start } from '../call/algorithm.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import {
  checkArray,
  checkCount,
  checkCounted,
  checkIndices,
  type SyncOptions,
  type WithIndices,
  type WithoutIndices,
} from '../call/options.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import { type Cost, costOf, costsByType } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { eachUnit, stagedKind, type WorkStage } from '../schedule/stages.js';
import { MAX_TOP_BLOCK, MIN_TOP_BLOCK, TOP_BLOCK_PER_K, TOP_BLOCKS, TOP_K_NS, TOP_K_SHARE } from '../tuning.js';
import { SteppedAlgorithm } from './argsort-steps.js';
import {
  type Compared,
  type CompareGiven,
  type CompareRest,
  type Ordering,
  orderBy,
  readCompare,
} from './comparator.js';
import type { Compare } from './kernels/merge-kernel.js';
import { listElements, NO_HINT, selectKernel } from './kernels/select-kernel.js';
import { startArgsort, startSort } from './sort-job.js';
import type { SortKeys } from './sort-keys.js';
import { type TopKByOptions, topKBySteps } from './top-k-by.js';

interface TopSpec extends Compared {
  readonly xs: TypedArray;
  /** Gets the first k elements, or their indices. */
  readonly out: TypedArray;
  readonly givesIndices: boolean;
  /** A list of `listElements(k)` indices for each block; `counts` says how many of them are used. */
  readonly candidates: Uint32Array;
  readonly counts: Uint32Array;
}

const costOfNumbers = costsByType(TOP_K_NS);

const costOfTop = (compare: ShippedFunction | undefined, xs: TypedArray): Cost =>
  compare === undefined ? costOfNumbers(xs) : costOf(compiled(compare));

function blockElementsOf(length: number, k: number): number {
  let elements = MIN_TOP_BLOCK;
  while (elements < MAX_TOP_BLOCK && elements * TOP_BLOCKS < length) elements *= 2;
  return Math.max(elements, TOP_BLOCK_PER_K * k);
}

function openTop(spec: TopSpec): WorkStage[] {
  const { xs, out, givesIndices, candidates, counts, compare, called: calls, threshold, parallelism } = spec;
  const k = out.length;
  const room = listElements(k);
  const units = counts.length;
  const unitElements = blockElementsOf(xs.length, k);
  const selectFrom = selectKernel(xs, compare && (compiled(compare) as Compare));
  const context = contextOf(spec);
  const grain = new Grain({ cost: costOfTop(compare, xs), unitElements, units, threshold, parallelism });
  let hint = NO_HINT;
  const select = (block: number): number => {
    const list = candidates.subarray(block * room, (block + 1) * room);
    const from = block * unitElements;
    const to = Math.min(xs.length, from + unitElements);
    // An element that equals the hint is left out. Where indices are given, this is right only if the hint comes before it.
    const bar = givesIndices && hint >= from ? NO_HINT : hint;
    counts[block] = selectFrom(xs, from, to, k, list, bar, context);
    if (counts[block] === k && compare === undefined) hint = list[k - 1];
    return to - from;
  };
  const deliver = (): void => {
    let [from, list] = [xs, candidates];
    if (units > 1) {
      // The candidates of all blocks are one more block: equal ones are in the order of their indices.
      let count = 0;
      for (let block = 0; block < units; block++) {
        candidates.copyWithin(count, block * room, block * room + counts[block]);
        count += counts[block];
      }
      from = new (typeOf(xs))(count);
      for (let i = 0; i < count; i++) from[i] = xs[candidates[i]];
      list = new Uint32Array(room);
      selectFrom(from, 0, count, k, list, NO_HINT, context);
    }
    if (!givesIndices) for (let i = 0; i < k; i++) out[i] = from[list[i]];
    else for (let i = 0; i < k; i++) out[i] = units > 1 ? candidates[list[i]] : list[i];
  };
  return [{ units, calls, context: spec.context, grain, run: eachUnit(select), after: deliver }];
}

const TOP_K = stagedKind<TopSpec>('top-k', openTop);

function begin(callee: Callee, xs: TypedArray, wanted: unknown, rest: readonly unknown[]): Start<TypedArray> {
  checkArray(callee.name, 'xs', xs);
  checkCounted(callee.name, 'xs has', xs.length);
  const k = Math.min(checkCount(callee.name, 'k', wanted), xs.length);
  const ordering = readCompare(callee, rest, ['indices']);
  const { options, compare, context, called, threshold, parallelism } = ordering;
  const givesIndices = checkIndices(callee.name, options);
  const shared = isShared(xs);
  if (k > 1 && k > xs.length * TOP_K_SHARE) {
    if (givesIndices) return () => firstIndices(xs, k, ordering);
    const take = (sorted: TypedArray): TypedArray => firstOf(sorted, k, compare === undefined, shared);
    return () => startSort(xs, ordering, take);
  }
  const elements = k === 0 ? 0 : xs.length;
  const blocks = Math.ceil(elements / blockElementsOf(xs.length, k));
  return beginStaged({
    callee,
    options,
    kind: TOP_K,
    elements,
    cost: costOfTop(compare, xs),
    copies: copiedBytes(xs),
    spec(arrays): TopSpec {
      const input = arrays.input<TypedArray>(xs);
      const type: ArrayType = givesIndices ? Uint32Array : typeOf<TypedArray>(xs);
      const out = arrays.output({ into: undefined, type, shared, length: k });
      const candidates = arrays.scratch(Uint32Array, blocks * listElements(k));
      const counts = arrays.scratch(Uint32Array, blocks);
      return { xs: input, out, givesIndices, candidates, counts, compare, context, called, threshold, parallelism };
    },
    result: (arrays, { out }) => arrays.delivered(out),
  });
}

const topK = new Algorithm('parallelTopK', begin);
const topKBy = new SteppedAlgorithm('parallelTopK', topKBySteps);

/** Numbers from large to small, 0 before -0, NaN last: as a comparator, which travels to workers. */
const largestFirst = (a: number, b: number): number => {
  if (a < b) return 1;
  if (b < a) return -1;
  if (a === b) return a !== 0 || 1 / a === 1 / b ? 0 : 1 / b - 1 / a;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
};

/** Starts a call for the indices of so many elements that all are sorted. */
function firstIndices(xs: TypedArray, k: number, ordering: Ordering): PreparedCall<TypedArray> {
  const { callee, options, comparator = largestFirst as Compare } = ordering;
  const sort = startArgsort(xs, orderBy(callee, options, comparator));
  return {
    ...sort,
    result(value) {
      const order = sort.result(value);
      const first = isShared(xs) ? unfilledArray(Uint32Array, k) : new Uint32Array(k);
      first.set(order.subarray(0, k));
      if (isShared(order)) free(order);
      return first;
    },
  };
}

/** The first k elements of a sorted array; without a comparator the k largest that are not NaN, largest first. */
function firstOf(sorted: TypedArray, k: number, isNumeric: boolean, shared: boolean): TypedArray {
  const type = typeOf<TypedArray>(sorted);
  const out = shared ? unfilledArray(type, k) : new type(k);
  let end = isNumeric ? sorted.length : 0;
  while (end > 0 && Number.isNaN(sorted[end - 1])) end--;
  for (let i = 0; i < k; i++) out[i] = sorted[i < end ? end - 1 - i : i] as never;
  return out;
}

/**
 * Gives the k largest elements, largest first; or with a comparator, the first k in its order. Of an array of objects it
 * gives those with the largest keys.
 *
 * With a comparator they are those that `parallelSort(xs, compare)` would put first, as it would: of equal elements those
 * that come first in xs. Without one numbers go from large to small: 0 before -0, NaN last of all. By a key they are those
 * that `parallelSortBy(items, key, { descending: true })` would put first. The result is the same at any parallelism and
 * threshold.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all. Or any array without holes, with `options.key`
 * @param k how many, an integer from 0 up; at most all of them
 * @param compare called as `compare(a, b, context)`, as by `parallelSort`: `(a, b) => a - b` gives the k smallest; for
 *   typed arrays only
 * @param options `indices` (whether to give indices of elements, in a Uint32Array, instead of the elements), and `pool`,
 *   `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements. For
 *   an array of objects `key(item)`, called on the calling thread once for each item, which returns what
 *   `parallelSortBy` takes; `descending` (default true: the largest keys; false: the smallest; or one for each key of an
 *   array) and `ties(a, b)`, as for `parallelSortBy`; no `context`
 * @returns a promise of a new array of the type of xs, of k elements or as many as there are, shared if xs is
 * @throws (rejects with) TypeError, RangeError for bad arguments and keys, before anything starts; what `compare`, `key` or
 *   `ties` threw; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n comparisons, and for each of the few elements that are among the first k so far log k more; time n /
 * parallelism + k log k; memory for 4k indices a block and, for an array that is not shared, its copy. More than a 16th of
 * the elements are found by sorting a copy. What is known to take less than 300 us runs at once on the caller, and so does
 * what goes by a key, unless more than a 16th of the items is wanted: reading the keys is most of that.
 * @example
 * const best = await parallelTopK(scores, 10);
 * const nearest = await parallelTopK(xs, 3, (a, b, { x }) => Math.abs(a - x) - Math.abs(b - x), { context: { x: 5 } });
 * const oldest = await parallelTopK(people, 3, { key: (person) => person.age });
 * const where = await parallelTopK(scores, 10, { indices: true });
 */
export function parallelTopK<T extends TypedArray, C = undefined>(
  xs: T,
  k: number,
  ...rest: CompareGiven<T, C, WithIndices>
): Promise<Uint32Array>;
export function parallelTopK<T extends TypedArray, C = undefined>(
  xs: T,
  k: number,
  ...rest: CompareRest<T, C, WithoutIndices>
): Promise<T>;
export function parallelTopK<T, K extends SortKeys = SortKeys>(
  items: readonly T[],
  k: number,
  options: TopKByOptions<T, K> & WithIndices,
): Promise<Uint32Array>;
export function parallelTopK<T, K extends SortKeys = SortKeys>(
  items: readonly T[],
  k: number,
  options: TopKByOptions<T, K> & WithoutIndices,
): Promise<T[]>;
export function parallelTopK(xs: TypedArray | readonly unknown[], k: number, ...rest: unknown[]): Promise<unknown> {
  if (ArrayBuffer.isView(xs)) return topK.promise(xs, k, rest);
  return topKBy.promise(xs, k, rest);
}

/**
 * `parallelTopK` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelTopK`
 * @param k as for `parallelTopK`
 * @param compare as for `parallelTopK`
 * @param options as for `parallelTopK`
 * @returns what the promise of `parallelTopK` gives
 * @throws what `parallelTopK` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelTopK`.
 * @example
 * const [best] = parallelTopKSync(scores, 1);
 * const [youngest] = parallelTopKSync(people, 1, { key: (person) => person.age, descending: false });
 */
export function parallelTopKSync<T extends TypedArray, C = undefined>(
  xs: T,
  k: number,
  ...rest: CompareGiven<T, C, SyncOptions & WithIndices>
): Uint32Array;
export function parallelTopKSync<T extends TypedArray, C = undefined>(
  xs: T,
  k: number,
  ...rest: CompareRest<T, C, SyncOptions & WithoutIndices>
): T;
export function parallelTopKSync<T, K extends SortKeys = SortKeys>(
  items: readonly T[],
  k: number,
  options: TopKByOptions<T, K> & SyncOptions & WithIndices,
): Uint32Array;
export function parallelTopKSync<T, K extends SortKeys = SortKeys>(
  items: readonly T[],
  k: number,
  options: TopKByOptions<T, K> & SyncOptions & WithoutIndices,
): T[];
export function parallelTopKSync(xs: TypedArray | readonly unknown[], k: number, ...rest: unknown[]): unknown {
  if (ArrayBuffer.isView(xs)) return topK.sync(xs, k, rest);
  return topKBy.sync(xs, k, rest);
}
