/** Place of a point on a Hilbert curve, as flatbush computes it for itself ("2D Hilbert curves in O(1)", from rawrunprotected's blog). */

/** Takes every bit of a number of 16 bits apart by one. */
function spread(bits: number): number {
  let x = (bits | (bits << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

/**
 * @param x an integer of 16 bits
 * @returns an integer of 32 bits with a sign
 */
export function hilbert(x: number, y: number): number {
  let [a, b, c, d] = [x ^ y, 0xffff ^ x ^ y, 0xffff ^ (x | y), x & (y ^ 0xffff)];
  let [A, B, C, D] = [a | (b >> 1), (a >> 1) ^ a, (c >> 1) ^ (b & (d >> 1)) ^ c, (a & (c >> 1)) ^ (d >> 1) ^ d];
  for (const shift of [2, 4]) {
    [a, b, c, d] = [A, B, C, D];
    A = (a & (a >> shift)) ^ (b & (b >> shift));
    B = (a & (b >> shift)) ^ (b & ((a ^ b) >> shift));
    C ^= (a & (c >> shift)) ^ (b & (d >> shift));
    D ^= (b & (c >> shift)) ^ ((a ^ b) & (d >> shift));
  }
  [a, b, c, d] = [A, B, C, D];
  C ^= (a & (c >> 8)) ^ (b & (d >> 8));
  D ^= (b & (c >> 8)) ^ ((a ^ b) & (d >> 8));
  a = C ^ (C >> 1);
  b = D ^ (D >> 1);
  const odd = x ^ y;
  return (((spread(b | (0xffff ^ (odd | a))) << 1) | spread(odd)) >>> 0) - 2 ** 31;
}
