/**
 * The order of items by their keys, as argsorts of numbers; runs on the calling thread, which asks for the argsorts.
 *
 * The first part of the key sorts all items. Each further part sorts those that are still tied, all groups of ties at once: they
 * are sorted by the part alone, and then dealt out to the places of their groups, in that order. The order is stable because
 * argsorts are. Strings are sorted in several such rounds, a few code units in each. If few items are tied, they are compared
 * here, and so are items that only the comparator for ties can order.
 */

import { SORTED_HERE, STRING_ROUNDS } from '../tuning.js';
import type { ItemOrder, KeyColumn, Sign, SortKey } from './sort-keys.js';
import { packUnits } from './string-order.js';

type Numbers = Float64Array | BigInt64Array | BigUint64Array;

/** Asks for the indices that sort an array of numbers stably. */
type Asking<R> = Generator<Numbers, R, Uint32Array>;
export type Argsort = Asking<Uint32Array>;

/** Compares two items by their indices. */
type Compare = (i: number, j: number) => number;

/** Where runs of tied items begin and end in an order: lo, hi, lo, hi. */
type Groups = readonly number[];

/** The indices that sort the items, stably. */
export function* orderOf({ columns, ties }: ItemOrder): Argsort {
  const length = columns[0]?.keys.length ?? 0;
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  let groups: Groups = [0, length];
  const tiedBy = ({ keys }: KeyColumn): Groups => tiedWithin(groups, (place) => keys[order[place]]);
  for (const [at, column] of columns.entries()) {
    if (at > 0) groups = tiedBy(columns[at - 1]);
    if (elementsOf(groups) <= SORTED_HERE && (at > 0 || typeof column.keys[0] === 'string')) {
      orderHere(order, groups, comparison({ columns: columns.slice(at), ties }));
      return order;
    }
    yield* orderBy(order, groups, column);
  }
  if (ties !== undefined && length > 0) orderHere(order, tiedBy(columns[columns.length - 1]), ties);
  return order;
}

/** Compares two items by all parts of their keys. @param collator compares strings; without it they go by code units */
export function comparison({ columns, ties }: ItemOrder, collator?: Intl.Collator): Compare {
  const compareStrings = collator?.compare;
  const compareKeys = (a: SortKey, b: SortKey, sign: Sign): number =>
    compareStrings !== undefined && typeof a === 'string'
      ? sign * compareStrings(a, b as string)
      : compareOwn(a, b, sign);
  const compareColumns = (i: number, j: number): number => {
    for (const { keys, sign } of columns) {
      const compared = compareKeys(keys[i], keys[j], sign);
      if (compared !== 0) return compared;
    }
    return 0;
  };
  return ties === undefined ? compareColumns : (i, j) => compareColumns(i, j) || ties(i, j);
}

/** As argsorts have it: -0 before 0, reversed if descending; NaN last in both. */
function compareOwn(a: SortKey, b: SortKey, sign: Sign): number {
  if (a < b) return -sign;
  if (a > b) return sign;
  if (a === b) return a !== 0 || Object.is(a, b) ? 0 : Object.is(a, -0) ? -sign : sign;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/**
 * Sorts within each group by one part of the keys. Strings take several rounds of a few code units each: what is tied then goes to
 * the next round.
 */
function* orderBy(order: Uint32Array, groups: Groups, column: KeyColumn): Asking<void> {
  const isString = typeof column.keys[0] === 'string';
  let open = groups;
  for (let round = 0; round < STRING_ROUNDS; round++) {
    if (isString) {
      open = unequalIn(order, open, column.keys);
      if (elementsOf(open) <= SORTED_HERE) break;
    }
    const numbers = numbersOf(order, open, column);
    if (numbers === undefined) break;
    const from = dealOut(order, open, yield numbers);
    if (!isString) return;
    open = tiedWithin(open, (place) => numbers[from[place]]);
  }
  orderHere(order, open, comparison({ columns: [column], ties: undefined }));
}

/** Numbers in the order of the keys, for the items of all groups; undefined for bigints that do not fit into 64 bits. */
function numbersOf(order: Uint32Array, groups: Groups, { keys, sign }: KeyColumn): Numbers | undefined {
  const members = membersOf(order, groups);
  const kind = typeof keys[0];
  if (kind === 'bigint') return bigIntsOf(keys, members, sign);
  const numbers = new Float64Array(members.length);
  if (kind === 'number') for (let i = 0; i < members.length; i++) numbers[i] = sign * (keys[members[i]] as number);
  else {
    eachGroup(groups, (lo, hi, at) => {
      packUnits(keys as readonly string[], order.subarray(lo, hi), sign, numbers.subarray(at, at + hi - lo));
    });
  }
  return numbers;
}

function bigIntsOf(all: readonly SortKey[], members: Uint32Array, sign: Sign): Numbers | undefined {
  const keys = Array.from(members, (item) => all[item] as bigint);
  const isSigned = keys.every((x) => BigInt.asIntN(64, x) === x);
  if (!isSigned && !keys.every((x) => BigInt.asUintN(64, x) === x)) return undefined;
  const xs = isSigned ? BigInt64Array.from(keys) : BigUint64Array.from(keys);
  const words = new Uint32Array(xs.buffer);
  if (sign < 0) for (let at = 0; at < words.length; at++) words[at] = ~words[at]; // which reverses the order
  return xs;
}

/** The groups whose strings are not all equal. */
function unequalIn(order: Uint32Array, groups: Groups, xs: readonly SortKey[]): Groups {
  const unequal: number[] = [];
  eachGroup(groups, (lo, hi) => {
    const one = xs[order[lo]];
    let place = lo + 1;
    while (place < hi && xs[order[place]] === one) place++;
    if (place < hi) unequal.push(lo, hi);
  });
  return unequal;
}

/**
 * Deals out the items of all groups to the places of their groups, in sorted order.
 *
 * @param sorted the indices that sort the numbers of the items
 * @returns for each place of a group, the index of the number that is there now
 */
function dealOut(order: Uint32Array, groups: Groups, sorted: Uint32Array): Uint32Array {
  const members = membersOf(order, groups);
  const from = new Uint32Array(order.length);
  const firstOf = new Uint32Array(members.length); // for each member, the first one of its group
  const next = new Uint32Array(members.length); // at the first member of each group, where the next one goes
  eachGroup(groups, (lo, hi, at) => {
    firstOf.fill(at, at, at + hi - lo);
    next[at] = lo;
  });
  for (const at of sorted) {
    const place = next[firstOf[at]]++;
    order[place] = members[at];
    from[place] = at;
  }
  return from;
}

/**
 * Visits all groups.
 *
 * @param visit gets how many items the groups before have, too
 * @returns how many items all groups have
 */
function eachGroup(groups: Groups, visit: (lo: number, hi: number, at: number) => void): number {
  let at = 0;
  for (let group = 0; group < groups.length; group += 2) {
    const [lo, hi] = [groups[group], groups[group + 1]];
    visit(lo, hi, at);
    at += hi - lo;
  }
  return at;
}

const elementsOf = (groups: Groups): number => eachGroup(groups, () => {});

/** The items of all groups, one group after the other. */
function membersOf(order: Uint32Array, groups: Groups): Uint32Array {
  const members = new Uint32Array(elementsOf(groups));
  eachGroup(groups, (lo, hi, at) => members.set(order.subarray(lo, hi), at));
  return members;
}

/** Runs of at least two equal values within the groups. */
function tiedWithin(groups: Groups, valueAt: (place: number) => unknown): Groups {
  const tied: number[] = [];
  eachGroup(groups, (first, end) => {
    for (let lo = first; lo < end; ) {
      const value = valueAt(lo);
      let hi = lo + 1;
      while (hi < end && Object.is(valueAt(hi), value)) hi++;
      if (hi - lo > 1) tied.push(lo, hi);
      lo = hi;
    }
  });
  return tied;
}

/** Sorts within each group by comparing, on this thread. */
function orderHere(order: Uint32Array, groups: Groups, compare: Compare): void {
  eachGroup(groups, (lo, hi) => order.set(Array.from(order.subarray(lo, hi)).sort(compare), lo));
}
