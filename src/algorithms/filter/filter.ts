/**
 * `parallelFilter` and `parallelPartition`: the elements that match, and those that do not, in order; the calls run on the caller,
 * the loops on every thread that computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { AlgorithmOptions, SyncOptions } from '../call/options.js';
import type { Predicate } from '../call/predicate.js';
import { settle, settleSync } from '../call/settle.js';
import { beginFilter } from './filter-job.js';

const matchingOf = <T>(matching: T): T => matching;
const partsOf = <T>(matching: T, others: T | undefined): [matching: T, others: T] => [matching, others as T];

/**
 * Puts the elements for which a predicate holds into a new array, in order, as `TypedArray.prototype.filter` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array of the type of xs, shared if xs is, exactly as long as there are matches; the same at
 *   any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for an answer that is no boolean; CancellationError (`AbortError`) once `signal` is
 *   aborted
 * @remarks Cost: n calls and two moves of each match; span n / parallelism; memory for two arrays of the size of xs meanwhile, of
 * which only what the matches take is touched, and for a copy of xs if it is not shared. A comparison with a constant, such as
 * `(x) => x < 0.5` or `(x, i, { least }) => x >= least`, is not called but known by its text: two passes at the speed of memory,
 * and one array. What is known to take less than 300 us runs at once on the caller, with one array.
 * Source: Blelloch (1990), "Prefix sums and their applications": counts of blocks, their prefix sums, moves.
 * @example
 * const positive = await parallelFilter(xs, (x) => x > 0);
 */
export function parallelFilter<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<T> {
  return settle('parallelFilter', (name, form) => beginFilter(name, form, xs, pred, options, false, matchingOf));
}

/**
 * `parallelFilter` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelFilter`
 * @param pred as for `parallelFilter`
 * @param options as for `parallelFilter`
 * @returns what the promise of `parallelFilter` gives
 * @throws what `parallelFilter` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFilter`.
 * @example
 * const positive = parallelFilterSync(xs, (x) => x > 0);
 */
export function parallelFilterSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): T {
  return settleSync('parallelFilterSync', (name, form) =>
    beginFilter(name, form, xs, pred, options, false, matchingOf),
  );
}

/**
 * Puts the elements for which a predicate holds into one new array and all others into another, each in order.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `[matching, others]`, new arrays of the type of xs, shared if xs is, of exactly the lengths that
 *   they need; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for an answer that is no boolean; CancellationError (`AbortError`) once `signal` is
 *   aborted
 * @remarks Cost: n calls and two moves of each element; span n / parallelism; memory for four arrays of the size of xs meanwhile,
 * of which half is touched, and for a copy of xs if it is not shared. What is known to take less than 300 us runs at once
 * on the caller, with two arrays; so does a comparison with a constant.
 * @example
 * const [positive, others] = await parallelPartition(xs, (x) => x > 0);
 */
export function parallelPartition<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<[matching: T, others: T]> {
  return settle('parallelPartition', (name, form) => beginFilter(name, form, xs, pred, options, true, partsOf));
}

/**
 * `parallelPartition` that returns the arrays themselves. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param xs as for `parallelPartition`
 * @param pred as for `parallelPartition`
 * @param options as for `parallelPartition`
 * @returns what the promise of `parallelPartition` gives
 * @throws what `parallelPartition` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelPartition`.
 * @example
 * const [positive, others] = parallelPartitionSync(xs, (x) => x > 0);
 */
export function parallelPartitionSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): [matching: T, others: T] {
  return settleSync('parallelPartitionSync', (name, form) => beginFilter(name, form, xs, pred, options, true, partsOf));
}
