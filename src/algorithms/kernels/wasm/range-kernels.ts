/**
 * AssemblyScript: sorts a bucket that fits into a core's cache, by its two upper digits and then by insertion, or by all digits
 * where keys crowd; runs on every thread.
 *
 * Measured on 1e7 random uint32 and float64 on one core (CPU time, ms): collecting the parts 5 and 14, counting digits 12 and
 * 17, places 3 and 2, bringing the output into the cache 3 and 8, the passes 10 + 9 and 12 + 12, insertion 2 and 11.
 * Rejected: counting while collecting (f64: 52 against 31; few loads from memory are on their way then), touching the next
 * part ahead (none to 10 % slower), a look at each pair in the insertion instead of at four (f64: 25 against 11).
 */
import { bitsOf, bytesOf, FLOAT, flipOf, keyOf, lastOf, maskOf, UNSIGNED } from './keys';
import { allDigits, bump, DIGIT_BITS, DIGITS, pass, prefix, touch, word } from './radix-passes';

/** Ranges up to this are sorted by insertion. */
const INSERTION: u32 = 40;

/** Puts elements where they belong by insertion, keys at `from` to elements at `to`, which may be one. Returns how many are in place then: less than n if too many are out of order. */
function insert<K, P>(from: usize, to: usize, n: u32, moves: i32, kind: i32, p: usize, pTo: usize): u32 {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  const start = to;
  let previous: K = 0;
  for (let left = n; left != 0; left--, from += sizeof<K>(), to += sizeof<K>()) {
    while (left > 4) {
      const k0 = load<K>(from);
      const k1 = load<K>(from, sizeof<K>());
      const k2 = load<K>(from, 2 * sizeof<K>());
      const k3 = load<K>(from, 3 * sizeof<K>());
      if (!(i32(previous <= k0) & i32(k0 <= k1) & i32(k1 <= k2) & i32(k2 <= k3))) break;
      store<K>(to, bitsOf<K>(k0, mask, flip));
      store<K>(to, bitsOf<K>(k1, mask, flip), sizeof<K>());
      store<K>(to, bitsOf<K>(k2, mask, flip), 2 * sizeof<K>());
      store<K>(to, bitsOf<K>(k3, mask, flip), 3 * sizeof<K>());
      previous = k3;
      left -= 4;
      from += 4 * sizeof<K>();
      to += 4 * sizeof<K>();
      if (!isVoid<P>()) {
        v128.store(pTo, v128.load(p));
        p += 16;
        pTo += 16;
      }
    }
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

/** Elements at `from`, which may be `to`, as keys; returns the bits in which they differ from `first`. */
@inline function toKeys<K>(from: usize, to: usize, n: u32, kind: i32, first: K): K {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  let differ: K = 0;
  for (; n != 0; n--, from += sizeof<K>(), to += sizeof<K>()) {
    const key = keyOf<K>(load<K>(from), mask, flip, last);
    store<K>(to, key);
    differ |= key ^ first;
  }
  return differ;
}

function toElements<K>(at: usize, n: u32, kind: i32): void {
  if (kind == UNSIGNED) return;
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  for (; n != 0; n--, at += sizeof<K>()) store<K>(at, bitsOf<K>(load<K>(at), mask, flip));
}

@inline function tally<K>(key: K, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  bump(word(places, <u32>(key >> low) & digit));
  bump(word(places2, <u32>(key >> high) & digit));
}

/** Turns n elements to keys, and counts both digits of them. */
@inline function counting<K>(at: usize, n: u32, mask: K, flip: K, last: K, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  for (; n >= 4; n -= 4, at += 4 * sizeof<K>()) {
    const k0 = keyOf<K>(load<K>(at), mask, flip, last);
    const k1 = keyOf<K>(load<K>(at, sizeof<K>()), mask, flip, last);
    const k2 = keyOf<K>(load<K>(at, 2 * sizeof<K>()), mask, flip, last);
    const k3 = keyOf<K>(load<K>(at, 3 * sizeof<K>()), mask, flip, last);
    store<K>(at, k0);
    store<K>(at, k1, sizeof<K>());
    store<K>(at, k2, 2 * sizeof<K>());
    store<K>(at, k3, 3 * sizeof<K>());
    tally<K>(k0, low, high, digit, places, places2);
    tally<K>(k1, low, high, digit, places, places2);
    tally<K>(k2, low, high, digit, places, places2);
    tally<K>(k3, low, high, digit, places, places2);
  }
  for (; n != 0; n--, at += sizeof<K>()) {
    const key = keyOf<K>(load<K>(at), mask, flip, last);
    store<K>(at, key);
    tally<K>(key, low, high, digit, places, places2);
  }
}

function countingFloats<K>(at: usize, n: u32, kind: i32, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  counting<K>(at, n, maskOf<K>(kind), flipOf<K>(kind), lastOf<K>(kind), low, high, digit, places, places2);
}

function countingIntegers<K>(at: usize, n: u32, flip: K, low: K, high: K, digit: u32, places: usize, places2: usize): void {
  counting<K>(at, n, 0, flip, <K>-1, low, high, digit, places, places2);
}

/** Copies as `memory.copy` does, without a call: parts are short. */
function copy(from: usize, to: usize, bytes: usize): void {
  for (let lines = bytes >> 6; lines != 0; lines--, from += 64, to += 64) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
  }
  for (let words = (bytes & 63) >> 2; words != 0; words--, from += 4, to += 4) store<u32>(to, load<u32>(from));
}

/**
 * Copies a bucket to `to`. It lies in `rows` parts: part r begins with element `ends[r - stride]` from `from` on, and ends
 * before `ends[r]`.
 */
function gather<T>(from: usize, ends: usize, stride: usize, rows: u32, to: usize): void {
  for (; rows != 0; rows--, ends += 4) {
    const begin = load<u32>(ends - stride);
    const bytes = bytesOf<T>(load<u32>(ends) - begin);
    copy(from + bytesOf<T>(begin), to, bytes);
    to += bytes;
  }
}

/** Checks whether n elements, at least one, have the same key. */
function isOneKey<K>(at: usize, n: u32, kind: i32): bool {
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  const first = load<K>(at);
  const key = keyOf<K>(first, mask, flip, last);
  for (; n != 0; n--, at += sizeof<K>()) {
    const bits = load<K>(at);
    if (bits != first && keyOf<K>(bits, mask, flip, last) != key) return false;
  }
  return true;
}

/**
 * Sorts the n elements at `source` to `out`, which may be `source`, and overwrites both buffers: `source` and `target` have room
 * for n keys each. Keys are known to differ only in the bits below `top`; all bits if that is not known. `places`: 2 * 2048 + 1
 * words. The payloads at `p` go to `pOut` in the same way.
 */
function sort<K, P>(n: u32, source: usize, target: usize, out: usize, kind: i32, top: u32, places: usize, p: usize, pTarget: usize, pOut: usize): void {
  const isKnown = top < sizeof<K>() * 8 && n > INSERTION;
  if (!isKnown) {
    const differ = toKeys<K>(source, source, n, kind, keyOf<K>(load<K>(source), maskOf<K>(kind), flipOf<K>(kind), lastOf<K>(kind)));
    if (n <= INSERTION || differ == 0) {
      insert<K, P>(source, out, n, 0x7fffffff, kind, p, pOut);
      return;
    }
    top = sizeof<K>() * 8 - <u32>clz<K>(differ);
  }
  // Two digits, of as many bits as there are if few, else so many that few elements share all.
  const bits: u32 = min<u32>((top + 1) >> 1, min<u32>(max<u32>(33 - clz<u32>(n >> 2), 6), DIGIT_BITS));
  const low: u32 = top > 2 * bits ? top - 2 * bits : 0;
  const high: u32 = low + bits;
  const digit: u32 = (<u32>1 << bits) - 1;
  const places2 = word(places, 1 << bits);
  memory.fill(places, 0, <usize>8 << bits);
  if (isKnown && (kind & 3) == FLOAT) countingFloats<K>(source, n, kind, <K>low, <K>high, digit, places, places2);
  else countingIntegers<K>(source, n, isKnown ? flipOf<K>(kind) : 0, <K>low, <K>high, digit, places, places2);
  prefix(places, 1 << bits);
  prefix(places2, 1 << bits);
  touch(isVoid<P>() ? out : pOut, isVoid<P>() ? bytesOf<K>(n) : <usize>n << 2, word(places, 2 * DIGITS));
  pass<K, P>(source, target, n, <K>low, digit, places, p, pTarget);
  pass<K, P>(target, out, n, <K>high, digit, places2, pTarget, pOut);
  if (low == 0) {
    toElements<K>(out, n, kind);
    return;
  }
  const placed = insert<K, P>(out, out, n, <i32>(n << 2), kind, pOut, pOut);
  if (placed == n) return;
  // Crowded: few digits tell them apart. What was in place becomes keys again; its payloads have moved along.
  toKeys<K>(out, out, placed, kind, 0);
  const sorted = allDigits<K, P>(out, target, n, top, places, pOut, pTarget);
  if (sorted != out) {
    memory.copy(out, target, bytesOf<K>(n));
    if (!isVoid<P>()) memory.copy(pOut, pTarget, <usize>n << 2);
  }
  toElements<K>(out, n, kind);
}

/**
 * Finds what there is among n floats that a comparator may order otherwise than their bits: 1 for -0, 2 for 0, 4 for NaN.
 */
@inline function unordered<K>(at: usize, n: u32): u32 {
  const negative = <K>1 << (<K>sizeof<K>() * 8 - 1);
  const infinity: K = sizeof<K>() == 8 ? <K>0x7ff0000000000000 : <K>0x7f800000;
  let found: u32 = 0;
  for (; n != 0; n--, at += sizeof<K>()) {
    const bits = load<K>(at);
    if ((bits << 1) == 0) found |= bits == negative ? 1 : 2;
    else if ((bits << 1) > (infinity << 1)) found |= 4;
  }
  return found;
}

// for K of u32 u64
export function gather_K(from: usize, ends: usize, stride: usize, rows: u32, to: usize): void { gather<K>(from, ends, stride, rows, to); }
// for K of u32 u64
export function isOneKey_K(at: usize, n: u32, kind: i32): bool { return isOneKey<K>(at, n, kind); }
// for K of u32 u64
export function unordered_K(at: usize, n: u32): u32 { return unordered<K>(at, n); }
// for K of u32 u64, P of void u32
export function sort_K_P(n: u32, source: usize, target: usize, out: usize, kind: i32, top: u32, places: usize, p: usize, pTarget: usize, pOut: usize): void { sort<K, P>(n, source, target, out, kind, top, places, p, pTarget, pOut); }
