/**
 * `parallelFindIndex`: where the first element is that matches; the calls run on the caller, the search on every thread that computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { AlgorithmOptions, SyncOptions } from '../call/options.js';
import type { Predicate } from '../call/predicate.js';
import { settle, settleSync } from '../call/settle.js';
import { beginSearch } from './search-job.js';

const theIndex = (index: number): number => index;

/**
 * Finds the index of the first element for which a predicate holds, as `TypedArray.prototype.findIndex` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of that index, or -1 if there is none; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for an answer that is no boolean, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; span n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const at = await parallelFindIndex(xs, (x) => x < 0);
 */
export function parallelFindIndex<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<number> {
  return settle('parallelFindIndex', (name, form) => beginSearch(name, form, xs, pred, options, true, theIndex));
}

/**
 * `parallelFindIndex` that returns the answer itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelFindIndex`
 * @param pred as for `parallelFindIndex`
 * @param options as for `parallelFindIndex`
 * @returns what the promise of `parallelFindIndex` gives
 * @throws what `parallelFindIndex` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFindIndex`.
 * @example
 * const at = parallelFindIndexSync(xs, (x) => x < 0);
 */
export function parallelFindIndexSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): number {
  return settleSync('parallelFindIndexSync', (name, form) =>
    beginSearch(name, form, xs, pred, options, true, theIndex),
  );
}
