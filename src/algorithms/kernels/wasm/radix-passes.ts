/**
 * AssemblyScript: passes of a radix sort, least significant digit first; runs on every thread. P is a payload that moves
 * along with each key, u32 or void.
 */
import { bytesOf } from './keys';

/** Most bits of a digit. */
export const DIGIT_BITS: u32 = 11;
export const DIGITS: u32 = 1 << DIGIT_BITS;
@inline
export function bump(at: usize): void { store<u32>(at, load<u32>(at) + 1); }
@inline
export function word(base: usize, index: u32): usize { return base + (<usize>index << 2); }
/**
 * Brings cache lines from memory in the order of their addresses. This is faster than leaving it to the loads of a loop that
 * computes, or to stores at arbitrary addresses.
 */
@inline
export function touch(at: usize, bytes: usize, scratch: usize): void {
  let sum: u32 = 0;
  for (let lines = bytes >> 6; lines != 0; lines--, at += 64) sum += load<u32>(at);
  store<u32>(scratch, sum); // or else the compiler would drop the loads
}
/** Turns counts into places. */
export function prefix(counts: usize, size: u32): void {
  let sum: u32 = 0;
  for (; size != 0; size--, counts += 4) {
    const count = load<u32>(counts);
    store<u32>(counts, sum);
    sum += count;
  }
}

@inline
export function put<K, P>(place: usize, key: K, to: usize, p: usize, pTo: usize): void {
  const at = load<u32>(place);
  store<u32>(place, at + 1);
  store<K>(to + bytesOf<K>(at), key);
  if (!isVoid<P>()) store<u32>(word(pTo, at), load<u32>(p));
}

/** One pass: moves keys to their places by the digit at `shift`. */
export function pass<K, P>(from: usize, to: usize, n: u32, shift: K, mask: u32, places: usize, p: usize, pTo: usize): void {
  for (; n >= 4; n -= 4, from += 4 * sizeof<K>()) {
    const k0 = load<K>(from);
    const k1 = load<K>(from, sizeof<K>());
    const k2 = load<K>(from, 2 * sizeof<K>());
    const k3 = load<K>(from, 3 * sizeof<K>());
    put<K, P>(word(places, <u32>(k0 >> shift) & mask), k0, to, p, pTo);
    put<K, P>(word(places, <u32>(k1 >> shift) & mask), k1, to, p + 4, pTo);
    put<K, P>(word(places, <u32>(k2 >> shift) & mask), k2, to, p + 8, pTo);
    put<K, P>(word(places, <u32>(k3 >> shift) & mask), k3, to, p + 12, pTo);
    if (!isVoid<P>()) p += 16;
  }
  for (; n != 0; n--, from += sizeof<K>()) {
    const k = load<K>(from);
    put<K, P>(word(places, <u32>(k >> shift) & mask), k, to, p, pTo);
    if (!isVoid<P>()) p += 4;
  }
}

/** Sorts keys by all digits up to bit `top`; returns where they are then, `from` or `to`. */
export function allDigits<K, P>(from: usize, to: usize, n: u32, top: u32, places: usize, p: usize, pTo: usize): usize {
  for (let shift: u32 = 0; shift < top; shift += DIGIT_BITS) {
    memory.fill(places, 0, DIGITS << 2);
    let at = from;
    for (let left = n; left != 0; left--, at += sizeof<K>()) {
      bump(word(places, <u32>(load<K>(at) >> <K>shift) & (DIGITS - 1)));
    }
    if (load<u32>(word(places, <u32>(load<K>(from) >> <K>shift) & (DIGITS - 1))) == n) continue;
    prefix(places, DIGITS);
    pass<K, P>(from, to, n, <K>shift, DIGITS - 1, places, p, pTo);
    const swap = from;
    from = to;
    to = swap;
    const pSwap = p;
    p = pTo;
    pTo = pSwap;
  }
  return from;
}
