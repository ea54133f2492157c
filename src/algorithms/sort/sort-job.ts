/**
 * Decides who does a sort or an argsort, and by which algorithm. Calls begin on the calling thread; stages run on every thread
 * that computes.
 *
 * Elements of one and two bytes are counted. Other numbers go to buckets, and so do elements whose comparator orders numbers as
 * numbers (numeric-order.ts), unless the partition finds elements for which the two orders differ. All else is merged.
 */

import { compiled, isComputing, isHeap, isShared } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { PreparedCall } from '../call/algorithm.js';
import { plainView, typeOf } from '../call/call-arrays.js';
import { LocalArrays } from '../call/local-arrays.js';
import type { SharedArrays } from '../call/shared-arrays.js';
import { isShort, needsPool, startInPool } from '../call/staged-call.js';
import { kernelsUsable } from '../kernels/wasm-kernels.js';
import { type NumericOrder, numericOrder } from '../patterns/recognise.js';
import { Cost, costOf } from '../schedule/cost.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import {
  CALLER_COMPARE_ELEMENTS,
  CALLER_SAMPLED_ELEMENTS,
  CALLER_SORT_ELEMENTS,
  SAMPLE_ELEMENTS,
  TASK_SORT_ELEMENTS,
} from '../tuning.js';
import { type BucketSpec, bucketStages, controlFor, restore } from './bucket-job.js';
import type { Ordering } from './comparator.js';
import { countStages, countWords, isCounted, refill } from './count-job.js';
import { kindOf } from './kernels/wasm-sort.js';
import { mergeSortStages, mergeWords, restoreMerged, type Sorted } from './merge-sort.js';
import { comparisons, keyTypeOf, sortHere } from './sort-here.js';

/** `words` are those of a sort by counting or of a merge sort; there are none if neither can be needed. */
interface SortSpec extends Sorted {
  readonly byCounts: boolean;
  /** Buckets of the sort. If there is a comparator, elements for which the two orders differ are merged instead. */
  readonly buckets: BucketSpec | undefined;
}

function openSort(spec: SortSpec): readonly WorkStage[] {
  const { xs, byCounts, buckets, words, parallelism } = spec;
  if (byCounts) return countStages(xs, words, parallelism);
  const merging = words.length === 0 ? [] : mergeSortStages(spec, buckets !== undefined);
  return buckets === undefined ? merging : bucketStages(buckets, spec, merging);
}

const SORT = stagedKind<SortSpec>('sort', openSort);

/** Number of times that the stages count each element as done. */
const PASSES = 2;

/** Starts a call that gives the indices which sort an array. */
export const startArgsort = (keys: TypedArray, ordering: Ordering): PreparedCall<Uint32Array> =>
  startSort(keys, ordering, 'argsort') as PreparedCall<Uint32Array>;

/**
 * Starts a sort.
 *
 * @param wanted the array itself, sorted; the indices that sort it; or what a function makes of a sorted copy, which is freed then
 */
export function startSort(
  given: TypedArray,
  ordering: Ordering,
  wanted: 'sort' | 'argsort' | ((sorted: TypedArray) => TypedArray),
): PreparedCall<TypedArray> {
  const { callee, options, compare, context, called, threshold, parallelism } = ordering;
  const { length } = given;
  const isArgsort = wanted === 'argsort';
  const take = typeof wanted === 'function' ? wanted : undefined;
  const indices = { into: undefined, type: Uint32Array, shared: isShared(given), length } as const;
  if (isKnownShort(given, ordering, isArgsort)) {
    const keys = plainView(given);
    const order = isArgsort ? new LocalArrays().output<Uint32Array>(indices) : undefined;
    const xs = order ?? (take === undefined ? keys : keys.slice());
    sortHere(xs, isArgsort ? keys : undefined, ordering);
    options.call.onProgress?.(length, length);
    return { job: undefined, result: () => order ?? (take === undefined ? given : take(xs)) };
  }
  const order = numericOrderOf(given, ordering, isArgsort);
  const isWide = kindOf(given) >= 0;
  const byCounts = order === 'ascending' && !isArgsort && isCounted(given);
  const byBuckets = order !== undefined && length > TASK_SORT_ELEMENTS && (isWide || isArgsort) && kernelsUsable();
  const wordsFor = (keys: TypedArray): number => {
    if (byCounts) return countWords(keys, parallelism);
    return byBuckets && compare === undefined ? 0 : mergeWords(length, compare !== undefined, parallelism);
  };
  // The kernels take types of 4 and 8 bytes, on the heap.
  const isCopied = take !== undefined || (byBuckets && !(isWide && (isHeap(given) || !isShared(given))));
  const keysIn = (arrays: SharedArrays): TypedArray => {
    if (!isCopied) return isArgsort ? arrays.input(given) : arrays.inout(given, 'xs');
    const copy = arrays.scratch<TypedArray>(byBuckets ? keyTypeOf(given) : typeOf<TypedArray>(given), length);
    (copy as Float64Array).set(given as Float64Array);
    return copy;
  };
  return startInPool<SortSpec, TypedArray>({
    callee,
    options,
    kind: SORT,
    elements: length,
    passes: PASSES,
    cost: new Cost(),
    spec(arrays: SharedArrays) {
      const keys = keysIn(arrays);
      const xs = isArgsort ? arrays.output<TypedArray>(indices) : keys;
      const temp = arrays.scratch(typeOf<TypedArray>(xs), byCounts ? 0 : length);
      const words = arrays.scratch(Uint32Array, wordsFor(keys)).fill(0, 0, 1);
      let buckets: BucketSpec | undefined;
      if (byBuckets) {
        const room = (): TypedArray => arrays.scratch<TypedArray>(typeOf(keys), length);
        const isRead = isArgsort && isShared(given) && !isCopied; // others may read it, so it is left as it is
        buckets = {
          keys,
          here: isRead ? room() : keys,
          temp: isArgsort ? room() : temp,
          descending: order === 'descending',
          control: controlFor(arrays, keys, parallelism, isArgsort),
        };
      }
      const code = { compare, context, called, threshold, parallelism };
      return { xs, keys: isArgsort ? keys : undefined, temp, words, byCounts, buckets, ...code };
    },
    result(arrays, { xs }) {
      if (isArgsort) return arrays.delivered(xs);
      if (take !== undefined) return take(xs);
      if (isCopied) (given as Float64Array).set(xs as Float64Array);
      return given;
    },
    failed(spec) {
      if (spec.buckets !== undefined) restore(spec.buckets);
      if (spec.byCounts) refill(spec.xs, spec.words);
      else restoreMerged(spec);
    },
  });
}

/** The order of numbers that is wanted; undefined where the comparator has to be called. */
function numericOrderOf(xs: TypedArray, { comparator }: Ordering, isArgsort: boolean): NumericOrder | undefined {
  if (comparator === undefined) return 'ascending';
  // A comparator may say that one of two equal numbers comes first, and indices would show it.
  return isArgsort ? undefined : numericOrder(comparator, isBigIntType(typeOfView(xs)));
}

/** Returns true if the caller sorts an array at once: because it is short, or because a sort of a sample has shown that it takes little time. */
function isKnownShort(given: TypedArray, ordering: Ordering, isArgsort: boolean): boolean {
  const { options, compare, threshold, parallelism } = ordering;
  const { length } = given;
  if (length < 2) return true;
  if ((threshold !== 0 && threshold < length) || needsPool(ordering, options)) return false;
  if (compare === undefined)
    return length <= (isComputing() || !kernelsUsable() ? TASK_SORT_ELEMENTS : CALLER_SORT_ELEMENTS);
  if (length <= CALLER_COMPARE_ELEMENTS) return true;
  if (isComputing() || length > CALLER_SAMPLED_ELEMENTS) return false;
  const cost = costOf(compiled(compare));
  const isCheap = (): boolean => isShort(cost.estimateUs(comparisons(length)), parallelism);
  if (isCheap()) return true;
  const sample = given.slice(0, SAMPLE_ELEMENTS);
  sortHere(isArgsort ? new Uint32Array(SAMPLE_ELEMENTS) : sample, isArgsort ? sample : undefined, ordering);
  return isCheap();
}
