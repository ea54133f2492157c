/**
 * `parallelFind`: the first element that matches; the calls run on the caller, the search on every thread that computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { AlgorithmOptions, SyncOptions } from '../call/options.js';
import type { Predicate } from '../call/predicate.js';
import { settle, settleSync } from '../call/settle.js';
import { beginSearch } from './search-job.js';

const elementAt = <T extends TypedArray>(index: number, xs: TypedArray): ElementOf<T> | undefined =>
  index < 0 ? undefined : (xs[index] as ElementOf<T>);

/**
 * Finds the first element for which a predicate holds, as `TypedArray.prototype.find` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of that element, or undefined if there is none; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for an answer that is no boolean, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; span n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const large = await parallelFind(xs, (x, i, { limit }) => x > limit, { context: { limit: 100 } });
 */
export function parallelFind<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<ElementOf<T> | undefined> {
  return settle('parallelFind', (name, form) => beginSearch(name, form, xs, pred, options, true, elementAt<T>));
}

/**
 * `parallelFind` that returns the answer itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelFind`
 * @param pred as for `parallelFind`
 * @param options as for `parallelFind`
 * @returns what the promise of `parallelFind` gives
 * @throws what `parallelFind` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFind`.
 * @example
 * const large = parallelFindSync(xs, (x) => x > 100);
 */
export function parallelFindSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): ElementOf<T> | undefined {
  return settleSync('parallelFindSync', (name, form) => beginSearch(name, form, xs, pred, options, true, elementAt<T>));
}
