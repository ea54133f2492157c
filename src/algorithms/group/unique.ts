/**
 * `parallelUnique`: the distinct elements of an array; the calls run on the caller, the grouping on every thread that
 * computes.
 */
import type { Callee } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { type AlgorithmOptions, checkArray, checkCounted, readOptions, type SyncOptions } from '../call/options.js';
import { beginGrouping } from './group-job.js';

function begin(callee: Callee, xs: TypedArray, given: unknown): Start<TypedArray> {
  checkArray(callee.name, 'xs', xs);
  checkCounted(callee.name, 'xs has', xs.length);
  return beginGrouping(callee, readOptions(callee, given), xs, undefined, (distinct) => distinct);
}

const unique = new Algorithm('parallelUnique', begin);

/**
 * Gives the distinct elements of an array, in the order in which they first occur: those of `[...new Set(xs)]`.
 *
 * Elements are compared as by `Set`: -0 equals 0, and 0 is what the result has, NaN equals NaN. The result is the same at
 * any parallelism and threshold.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array of the type of xs, shared if xs is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n looks into tables that fit the cache, twice that where nearly all elements are distinct; time n / parallelism,
 * and with few distinct elements one look for each of them in each block of 2,048 to 65,536 elements; memory of twice the
 * size of xs, 8 bytes an element, and, for an array that is not shared, its copy.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const customers = await parallelUnique(customerOfOrder);
 */
export function parallelUnique<T extends TypedArray>(xs: T, options?: AlgorithmOptions<never>): Promise<T> {
  return unique.promise(xs, options) as Promise<T>;
}

/**
 * `parallelUnique` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param xs as for `parallelUnique`
 * @param options as for `parallelUnique`
 * @returns what the promise of `parallelUnique` gives
 * @throws what `parallelUnique` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelUnique`.
 * @example
 * const distinct = parallelUniqueSync(xs).length;
 */
export function parallelUniqueSync<T extends TypedArray>(xs: T, options?: AlgorithmOptions<never> & SyncOptions): T {
  return unique.sync(xs, options) as T;
}
