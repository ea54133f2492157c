/**
 * The keys of objects, as `parallelSortBy` sorts by them: read once, checked, and put in order; runs on the calling thread.
 */
import { shown } from './options.js';
import { type Argsort, orderHere, orderStrings } from './string-order.js';

/** What objects can be sorted by: one kind for all of them. */
export type SortKey = number | bigint | string;

/** Keys of one kind. */
type Column = readonly SortKey[];

const KINDS = ['number', 'bigint', 'string'];

/**
 * Reads the keys of all items.
 *
 * @returns one column, or two for pairs
 * @throws TypeError for a key of another kind than the first one's, or of none
 */
export function readKeys(name: string, items: readonly unknown[], key: (item: unknown) => unknown): Column[] {
  const columns: SortKey[][] = [];
  for (let i = 0; i < items.length; i++) {
    if (!(i in items)) {
      throw new TypeError(
        `furcate: ${name}: items[${i}] is a hole, which has no key. Fill it, or leave holes out: items.filter(() => true).`,
      );
    }
    const given = key(items[i]);
    const parts = Array.isArray(given) && given.length === 2 ? given : [given];
    if (i === 0) for (const _ of parts) columns.push([]);
    if (parts.length !== columns.length) throw mixed(name, i, given, columns.length === 2 ? 'a pair' : 'no pair');
    for (const [at, part] of (parts as SortKey[]).entries()) {
      if (!KINDS.includes(typeof part)) {
        throw new TypeError(
          `furcate: ${name}: key must return a number, a bigint, a string or a pair of these, but for items[${i}] it returned ${shown(given)}.${cureFor(part)}`,
        );
      }
      const column = columns[at];
      if (i > 0 && typeof column[0] !== typeof part) throw mixed(name, i, given, `a ${typeof column[0]}`);
      column.push(part);
    }
  }
  return columns;
}

function cureFor(part: unknown): string {
  if (part instanceof Date) return ' Return its time: date.getTime().';
  if (part === undefined || part === null) return ' Choose what stands for a missing key: item.key ?? 0.';
  return '';
}

function mixed(name: string, i: number, given: unknown, wanted: string): TypeError {
  return new TypeError(
    `furcate: ${name}: key returned ${shown(given)} for items[${i}], where for items[0] it returned ${wanted}. Return keys of one kind: String(key) for all, say.`,
  );
}

/** The indices that sort the items by their keys, stably. */
export function* orderOf(columns: readonly Column[]): Argsort {
  const [major, minor] = columns;
  if (minor === undefined) return yield* orderOfColumn(major);
  const byMinor = yield* orderOfColumn(minor);
  const byMajor = yield* orderOfColumn(Array.from(byMinor, (i) => major[i]));
  return byMajor.map((i) => byMinor[i]);
}

function* orderOfColumn(column: Column): Argsort {
  if (typeof column[0] === 'string') return yield* orderStrings(column as readonly string[]);
  if (typeof column[0] === 'number') return yield Float64Array.from(column as readonly number[]);
  const bigints = column as readonly bigint[];
  if (bigints.every((x) => BigInt.asIntN(64, x) === x)) return yield BigInt64Array.from(bigints);
  if (bigints.every((x) => BigInt.asUintN(64, x) === x)) return yield BigUint64Array.from(bigints);
  return orderHere(bigints, Uint32Array.from(bigints.keys()));
}
