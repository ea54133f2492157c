/**
 * The order of strings by code units, as sorts of 64-bit integers; runs on the calling thread.
 *
 * The first round packs the four code units behind the prefix that all strings have. What is tied then goes to a further
 * round, all groups at once: a key is the group's number, and the units behind the prefix that the group has. So a prefix
 * is read once, not once a comparison, and each round splits every group. A few ties are settled here, as are those that are
 * left after `STRING_ROUNDS`, by comparing strings.
 *
 * For descending order all bits of the keys are inverted, so that equal strings keep their order there too.
 */

import { SORTED_HERE, STRING_ROUNDS } from '../tuning.js';
import type { Sign } from './sort-keys.js';

/** Asks for the indices that sort an array of numbers stably. */
export type Argsort = Generator<Float64Array | BigInt64Array | BigUint64Array, Uint32Array, Uint32Array>;

/** Strings that are equal so far: those at order[lo, hi). */
interface Group {
  readonly lo: number;
  readonly hi: number;
}

/** The indices that sort what `<` orders, stably, on this thread. */
export function orderHere<X>(xs: ArrayLike<X>, indices: Uint32Array, sign: Sign): Uint32Array {
  return Uint32Array.from(Array.from(indices).sort((i, j) => (xs[i] < xs[j] ? -sign : xs[i] > xs[j] ? sign : 0)));
}

/** The indices that sort strings, stably. */
export function* orderStrings(xs: readonly string[], sign: Sign): Argsort {
  const all = Uint32Array.from(xs.keys());
  if (xs.length <= SORTED_HERE) return orderHere(xs, all, sign);
  const first = packFour(xs, prefixOf(xs, all), sign);
  const order = (yield first).slice();
  let groups = groupsOf(first, order);
  for (let round = 1; round < STRING_ROUNDS; round++) {
    const prefixes = new Map<Group, number>();
    groups = groups.filter((group) => {
      const members = order.subarray(group.lo, group.hi);
      const prefix = prefixOf(xs, members);
      prefixes.set(group, prefix);
      return members.some((i) => xs[i].length !== prefix); // else they are equal
    });
    const tied = groups.reduce((sum, { lo, hi }) => sum + hi - lo, 0);
    if (tied <= SORTED_HERE) break;
    groups = yield* splitGroups(xs, order, groups, tied, prefixes, sign);
  }
  for (const { lo, hi } of groups) order.set(orderHere(xs, order.slice(lo, hi), sign), lo);
  return order;
}

/** Sorts within all groups at once; returns those that are left. */
function* splitGroups(
  xs: readonly string[],
  order: Uint32Array,
  groups: readonly Group[],
  tied: number,
  prefixes: ReadonlyMap<Group, number>,
  sign: Sign,
): Generator<BigUint64Array, Group[], Uint32Array> {
  const keys = new BigUint64Array(tied);
  const words = new Uint32Array(keys.buffer);
  const places = new Uint32Array(tied);
  let at = 0;
  for (const [number, group] of groups.entries()) {
    const prefix = prefixes.get(group) as number;
    for (let k = group.lo; k < group.hi; k++) {
      const x = xs[order[k]];
      places[at] = k;
      const units = unitAfter(x, prefix) * 32768 + (unitAfter(x, prefix + 1) >>> 2);
      words[2 * at] = sign < 0 ? ~units : units;
      words[2 * at + 1] = number;
      at++;
    }
  }
  const sorted = yield keys;
  const before = order.slice();
  for (let k = 0; k < tied; k++) order[places[k]] = before[places[sorted[k]]];
  return groupsOf(keys, sorted).map(({ lo, hi }) => ({ lo: places[lo], hi: places[hi - 1] + 1 }));
}

/** Runs of at least two equal keys in an order. */
function groupsOf(keys: BigUint64Array, order: Uint32Array): Group[] {
  const words = new Uint32Array(keys.buffer); // as bigints, each look would allocate
  const groups: Group[] = [];
  for (let lo = 0; lo < order.length; ) {
    const at = 2 * order[lo];
    let hi = lo + 1;
    while (hi < order.length && words[2 * order[hi]] === words[at] && words[2 * order[hi] + 1] === words[at + 1]) hi++;
    if (hi - lo > 1) groups.push({ lo, hi });
    lo = hi;
  }
  return groups;
}

/** How many code units all of these strings have in common, from the first on. */
function prefixOf(xs: readonly string[], members: Uint32Array): number {
  const one = xs[members[0]];
  let prefix = one.length;
  for (const i of members) {
    const other = xs[i];
    if (other === one) continue;
    let k = 0;
    while (k < prefix && k < other.length && other.charCodeAt(k) === one.charCodeAt(k)) k++;
    prefix = k;
    if (prefix === 0) break;
  }
  return prefix;
}

/** A code unit, 1 up; 0 behind the end. */
const unitAfter = (x: string, k: number): number => (k < x.length ? x.charCodeAt(k) + 1 : 0);

/** Four code units of each string, 0 behind the end: equal ones may still differ there. */
function packFour(xs: readonly string[], from: number, sign: Sign): BigUint64Array {
  const keys = new BigUint64Array(xs.length);
  const units = new Uint16Array(keys.buffer); // the last one is the most significant
  for (const [i, x] of xs.entries()) {
    const last = Math.min(4, x.length - from);
    for (let k = 0; k < last; k++) units[4 * i + 3 - k] = x.charCodeAt(from + k);
  }
  if (sign < 0) for (let at = 0; at < units.length; at++) units[at] = ~units[at];
  return keys;
}
