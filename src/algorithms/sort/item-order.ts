/**
 * The order of items by their keys, as argsorts of numbers; runs on the calling thread, which asks for the argsorts.
 *
 * The first part of the key sorts all items. Each further part sorts those that are still tied, all groups of ties at once: they
 * are sorted by the part alone, and then dealt out to the places of their groups, in that order. The order is stable because
 * argsorts are. Strings are sorted in several such rounds, a few code units in each. If few items are tied, they are compared
 * here, and so are items that only the comparator for ties can order.
 *
 * All that is done here is done in steps: between two of them, the event loop may have a turn.
 */

import { SORTED_HERE, STRING_ROUNDS } from '../tuning.js';
import { type CompareIndices, sortInSteps } from './sort-in-steps.js';
import type { ItemOrder, KeyColumn, Sign, SortKey } from './sort-keys.js';
import { packUnits } from './string-order.js';

type Numbers = Float64Array | BigInt64Array | BigUint64Array;

/** Asks for the indices that sort an array of numbers stably; or, by a `yield` of nothing, whether it may go on. */
type Asking<R> = Generator<Numbers | undefined, R, Uint32Array>;
export type Argsort = Asking<Uint32Array>;

/** Elements that are read between two pauses: 0.1 to 1 ms. */
const STEP = 4096;

/** Begins and ends of runs of tied items in an order: lo, hi, lo, hi. */
type Groups = readonly number[];

/** The indices that sort the items, stably. */
export function* orderOf({ columns, ties }: ItemOrder): Argsort {
  const length = columns[0]?.keys.length ?? 0;
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  let groups: Groups = [0, length];
  const tiedBy = ({ keys }: KeyColumn): Asking<Groups> => tiedWithin(groups, (place) => keys[order[place]]);
  for (const [at, column] of columns.entries()) {
    if (at > 0) groups = yield* tiedBy(columns[at - 1]);
    if (elementsOf(groups) <= SORTED_HERE && (at > 0 || typeof column.keys[0] === 'string')) {
      yield* orderHere(order, groups, comparison({ columns: columns.slice(at), ties }));
      return order;
    }
    yield* orderBy(order, groups, column);
  }
  if (ties !== undefined && length > 0) yield* orderHere(order, yield* tiedBy(columns[columns.length - 1]), ties);
  return order;
}

/** Compares two items by all parts of their keys. @param collator compares strings; without it they go by code units */
export function comparison({ columns, ties }: ItemOrder, collator?: Intl.Collator): CompareIndices {
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
      open = yield* unequalIn(order, open, column.keys);
      if (elementsOf(open) <= SORTED_HERE) break;
    }
    const numbers = yield* numbersOf(order, open, column);
    if (numbers === undefined) break;
    const from = yield* dealOut(order, open, yield numbers);
    if (!isString) return;
    open = yield* tiedWithin(open, (place) => numbers[from[place]]);
  }
  yield* orderHere(order, open, comparison({ columns: [column], ties: undefined }));
}

/** Numbers in the order of the keys, for the items of all groups; undefined for bigints that do not fit into 64 bits. */
function* numbersOf(order: Uint32Array, groups: Groups, { keys, sign }: KeyColumn): Asking<Numbers | undefined> {
  const members = membersOf(order, groups);
  const kind = typeof keys[0];
  if (kind === 'bigint') return yield* bigIntsOf(keys, members, sign);
  const numbers = new Float64Array(members.length);
  if (kind === 'number') {
    for (let i = 0; i < members.length; i++) {
      if (i % STEP === 0) yield;
      numbers[i] = sign * (keys[members[i]] as number);
    }
    return numbers;
  }
  let at = 0;
  let read = 0;
  for (let group = 0; group < groups.length; group += 2) {
    const items = order.subarray(groups[group], groups[group + 1]);
    const own = numbers.subarray(at, at + items.length);
    yield* packUnits(keys as readonly string[], items, sign, own);
    at += items.length;
    if (at - read < STEP) continue;
    read = at;
    yield;
  }
  return numbers;
}

function* bigIntsOf(all: readonly SortKey[], members: Uint32Array, sign: Sign): Asking<Numbers | undefined> {
  let [isSigned, isUnsigned] = [true, true];
  for (let i = 0; i < members.length; i++) {
    if (i % STEP === 0) yield;
    const x = all[members[i]] as bigint;
    isSigned &&= BigInt.asIntN(64, x) === x;
    isUnsigned &&= BigInt.asUintN(64, x) === x;
    if (!isSigned && !isUnsigned) return undefined;
  }
  const xs = new (isSigned ? BigInt64Array : BigUint64Array)(members.length);
  for (let i = 0; i < members.length; i++) {
    if (i % STEP === 0) yield;
    const x = all[members[i]] as bigint;
    xs[i] = sign < 0 ? ~x : x; // which reverses the order
  }
  return xs;
}

/** The groups whose strings are not all equal. */
function* unequalIn(order: Uint32Array, groups: Groups, xs: readonly SortKey[]): Asking<Groups> {
  const unequal: number[] = [];
  let compared = 0;
  for (let group = 0; group < groups.length; group += 2) {
    const [lo, hi] = [groups[group], groups[group + 1]];
    const one = xs[order[lo]];
    let place = lo + 1;
    for (; place < hi && xs[order[place]] === one; place++) if (++compared % STEP === 0) yield;
    if (++compared % STEP === 0) yield;
    if (place < hi) unequal.push(lo, hi);
  }
  return unequal;
}

/**
 * Deals out the items of all groups to the places of their groups, in sorted order.
 *
 * @param sorted the indices that sort the numbers of the items
 * @returns for each place of a group, the index of the number that is there now
 */
function* dealOut(order: Uint32Array, groups: Groups, sorted: Uint32Array): Asking<Uint32Array> {
  const members = membersOf(order, groups);
  const from = new Uint32Array(order.length);
  const firstOf = new Uint32Array(members.length); // for each member, the first one of its group
  const next = new Uint32Array(members.length); // at the first member of each group, where the next one goes
  eachGroup(groups, (lo, hi, at) => {
    firstOf.fill(at, at, at + hi - lo);
    next[at] = lo;
  });
  for (let k = 0; k < sorted.length; k++) {
    if (k % STEP === 0) yield;
    const at = sorted[k];
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
function* tiedWithin(groups: Groups, valueAt: (place: number) => unknown): Asking<Groups> {
  const tied: number[] = [];
  let compared = 0;
  for (let group = 0; group < groups.length; group += 2) {
    const [first, end] = [groups[group], groups[group + 1]];
    let lo = first;
    let value = valueAt(lo);
    for (let hi = first + 1; hi <= end; hi++) {
      if (++compared % STEP === 0) yield;
      const next = hi < end ? valueAt(hi) : undefined;
      if (hi < end && Object.is(next, value)) continue;
      if (hi - lo > 1) tied.push(lo, hi);
      lo = hi;
      value = next;
    }
  }
  return tied;
}

/** Sorts within each group by comparing, on this thread. */
function* orderHere(order: Uint32Array, groups: Groups, compare: CompareIndices): Asking<void> {
  let sorted = 0;
  for (let group = 0; group < groups.length; group += 2) {
    const items = order.subarray(groups[group], groups[group + 1]);
    yield* sortInSteps(items, compare);
    sorted += items.length;
    if (sorted < STEP) continue;
    sorted = 0;
    yield;
  }
}
