import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelUnique, parallelUniqueSync } from '../../../src/algorithms/group/unique.js';
import { isShared, sharedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  bits,
  difference,
  MOSTLY_FLOATS,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

describe('parallelUnique', () => {
  test('gives what a Set gives, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(MOSTLY_FLOATS, 20_000), somePlace, schedule, async ({ values }, where, given) => {
        const xs = place(values, where);
        const distinct = await parallelUnique(xs, follow(given));
        expect(distinct[Symbol.toStringTag]).toBe(xs[Symbol.toStringTag]);
        expect(isShared(distinct)).toBe(where.shared);
        expect(difference(distinct, [...new Set<number | bigint>(values)])).toBeUndefined();
        expect(difference(xs, values)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))(
    'keeps many distinct %s apart, by buckets',
    async (_, Type) => {
      const n = 70_000;
      const random = bits(5);
      const xs = sharedArray(Type, n);
      const words = new Uint32Array(xs.buffer, xs.byteOffset, xs.byteLength / 4);
      for (const mask of [0xffffffff, 0xfff, 0xfff00000]) {
        for (let i = 0; i < words.length; i++) words[i] = random() & mask;
        const expected = [...new Set<number | bigint>(xs)];
        for (const parallelism of [1, 4]) {
          reset({ parallelism });
          expect(difference(await parallelUnique(xs, { threshold: 1 }), expected)).toBeUndefined();
          expect(simulation.jobs).toBe(1);
        }
        expect(
          difference(parallelUniqueSync(xs.slice(0, 50_001), { threshold: n }), [
            ...new Set<number | bigint>(xs.slice(0, 50_001)),
          ]),
        ).toBeUndefined();
      }
    },
  );

  test('takes small integers as doubles, which differ in few bits', async () => {
    for (const Type of [Float64Array, Float32Array]) {
      const xs = sharedArray<Float64Array | Float32Array>(
        Type as never,
        Array.from({ length: 200_000 }, (_, i) => (i * 7) % 99_991),
      );
      expect(difference(await parallelUnique(xs, { threshold: 1 }), [...new Set(xs)])).toBeUndefined();
    }
  });

  test('takes all NaN as one, whatever their bits are, and -0 as 0', () => {
    const xs = new Float64Array(new BigUint64Array([0x7ff8000000000001n, 0xfff0000000000001n, 1n << 63n, 0n]).buffer);
    expect([...parallelUniqueSync(xs)]).toEqual([Number.NaN, 0]);
    const ys = new Float32Array(new Uint32Array([0x7fc00001, 0xff800001, 0x80000000, 0]).buffer);
    expect([...parallelUniqueSync(ys)]).toEqual([Number.NaN, 0]);
  });

  test('refuses a value that is not a typed array', async () => {
    await expect(parallelUnique([1] as never)).rejects.toThrow(/parallelUnique: xs must be a typed array/);
  });

  test('steals and splits in these tests, and reports progress', async () => {
    const seen: number[] = [];
    const xs = sharedArray(
      Float64Array,
      Array.from({ length: 100_000 }, (_, i) => i),
    );
    await parallelUnique(xs, { threshold: 1, onProgress: (done) => seen.push(done) });
    expect(simulation.steals).toBeGreaterThan(5);
    expect(seen.at(-1)).toBe(100_000);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});
