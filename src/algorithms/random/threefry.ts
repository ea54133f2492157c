/**
 * Threefry-4x32-20, a generator of random numbers that has no state: 128 bits are a function of a key and a counter; runs on every thread.
 *
 * Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). It passes TestU01's BigCrush, and adds, rotates and
 * exclusive-ors words of 32 bits alone, which JavaScript has. **Rejected.** Philox and Squares multiply words of 32 and of 64 bits to double words, which
 * JavaScript has to put together from several products. Here the last two words of the key are 0: a seed has 53 bits.
 *
 * The twenty rounds stand one after the other. In a loop, with the amounts and the words of the key from tables, a number took twice as long, and how much
 * of it V8 inlined differed from thread to thread.
 */

/** Of Threefish's key schedule. */
const PARITY = 0x1bd11bda;

/**
 * Writes the four words of the counter `c0` to `c3` under the key `k0`, `k1`, 0, 0 to `out`.
 *
 * The words (k0, k1, 0, 0, k4) of the key, turned by one each time, and the number of the time are added after each four rounds; the second word of each
 * pair changes sides from round to round.
 */
export function threefry(
  k0: number,
  k1: number,
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  out: Int32Array,
): void {
  const k4 = PARITY ^ k0 ^ k1;
  let a = (c0 + k0) | 0;
  let b = (c1 + k1) | 0;
  let c = c2;
  let d = c3;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  a = (a + k1) | 0;
  d = (d + k4 + 1) | 0;
  a = (a + b) | 0;
  b = ((b << 6) | (b >>> 26)) ^ a;
  c = (c + d) | 0;
  d = ((d << 20) | (d >>> 12)) ^ c;
  a = (a + d) | 0;
  d = ((d << 17) | (d >>> 15)) ^ a;
  c = (c + b) | 0;
  b = ((b << 11) | (b >>> 21)) ^ c;
  a = (a + b) | 0;
  b = ((b << 25) | (b >>> 7)) ^ a;
  c = (c + d) | 0;
  d = ((d << 10) | (d >>> 22)) ^ c;
  a = (a + d) | 0;
  d = ((d << 18) | (d >>> 14)) ^ a;
  c = (c + b) | 0;
  b = ((b << 20) | (b >>> 12)) ^ c;
  c = (c + k4) | 0;
  d = (d + k0 + 2) | 0;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  b = (b + k4) | 0;
  c = (c + k0) | 0;
  d = (d + k1 + 3) | 0;
  a = (a + b) | 0;
  b = ((b << 6) | (b >>> 26)) ^ a;
  c = (c + d) | 0;
  d = ((d << 20) | (d >>> 12)) ^ c;
  a = (a + d) | 0;
  d = ((d << 17) | (d >>> 15)) ^ a;
  c = (c + b) | 0;
  b = ((b << 11) | (b >>> 21)) ^ c;
  a = (a + b) | 0;
  b = ((b << 25) | (b >>> 7)) ^ a;
  c = (c + d) | 0;
  d = ((d << 10) | (d >>> 22)) ^ c;
  a = (a + d) | 0;
  d = ((d << 18) | (d >>> 14)) ^ a;
  c = (c + b) | 0;
  b = ((b << 20) | (b >>> 12)) ^ c;
  a = (a + k4) | 0;
  b = (b + k0) | 0;
  c = (c + k1) | 0;
  d = (d + 4) | 0;
  a = (a + b) | 0;
  b = ((b << 10) | (b >>> 22)) ^ a;
  c = (c + d) | 0;
  d = ((d << 26) | (d >>> 6)) ^ c;
  a = (a + d) | 0;
  d = ((d << 11) | (d >>> 21)) ^ a;
  c = (c + b) | 0;
  b = ((b << 21) | (b >>> 11)) ^ c;
  a = (a + b) | 0;
  b = ((b << 13) | (b >>> 19)) ^ a;
  c = (c + d) | 0;
  d = ((d << 27) | (d >>> 5)) ^ c;
  a = (a + d) | 0;
  d = ((d << 23) | (d >>> 9)) ^ a;
  c = (c + b) | 0;
  b = ((b << 5) | (b >>> 27)) ^ c;
  a = (a + k0) | 0;
  b = (b + k1) | 0;
  d = (d + 5) | 0;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}
