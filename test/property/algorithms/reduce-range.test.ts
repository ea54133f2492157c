import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { NamedReduction } from '../../../src/algorithms/kernels/operators.js';
import { parallelReduce, parallelReduceRange, parallelReduceRangeSync } from '../../../src/algorithms/reduce/index.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const ranges = fc
  .tuple(
    fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.constantFrom(2 ** 31 - 40, -(2 ** 40), 2 ** 53 - 30_000)),
    fc.nat(20_000),
  )
  .map(([lo, n]) => [lo, lo + n] as const);

test('parallelReduceRange gives what parallelReduce gives of an array of the same integers, bit for bit', async () => {
  const ops = fc.constantFrom<NamedReduction | ((a: number, b: number) => number)>(
    'sum',
    'max',
    'xor',
    (a, b) => a + b,
  );
  const property = fc.asyncProperty(ranges, ops, schedule, async ([lo, hi], op, { threshold, ...changes }) => {
    const xs = Float64Array.from({ length: hi - lo }, (_, i) => lo + i);
    const expected = await parallelReduce(xs, op as never, 0, { map: (x) => Math.sin(x) });
    reset(changes);
    const range = lo === 0 ? hi : ([lo, hi] as const);
    const actual = await parallelReduceRange(range, op as never, 0, { map: (i) => Math.sin(i), threshold });
    expect(actual).toBe(expected);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('the results may be of any kind, and the identity counts once, at the left end', async () => {
  const property = fc.asyncProperty(fc.nat(3000), schedule, async (n, { threshold, ...changes }) => {
    reset(changes);
    const join = (a: number[], b: number[]): number[] => a.concat(b);
    const all = await parallelReduceRange([7, 7 + n], join, [-1], { map: (i) => [i], threshold });
    expect(all).toEqual([-1, ...Array.from({ length: n }, (_, i) => 7 + i)]);
  });
  await fc.assert(property, { numRuns: 40 });
});

test('an empty range gives the identity, and where there is none, the neutral element', async () => {
  expect(await parallelReduceRange(0, (a, b) => a + b, 5, { map: () => 1 })).toBe(5);
  expect(parallelReduceRangeSync([3, 3], 'min', { map: (i) => i })).toBe(Number.POSITIVE_INFINITY);
  expect(parallelReduceRangeSync(0, 'sum', { map: (i) => i })).toBe(0);
});

test('map is called once for each integer, with the context', async () => {
  const call = { context: { at: 10 }, threshold: 3 };
  reset({ thieves: 2 } as Parameters<typeof reset>[0]);
  expect(await parallelReduceRange(100, 'sum', { map: (i, { at }) => (i === at ? 1 : 0), ...call })).toBe(1);
  expect(simulation).toBeDefined();
});

test('parts follow from their number alone: each is one call, they are of equal size, and their results are combined in order', async () => {
  const property = fc.asyncProperty(
    ranges,
    fc.integer({ min: 1, max: 200 }),
    schedule,
    async ([lo, hi], parts, all) => {
      const { threshold, ...changes } = all;
      reset(changes);
      const mapRange = (from: number, to: number): number[][] => [[from, to]];
      const cut = await parallelReduceRange([lo, hi], (a, b) => a.concat(b), [] as number[][], {
        mapRange,
        parts,
        threshold,
      });
      expect(cut.length).toBe(Math.min(parts, hi - lo));
      expect(cut.map(([from]) => from)).toEqual([lo, ...cut.map(([, to]) => to)].slice(0, cut.length));
      if (hi > lo) expect(cut.at(-1)?.[1]).toBe(hi);
      const sizes = cut.map(([from, to]) => (to as number) - (from as number));
      if (hi > lo) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('a part fills tables, which are added up in place, and the identity is left as it was', async () => {
  const property = fc.asyncProperty(fc.nat(3000), schedule, async (n, { threshold, ...changes }) => {
    reset(changes);
    const counted = (lo: number, hi: number, { bins }: { bins: number }): Uint32Array => {
      const counts = new Uint32Array(bins);
      for (let i = lo; i < hi; i++) counts[(i * 7919) % bins]!++;
      return counts;
    };
    const add = (a: Uint32Array, b: Uint32Array): Uint32Array => {
      for (let k = 0; k < a.length; k++) a[k]! += b[k]!;
      return a;
    };
    const none = new Uint32Array(11);
    const context = { bins: 11 };
    const counts = await parallelReduceRange(n, add, none, { mapRange: counted, context, threshold });
    expect(counts).toEqual(counted(0, n, context));
    expect(none).toEqual(new Uint32Array(11));
  });
  await fc.assert(property, { numRuns: 30 });
});

test.each([
  [[10, 'sum', { mapRange: 3 }], 'options.mapRange must be a function'],
  [[10, 'sum', { mapRange: () => 1, map: () => 1 }], 'options.map must be left out beside options.mapRange'],
  [[10, 'sum', { map: () => 1, parts: 3 }], 'options.parts must be left out'],
  [[10, 'sum', { mapRange: () => 1, parts: 0 }], 'options.parts'],
  [[10, 'sum', { mapRange: () => 'text' }], 'parallelReduceRange: mapRange must return numbers'],
  [[10, 'sum', {}], 'options.map must be a function'],
  [[-1, 'sum', { map: (i: number) => i }], 'n must be an integer from 0'],
  [[[3, 1], 'sum', { map: (i: number) => i }], 'lo <= hi'],
  [[10, 'sums', { map: (i: number) => i }], 'op must be a function'],
  [[10, (a: number) => a, { map: (i: number) => i }], 'needs an identity'],
  [[10, 'sum', { map: () => 'text' }], 'parallelReduceRange: map must return numbers'],
])('%j is refused', async (args, message) => {
  await expect((parallelReduceRange as (...args: unknown[]) => Promise<unknown>)(...args)).rejects.toThrow(message);
});

test('a failure is that of the lowest part', async () => {
  const mapRange = (lo: number): number => {
    if (lo >= 500) throw new RangeError(`at ${lo}`);
    return lo;
  };
  await expect(parallelReduceRange(1000, 'sum', { mapRange, parts: 100 })).rejects.toThrow('at 500');
});

test('a failure is that of the lowest integer', async () => {
  const map = (i: number): number => {
    if (i >= 500) throw new RangeError(`at ${i}`);
    return i;
  };
  await expect(parallelReduceRange(5000, 'sum', { map, threshold: 16 })).rejects.toThrow('at 500');
});
