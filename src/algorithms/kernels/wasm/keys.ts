/**
 * AssemblyScript: elements as keys that order as unsigned integers; runs on every thread.
 *
 * Floats with the sign set are inverted, other signed elements have the sign flipped, and any NaN is the last key. For a
 * descending order all that is inverted once more, but for NaN.
 */

// Kinds of elements, as wasm-sort.ts has them.
export const UNSIGNED: i32 = 0;
export const SIGNED: i32 = 1;
export const FLOAT: i32 = 2;

/** Added to a kind: larger elements first, NaN last all the same. */
export const DESCENDING: i32 = 4;

/** The bits that are inverted where the sign is set: all other bits of a float, none of an integer. */
@inline
export function maskOf<K>(kind: i32): K {
  return (kind & 3) == FLOAT ? ~(<K>1 << (<K>sizeof<K>() * 8 - 1)) : <K>0;
}

/** The bits that are inverted in every element. */
@inline
export function flipOf<K>(kind: i32): K {
  const flip = (kind & 3) >= SIGNED ? <K>1 << (<K>sizeof<K>() * 8 - 1) : <K>0;
  return (kind & DESCENDING) != 0 ? ~flip : flip;
}

/** The bits of infinity, shifted left by one: an element whose shifted bits are above is NaN. */
@inline
export function lastOf<K>(kind: i32): K {
  if ((kind & 3) != FLOAT) return <K>-1;
  return sizeof<K>() == 8 ? <K>0xffe0000000000000 : <K>0xff000000;
}

@inline
function signOf<K>(bits: K): K {
  if (sizeof<K>() == 8) return <K>(<i64>bits >> 63);
  return <K>(<i32>bits >> 31);
}

@inline
export function keyOf<K>(bits: K, mask: K, flip: K, last: K): K {
  if ((bits << 1) > last) return <K>-1;
  return bits ^ ((signOf<K>(bits) & mask) ^ flip);
}

/** The element that a key stands for. The key shows the sign of the element. */
@inline
export function bitsOf<K>(key: K, mask: K, flip: K): K {
  return key ^ ((signOf<K>(key ^ flip) & mask) ^ flip);
}

@inline
export function bytesOf<K>(n: u32): usize { return <usize>n * sizeof<K>(); }
