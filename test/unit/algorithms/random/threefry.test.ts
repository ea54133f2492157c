import { expect, test } from 'vitest';
import { threefry } from '../../../../src/algorithms/random/threefry.js';

/** As the paper writes it, for any key, with integers of any length: round by round, the key turned by one every four rounds. */
function asInThePaper(key: readonly number[], counter: readonly number[]): number[] {
  const rotations = [
    [10, 26],
    [11, 21],
    [13, 27],
    [23, 5],
    [6, 20],
    [17, 11],
    [25, 10],
    [18, 20],
  ] as const;
  const word = (x: bigint): bigint => x & 0xffffffffn;
  const rotated = (x: bigint, by: number): bigint => word((x << BigInt(by)) | (x >> BigInt(32 - by)));
  const keys = key.map((k) => word(BigInt(k)));
  keys.push(keys.reduce((a, b) => a ^ b, 0x1bd11bdan));
  const keyAt = (k: number): bigint => keys[k % 5] as bigint;
  let x = counter.map((c, i) => word(BigInt(c) + keyAt(i)));
  for (let round = 0; round < 20; round++) {
    const [p, q] = rotations[round % 8] as readonly [number, number];
    let [a, b, c, d] = x as [bigint, bigint, bigint, bigint];
    if (round % 2 === 1) [b, d] = [d, b];
    a = word(a + b);
    b = rotated(b, p) ^ a;
    c = word(c + d);
    d = rotated(d, q) ^ c;
    if (round % 2 === 1) [b, d] = [d, b];
    x = [a, b, c, d];
    const time = (round + 1) / 4;
    if (Number.isInteger(time)) x = x.map((y, i) => word(y + keyAt(time + i) + (i === 3 ? BigInt(time) : 0n)));
  }
  return x.map(Number);
}

const hex = (words: ArrayLike<number>): string =>
  Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join(' ');

test('the formula of the paper gives the known answers of its authors', () => {
  expect(hex(asInThePaper([0, 0, 0, 0], [0, 0, 0, 0]))).toBe('9c6ca96a e17eae66 fc10ecd4 5256a7d8');
  const ones = [-1, -1, -1, -1];
  expect(hex(asInThePaper(ones, ones))).toBe('2a881696 57012287 f6c7446e a16a6732');
  const pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
  const more = [0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89];
  expect(hex(asInThePaper(more, pi))).toBe('59cd1dbb b8879579 86b5d00c ac8b6d84');
});

test('threefry gives what the formula gives, for keys whose last words are 0', () => {
  const out = new Int32Array(4);
  let seed = 1;
  const some = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return seed;
  };
  for (let k = 0; k < 200; k++) {
    const [k0, k1, c0, c1, c2, c3] = [some(), some(), some(), some(), some(), some()] as const;
    threefry(k0, k1, c0, c1, c2, c3, out);
    expect(hex(out)).toBe(hex(asInThePaper([k0, k1, 0, 0], [c0, c1, c2, c3])));
  }
});
