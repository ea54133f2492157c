/**
 * Threefry-4x32-20, a generator of random numbers that has no state: 128 bits are a function of a key and a counter; runs on every thread.
 *
 * Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). It passes TestU01's BigCrush, and adds, rotates and
 * exclusive-ors words of 32 bits alone, which JavaScript has. **Rejected.** Philox and Squares multiply words of 32 and of 64 bits to double words, which
 * JavaScript has to put together from several products. Here the last two words of the key are 0: a seed has 53 bits.
 */

/** By how many bits a round rotates its two words; eight rounds have different ones. */
const ROTATIONS = [10, 26, 11, 21, 13, 27, 23, 5, 6, 20, 17, 11, 25, 10, 18, 20];
const ROUNDS = 20;
/** Of Threefish's key schedule. */
const PARITY = 0x1bd11bda;

/** Writes the four words of the counter `c0` to `c3` under the key `k0`, `k1`, 0, 0 to `out`. */
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
  for (let round = 0; round < ROUNDS; round++) {
    const at = (round & 7) << 1;
    const left = ROTATIONS[at] as number;
    const right = ROTATIONS[at + 1] as number;
    // The second word of each pair changes sides from round to round.
    if ((round & 1) === 0) {
      a = (a + b) | 0;
      b = ((b << left) | (b >>> (32 - left))) ^ a;
      c = (c + d) | 0;
      d = ((d << right) | (d >>> (32 - right))) ^ c;
    } else {
      a = (a + d) | 0;
      d = ((d << left) | (d >>> (32 - left))) ^ a;
      c = (c + b) | 0;
      b = ((b << right) | (b >>> (32 - right))) ^ c;
    }
    if ((round & 3) !== 3) continue;
    // Adds the key, its five words (k0, k1, 0, 0, k4) turned by one for each time, and the number of the time.
    const time = (round >> 2) + 1;
    a = (a + keyWord(k0, k1, k4, time)) | 0;
    b = (b + keyWord(k0, k1, k4, time + 1)) | 0;
    c = (c + keyWord(k0, k1, k4, time + 2)) | 0;
    d = (d + keyWord(k0, k1, k4, time + 3) + time) | 0;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

function keyWord(k0: number, k1: number, k4: number, at: number): number {
  const word = at % 5;
  return word === 0 ? k0 : word === 1 ? k1 : word === 4 ? k4 : 0;
}
