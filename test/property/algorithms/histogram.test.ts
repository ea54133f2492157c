import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelHistogram, parallelHistogramSync } from '../../../src/algorithms/group/histogram.js';
import { isShared, sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, bits, difference, place, somePlace, someValues } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { sequentialHistogram } from '../../helpers/sequential.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

/** The formula of the documentation, as it stands there; bigints as numbers. */
const countsOf = (xs: TypedArray, bins: number, min: number, max: number): Uint32Array =>
  sequentialHistogram(Array.from<number | bigint, number>(xs, Number), bins, min, max);

describe('parallelHistogram', () => {
  test('counts into bins of equal width by the documented formula, wherever the array lies', async () => {
    const end = fc.oneof(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), fc.integer({ min: -300, max: 300 }));
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        schedule,
        fc.integer({ min: 1, max: 1000 }),
        end,
        end,
        async ({ values }, where, given, bins, one, other) => {
          const [min, max] = [Math.min(one, other), Math.max(one, other)];
          fc.pre(min < max && Number.isFinite((max - min) * bins));
          const counts = await parallelHistogram(place(values, where), { ...follow(given), bins, min, max });
          expect(counts).toBeInstanceOf(Uint32Array);
          expect(isShared(counts)).toBe(where.shared);
          expect(difference(counts, countsOf(values, bins, min, max))).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('counts into the bins that a function names', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        schedule,
        fc.integer({ min: 1, max: 3000 }),
        async ({ values }, where, given, bins) => {
          const counts = await parallelHistogram(
            place(values, where),
            (x, i, { bins }) => (Math.abs(Math.trunc(Number(x))) + i) % bins || 0,
            { ...follow(given), bins, context: { bins } },
          );
          const expected = new Array<number>(bins).fill(0);
          values.forEach((x, i) => {
            expected[(Math.abs(Math.trunc(Number(x))) + i) % bins || 0]++;
          });
          expect(difference(counts, expected)).toBeUndefined();
        },
      ),
    );
  });

  test('keeps to few tables where there are millions of bins', async () => {
    const bins = 3_000_000;
    const random = bits(7);
    const xs = sharedArray(
      Uint32Array,
      Array.from({ length: 20_000 }, () => random() % bins),
    );
    const before = new Uint32Array(bins);
    for (const x of xs) before[x]++;
    for (const threshold of [1, 1e6]) {
      const counts = await parallelHistogram(xs, (x) => x, { bins, threshold });
      expect(Buffer.compare(Buffer.from(counts), Buffer.from(before))).toBe(0);
    }
  });

  test('counts the ends, and neither NaN nor what lies outside', () => {
    const xs = Float64Array.of(1, 2, 3, Number.NaN, 0.999, 3.001, -0, Number.POSITIVE_INFINITY);
    expect([...parallelHistogramSync(xs, { bins: 4, min: 1, max: 3 })]).toEqual([1, 0, 1, 1]);
    expect([...parallelHistogramSync(BigInt64Array.of(-5n, 0n, 5n), { bins: 2, min: -5n, max: 5n })]).toEqual([1, 2]);
    expect([...parallelHistogramSync(new Int8Array(0), { bins: 2, min: 0, max: 1 })]).toEqual([0, 0]);
    expect([...parallelHistogramSync(sharedArray(Int8Array, 0), (x) => x, { bins: 2 })]).toEqual([0, 0]);
  });

  test('refuses a bin that is none, with the element and the cure', async () => {
    const xs = Float64Array.from({ length: 5000 }, (_, i) => i);
    for (const bad of [-1, 10, 1.5, Number.NaN, '3', 3n, undefined] as number[]) {
      const failing = parallelHistogram(xs, (_, i, { bad }) => (i >= 2000 ? bad : 3), { bins: 10, context: { bad } });
      await expect(failing).rejects.toThrow(
        /^furcate: parallelHistogram: binOf must return an integer from 0 to 9 .*index 2000/,
      );
      await expect(failing).rejects.toBeInstanceOf(RangeError);
    }
    expect([...parallelHistogramSync(xs.subarray(0, 3), () => -0, { bins: 1 })]).toEqual([3]);
    const width = 5;
    await expect(parallelHistogram(xs, (x) => Math.floor(x / width), { bins: 1000 })).rejects.toThrow(
      /binOf of parallelHistogram.*captured variable `width`|captured variable `width`/,
    );
  });

  test('checks its arguments before anything starts', async () => {
    const xs = Float64Array.of(1, 2);
    const wrong = (...rest: unknown[]): Promise<unknown> =>
      (parallelHistogram as (...all: unknown[]) => Promise<unknown>)(xs, ...rest);
    await expect(wrong()).rejects.toThrow(/options.bins is how many bins/);
    for (const bins of [0, -1, -0.5, 1.5, 2 ** 30 + 1, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY, '3', 3n, null]) {
      for (const rest of [[(x: number) => x, { bins }], [{ bins, min: 0, max: 1 }]]) {
        const refused = wrong(...rest);
        await expect(refused).rejects.toThrow(/options.bins is how many bins there are, an integer from 1 to 2\^30/);
        await expect(refused).rejects.toBeInstanceOf(typeof bins === 'number' ? RangeError : TypeError);
      }
    }
    await expect(wrong({ bins: 3 })).rejects.toThrow(/options.min must be a number.*Give both ends/);
    await expect(wrong({ bins: 3, min: 0 })).rejects.toThrow(/options.max must be a number/);
    for (const [min, max] of [
      [1, 1],
      [2, 1],
      [Number.NaN, 1],
      [0, Number.POSITIVE_INFINITY],
      [-1e308, 1e308],
    ]) {
      await expect(wrong({ bins: 3, min, max })).rejects.toThrow(/options.min must be less than options.max/);
    }
    await expect(wrong((x: number) => x, { bins: 3, min: 0, max: 1 })).rejects.toThrow(/no option "min"/);
    await expect(wrong('x', { bins: 3 })).rejects.toThrow(/binOf must be a function/);
  });

  test('steals and splits in these tests', async () => {
    await parallelHistogram(sharedArray(Float64Array, 3000), { bins: 2, min: 0, max: 1, threshold: 1 });
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
