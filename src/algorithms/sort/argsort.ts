/**
 * `parallelArgsort`: the indices that sort an array; the calls run on the caller, leaves and merges on every thread that
 * computes.
 *
 * By numbers it is the sort of bucket-job.ts with indices that move along; with a comparator, and without kernels, that of
 * sort-job.ts over indices, in an order that looks the keys up.
 */
import { compiled, shipContext, shipFunction } from '../../core/code/source.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { plainView, typeOf } from '../call/call-arrays.js';
import { LocalArrays } from '../call/local-arrays.js';
import { type AlgorithmOptions, type Checked, checkArray, type SyncOptions } from '../call/options.js';
import { finished } from '../call/progress.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginInPool } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import { Cost } from '../schedule/cost.js';
import { explaining } from '../schedule/user-piece.js';
import { CALLER_COMPARE_ELEMENTS, CALLER_SORT_ELEMENTS } from '../tuning.js';
import { BUCKET_PASSES, BUCKET_SORT, type BucketSpec, bucketScratch, canBucket, indicesNear } from './bucket-job.js';
import { type Comparator, type Compare, comparesInPool, readCompare } from './comparator.js';
import { keyOrder } from './kernels/key-order.js';
import { sortIndices } from './kernels/radix-order.js';
import { SORT, sortPasses, sortWords, W_WHOLE_IS_TEMP } from './sort-job.js';
import { comparePlan, indexPlan } from './sort-plan.js';

type Indices = PreparedCall<Uint32Array>;

function begin(name: string, form: Form, keys: TypedArray, rest: readonly unknown[]): Indices {
  checkArray(name, 'keys', keys);
  const { compare, options } = readCompare(name, form, rest);
  return beginArgsort(name, keys, compare, options);
}

/** Begins an argsort whose arguments are checked. */
export function beginArgsort(name: string, keys: TypedArray, compare: Compare | undefined, options: Checked): Indices {
  const limit = compare === undefined ? CALLER_SORT_ELEMENTS : CALLER_COMPARE_ELEMENTS;
  const short =
    keys.length <= limit &&
    (options.threshold === 0 || options.threshold >= keys.length) &&
    !comparesInPool(compare, options);
  if (!short && keys.length > 1) {
    const byBuckets = compare === undefined && keys.length > CALLER_SORT_ELEMENTS && canBucket(keys, isShared(keys));
    return byBuckets ? sortByBuckets(name, keys, options) : sortInPool(name, keys, compare, options);
  }
  const indices = sortHere(keys, compare, options);
  finished(options.call, keys.length);
  return { job: undefined, result: () => indices };
}

const outputFor = (keys: TypedArray) =>
  ({ into: undefined, type: Uint32Array, shared: isShared(keys), length: keys.length }) as const;

/** By buckets of keys, which carry their indices. */
function sortByBuckets(name: string, keys: TypedArray, options: Checked): Indices {
  const parallelism = parallelismOf(options.call.pool);
  const { length } = keys;
  return beginInPool({
    name,
    options,
    kind: BUCKET_SORT,
    elements: length,
    passes: BUCKET_PASSES,
    cost: new Cost(),
    spec(arrays): BucketSpec {
      return {
        ...bucketScratch(arrays, typeOf(keys), length, parallelism),
        xs: arrays.scratch<TypedArray>(typeOf(keys), length),
        indices: arrays.output<Uint32Array>(outputFor(keys)),
        indicesTemp: arrays.scratch(Uint32Array, length),
        indicesNear: indicesNear(arrays, typeOf(keys), length, parallelism),
        keys: arrays.input(keys),
        descending: false,
        threshold: options.threshold,
        parallelism,
      };
    },
    result: (arrays, { indices }) => arrays.delivered(indices as Uint32Array),
  });
}

function sortInPool(name: string, keys: TypedArray, compare: Compare | undefined, options: Checked): Indices {
  const parallelism = parallelismOf(options.call.pool);
  const plan = compare === undefined ? indexPlan(keys.length, parallelism) : comparePlan(keys.length);
  const shipped = compare === undefined ? undefined : shipFunction(compare, 'compare');
  const context = options.context === undefined ? undefined : shipContext(options.context, 'context');
  return beginInPool({
    name,
    options,
    kind: SORT,
    elements: keys.length,
    passes: sortPasses(plan),
    cost: new Cost(),
    spec(arrays) {
      const words = arrays.scratch(Uint32Array, sortWords(plan));
      words[W_WHOLE_IS_TEMP] = 0;
      return {
        xs: arrays.output<Uint32Array>(outputFor(keys)),
        keys: arrays.input(keys),
        temp: arrays.scratch(Uint32Array, keys.length),
        words,
        plan,
        compare: shipped,
        called: name.replace(/Sync$/, ''),
        context,
        threshold: options.threshold,
        parallelism,
      };
    },
    result: (arrays, { xs }) => arrays.delivered(xs as Uint32Array),
  });
}

/** The same leaf as in the pool, on the caller, with the same recompiled comparator. */
function sortHere(keys: TypedArray, compare: Compare | undefined, options: Checked): Uint32Array {
  const indices = new LocalArrays().output<Uint32Array>(outputFor(keys));
  const order = compare === undefined ? undefined : (compiled(shipFunction(compare, 'compare')) as Compare);
  const context = options.context === undefined ? undefined : shipContext(options.context, 'context');
  const given = contextOf({ context });
  const view = plainView(keys);
  explaining({ calls: 'the comparator of parallelArgsort', context }, () =>
    sortIndices(view, keyOrder(view, order, given), 0, indices, new Uint32Array(keys.length)),
  );
  return indices;
}

/**
 * Gives the indices that sort an array: `keys[order[0]]` is its first element in order, and so on.
 *
 * Without a comparator, keys go as in `parallelSort`: ascending, -0 before 0, NaN last. Equal keys keep the order of
 * their indices, with and without a comparator. The result is the same at any parallelism and threshold.
 *
 * @param keys any typed array of up to 2^32 elements; not written. A shared one is read in place, of another one a
 *   snapshot is taken at the call
 * @param compare called as `compare(a, b, context)` with two keys, as by `parallelSort`
 * @param options `pool`, `threshold` (elements in a task), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array of indices, shared if keys is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `compare` threw;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: without a comparator O(n): keys of 4 and 8 bytes go to buckets with their indices; other keys, and any where the
 * host has no WebAssembly SIMD, are sorted by radix and merged in n log(parallelism) moves. With a comparator n log2 n
 * comparisons at most. Span: that by parallelism, + log^2 n. Memory: the result, as much again, and for buckets two arrays of
 * the size of the keys; for keys that are not shared their copy. Up to 8192 elements, or 1024 with a comparator, are sorted at
 * once on the caller.
 * @example
 * const order = await parallelArgsort(prices);
 * const cheapest = names[order[0]];
 */
export function parallelArgsort(keys: TypedArray, options?: AlgorithmOptions<never>): Promise<Uint32Array>;
export function parallelArgsort<T extends TypedArray, C = undefined>(
  keys: T,
  compare: Comparator<T, C> | undefined,
  options?: AlgorithmOptions<C>,
): Promise<Uint32Array>;
export function parallelArgsort(keys: TypedArray, ...rest: unknown[]): Promise<Uint32Array> {
  return settle('parallelArgsort', (name, form) => begin(name, form, keys, rest));
}

/**
 * `parallelArgsort` that returns the indices themselves. Inside a task it forks on the worker that calls it; elsewhere
 * the caller works too, and blocks.
 *
 * @param keys as for `parallelArgsort`
 * @param compare as for `parallelArgsort`
 * @param options as for `parallelArgsort`
 * @returns what the promise of `parallelArgsort` gives
 * @throws what `parallelArgsort` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelArgsort`.
 * @example
 * const order = parallelArgsortSync(scores, (a, b) => b - a);
 */
export function parallelArgsortSync(keys: TypedArray, options?: AlgorithmOptions<never> & SyncOptions): Uint32Array;
export function parallelArgsortSync<T extends TypedArray, C = undefined>(
  keys: T,
  compare: Comparator<T, C> | undefined,
  options?: AlgorithmOptions<C> & SyncOptions,
): Uint32Array;
export function parallelArgsortSync(keys: TypedArray, ...rest: unknown[]): Uint32Array {
  return settleSync('parallelArgsortSync', (name, form) => begin(name, form, keys, rest));
}
