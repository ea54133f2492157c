/**
 * AssemblyScript: sorts a range that fits into a core's cache, by its two upper digits and then by insertion, or by all digits
 * where keys crowd; runs on every thread.
 */
import { bitsOf, bytesOf, flipOf, keyOf, lastOf, maskOf, UNSIGNED } from './keys';
import { allDigits, bump, DIGIT_BITS, DIGITS, pass, prefix, word } from './radix-passes';

/** Ranges up to this are sorted by insertion. */
const INSERTION: u32 = 40;

/** Puts elements where they belong by insertion, keys at `from` to elements at `to`, which may be one. Returns how many it has settled: less than n if too many are out of order. */
function settle<K, P>(from: usize, to: usize, n: u32, moves: i32, kind: i32, p: usize, pTo: usize): u32 {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  const start = to;
  let previous: K = 0;
  for (let left = n; left != 0; left--, from += sizeof<K>(), to += sizeof<K>()) {
    const key = load<K>(from);
    if (previous <= key) {
      store<K>(to, bitsOf<K>(key, mask, flip));
      previous = key;
      if (!isVoid<P>()) {
        store<u32>(pTo, load<u32>(p));
        p += 4;
        pTo += 4;
      }
      continue;
    }
    let payload: u32 = 0;
    if (!isVoid<P>()) payload = load<u32>(p);
    let hole = to;
    let pHole = pTo;
    do {
      const before = load<K>(hole - sizeof<K>());
      if (keyOf<K>(before, mask, flip, last) <= key) break;
      store<K>(hole, before);
      hole -= sizeof<K>();
      if (!isVoid<P>()) {
        store<u32>(pHole, load<u32>(pHole - 4));
        pHole -= 4;
      }
    } while (hole > start);
    store<K>(hole, bitsOf<K>(key, mask, flip));
    if (!isVoid<P>()) {
      store<u32>(pHole, payload);
      p += 4;
      pTo += 4;
    }
    moves -= <i32>((to - hole) / sizeof<K>());
    if (moves < 0) return <u32>((to - start) / sizeof<K>()) + 1;
  }
  return n;
}

/** Elements to keys in place; returns the bits in which they differ. */
function toKeys<K>(at: usize, n: u32, kind: i32): K {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  const first = keyOf<K>(load<K>(at), mask, flip, last);
  let differ: K = 0;
  for (; n >= 4; n -= 4, at += 4 * sizeof<K>()) {
    const k0 = keyOf<K>(load<K>(at), mask, flip, last);
    const k1 = keyOf<K>(load<K>(at, sizeof<K>()), mask, flip, last);
    const k2 = keyOf<K>(load<K>(at, 2 * sizeof<K>()), mask, flip, last);
    const k3 = keyOf<K>(load<K>(at, 3 * sizeof<K>()), mask, flip, last);
    store<K>(at, k0);
    store<K>(at, k1, sizeof<K>());
    store<K>(at, k2, 2 * sizeof<K>());
    store<K>(at, k3, 3 * sizeof<K>());
    differ |= (k0 ^ first) | (k1 ^ first) | (k2 ^ first) | (k3 ^ first);
  }
  for (; n != 0; n--, at += sizeof<K>()) {
    const key = keyOf<K>(load<K>(at), mask, flip, last);
    store<K>(at, key);
    differ |= key ^ first;
  }
  return differ;
}

function toElements<K>(from: usize, to: usize, n: u32, kind: i32): void {
  if (kind == UNSIGNED) {
    if (from != to) memory.copy(to, from, bytesOf<K>(n));
    return;
  }
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  for (; n != 0; n--, from += sizeof<K>(), to += sizeof<K>()) {
    store<K>(to, bitsOf<K>(load<K>(from), mask, flip));
  }
}

/** Brings lines into the cache in the order of their addresses, before they are written in another: 17 % of a sort of 1e7. */
function touch(at: usize, bytes: usize, spare: usize): void {
  let sum: u32 = 0;
  for (let lines = bytes >> 6; lines != 0; lines--, at += 64) sum += load<u32>(at);
  store<u32>(spare + 4 * 2 * DIGITS, sum); // or else the loads would be dropped
}

/** Counts both digits of keys. */
function countDigits<K>(at: usize, n: u32, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  for (; n >= 2; n -= 2, at += 2 * sizeof<K>()) {
    const k0 = load<K>(at);
    const k1 = load<K>(at, sizeof<K>());
    bump(word(places, <u32>(k0 >> low) & digit));
    bump(word(places2, <u32>(k0 >> high) & digit));
    bump(word(places, <u32>(k1 >> low) & digit));
    bump(word(places2, <u32>(k1 >> high) & digit));
  }
  if (n != 0) {
    const key = load<K>(at);
    bump(word(places, <u32>(key >> low) & digit));
    bump(word(places2, <u32>(key >> high) & digit));
  }
}

/** Turns elements to keys in place, and counts both digits of them. */
function toKeysCounting<K>(at: usize, n: u32, kind: i32, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  for (; n >= 2; n -= 2, at += 2 * sizeof<K>()) {
    const k0 = keyOf<K>(load<K>(at), mask, flip, last);
    const k1 = keyOf<K>(load<K>(at, sizeof<K>()), mask, flip, last);
    store<K>(at, k0);
    store<K>(at, k1, sizeof<K>());
    bump(word(places, <u32>(k0 >> low) & digit));
    bump(word(places2, <u32>(k0 >> high) & digit));
    bump(word(places, <u32>(k1 >> low) & digit));
    bump(word(places2, <u32>(k1 >> high) & digit));
  }
  if (n != 0) {
    const key = keyOf<K>(load<K>(at), mask, flip, last);
    store<K>(at, key);
    bump(word(places, <u32>(key >> low) & digit));
    bump(word(places2, <u32>(key >> high) & digit));
  }
}

/**
 * Sorts n elements at `from`, with room for as many at `other`; the result is at `other` if `toOther`, else at `from`.
 * All keys are known to agree from bit `top` on; 0 if nothing is known. `places`: 2 * 2048 + 1 words.
 */
@inline function sortRange<K, P>(from: usize, other: usize, n: u32, toOther: bool, kind: i32, top: u32, places: usize, p: usize, pOther: usize): void {
  const out = toOther ? other : from;
  const pOut = toOther ? pOther : p;
  const isKnown = top != 0 && n > INSERTION;
  if (!isKnown) {
    const differ = toKeys<K>(from, n, kind);
    if (n <= INSERTION || differ == 0) {
      settle<K, P>(from, out, n, 0x7fffffff, kind, p, pOut);
      return;
    }
    top = sizeof<K>() * 8 - <u32>clz<K>(differ);
  }
  // So many digits that few elements share all: about four, in each of two passes.
  const bits: u32 = min<u32>(max<u32>(32 - clz<u32>(n >> 2), 6), DIGIT_BITS);
  const low: u32 = top > 2 * bits ? top - 2 * bits : 0;
  const high: u32 = low + bits;
  const digit: u32 = (<u32>1 << bits) - 1;
  const places2 = word(places, 1 << bits);
  memory.fill(places, 0, <usize>8 << bits);
  if (isKnown) toKeysCounting<K>(from, n, kind, <K>low, <K>high, digit, places, places2);
  else countDigits<K>(from, n, <K>low, <K>high, digit, places, places2);
  prefix(places, 1 << bits);
  prefix(places2, 1 << bits);
  touch(other, bytesOf<K>(n), places);
  pass<K, P>(from, other, n, <K>low, digit, places, p, pOther);
  pass<K, P>(other, from, n, <K>high, digit, places2, pOther, p);
  if (low == 0) {
    toElements<K>(from, out, n, kind);
    if (!isVoid<P>() && toOther) memory.copy(pOther, p, <usize>n << 2);
    return;
  }
  const settled = settle<K, P>(from, out, n, <i32>(n << 2), kind, p, pOut);
  if (settled == n) return;
  // Crowded: few digits tell them apart. In place, what was settled becomes keys again; its payloads have moved along.
  if (!toOther) toKeys<K>(from, settled, kind);
  const sorted = allDigits<K, P>(from, other, n, top, places, p, pOther);
  toElements<K>(sorted, out, n, kind);
  if (!isVoid<P>() && sorted != out) memory.copy(pOut, sorted == from ? p : pOther, <usize>n << 2);
}

export function sort32(from: usize, other: usize, n: u32, toOther: bool, kind: i32, top: u32, places: usize): void {
  sortRange<u32, void>(from, other, n, toOther, kind, top, places, 0, 0);
}
export function sort64(from: usize, other: usize, n: u32, toOther: bool, kind: i32, top: u32, places: usize): void {
  sortRange<u64, void>(from, other, n, toOther, kind, top, places, 0, 0);
}
export function sortPairs32(from: usize, other: usize, n: u32, toOther: bool, kind: i32, top: u32, places: usize, p: usize, pOther: usize): void {
  sortRange<u32, u32>(from, other, n, toOther, kind, top, places, p, pOther);
}
export function sortPairs64(from: usize, other: usize, n: u32, toOther: bool, kind: i32, top: u32, places: usize, p: usize, pOther: usize): void {
  sortRange<u64, u32>(from, other, n, toOther, kind, top, places, p, pOther);
}

/** Which zeros there are among n floats: 1 for -0, 2 for 0, or both. */
@inline function zeros<K>(at: usize, n: u32): u32 {
  const negative = <K>1 << (<K>sizeof<K>() * 8 - 1);
  let found: u32 = 0;
  for (; n != 0; n--, at += sizeof<K>()) {
    const bits = load<K>(at);
    if ((bits << 1) == 0) found |= bits == negative ? 1 : 2;
  }
  return found;
}

export function zeros32(at: usize, n: u32): u32 {
  return zeros<u32>(at, n);
}
export function zeros64(at: usize, n: u32): u32 {
  return zeros<u64>(at, n);
}
