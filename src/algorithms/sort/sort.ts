/**
 * `parallelSort`: sorts a typed array in place; the calls run on the caller, leaves and merges on every thread that
 * computes.
 */
import { compiled, shipContext, shipFunction } from '../../core/code/source.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { type CallArrays, plainView, typeOf } from '../call/call-arrays.js';
import { type AlgorithmOptions, type Checked, checkArray, type SyncOptions } from '../call/options.js';
import { finished } from '../call/progress.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginInPool } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import { type NumericOrder, numericOrder } from '../patterns/recognise.js';
import { Cost } from '../schedule/cost.js';
import { explaining } from '../schedule/user-piece.js';
import { CALLER_COMPARE_ELEMENTS, CALLER_SORT_ELEMENTS } from '../tuning.js';
import { BUCKET_PASSES, BUCKET_SORT, type BucketSpec, bucketScratch, canBucket, restore } from './bucket-job.js';
import { type Comparator, type Compare, comparesInPool, readCompare } from './comparator.js';
import { COUNT_PASSES, COUNT_SORT, countWords, isCounted, refill, startCounting } from './count-job.js';
import { sortNumbers } from './kernels/numeric-sort.js';
import { lookChunks, ORDERED_SORT } from './ordered-job.js';
import { compareKernel, SORT, type SortSpec, sortAside, sortPasses, sortWords, W_WHOLE_IS_TEMP } from './sort-job.js';
import { comparePlan, numericPlan } from './sort-plan.js';

function begin<T extends TypedArray>(name: string, form: Form, xs: T, rest: readonly unknown[]): PreparedCall<T> {
  checkArray(name, 'xs', xs);
  const { compare, options } = readCompare(name, form, rest);
  return beginSort(name, xs, compare, options);
}

/** Begins a sort whose arguments are checked; what is short is sorted here. */
export function beginSort<T extends TypedArray>(
  name: string,
  xs: T,
  compare: Compare | undefined,
  options: Checked,
): PreparedCall<T> {
  const limit = compare === undefined ? CALLER_SORT_ELEMENTS : CALLER_COMPARE_ELEMENTS;
  const short =
    xs.length <= limit &&
    (options.threshold === 0 || options.threshold >= xs.length) &&
    !comparesInPool(compare, options);
  if (!short && xs.length > 1) {
    const order = compare === undefined ? undefined : numericOrder(compare, isBigIntType(typeOfView(xs)));
    if ((compare === undefined || order === 'ascending') && isCounted(xs)) return sortByCounting(name, xs, options);
    if (canBucket(xs, isShared(xs)) && xs.length > CALLER_SORT_ELEMENTS) {
      if (compare === undefined) return sortByBuckets(name, xs, options);
      if (order !== undefined) return sortInOrder(name, xs, compare, order, options);
    }
    return sortInPool(name, xs, compare, options);
  }
  sortHere(name, plainView(xs), compare, options);
  finished(options.call, xs.length);
  return { job: undefined, result: () => xs };
}

/** Of elements of one or two bytes. */
function sortByCounting<T extends TypedArray>(name: string, xs: T, options: Checked): PreparedCall<T> {
  const parallelism = parallelismOf(options.call.pool);
  return beginInPool({
    name,
    options,
    kind: COUNT_SORT,
    elements: xs.length,
    passes: COUNT_PASSES,
    cost: new Cost(),
    spec(arrays) {
      const counts = arrays.scratch(Uint32Array, countWords(xs, parallelism));
      startCounting(counts);
      return { xs: arrays.inout(xs, 'xs'), counts, parallelism };
    },
    result: () => xs,
    failed: refill,
  });
}

/** What a sort by buckets needs, asked for in this order. */
function bucketSpec(
  xs: TypedArray,
  descending: boolean,
  threshold: number,
  parallelism: number,
  arrays: CallArrays,
): BucketSpec {
  const scratch = bucketScratch(arrays, typeOf(xs), xs.length, parallelism);
  return { ...scratch, xs: arrays.inout(xs, 'xs'), descending, threshold, parallelism };
}

/** By buckets, with the kernels. */
function sortByBuckets<T extends TypedArray>(name: string, xs: T, options: Checked): PreparedCall<T> {
  const parallelism = parallelismOf(options.call.pool);
  return beginInPool({
    name,
    options,
    kind: BUCKET_SORT,
    elements: xs.length,
    passes: BUCKET_PASSES,
    cost: new Cost(),
    spec: (arrays) => bucketSpec(xs, false, options.threshold, parallelism, arrays),
    result: () => xs,
    failed: restore,
  });
}

/** By a comparator that orders numbers as numbers. */
function sortInOrder<T extends TypedArray>(
  name: string,
  xs: T,
  compare: Compare,
  order: NumericOrder,
  options: Checked,
): PreparedCall<T> {
  const parallelism = parallelismOf(options.call.pool);
  const plan = comparePlan(xs.length);
  const shipped = shipFunction(compare, 'compare');
  return beginInPool({
    name,
    options,
    kind: ORDERED_SORT,
    elements: xs.length,
    passes: BUCKET_PASSES,
    cost: new Cost(),
    spec(arrays) {
      const words = arrays.scratch(Uint32Array, sortWords(plan));
      words[W_WHOLE_IS_TEMP] = 0;
      return {
        ...bucketSpec(xs, order === 'descending', options.threshold, parallelism, arrays),
        unordered: arrays.scratch(Uint32Array, lookChunks(parallelism)),
        words,
        plan,
        compare: shipped,
        called: name.replace(/Sync$/, ''),
        context: undefined,
      };
    },
    result: () => xs,
    failed(spec) {
      restore(spec);
      wholeAgain(spec);
    },
  });
}

/** Leaves all elements in a shared array; of a snapshot nothing is written back. */
function wholeAgain({ xs, temp, words }: SortSpec): void {
  if (words[W_WHOLE_IS_TEMP] === 1) (xs as Float64Array).set(temp as Float64Array); // plain: the job has settled
}

function sortInPool<T extends TypedArray>(
  name: string,
  xs: T,
  compare: Compare | undefined,
  options: Checked,
): PreparedCall<T> {
  const parallelism = parallelismOf(options.call.pool);
  const plan = compare === undefined ? numericPlan(xs, parallelism) : comparePlan(xs.length);
  const shipped = compare === undefined ? undefined : shipFunction(compare, 'compare');
  const context = options.context === undefined ? undefined : shipContext(options.context, 'context');
  return beginInPool({
    name,
    options,
    kind: SORT,
    elements: xs.length,
    passes: sortPasses(plan),
    cost: new Cost(),
    spec(arrays) {
      const words = arrays.scratch(Uint32Array, sortWords(plan));
      words[W_WHOLE_IS_TEMP] = 0;
      return {
        xs: arrays.inout(xs, 'xs'),
        temp: arrays.scratch(typeOf(xs), xs.length),
        words,
        plan,
        compare: shipped,
        called: name.replace(/Sync$/, ''),
        context,
        threshold: options.threshold,
        parallelism,
      };
    },
    result: () => xs,
    failed: wholeAgain,
  });
}

/** The same leaf as in the pool, on the caller, with the same recompiled comparator. */
function sortHere(name: string, xs: TypedArray, compare: Compare | undefined, options: Checked): void {
  if (compare === undefined) {
    sortNumbers(xs, new (typeOf(xs))(xs.length));
    return;
  }
  const order = compiled(shipFunction(compare, 'compare')) as Compare;
  const context = options.context === undefined ? undefined : shipContext(options.context, 'context');
  const given = contextOf({ context });
  explaining({ calls: `the comparator of ${name.replace(/Sync$/, '')}`, context }, () =>
    sortAside(compareKernel(order, xs), xs, new (typeOf(xs))(2 * xs.length), xs.length, given),
  );
}

/**
 * Sorts a typed array in place.
 *
 * Without a comparator, numbers go in the order of `TypedArray.prototype.sort`: ascending, -0 before 0, NaN last. With
 * one, the sort is stable. The result is the same at any parallelism and threshold.
 *
 * @param xs any typed array, sorted in place. A shared one belongs to the call until the promise settles. Of another one
 *   a snapshot is sorted and written back just before the promise resolves, never on failure
 * @param compare called as `compare(a, b, context)`, synchronous; negative puts `a` first, positive puts `b` first, and
 *   0, NaN or undefined keep the order of the input. It travels as source text, as the body of `parallelFor` does
 * @param options `pool`, `threshold` (elements in a task), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `xs`
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `compare` threw, and then
 *   xs holds all elements of the input in some order, as it does after an abort; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: without a comparator O(n): numbers of 4 and 8 bytes go to buckets, integers of 1 and 2 bytes are counted; with
 * one n log2 n comparisons at most, and none if its text shows that it orders by `a - b` or `b - a`. Where the host has no
 * WebAssembly SIMD, O(n) by radix and n log(parallelism) moves of merging. Span: that by parallelism, + log^2 n. Memory: one
 * array of the size of xs, two if it is not shared; for integers that are counted the counts alone. Up to 8192 elements, or
 * 1024 with a comparator, are sorted at once on the caller.
 * @example
 * await parallelSort(xs);
 * await parallelSort(xs, (a, b) => b - a, { pool });
 */
export function parallelSort<T extends TypedArray>(xs: T, options?: AlgorithmOptions<never>): Promise<T>;
export function parallelSort<T extends TypedArray, C = undefined>(
  xs: T,
  compare: Comparator<T, C> | undefined,
  options?: AlgorithmOptions<C>,
): Promise<T>;
export async function parallelSort(xs: TypedArray, ...rest: unknown[]): Promise<TypedArray> {
  return settle('parallelSort', (name, form) => begin(name, form, xs, rest));
}

/**
 * `parallelSort` that returns when it is done. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelSort`
 * @param compare as for `parallelSort`
 * @param options as for `parallelSort`
 * @returns `xs`
 * @throws what `parallelSort` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelSort`.
 * @example
 * const median = parallelSortSync(xs)[xs.length >> 1];
 */
export function parallelSortSync<T extends TypedArray>(xs: T, options?: AlgorithmOptions<never> & SyncOptions): T;
export function parallelSortSync<T extends TypedArray, C = undefined>(
  xs: T,
  compare: Comparator<T, C> | undefined,
  options?: AlgorithmOptions<C> & SyncOptions,
): T;
export function parallelSortSync(xs: TypedArray, ...rest: unknown[]): TypedArray {
  return settleSync('parallelSortSync', (name, form) => begin(name, form, xs, rest));
}
