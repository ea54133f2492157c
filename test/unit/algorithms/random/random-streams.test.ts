/** Statistics of streams with fixed seeds: the numbers never change, so that a bound is met or not once and for all. */
import { describe, expect, test } from 'vitest';
import { randomStreams } from '../../../../src/algorithms/random/random-streams.js';

/** How far counts are from what is expected, in deviations of the chi-squared distribution. */
function deviation(counts: ArrayLike<number>, expected: number): number {
  let sum = 0;
  for (let k = 0; k < counts.length; k++) sum += ((counts[k] as number) - expected) ** 2 / expected;
  const degrees = counts.length - 1;
  return (sum - degrees) / Math.sqrt(2 * degrees);
}

/** One chance in 15,000 on either side. */
const MOST = 4;

/** Numbers in the orders in which programs draw them. */
const ORDERS: Readonly<Record<string, (n: number) => Float64Array>> = {
  'one stream': (n) => {
    const stream = randomStreams(1).stream(5);
    return Float64Array.from({ length: n }, () => stream.next());
  },
  'the first number of each stream': (n) => {
    const random = randomStreams(2);
    return Float64Array.from({ length: n }, (_, i) => random.stream(i).next());
  },
  'the first number of each seed': (n) => Float64Array.from({ length: n }, (_, i) => randomStreams(i).stream(0).next()),
  'far apart streams': (n) => {
    const random = randomStreams(3);
    return Float64Array.from({ length: n }, (_, i) => random.stream((i - n / 2) * 2 ** 33).next());
  },
};

describe.each(Object.entries(ORDERS))('%s:', (_, numbers) => {
  const xs = numbers(1 << 16);

  test('numbers are from 0 up to 1, and equally spread over 256 bins', () => {
    const counts = new Uint32Array(256);
    for (const x of xs) counts[Math.floor(256 * x)]!++;
    expect(xs.every((x) => x >= 0 && x < 1)).toBe(true);
    expect(Math.abs(deviation(counts, xs.length / 256))).toBeLessThan(MOST);
  });

  test('the low bits of 53 are equally spread, too', () => {
    const counts = new Uint32Array(256);
    for (const x of xs) counts[(x * 2 ** 53) % 256]!++;
    expect(Math.abs(deviation(counts, xs.length / 256))).toBeLessThan(MOST);
  });

  test('neighbours are independent: pairs are equally spread over a grid', () => {
    const counts = new Uint32Array(1024);
    for (let i = 1; i < xs.length; i++) counts[32 * Math.floor(32 * xs[i - 1]!) + Math.floor(32 * xs[i]!)]!++;
    expect(Math.abs(deviation(counts, (xs.length - 1) / 1024))).toBeLessThan(MOST);
  });

  test('rises and falls follow one another as they should: runs up of each length', () => {
    const counts = new Uint32Array(6);
    let length = 1;
    for (let i = 1; i < xs.length; i++) {
      if (xs[i]! > xs[i - 1]!) {
        length++;
        continue;
      }
      counts[Math.min(length, 6) - 1]!++;
      length = 1;
      i++; // the number after a run is left out, so that runs are independent
    }
    const runs = counts.reduce((a, b) => a + b, 0);
    const factorial = [1, 1, 2, 6, 24, 120, 720, 5040];
    const share = (k: number): number => (k < 6 ? 1 / factorial[k]! - 1 / factorial[k + 1]! : 1 / factorial[6]!);
    let sum = 0;
    for (let k = 1; k <= 6; k++) sum += (counts[k - 1]! - runs * share(k)) ** 2 / (runs * share(k));
    expect((sum - 5) / Math.sqrt(10)).toBeLessThan(MOST);
  });

  test('birthdays: spacings of sorted numbers repeat as often as chance has it', () => {
    // 4,096 days of 2^32 years long: 4096^3 / (4 * 2^32) = 4 repeated spacings on average, after Marsaglia and Tsang (2002).
    let repeats = 0;
    for (let group = 0; group < 16; group++) {
      const days = Float64Array.from(xs.subarray(group << 12, (group + 1) << 12), (x) =>
        Math.floor(x * 2 ** 32),
      ).sort();
      const spacings = days.map((day, k) => (k === 0 ? day : day - days[k - 1]!)).sort();
      for (let k = 1; k < spacings.length; k++) if (spacings[k] === spacings[k - 1]) repeats++;
    }
    expect(Math.abs(repeats - 64) / 8).toBeLessThan(MOST);
  });
});

test('a stream begins anew each time that it is asked for, and others differ', () => {
  const draw = (seed: number, index: number): number[] => {
    const stream = randomStreams(seed).stream(index);
    return Array.from({ length: 5 }, () => stream.next());
  };
  expect(draw(7, 3)).toEqual(draw(7, 3));
  const all = [
    draw(7, 3),
    draw(8, 3),
    draw(7, 4),
    draw(-7, 3),
    draw(7, -3),
    draw(7, 3 + 2 ** 32),
    draw(7 + 2 ** 32, 3),
  ];
  expect(new Set(all.flat()).size).toBe(35);
});

test('below(n) gives all integers below n equally often, and none else', () => {
  const stream = randomStreams(4).stream(0);
  const counts = new Uint32Array(7);
  for (let k = 0; k < 70_000; k++) counts[stream.below(7)]!++;
  expect(Math.abs(deviation(counts, 10_000))).toBeLessThan(MOST);
  expect(stream.below(1)).toBe(0);
  const large = 2 ** 53 - 1;
  expect(
    Array.from({ length: 100 }, () => stream.below(large)).every((n) => Number.isSafeInteger(n) && n < large),
  ).toBe(true);
});

test('normal() has the moments of the normal distribution', () => {
  const stream = randomStreams(5).stream(0);
  const n = 100_000;
  const moments = [0, 0, 0, 0];
  for (let k = 0; k < n; k++) {
    const x = stream.normal();
    for (let power = 1; power <= 4; power++) moments[power - 1]! += x ** power / n;
  }
  const deviations = [1, 2, 15, 96].map((variance) => Math.sqrt(variance / n));
  for (const [k, expected] of [0, 1, 0, 3].entries())
    expect(Math.abs(moments[k]! - expected) / deviations[k]!).toBeLessThan(MOST);
});

test.each([
  [
    () => randomStreams(0.5),
    'randomStreams(seed): seed must be an integer from -(2^53 - 1) to 2^53 - 1, but it is 0.5.',
  ],
  [() => randomStreams('7' as never), 'randomStreams(seed): seed must be an integer, but it is'],
  [() => randomStreams(1).stream(2 ** 53), 'index must be an integer'],
  [() => randomStreams(1).stream(0).below(0), 'n must be an integer from 1 to 2^53 - 1, but it is 0.'],
])('%# is refused by name', (call, message) => {
  expect(call).toThrow(message);
});
