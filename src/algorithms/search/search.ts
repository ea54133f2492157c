/**
 * `parallelFind`, `parallelFindIndex`, `parallelIndexOf`, `parallelSome` and `parallelEvery`: one search each, whose answer is made
 * from the index of the first element that is sought. The calls run on the caller, the search on every thread that computes.
 */
import type { NotAPromise } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm } from '../call/algorithm.js';
import type { AlgorithmOptions, SyncOptions } from '../call/options.js';
import type { Predicate } from '../call/predicate.js';
import { type Sought, searching } from './search-job.js';

/** Targets of a search, in one argument: an element that matches a predicate, or that does not, or a value. */
const matching = (pred: unknown): Sought => ({ pred, wanted: true });
const failing = (pred: unknown): Sought => ({ pred, wanted: false });
const equal = (value: unknown): Sought => ({ value });

// What is made of the index, which is -1 if there is no such element.
const theIndex = (index: number): number => index;
const isFound = (index: number): boolean => index >= 0;
const isNotFound = (index: number): boolean => index < 0;
const elementAt = (index: number, xs: TypedArray): number | bigint | undefined => (index < 0 ? undefined : xs[index]);

const find = new Algorithm('parallelFind', searching(matching, elementAt));
const findIndex = new Algorithm('parallelFindIndex', searching(matching, theIndex));
const indexOf = new Algorithm('parallelIndexOf', searching(equal, theIndex));
const some = new Algorithm('parallelSome', searching(matching, isFound));
const every = new Algorithm('parallelEvery', searching(failing, isNotFound));

/**
 * Finds the first element for which a predicate holds, as `TypedArray.prototype.find` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of that element, or undefined if there is none; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for a promise, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; time n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const large = await parallelFind(xs, (x, i, { limit }) => x > limit, { context: { limit: 100 } });
 */
export function parallelFind<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C>,
): Promise<ElementOf<T> | undefined> {
  return find.promise(xs, pred, options) as Promise<ElementOf<T> | undefined>;
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
export function parallelFindSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): ElementOf<T> | undefined {
  return find.sync(xs, pred, options) as ElementOf<T> | undefined;
}

/**
 * Finds the index of the first element for which a predicate holds, as `TypedArray.prototype.findIndex` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of that index, or -1 if there is none; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for a promise, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; time n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const at = await parallelFindIndex(xs, (x) => x < 0);
 */
export function parallelFindIndex<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C>,
): Promise<number> {
  return findIndex.promise(xs, pred, options);
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
export function parallelFindIndexSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): number {
  return findIndex.sync(xs, pred, options);
}

/**
 * Finds where a value first occurs, as `TypedArray.prototype.indexOf` does.
 *
 * @param xs any typed array; not written. One that is not shared is searched by the caller, since copying it would take
 *   longer
 * @param value a number, or a bigint for arrays of bigints; compared by `===`, so NaN is never found, and 0 finds -0
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of the least index of an equal element, or -1; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError (`AbortError`)
 *   once `signal` is aborted
 * @remarks Cost: n comparisons at most, few beyond the first match; time n / parallelism; no memory. What is known to take less
 * than 300 us runs at once on the caller.
 * @example
 * const at = await parallelIndexOf(xs, 42);
 */
export function parallelIndexOf<T extends TypedArray>(
  xs: T,
  value: ElementOf<T>,
  options?: AlgorithmOptions,
): Promise<number> {
  return indexOf.promise(xs, value, options);
}

/**
 * `parallelIndexOf` that returns the index itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelIndexOf`
 * @param value as for `parallelIndexOf`
 * @param options as for `parallelIndexOf`
 * @returns what the promise of `parallelIndexOf` gives
 * @throws what `parallelIndexOf` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelIndexOf`.
 * @example
 * const at = parallelIndexOfSync(xs, 42);
 */
export function parallelIndexOfSync<T extends TypedArray>(
  xs: T,
  value: ElementOf<T>,
  options?: AlgorithmOptions & SyncOptions,
): number {
  return indexOf.sync(xs, value, options);
}

/**
 * Says whether a predicate holds for any element, as `TypedArray.prototype.some` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of true or false, false for no elements; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for a promise, at the lowest failing index, unless an element matches before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first match; time n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const hasGaps = await parallelSome(xs, (x) => Number.isNaN(x));
 */
export function parallelSome<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C>,
): Promise<boolean> {
  return some.promise(xs, pred, options);
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
export function parallelSomeSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): boolean {
  return some.sync(xs, pred, options);
}

/**
 * Says whether a predicate holds for all elements, as `TypedArray.prototype.every` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, not for all elements, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of true or false, true for no elements; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw, or a TypeError
 *   for a promise, at the lowest failing index, unless an element does not match before it;
 *   CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls at most, few beyond the first element that does not match; time n / parallelism; no memory but a copy of
 * xs if it is not shared. What is known to take less than 300 us runs at once on the caller.
 * @example
 * const isFinite = await parallelEvery(xs, (x) => Number.isFinite(x));
 */
export function parallelEvery<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C>,
): Promise<boolean> {
  return every.promise(xs, pred, options);
}

/**
 * `parallelEvery` that returns the answer itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelEvery`
 * @param pred as for `parallelEvery`
 * @param options as for `parallelEvery`
 * @returns what the promise of `parallelEvery` gives
 * @throws what `parallelEvery` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelEvery`.
 * @example
 * const isFinite = parallelEverySync(xs, (x) => Number.isFinite(x));
 */
export function parallelEverySync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): boolean {
  return every.sync(xs, pred, options);
}
