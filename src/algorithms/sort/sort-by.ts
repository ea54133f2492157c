/**
 * `parallelSortBy`: sorts an array of objects by a key of each; keys are read and objects moved on the caller, the keys
 * are sorted on every thread that computes.
 */
import type { SyncOptions } from '../call/options.js';
import { SteppedAlgorithm } from './argsort-steps.js';
import { sortBySteps } from './sort-by-steps.js';
import type { SortByOptions, SortKeys } from './sort-keys.js';

export type { Descending, SortByOptions, SortKey, SortKeys } from './sort-keys.js';

const sortBy = new SteppedAlgorithm('parallelSortBy', sortBySteps);

/**
 * Sorts an array of objects in place by a key of each, stably.
 *
 * Numbers go as in `parallelSort`: ascending, -0 before 0, NaN last; bigints by value; strings by code units, as `<` has
 * them. An array of keys goes by its first, where those are equal by the second, and so on. Descending order is the
 * reverse, but NaN is still last, and objects with equal keys keep their order in any case.
 *
 * @param items any array without holes, sorted in place. A snapshot is sorted and written back just before the promise
 *   resolves, never on failure
 * @param key called as `key(item)` on the calling thread, once for each item in order, so it may use what it likes;
 *   returns a number, a bigint, a string, or an array of these, as many and of the same kinds for all items
 * @param options `descending` (a boolean, or one for each key of an array), `ties(a, b)` (a comparator of items whose keys
 *   are equal; called on the calling thread), `locale` or `collator` (how strings are compared: a language tag, or an `Intl.Collator`), `pool`, `threshold` (elements in a task), `signal`,
 *   `onProgress(done, total)` in items
 * @returns a promise of `items`
 * @throws (rejects with) TypeError, RangeError for bad arguments and keys, before anything starts; what `key` or `ties`
 *   threw; CancellationError (`AbortError`) once `signal` is aborted. `items` is as it was then
 * @remarks Cost: n calls of `key`, and n moves, on the caller; for numbers, and bigints of up to 64 bits, one `parallelArgsort`;
 * for strings one of 3 to 8 code units behind their common prefix, and one more for each time that more than 512 are
 * tied, at most eight, before the caller compares the rest; for an array of keys that of the first, and of each further
 * one for the items that are tied until then. Larger bigints are sorted on the caller, as are up to 512 ties. The promise form reads the
 * keys at once, writes the items back at once, and gives the event loop a turn every few milliseconds in what the caller does between: 500,000 strings hold
 * it for 32 ms, as long as their keys are read, where the built-in sort holds it for 1.3 s. Memory: a copy of `items`, the keys, and 36 bytes an item.
 * @example
 * await parallelSortBy(people, (person) => person.age);
 * await parallelSortBy(people, ({ age, name }) => [age, name], { descending: [true, false] }); // oldest first, then by name
 * await parallelSortBy(people, ({ age }) => age, { ties: (a, b) => a.name.localeCompare(b.name) });
 * await parallelSortBy(people, ({ name }) => name, { locale: 'de' });
 */
export function parallelSortBy<T, K extends SortKeys = SortKeys>(
  items: T[],
  key: (item: T) => K,
  options?: SortByOptions<T, K>,
): Promise<T[]> {
  return sortBy.promise(items, key, options) as Promise<T[]>;
}

/**
 * `parallelSortBy` that returns when it is done. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param items as for `parallelSortBy`
 * @param key as for `parallelSortBy`
 * @param options as for `parallelSortBy`
 * @returns `items`
 * @throws what `parallelSortBy` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelSortBy`.
 * @example
 * const [oldest] = parallelSortBySync(people, (person) => person.age, { descending: true });
 */
export function parallelSortBySync<T, K extends SortKeys = SortKeys>(
  items: T[],
  key: (item: T) => K,
  options?: SortByOptions<T, K> & SyncOptions,
): T[] {
  return sortBy.sync(items, key, options) as T[];
}
