/**
 * Decides who does a sort or an argsort, and by which algorithm. Calls begin on the calling thread; stages run on every thread
 * that computes.
 *
 * Elements of one and two bytes are counted. Other numbers go to buckets, and so do elements whose comparator orders numbers as
 * numbers (numeric-order.ts), unless a first look finds elements for which the two orders differ. All else is merged.
 */
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { isHeap, isShared } from '../../core/memory/shared-array.js';
import { parallelismOf } from '../../core/pool/call.js';
import { type CallArrays, plainView, typeOf } from '../call/call-arrays.js';
import { LocalArrays } from '../call/local-arrays.js';
import type { PreparedCall } from '../call/settle.js';
import { beginInPool, needsPool } from '../call/staged-call.js';
import { kernelsUsable } from '../kernels/wasm-kernels.js';
import { type NumericOrder, numericOrder } from '../patterns/recognise.js';
import { Cost } from '../schedule/cost.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { CALLER_COMPARE_ELEMENTS, CALLER_SORT_ELEMENTS } from '../tuning.js';
import { BUCKET_PASSES, type BucketSpec, bucketSpec, bucketStages, restore } from './bucket-job.js';
import type { Ordering } from './comparator.js';
import { COUNT_PASSES, COUNT_SORT, countSpec, isCounted, refill } from './count-job.js';
import { kindOf } from './kernels/wasm-sort.js';
import {
  type Compared,
  type MergeSortSpec,
  mergeSortSpec,
  mergeSortStages,
  planOf,
  restoreMerged,
} from './merge-sort.js';
import { argsortHere, keyTypeOf, sortHere } from './sort-here.js';

interface SortSpec extends Compared {
  /** What is sorted: the elements, or the indices of an argsort. */
  readonly xs: TypedArray;
  readonly buckets: BucketSpec | undefined;
  readonly merges: MergeSortSpec | undefined;
}

function openSort(spec: SortSpec): Stage[] {
  const { buckets, merges } = spec;
  const merging = merges === undefined ? [] : mergeSortStages(merges, spec);
  if (buckets === undefined) return merging;
  // Leaves and last merges count as the two passes that the buckets make.
  const last = merging.length - 1;
  return bucketStages(
    buckets,
    merging.map((stage, k) => (k === 0 || k === last ? stage : silent(stage))),
  );
}

/** A stage that does not count as progress. */
const silent = (stage: Stage): Stage => ({
  ...stage,
  run(lo, hi, lane) {
    stage.run(lo, hi, lane);
    return 0;
  },
});

const SORT = stagedKind<SortSpec>('sort', openSort);

/** Begins a sort in place. */
export const beginSort = <T extends TypedArray>(xs: T, ordering: Ordering): PreparedCall<T> =>
  begin(xs, ordering, 'sort') as PreparedCall<T>;

/** Begins a sort of a copy; `take` makes the result from the sorted copy, which is freed then. */
export const beginSortedCopy = <T extends TypedArray>(
  xs: T,
  ordering: Ordering,
  take: (sorted: TypedArray) => T,
): PreparedCall<T> => begin(xs, ordering, take) as PreparedCall<T>;

/** Begins a call that gives the indices which sort an array. */
export const beginArgsort = (keys: TypedArray, ordering: Ordering): PreparedCall<Uint32Array> =>
  begin(keys, ordering, 'argsort') as PreparedCall<Uint32Array>;

function begin(
  given: TypedArray,
  ordering: Ordering,
  wanted: 'sort' | 'argsort' | ((sorted: TypedArray) => TypedArray),
): PreparedCall<TypedArray> {
  const { name, options, compare, called } = ordering;
  const { threshold, call } = options;
  const { length } = given;
  const isArgsort = wanted === 'argsort';
  const take = typeof wanted === 'function' ? wanted : undefined;
  const indices = { into: undefined, type: Uint32Array, shared: isShared(given), length } as const;
  if (isKnownShort(length, ordering)) {
    const result = isArgsort
      ? argsortHere(plainView(given), new LocalArrays().output<Uint32Array>(indices), ordering)
      : sortHere(take === undefined ? plainView(given) : plainView(given).slice(), ordering);
    call.onProgress?.(length, length);
    return { job: undefined, result: () => (isArgsort ? result : take === undefined ? given : take(result)) };
  }
  const parallelism = parallelismOf(call.pool);
  const order = numericOrderOf(given, ordering, isArgsort);
  const isWide = kindOf(given) >= 0;
  const byBuckets = order !== undefined && length > CALLER_SORT_ELEMENTS && (isWide || isArgsort) && kernelsUsable();
  // The kernels take types of 4 and 8 bytes, on the heap.
  const isCopied = take !== undefined || (byBuckets && !(isWide && (isHeap(given) || !isShared(given))));
  const keysIn = (arrays: CallArrays): TypedArray => {
    if (!isCopied) return isArgsort ? arrays.input(given) : arrays.inout(given, 'xs');
    const copy = arrays.scratch<TypedArray>(byBuckets ? keyTypeOf(given) : typeOf<TypedArray>(given), length);
    (copy as Float64Array).set(given as Float64Array);
    return copy;
  };
  const sorted = (xs: TypedArray): TypedArray => {
    if (take !== undefined) return take(xs);
    if (isCopied) (given as Float64Array).set(xs as Float64Array);
    return given;
  };
  const common = { name, options, elements: length, cost: new Cost() };
  if (!isArgsort && order === 'ascending' && isCounted(given)) {
    return beginInPool({
      ...common,
      kind: COUNT_SORT,
      passes: COUNT_PASSES,
      spec: (arrays) => countSpec(arrays, keysIn(arrays), parallelism),
      result: (_, { xs }) => sorted(xs),
      failed: refill,
    });
  }
  const plan = planOf(length, compare !== undefined, parallelism);
  return beginInPool<SortSpec, TypedArray>({
    ...common,
    kind: SORT,
    passes: byBuckets ? BUCKET_PASSES : 1 + plan.levels,
    spec(arrays) {
      const keys = keysIn(arrays);
      const xs = isArgsort ? arrays.output<TypedArray>(indices) : keys;
      const temp = arrays.scratch(typeOf<TypedArray>(xs), length);
      const room = (): TypedArray => arrays.scratch<TypedArray>(typeOf(keys), length);
      const merged = { xs, keys: isArgsort ? keys : undefined, temp, plan, called, threshold, parallelism };
      const bucketed = () => ({
        keys,
        here: isArgsort && isShared(given) && !isCopied ? room() : keys,
        temp: isArgsort ? room() : temp,
        order: isArgsort ? (xs as Uint32Array) : undefined,
        orderTemp: isArgsort ? (temp as Uint32Array) : undefined,
        descending: order === 'descending',
        threshold,
        parallelism,
      });
      return {
        xs,
        compare,
        context: ordering.context,
        buckets: byBuckets ? bucketSpec(arrays, bucketed()) : undefined,
        merges: byBuckets && compare === undefined ? undefined : mergeSortSpec(arrays, merged),
      };
    },
    result: (arrays, { xs }) => (isArgsort ? arrays.delivered(xs) : sorted(xs)),
    failed({ buckets, merges }) {
      if (buckets !== undefined) restore(buckets);
      if (merges !== undefined) restoreMerged(merges);
    },
  });
}

/** The order of numbers that is wanted; undefined where the comparator has to be called. */
function numericOrderOf(xs: TypedArray, { comparator }: Ordering, isArgsort: boolean): NumericOrder | undefined {
  if (comparator === undefined) return 'ascending';
  // A comparator may say that one of two equal numbers comes first, and indices would show it.
  return isArgsort ? undefined : numericOrder(comparator, isBigIntType(typeOfView(xs)));
}

/** Whether the caller sorts so many elements at once. */
function isKnownShort(length: number, ordering: Ordering): boolean {
  const { options, compare } = ordering;
  const { threshold } = options;
  if (length < 2) return true;
  if (length > (compare === undefined ? CALLER_SORT_ELEMENTS : CALLER_COMPARE_ELEMENTS)) return false;
  return (threshold === 0 || threshold >= length) && !needsPool(ordering, options);
}
