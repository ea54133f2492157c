/**
 * AssemblyScript: elements as keys that order as unsigned integers; runs on every thread.
 *
 * Floats with the sign set are inverted, other signed elements have the sign flipped, and any NaN is the last key.
 */

// Kinds of elements, as bucket-job.ts has them.
export const UNSIGNED: i32 = 0;
export const SIGNED: i32 = 1;
export const FLOAT: i32 = 2;

// @ts-ignore: decorator
@inline
export function signMaskOf<K>(kind: i32): K { return kind == FLOAT ? <K>-1 : <K>0; }
// @ts-ignore: decorator
@inline
export function flipOf<K>(kind: i32): K { return kind >= SIGNED ? <K>1 << (<K>sizeof<K>() * 8 - 1) : <K>0; }
/** Twice the bits of infinity: what is above, the sign shifted out, is NaN. */
// @ts-ignore: decorator
@inline
export function lastOf<K>(kind: i32): K {
  if (kind != FLOAT) return <K>-1;
  return sizeof<K>() == 8 ? <K>0xffe0000000000000 : <K>0xff000000;
}
// @ts-ignore: decorator
@inline
export function signOf<K>(bits: K): K {
  if (sizeof<K>() == 8) return <K>(<i64>bits >> 63);
  return <K>(<i32>bits >> 31);
}
// @ts-ignore: decorator
@inline
export function keyOf<K>(bits: K, signMask: K, flip: K, last: K): K {
  if ((bits << 1) > last) return <K>-1;
  return bits ^ ((signOf<K>(bits) & signMask) | flip);
}
// @ts-ignore: decorator
@inline
export function bitsOf<K>(key: K, signMask: K, flip: K): K {
  return key ^ ((~signOf<K>(key) & signMask) | flip);
}

// @ts-ignore: decorator
@inline
export function bytesOf<K>(n: u32): usize { return <usize>n * sizeof<K>(); }
