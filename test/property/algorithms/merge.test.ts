import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelMerge, parallelMergeSync } from '../../../src/algorithms/sort/merge.js';
import { isShared, sharedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  difference,
  MOSTLY_FLOATS,
  manyIntegers,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const sorted = (xs: ArrayLike<number>): Float64Array => Float64Array.from(xs).sort();

describe('parallelMerge', () => {
  test('merges numbers in the order of parallelSort, wherever the arrays lie', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(MOSTLY_FLOATS, 9000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        somePlace,
        somePlace,
        schedule,
        fc.boolean(),
        async ({ Type, values }, fraction, one, other, given, hasInto) => {
          const mid = Math.floor(fraction * values.length);
          const a = place(values.slice(0, mid).sort(), one);
          const b = place(values.slice(mid).sort(), other);
          const into = hasInto ? place(new Type(values.length), other) : undefined;
          const merged = await parallelMerge(a, b, { ...follow(given), into });
          expect(difference(merged, values.slice().sort())).toBeUndefined();
          if (into === undefined) expect(isShared(merged)).toBe(one.shared || other.shared);
          else expect(merged).toBe(into);
        },
      ),
    );
  });

  test('puts equal elements of a before those of b, and keeps their order', async () => {
    const compare = (x: number, y: number): number => Math.floor(y) - Math.floor(x);
    await fc.assert(
      fc.asyncProperty(manyIntegers(3000, 20), manyIntegers(3000, 20), schedule, async (left, right, given) => {
        const tagged = (keys: number[], from: number): Float64Array =>
          Float64Array.from(keys.sort((x, y) => y - x).map((key, i) => key + (from + i) / 8192));
        const a = tagged(left, 0);
        const b = tagged(right, left.length);
        const merged = await parallelMerge(a, b, compare, follow(given));
        expect(difference(merged, [...a, ...b].sort(compare))).toBeUndefined();
      }),
    );
  });

  test('holds each element once, the same at any schedule, whatever the inputs and the comparator are', async () => {
    const hash = (x: number, y: number): number => (Math.imul(x * 31 + y, 0x9e3779b1) >> 30) as number;
    await fc.assert(
      fc.asyncProperty(manyIntegers(4000, 1e6), fc.boolean(), schedule, schedule, async (xs, compared, one, other) => {
        const mid = xs.length >> 1;
        const [a, b] = [sharedArray(Int32Array, xs.slice(0, mid)), sharedArray(Int32Array, xs.slice(mid))];
        const compare = compared ? hash : undefined;
        const first = await parallelMerge(a, b, compare, follow(one));
        const second = await parallelMerge(a, b, compare, follow(other));
        expect(difference(first, second)).toBeUndefined();
        expect(difference(sorted(first), sorted(xs))).toBeUndefined();
        const atRandom = await parallelMerge(a, b, () => Math.random() - 0.5, follow(one));
        expect(difference(sorted(atRandom), sorted(xs))).toBeUndefined();
      }),
    );
  });

  test('reports progress that only grows, to (n, n), and steals and splits in these tests', () => {
    const xs = sharedArray(
      Float64Array,
      Array.from({ length: 20_000 }, (_, i) => i),
    );
    const seen: number[] = [];
    parallelMergeSync(xs, xs, { threshold: 1, onProgress: (done, total) => seen.push(done, total) });
    expect(seen.filter((_, i) => i % 2 === 1).every((total) => total === 40_000)).toBe(true);
    expect(seen.at(-2)).toBe(40_000);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});

describe('the arguments of parallelMerge', () => {
  test.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))('take empty arrays of %s', async (_, Type) => {
    const [none, one] = [new Type(0), new Type(1)];
    expect(await parallelMerge(none, none)).toEqual(none);
    expect(await parallelMerge(none, one)).toEqual(one);
    expect(parallelMergeSync(one, none)).toEqual(one);
  });

  test('are checked before anything is written', async () => {
    const a = Float64Array.of(1, 3);
    const b = Float64Array.of(2);
    const wide = new Float64Array(4);
    await expect(parallelMerge(a, Float32Array.of(2) as never)).rejects.toThrow(
      /b is a Float32Array, and a is a Float64Array/,
    );
    await expect(parallelMerge(a, [2] as never)).rejects.toThrow(/b must be a typed array/);
    await expect(parallelMerge(a, b, { into: wide })).rejects.toThrow(
      /options.into has 4 elements, and the result has 3/,
    );
    const around = new Float64Array(5);
    for (const offset of [0, 1, 2]) {
      const overlapping = { into: around.subarray(0, 3) };
      await expect(parallelMerge(around.subarray(offset, offset + 2), b, overlapping)).rejects.toThrow(/overlaps/);
      await expect(parallelMerge(b, around.subarray(offset, offset + 2), overlapping)).rejects.toThrow(/overlaps/);
    }
    await expect(parallelMerge(a, b, { into: new Float32Array(3) as never })).rejects.toThrow(/into is a Float32Array/);
    await expect(parallelMerge(a, b, 'up' as never)).rejects.toThrow(/compare must be a function/);
    const sign = 1;
    await expect(parallelMerge(a, b, (x, y) => sign * (x - y))).rejects.toThrow(/captured variable `sign`/);
  });
});
