/**
 * The order of items by their keys, as argsorts of numbers; runs on the calling thread, which asks for the argsorts.
 *
 * The first part of the key sorts all items, each further part those that are still tied, all groups of ties at once: they
 * are sorted by the part alone, and then dealt out to the places of their groups, in that order. Argsorts are stable, and so
 * is this. A few ties are settled here by comparing, as are those that only the comparator for ties can break.
 */

import { SORTED_HERE } from '../tuning.js';
import type { ItemOrder, Part, Sign, SortKey } from './sort-keys.js';
import { type Argsort, orderHere, orderStrings } from './string-order.js';

/** Where runs of tied items begin and end in an order: lo, hi, lo, hi. */
type Groups = readonly number[];

/** The indices that sort the items, stably. */
export function* orderOf({ parts, ties }: ItemOrder): Argsort {
  const [first, ...rest] = parts;
  if (first === undefined || first.keys.length === 0) return new Uint32Array(0);
  const order = yield* orderOfPart(first);
  if (rest.length === 0 && ties === undefined) return order;
  let groups = tiedWithin(order, [0, order.length], first);
  for (const [at, part] of rest.entries()) {
    if (elementsOf(groups) <= SORTED_HERE) {
      orderGroupsHere(order, groups, comparison({ parts: rest.slice(at), ties }));
      return order;
    }
    yield* orderGroups(order, groups, part);
    groups = tiedWithin(order, groups, part);
  }
  if (ties !== undefined) orderGroupsHere(order, groups, ties);
  return order;
}

/** Compares two items by their indices. */
export function comparison({ parts, ties }: ItemOrder): (i: number, j: number) => number {
  const compareParts = (i: number, j: number): number => {
    for (const { keys, sign } of parts) {
      const compared = compareKeys(keys[i], keys[j], sign);
      if (compared !== 0) return compared;
    }
    return 0;
  };
  return ties === undefined ? compareParts : (i, j) => compareParts(i, j) || ties(i, j);
}

/** As argsorts have it: -0 before 0, reversed if descending; NaN last in both. */
function compareKeys(a: SortKey, b: SortKey, sign: Sign): number {
  if (a < b) return -sign;
  if (a > b) return sign;
  if (a === b) return a !== 0 || Object.is(a, b) ? 0 : Object.is(a, -0) ? -sign : sign;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

function* orderOfPart({ keys, sign }: Part): Argsort {
  const kind = typeof keys[0];
  if (kind === 'string') return yield* orderStrings(keys as readonly string[], sign);
  if (kind === 'bigint') return yield* orderBigInts(keys as readonly bigint[], sign);
  const xs = Float64Array.from(keys as readonly number[]);
  if (sign < 0) for (let i = 0; i < xs.length; i++) xs[i] = -xs[i];
  return yield xs;
}

function* orderBigInts(keys: readonly bigint[], sign: Sign): Argsort {
  const isSigned = keys.every((x) => BigInt.asIntN(64, x) === x);
  if (!isSigned && !keys.every((x) => BigInt.asUintN(64, x) === x)) {
    return orderHere(keys, Uint32Array.from(keys.keys()), sign);
  }
  const xs = isSigned ? BigInt64Array.from(keys) : BigUint64Array.from(keys);
  const words = new Uint32Array(xs.buffer);
  if (sign < 0) for (let at = 0; at < words.length; at++) words[at] = ~words[at]; // which turns the order round
  return yield xs;
}

function elementsOf(groups: Groups): number {
  let elements = 0;
  for (let at = 0; at < groups.length; at += 2) elements += groups[at + 1] - groups[at];
  return elements;
}

/** Runs of at least two equal keys within the groups. */
function tiedWithin(order: Uint32Array, groups: Groups, { keys }: Part): Groups {
  const tied: number[] = [];
  for (let at = 0; at < groups.length; at += 2) {
    const end = groups[at + 1];
    for (let lo = groups[at]; lo < end; ) {
      const key = keys[order[lo]];
      let hi = lo + 1;
      while (hi < end && Object.is(keys[order[hi]], key)) hi++;
      if (hi - lo > 1) tied.push(lo, hi);
      lo = hi;
    }
  }
  return tied;
}

/** Sorts within each group by one part of the keys. */
function* orderGroups(
  order: Uint32Array,
  groups: Groups,
  part: Part,
): Generator<Float64Array | BigInt64Array | BigUint64Array, void, Uint32Array> {
  const elements = elementsOf(groups);
  const members = new Uint32Array(elements);
  const groupOf = new Uint32Array(elements);
  const places = new Uint32Array(groups.length / 2); // where the next member of each group goes
  const keys: SortKey[] = [];
  for (let group = 0; group < places.length; group++) {
    const lo = groups[2 * group];
    const hi = groups[2 * group + 1];
    places[group] = lo;
    members.set(order.subarray(lo, hi), keys.length);
    groupOf.fill(group, keys.length, keys.length + hi - lo);
    for (let k = lo; k < hi; k++) keys.push(part.keys[order[k]]);
  }
  const sorted = yield* orderOfPart({ keys, sign: part.sign });
  for (let k = 0; k < elements; k++) {
    const at = sorted[k];
    order[places[groupOf[at]]++] = members[at];
  }
}

function orderGroupsHere(order: Uint32Array, groups: Groups, compare: (i: number, j: number) => number): void {
  for (let at = 0; at < groups.length; at += 2) {
    const lo = groups[at];
    order.set(Array.from(order.subarray(lo, groups[at + 1])).sort(compare), lo);
  }
}
