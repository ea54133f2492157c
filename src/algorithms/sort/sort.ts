/** `parallelSort`, and `parallelArgsort`, which gives the indices that sort an array; see sort-job.ts. */
import type { Callee } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { checkArray, checkCounted, type SyncOptions } from '../call/options.js';
import { type CompareRest, readCompare } from './comparator.js';
import { startArgsort, startSort } from './sort-job.js';
import { areStringsToCollate, type SortStringsOptions, sortStrings } from './sort-strings.js';

export type { SortStringsOptions } from './sort-strings.js';

function begin(callee: Callee, xs: TypedArray, rest: readonly unknown[]): Start<TypedArray> {
  checkArray(callee.name, 'xs', xs);
  checkCounted(callee.name, 'xs has', xs.length);
  const ordering = readCompare(callee, rest);
  return () => startSort(xs, ordering, 'sort');
}

function beginIndices(callee: Callee, keys: TypedArray, rest: readonly unknown[]): Start<Uint32Array> {
  checkArray(callee.name, 'keys', keys);
  checkCounted(callee.name, 'keys has', keys.length);
  const ordering = readCompare(callee, rest);
  return () => startArgsort(keys, ordering);
}

const sort = new Algorithm('parallelSort', begin);
const argsort = new Algorithm('parallelArgsort', beginIndices);

/** Counts arguments only where `strings` are strings, so that the compiler does not mention this signature in errors of other calls. */
type ForStrings<S, More = unknown> = [S] extends [string[]]
  ? [options: SortStringsOptions & More]
  : [never, never, never];

/**
 * Sorts a typed array in place.
 *
 * Without a comparator, numbers go in the order of `TypedArray.prototype.sort`: ascending, -0 before 0, NaN last. With
 * one, the sort is stable. The result is the same at any parallelism and threshold, unless `compare` contradicts itself.
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
 * WebAssembly SIMD, parts are sorted by the built-in sort and merged. Time: that by parallelism, and one leaf: n / 64 elements
 * with a comparator, 1 MiB by buckets. Memory: one
 * array of the size of xs, two if it is not shared; for integers that are counted the counts alone. Up to 8192 elements, or
 * 1024 with a comparator, are sorted at once on the caller.
 * @example
 * await parallelSort(xs);
 * await parallelSort(xs, (a, b) => b - a, { pool });
 */
export function parallelSort<T extends TypedArray, C = undefined>(xs: T, ...rest: CompareRest<T, C>): Promise<T>;
/**
 * Sorts an array of strings in place, stably, as a language does: each thread sorts a part, and the caller merges the parts, with turns of its
 * event loop in between.
 *
 * @param strings sorted in place. A snapshot is sorted and written back just before the promise resolves, never on failure
 * @param options `collator` (an `Intl.Collator`) or `locale` (a language tag, or several), `pool`, `signal`, `onProgress(done, total)`
 * @returns a promise of `strings`
 * @throws (rejects with) as `parallelSortBy`
 * @remarks Cost: n log2 n comparisons, of which the caller makes n log2 of the parallelism; the strings travel once.
 * @example
 * const names = ['Zoë', 'Ämil', 'Ann'];
 * await parallelSort(names, { collator: new Intl.Collator('de') }); // => ['Ämil', 'Ann', 'Zoë']
 */
export function parallelSort<S>(strings: S, ...rest: ForStrings<S>): Promise<S>;
export function parallelSort(xs: unknown, ...rest: unknown[]): Promise<never> {
  const sorted = areStringsToCollate(xs, rest)
    ? sortStrings.promise(xs, rest[0])
    : sort.promise(xs as TypedArray, rest as never);
  return sorted as Promise<never>;
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
export function parallelSortSync<T extends TypedArray, C = undefined>(
  xs: T,
  ...rest: CompareRest<T, C, SyncOptions>
): T;
/**
 * Sorts an array of strings in place as a language does, on the thread that calls.
 *
 * @param strings as for `parallelSort`
 * @param options as for `parallelSort`
 * @returns `strings`
 * @throws what `parallelSort` rejects with
 * @remarks Cost: n log2 n comparisons.
 * @example
 * parallelSortSync(['b10', 'b9'], { collator: new Intl.Collator('en', { numeric: true }) }); // => ['b9', 'b10']
 */
export function parallelSortSync<S>(strings: S, ...rest: ForStrings<S, SyncOptions>): S;
export function parallelSortSync(xs: unknown, ...rest: unknown[]): unknown {
  if (areStringsToCollate(xs, rest)) return sortStrings.sync(xs, rest[0]);
  return sort.sync(xs as TypedArray, rest as never);
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
 * @remarks Cost: without a comparator O(n): keys go to buckets with their indices. With one, and where the host has no WebAssembly
 * SIMD, n log2 n comparisons at most. Time: that by parallelism, and one leaf: n / 64 elements
 * with a comparator, 1 MiB by buckets. Memory: the result, as much again, and for buckets
 * two arrays of the size of the keys, which count as 4 bytes each at least; for keys that are not shared their copy. Up to 8192
 * elements, or 1024 with a comparator, are sorted at once on the caller.
 * @example
 * const order = await parallelArgsort(prices);
 * const cheapest = names[order[0]];
 */
export function parallelArgsort<T extends TypedArray, C = undefined>(
  keys: T,
  ...rest: CompareRest<T, C>
): Promise<Uint32Array> {
  return argsort.promise(keys, rest);
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
export function parallelArgsortSync<T extends TypedArray, C = undefined>(
  keys: T,
  ...rest: CompareRest<T, C, SyncOptions>
): Uint32Array {
  return argsort.sync(keys, rest);
}
