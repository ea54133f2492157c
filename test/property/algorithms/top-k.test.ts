import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelTopK, parallelTopKSync } from '../../../src/algorithms/sort/top-k.js';
import { heapStats } from '../../../src/core/memory/heap.js';
import { isShared, sharedArray } from '../../../src/core/memory/shared-array.js';
import { bits, difference, MOSTLY_FLOATS, place, somePlace, someValues } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

type Value = number | bigint;

/** Largest first, 0 before -0, NaN last. */
function downwards(a: Value, b: Value): number {
  if (a > b) return -1;
  if (a < b) return 1;
  if (a === b) return a === 0 && b === 0 ? Number(Object.is(a, -0)) - Number(Object.is(b, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

const someK = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 9000 }));

describe('parallelTopK', () => {
  test('gives the largest numbers, largest first, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(MOSTLY_FLOATS, 9000),
        someK,
        somePlace,
        schedule,
        async ({ values }, k, where, given) => {
          const xs = place(values, where);
          const top = await parallelTopK(xs, k, follow(given));
          expect(isShared(top)).toBe(where.shared);
          expect(top[Symbol.toStringTag]).toBe(values[Symbol.toStringTag]);
          const expected = Array.from<Value>(values).sort(downwards).slice(0, k);
          expect(difference(top, expected)).toBeUndefined();
          expect(difference(xs, values)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('gives the first k of a stable sort by a comparator', async () => {
    const compare = (a: number, b: number): number => Math.floor(a) - Math.floor(b);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 9000 }), fc.integer(), someK, schedule, async (n, seed, k, given) => {
        const random = bits(seed);
        const xs = sharedArray(
          Float64Array,
          Array.from({ length: n }, (_, i) => (random() % 30) + i / 16384),
        );
        const top = await parallelTopK(xs, k, compare, follow(given));
        expect(difference(top, Array.from(xs).sort(compare).slice(0, k))).toBeUndefined();
      }),
    );
  });

  test('gives the indices of what it would give, those of equal elements in order', async () => {
    const compare = (a: Value, b: Value): number => Number(a > 0) - Number(b > 0);
    await fc.assert(
      fc.asyncProperty(
        someValues(MOSTLY_FLOATS, 9000),
        someK,
        somePlace,
        schedule,
        fc.boolean(),
        async ({ values }, k, where, given, isCompared) => {
          const xs = place(values, where) as Float64Array;
          const options = { ...follow(given), indices: true } as const;
          const top = await (isCompared ? parallelTopK(xs, k, compare, options) : parallelTopK(xs, k, options));
          expect([top.constructor, isShared(top)]).toEqual([Uint32Array, where.shared]);
          const list = Array.from<Value>(values);
          const order = isCompared ? compare : downwards;
          const expected = list
            .map((_, i) => i)
            .sort((i, j) => order(list[i] as Value, list[j] as Value))
            .slice(0, k);
          expect(difference(top, expected)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('gives the indices of equal numbers in order, whichever thread has seen which block', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 20 }), schedule, async (seed, k, given) => {
        const random = bits(seed);
        const xs = sharedArray(Uint8Array, 60_000).map(() => random() % 3);
        const top = await parallelTopK(xs, k, { ...follow(given), indices: true });
        const expected = Array.from(xs, (_, i) => i).sort((i, j) => (xs[j] as number) - (xs[i] as number));
        expect(difference(top, expected.slice(0, k))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test('gives the same at any schedule, however inconsistent the comparator is', async () => {
    const hash = (a: number, b: number): number => (Math.imul(a * 31 + b, 0x9e3779b1) >> 30) as number;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 9000 }), someK, schedule, schedule, async (n, k, one, other) => {
        const xs = sharedArray(
          Float64Array,
          Array.from({ length: n }, (_, i) => i),
        );
        const first = await parallelTopK(xs, k, hash, { threshold: Math.min(follow(one).threshold, n - 1) });
        const second = await parallelTopK(xs, k, hash, { threshold: Math.min(follow(other).threshold, n - 1) });
        expect(difference(first, second)).toBeUndefined();
        expect(new Set(first).size).toBe(Math.min(k, n));
      }),
    );
  });

  test('compares each element once and few of them again, for a small k', async () => {
    const xs = sharedArray(Float64Array, 20_000).map((_, i) => Math.sin(i * i));
    const compare = (a: number, b: number, { calls }: { calls: Int32Array }): number => {
      calls[0]++;
      return a - b;
    };
    for (const [k, most] of [
      [1, 1.5],
      [50, 3.5],
    ]) {
      const calls = sharedArray(Int32Array, 1);
      await parallelTopK(xs, k, compare, { context: { calls } });
      expect(calls[0]).toBeGreaterThanOrEqual(xs.length - 1);
      expect(calls[0]).toBeLessThan(most * xs.length); // a sort takes 14 times as many as there are elements
    }
  });

  test('leaves the array as it was when the comparator throws, and gives its memory back', async () => {
    const xs = Float64Array.from({ length: 30_000 }, (_, i) => Math.sin(i));
    const before = xs.slice();
    const attempt = async (): Promise<void> => {
      for (const k of [5, 20_000]) {
        const failing = (a: number, b: number): number => {
          if (a > 0.99) throw new RangeError('enough');
          return a - b;
        };
        await expect(parallelTopK(xs, k, failing)).rejects.toThrow('enough');
        const sign = 1;
        await expect(parallelTopK(xs, k, (a, b) => sign * (a - b))).rejects.toThrow(
          /parallelTopK.*captured variable `sign`|captured variable `sign`.*parallelTopK/,
        );
        await parallelTopK(xs, k, { threshold: 100 });
      }
    };
    await attempt();
    const stats = heapStats();
    await attempt();
    expect(heapStats()).toEqual(stats);
    expect(xs).toEqual(before);
  });

  test('checks its arguments before anything starts', async () => {
    const xs = Float64Array.of(1, 2);
    const wrong = (...all: unknown[]): Promise<unknown> =>
      (parallelTopK as (...all: unknown[]) => Promise<unknown>)(...all);
    for (const k of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(wrong(xs, k)).rejects.toThrow(RangeError);
    await expect(wrong(xs)).rejects.toThrow(/k must be a number of elements, but it is undefined/);
    await expect(wrong('ab', 1)).rejects.toThrow(/xs must be a typed array, but it is "ab"/);
    await expect(wrong(xs, 1, 'up')).rejects.toThrow(/compare must be a function/);
    await expect(wrong(xs, 1, undefined, { bins: 1 })).rejects.toThrow(/no option "bins"/);
    expect([...parallelTopKSync(xs, 7)]).toEqual([2, 1]);
    expect([...parallelTopKSync(xs, 0)]).toEqual([]);
    expect([...parallelTopKSync(new BigInt64Array(0), 3)]).toEqual([]);
  });

  test('steals and splits in these tests, and reports progress', async () => {
    const seen: number[] = [];
    const xs = sharedArray(
      Float64Array,
      Array.from({ length: 200_000 }, (_, i) => i),
    );
    expect([...(await parallelTopK(xs, 2, { threshold: 1, onProgress: (done) => seen.push(done) }))]).toEqual([
      199_999, 199_998,
    ]);
    expect(simulation.steals).toBeGreaterThan(5);
    expect(seen.at(-1)).toBe(200_000);
  });
});
