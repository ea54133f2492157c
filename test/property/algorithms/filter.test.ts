import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  parallelFilter,
  parallelFilterSync,
  parallelPartition,
  parallelPartitionSync,
} from '../../../src/algorithms/filter/filter.js';
import { free, isShared, sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, difference, manyIntegers, place, somePlace, someValues } from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

type Pred = (x: number, i: number, context: { limit: number }) => boolean;

/** Comparisons with a constant, which have kernels of their own, and functions that are called. */
const PREDICATES: readonly Pred[] = [
  (x) => x < 0,
  (x, _i, { limit }) => x !== limit,
  (x, i) => (Math.trunc(Number(x)) + i) % 3 === 0,
  (x, i, { limit }) => Number(x) > limit && i > 100,
  () => false,
  () => true,
];

const somePredicate = fc.record({ pred: fc.constantFrom(...PREDICATES), limit: fc.integer({ min: -9, max: 9 }) });

describe('parallelFilter and parallelPartition', () => {
  test('keep what filter keeps, in order, in new arrays of the type and sharing of the input', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        somePredicate,
        schedule,
        async ({ values }, where, { pred, limit }, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where) as Float64Array;
          const options = { context: { limit }, threshold };
          const list = Array.from(values as Float64Array);
          const matching = list.filter((x, i) => pred(x, i, { limit }));
          const others = list.filter((x, i) => !pred(x, i, { limit }));
          const check = (ys: TypedArray, expected: readonly number[]): void => {
            expect(difference(ys, expected)).toBeUndefined();
            expect([ys.constructor, isShared(ys)]).toEqual([values.constructor, where.shared]);
            expect(ys.buffer === xs.buffer).toBe(false);
          };
          check(await parallelFilter(xs, pred, options), matching);
          check(parallelFilterSync(xs, pred, options), matching);
          for (const parts of [await parallelPartition(xs, pred, options), parallelPartitionSync(xs, pred, options)]) {
            check(parts[0], matching);
            check(parts[1], others);
            for (const part of parts) if (where.shared) free(part);
          }
          expect(difference(xs, values)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('give the indices of what they would keep', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        somePredicate,
        schedule,
        async ({ values }, where, { pred, limit }, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where) as Float64Array;
          const options = { context: { limit }, threshold, indices: true } as const;
          const all = Array.from(values as Float64Array, (_, i) => i);
          const isMatch = (i: number): boolean => pred((values as Float64Array)[i] as number, i, { limit });
          const [matching, others] = [all.filter(isMatch), all.filter((i) => !isMatch(i))];
          const check = (ys: Uint32Array, expected: readonly number[]): void => {
            expect(difference(ys, expected)).toBeUndefined();
            expect([ys.constructor, isShared(ys)]).toEqual([Uint32Array, where.shared]);
            if (where.shared) free(ys);
          };
          check(await parallelFilter(xs, pred, options), matching);
          check(parallelFilterSync(xs, pred, options), matching);
          for (const parts of [await parallelPartition(xs, pred, options), parallelPartitionSync(xs, pred, options)]) {
            check(parts[0], matching);
            check(parts[1], others);
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(() => parallelFilterSync(new Float64Array(1), () => true, { indices: 1 } as never)).toThrow(
      /options\.indices must be a boolean, but it is 1/,
    );
  });

  test('ask about every element once', () => {
    fc.assert(
      fc.property(manyIntegers(5000, 4), schedule, (list, { threshold, ...changes }) => {
        reset(changes);
        const calls = sharedArray(Uint8Array, list.length);
        const pred = (x: number, i: number, context: { calls: Uint8Array }): boolean => {
          context.calls[i]++;
          return x === 1;
        };
        const xs = sharedArray(Int32Array, list);
        parallelFilterSync(xs, pred, { context: { calls }, threshold });
        expect(difference(calls, new Array(list.length).fill(1))).toBeUndefined();
      }),
    );
  });

  test('surface the error of the lowest failing index', async () => {
    const pred = (x: number, i: number): boolean => {
      if (x === 1) throw new RangeError(String(i));
      return x === 2 ? (Promise.resolve(i) as unknown as boolean) : true;
    };
    await fc.assert(
      fc.asyncProperty(manyIntegers(2000, 60), schedule, async (list, { threshold, ...changes }) => {
        reset(changes);
        const xs = sharedArray(Uint8Array, list);
        const bad = list.findIndex((x) => x === 1 || x === 2);
        fc.pre(bad >= 0);
        const expected = list[bad] === 1 ? new RangeError(String(bad)) : 'returned a promise';
        await expect(parallelFilter(xs, pred, { threshold })).rejects.toThrow(expected);
        expect(() => parallelPartitionSync(xs, pred, { threshold })).toThrow(expected);
      }),
    );
  });

  test('steal and split in these tests', () => {
    const xs = sharedArray(Float64Array, 3000);
    parallelFilterSync(xs, (x, i) => x < i, { threshold: 1 });
    parallelPartitionSync(xs, (x, i) => x < i - 100, { threshold: 1 });
    expect(simulation.jobs).toBe(2);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
