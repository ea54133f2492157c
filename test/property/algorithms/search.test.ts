import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  parallelCount,
  parallelCountSync,
  parallelEvery,
  parallelEverySync,
  parallelFind,
  parallelFindIndex,
  parallelFindIndexSync,
  parallelFindSync,
  parallelIndexOf,
  parallelIndexOfSync,
  parallelSome,
  parallelSomeSync,
} from '../../../src/algorithms/search/index.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, place, somePlace, someValues } from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset({ stopsEarly: true }));

type Pred = (x: number, i: number, context: { limit: number }) => boolean;

/** Comparisons with a constant, which have kernels of their own, and functions that are called. */
const PREDICATES: readonly Pred[] = [
  (x) => x < 0,
  (x) => 3 >= x,
  (x, _i, { limit }) => x === limit,
  (x, i) => (Math.trunc(Number(x)) + i) % 7 === 0,
  (x, i, { limit }) => Number(x) > limit && i > 100,
  () => false,
  () => true,
];

const somePredicate = fc.record({ pred: fc.constantFrom(...PREDICATES), limit: fc.integer({ min: -9, max: 9 }) });

describe('searches', () => {
  test('answer as the methods of arrays do, for every type, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        somePredicate,
        schedule,
        async ({ values }, where, { pred, limit }, { threshold, ...changes }) => {
          reset({ ...changes, stopsEarly: true });
          const xs = place(values, where) as Float64Array;
          const options = { context: { limit }, threshold };
          const list = Array.from(values as Float64Array);
          const test = (x: number, i: number): boolean => pred(x, i, { limit });
          expect(await parallelCount(xs, pred, options)).toBe(list.filter(test).length);
          expect(await parallelSome(xs, pred, options)).toBe(list.some(test));
          expect(await parallelEvery(xs, pred, options)).toBe(list.every(test));
          expect(await parallelFind(xs, pred, options)).toBe(list.find(test));
          expect(await parallelFindIndex(xs, pred, options)).toBe(list.findIndex(test));
          expect(parallelCountSync(xs, pred, options)).toBe(list.filter(test).length);
          expect(parallelSomeSync(xs, pred, options)).toBe(list.some(test));
          expect(parallelEverySync(xs, pred, options)).toBe(list.every(test));
          expect(parallelFindSync(xs, pred, options)).toBe(list.find(test));
          expect(parallelFindIndexSync(xs, pred, options)).toBe(list.findIndex(test));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('find a value as TypedArray.prototype.indexOf does', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        fc.nat(),
        schedule,
        async ({ Type, values }, where, at, { threshold, ...changes }) => {
          reset({ ...changes, stopsEarly: true });
          const xs = place(values, where) as Float64Array;
          const absent = BIGINT_TYPES.includes(Type) ? (12345n as unknown as number) : Number.NaN;
          const value = values.length === 0 ? absent : (values[at % values.length] as number);
          for (const wanted of [value, absent]) {
            const expected = (values as Float64Array).indexOf(wanted);
            expect(await parallelIndexOf(xs, wanted, { threshold })).toBe(expected);
            expect(parallelIndexOfSync(xs, wanted, { threshold })).toBe(expected);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('surface what a loop from the left would meet first: a match, or an error', async () => {
    const pred = (x: number, i: number): boolean => {
      if (x === 2) throw new RangeError(String(i));
      if (x === 3) return Promise.resolve(i) as unknown as boolean;
      return x === 1;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        schedule,
        async (n, marks, shared, { threshold, ...changes }) => {
          reset({ ...changes, stopsEarly: true });
          const xs = place(new Uint8Array(n), { shared, offset: 1 });
          for (const [at, mark] of marks) xs[at % n] = mark;
          const first = xs.findIndex((x) => x !== 0);
          const search = parallelFindIndex(xs, pred, { threshold });
          if (xs[first] === 1) expect(await search).toBe(first);
          if (xs[first] === 2) await expect(search).rejects.toThrow(new RangeError(String(first)));
          if (xs[first] === 3) await expect(search).rejects.toThrow('returned a promise');
          const bad = xs.findIndex((x) => x > 1);
          const counting = parallelCount(xs, pred, { threshold });
          if (bad < 0) expect(await counting).toBe(marks.length === 0 ? 0 : xs.filter((x) => x === 1).length);
          else
            await expect(counting).rejects.toThrow(xs[bad] === 2 ? new RangeError(String(bad)) : 'returned a promise');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('ask only a few elements beyond the first match', () => {
    const n = 100_000;
    const calls = sharedArray(Int32Array, 1);
    const xs = sharedArray(Float64Array, n);
    const pred = (_x: number, i: number, { calls }: { calls: Int32Array }): boolean => {
      calls[0]++;
      return i >= 10;
    };
    for (const stealing of [0, 0.5]) {
      reset({ stopsEarly: true, stealing });
      calls[0] = 0;
      expect(parallelFindIndexSync(xs, pred, { threshold: 16, context: { calls } })).toBe(10);
      expect(simulation.forks).toBeGreaterThan(2);
      expect(calls[0]).toBeLessThan(stealing === 0 ? 20 : 2000);
    }
  });

  test('steal and split in these tests', () => {
    const xs = sharedArray(Float64Array, 3000);
    parallelCountSync(xs, (x, i) => x > i, { threshold: 1 });
    parallelSomeSync(xs, (x) => x > 0, { threshold: 1 });
    parallelIndexOfSync(xs, 1, { threshold: 1 });
    expect(simulation.jobs).toBe(3);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
