/** SHA-1 (FIPS 180-4) of messages of five or six words, as states of trees. Each thread has its own scratch words. */

/** A state: five words. */
export const STATE_WORDS = 5;

const w = new Int32Array(80);

/** The state of a root. */
export function rootState(seed: number, out: Int32Array): void {
  w.fill(0, 0, 16);
  w[4] = seed;
  w[5] = 0x80000000;
  w[15] = 160; // bits
  hash(out);
}

/** The state of child `i` of a node, into `out`. */
export function childState(
  s0: number,
  s1: number,
  s2: number,
  s3: number,
  s4: number,
  i: number,
  out: Int32Array,
): void {
  w[0] = s0;
  w[1] = s1;
  w[2] = s2;
  w[3] = s3;
  w[4] = s4;
  w[5] = i;
  w[6] = 0x80000000;
  for (let t = 7; t < 15; t++) w[t] = 0;
  w[15] = 192;
  hash(out);
}

function hash(out: Int32Array): void {
  for (let t = 16; t < 80; t++) {
    const x = w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16];
    w[t] = (x << 1) | (x >>> 31);
  }
  let a = 0x67452301;
  let b = 0xefcdab89 | 0;
  let c = 0x98badcfe | 0;
  let d = 0x10325476;
  let e = 0xc3d2e1f0 | 0;
  for (let t = 0; t < 80; t++) {
    const mixed =
      t < 20
        ? ((b & c) | (~b & d)) + 0x5a827999
        : t < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : t < 60
            ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + (mixed | 0) + e + w[t]) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  out[0] = a + 0x67452301;
  out[1] = b + 0xefcdab89;
  out[2] = c + 0x98badcfe;
  out[3] = d + 0x10325476;
  out[4] = e + 0xc3d2e1f0;
}
