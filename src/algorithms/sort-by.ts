/**
 * `parallelSortBy`: sorts an array of objects by a key of each; keys are read and objects moved on the caller, the keys
 * are sorted on every thread that computes.
 */
import { admit, type CallOptions, type Form, stalled } from '../core/pool/call.js';
import { beginArgsort } from './argsort.js';
import { type AlgorithmOptions, type Checked, checkFunction, readOptions, shown } from './options.js';
import { finished } from './progress.js';
import { settle, settleSync } from './settle.js';
import { orderOf, readKeys, type SortKey } from './sort-keys.js';
import type { Argsort } from './string-order.js';

export type { SortKey } from './sort-keys.js';

/** A sort that is checked, and has its keys. */
interface Sorting<T> {
  readonly options: Checked;
  /** Asks for argsorts, one after the other. */
  readonly steps: Argsort;
  /** Puts the items into the order that the steps gave. */
  finish(order: Uint32Array): T[];
}

function begin<T>(name: string, form: Form, items: T[], key: unknown, given: unknown): Sorting<T> {
  if (!Array.isArray(items)) {
    const cure = ArrayBuffer.isView(items) ? ' For a typed array there are parallelSort and parallelArgsort.' : '';
    throw new TypeError(`furcate: ${name}: items must be an array, but it is ${shown(items)}.${cure}`);
  }
  checkFunction(name, 'key', key);
  const options = readOptions(name, form, given);
  const snapshot = items.slice();
  const columns = readKeys(name, snapshot, key as unknown as (item: unknown) => unknown);
  const { length } = snapshot;
  return {
    options: { ...options, call: withoutEnd(options.call) },
    steps: length === 0 ? nothing() : orderOf(columns),
    finish(order) {
      if (items.length !== length) {
        throw new TypeError(
          `furcate: ${name}: items had ${length} elements at the call, and has ${items.length} now, so it was left alone. Wait for the promise before you change it.`,
        );
      }
      for (let i = 0; i < length; i++) items[i] = snapshot[order[i]];
      finished(options.call, length);
      return items;
    },
  };
}

// biome-ignore lint/correctness/useYield: of no items there is nothing to ask for
function* nothing(): Argsort {
  return new Uint32Array(0);
}

/** Progress that leaves the end to the last step, and counts the first only. */
function withoutEnd(call: CallOptions): CallOptions {
  const { onProgress } = call;
  if (onProgress === undefined) return call;
  let latest = 0;
  return {
    ...call,
    onProgress(done, total) {
      if (done <= latest || done === total) return;
      latest = done;
      onProgress(done, total);
    },
  };
}

/**
 * Sorts an array of objects in place by a key of each, stably.
 *
 * Numbers go as in `parallelSort`: ascending, -0 before 0, NaN last; bigints by value; strings by code units, as `<` has
 * them; pairs by their first keys, and where those are equal by the second. Objects with equal keys keep their order.
 *
 * @param items any array without holes, sorted in place. A snapshot is sorted and written back just before the promise
 *   resolves, never on failure
 * @param key called as `key(item)` on the calling thread, once for each item in order, so it may use what it likes;
 *   returns a number, a bigint, a string or a pair of these, of the same kinds for all items
 * @param options `pool`, `threshold` (elements in a task), `signal`, `onProgress(done, total)` in items
 * @returns a promise of `items`
 * @throws (rejects with) TypeError, RangeError for bad arguments and keys, before anything starts; what `key` threw;
 *   CancellationError (`AbortError`) once `signal` is aborted. `items` is as it was then
 * @remarks Cost: n calls of `key`, and n moves, on the caller; for numbers, and bigints of up to 64 bits, one `parallelArgsort`;
 * for strings one of four code units behind their common prefix, and one more for each time that more than a few are
 * tied, at most eight, before the caller compares the rest; for pairs that of both. Larger bigints are sorted on the caller. Memory: a copy of
 * `items`, and 24 bytes an item.
 * @example
 * await parallelSortBy(people, (person) => person.age);
 * await parallelSortBy(people, ({ name, born }) => [name, -born]);
 */
export async function parallelSortBy<T>(
  items: T[],
  key: (item: T) => SortKey | readonly [SortKey, SortKey],
  options?: AlgorithmOptions<never>,
): Promise<T[]> {
  const name = 'parallelSortBy';
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const sorting = begin(name, 'promise', items, key, options);
  let step = sorting.steps.next();
  while (step.done !== true) {
    const keys = step.value;
    admit(sorting.options.call, name, 'promise'); // it may have been aborted between two steps
    step = sorting.steps.next(await settle(name, () => beginArgsort(name, keys, undefined, sorting.options)));
  }
  return sorting.finish(step.value);
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
 * const [oldest] = parallelSortBySync(people, (person) => person.born);
 */
export function parallelSortBySync<T>(
  items: T[],
  key: (item: T) => SortKey | readonly [SortKey, SortKey],
  options?: AlgorithmOptions<never>,
): T[] {
  const name = 'parallelSortBySync';
  const sorting = begin(name, 'sync', items, key, options);
  let step = sorting.steps.next();
  while (step.done !== true) {
    const keys = step.value;
    step = sorting.steps.next(settleSync(name, () => beginArgsort(name, keys, undefined, sorting.options)));
  }
  return sorting.finish(step.value);
}
