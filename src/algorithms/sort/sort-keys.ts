/**
 * The keys by which `parallelSortBy` and `parallelTopK` order objects. Each key is read once and checked; runs on the calling
 * thread.
 */
import { disown } from '../../core/engine.js';
import { type AlgorithmOptions, check, checkFunction } from '../call/options.js';
import { refusePromise } from '../returned-promise.js';
import { shown } from '../shown.js';

/** One key of an object, or one part of its key. */
export type SortKey = number | bigint | string;

/**
 * Keys by which objects can be ordered: one key, or a list of keys. Each key of a list decides between objects whose earlier
 * keys are equal. (The empty list is an error. The type allows it so that TypeScript infers the lengths of other lists.)
 */
export type SortKeys = SortKey | readonly SortKey[] | readonly [];

/** Choice of the keys that are in descending order: all or none, or for a list of keys a choice for each of them. */
export type Descending<K extends SortKeys> =
  | boolean
  | (K extends readonly SortKey[] ? { readonly [At in keyof K]: boolean } : never);

/** Options for ordering objects by their keys. */
export interface SortByOptions<T, K extends SortKeys = SortKeys> extends AlgorithmOptions<never> {
  /** The largest keys first, and NaN still last; a list says so for each part of the key. */
  descending?: Descending<K> | undefined;
  /**
   * Orders two objects whose keys are equal in all parts: negative for `a` first, positive for `b` first, 0 to keep their
   * order. It is called on the calling thread, so it may use what it likes; `descending` does not reverse it.
   */
  ties?: ((a: T, b: T) => number) | undefined;
  /** Compares the strings of keys as a language does: a language tag, or several of which the first that is known counts. */
  locale?: string | readonly string[] | undefined;
  /** Compares the strings of keys, in the place of `locale`. */
  collator?: Intl.Collator | undefined;
}

/** 1 for ascending order, -1 for descending. */
export type Sign = 1 | -1;

/** One part of the keys of all items: of one kind. */
export interface KeyColumn {
  readonly keys: readonly SortKey[];
  readonly sign: Sign;
}

/** Keys by which items are ordered. */
export interface ItemOrder {
  readonly columns: readonly KeyColumn[];
  /** Orders two items by their indices, where all columns are equal. */
  readonly ties: ((i: number, j: number) => number) | undefined;
}

/** Names of the options that say how items are ordered. */
export const ORDER_OPTIONS = ['descending', 'ties'];

const KINDS = ['number', 'bigint', 'string'];

/**
 * Checks how items are to be ordered, and, after a `yield` of nothing, reads the keys of all items.
 *
 * @param keyName what errors call the key argument
 * @param given the options
 * @param byDefault whether keys are in descending order if the options do not say
 * @throws TypeError for a key of other kinds than the first one's, or of none, and for a wrong number of `descending`
 */
export function* readOrder(
  name: string,
  items: readonly unknown[],
  keyName: string,
  key: unknown,
  given: Readonly<Record<string, unknown>>,
  byDefault: boolean,
): Generator<undefined, ItemOrder, unknown> {
  checkFunction(name, keyName, key);
  const { descending = byDefault, ties } = given;
  const flags = 'a boolean, or an array with a boolean for each part of the key';
  check(isDirection(descending), name, 'options.descending', flags, descending);
  if (ties !== undefined) checkFunction(name, 'options.ties', ties);
  yield undefined;
  const columns = readColumns(name, items, key);
  if (typeof descending !== 'boolean' && items.length > 0 && descending.length !== columns.length) {
    throw new RangeError(
      `furcate: ${name}: options.descending has ${descending.length} elements, but the key has ${columns.length === 1 ? '1 part' : `${columns.length} parts`}. Give one boolean for each part, or one for all: { descending: true }.`,
    );
  }
  const isDescending = (at: number): boolean => (typeof descending === 'boolean' ? descending : descending[at]);
  const tie = ties as ((a: unknown, b: unknown) => unknown) | undefined;
  return {
    columns: columns.map((keys, at) => ({ keys, sign: isDescending(at) ? -1 : 1 })),
    ties: tie && ((i, j) => checkedTie(name, tie(items[i], items[j]))),
  };
}

const isDirection = (value: unknown): value is boolean | readonly boolean[] =>
  typeof value === 'boolean' || (Array.isArray(value) && value.every((flag) => typeof flag === 'boolean'));

function checkedTie(name: string, answer: unknown): number {
  if (typeof answer === 'number') return answer;
  refusePromise(answer, `options.ties of ${name}`);
  throw new TypeError(
    `furcate: ${name}: options.ties must return a number, as a comparator does, but it returned ${shown(answer)}.`,
  );
}

/** The keys, one column for each part. */
function readColumns(name: string, items: readonly unknown[], key: (item: unknown) => unknown): readonly SortKey[][] {
  if (items.length === 0) return [];
  const firstOf = keyAt(name, items, 0, key);
  const isList = Array.isArray(firstOf);
  const first: readonly unknown[] = isList ? firstOf : [firstOf];
  if (first.length === 0 || !first.every(isKey)) throw wrongKey(name, 0, firstOf, firstOf);
  const columns = first.map((part): SortKey[] => [part as SortKey]);
  const kinds = first.map((part) => typeof part);
  for (let i = 1; i < items.length; i++) {
    const given = keyAt(name, items, i, key);
    if (isList && (!Array.isArray(given) || given.length !== kinds.length)) throw wrongKey(name, i, given, firstOf);
    for (let at = 0; at < kinds.length; at++) {
      const part: unknown = isList ? (given as unknown[])[at] : given;
      if (typeof part !== kinds[at]) throw wrongKey(name, i, given, firstOf);
      columns[at].push(part as SortKey);
    }
  }
  return columns;
}

function keyAt(name: string, items: readonly unknown[], i: number, key: (item: unknown) => unknown): unknown {
  if (i in items) return key(items[i]);
  throw new TypeError(
    `furcate: ${name}: items[${i}] is a hole, which has no key. Fill it, or leave holes out: items.filter(() => true).`,
  );
}

const isKey = (part: unknown): boolean => KINDS.includes(typeof part);

function cureFor(part: unknown): string {
  if (Object.prototype.toString.call(part) === '[object Date]') return ' Return its time: date.getTime().';
  if (typeof part === 'boolean') return ' Return a number for it: Number(flag), where false comes first.';
  if (part === undefined || part === null) return ' Choose what stands for a missing key: item.key ?? 0.';
  return '';
}

/** The error for a key of no kind, or of other kinds than the first one's. */
function wrongKey(name: string, i: number, given: unknown, first: unknown): TypeError {
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  parts.forEach(disown);
  for (const part of parts) refusePromise(part, `key of ${name}`);
  const isOfKinds = parts.length > 0 && parts.every(isKey);
  const wrong = isOfKinds
    ? `key returned ${shown(given)} for items[${i}], where for items[0] it returned ${kindOf(first)}. Return keys of the same kinds for all items: String(key) for all, say.`
    : `key must return a number, a bigint, a string or an array of these, but for items[${i}] it returned ${shown(given)}.${cureFor(parts.find((part) => !isKey(part)))}`;
  return new TypeError(`furcate: ${name}: ${wrong}`);
}

/** 'a number', '[string, number]'. */
const kindOf = (key: unknown): string =>
  Array.isArray(key) ? `[${key.map((part) => typeof part).join(', ')}]` : `a ${typeof key}`;
