/**
 * `parallelSome`: whether any element matches; the calls run on the caller, the search on every thread that computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { AlgorithmOptions, SyncOptions } from '../call/options.js';
import type { Predicate } from '../call/predicate.js';
import { settle, settleSync } from '../call/settle.js';
import { beginSearch } from './search-job.js';

const isFound = (index: number): boolean => index >= 0;

/**
 * Says whether a predicate holds for any element, as `TypedArray.prototype.some` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of true or false, false for no elements; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for an answer that is no boolean, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; span n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const hasGaps = await parallelSome(xs, (x) => Number.isNaN(x));
 */
export function parallelSome<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<boolean> {
  return settle('parallelSome', (name, form) => beginSearch(name, form, xs, pred, options, true, isFound));
}

/**
 * `parallelSome` that returns the answer itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelSome`
 * @param pred as for `parallelSome`
 * @param options as for `parallelSome`
 * @returns what the promise of `parallelSome` gives
 * @throws what `parallelSome` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelSome`.
 * @example
 * const hasGaps = parallelSomeSync(xs, (x) => Number.isNaN(x));
 */
export function parallelSomeSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): boolean {
  return settleSync('parallelSomeSync', (name, form) => beginSearch(name, form, xs, pred, options, true, isFound));
}
