import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { resetKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { parallelSort, parallelSortSync } from '../../../src/algorithms/sort/sort.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  difference,
  MOSTLY_FLOATS,
  manyIntegers,
  NUMBER_TYPES,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).shortSorts(original as never),
);

beforeEach(() => reset());

const sorted = (xs: ArrayLike<unknown>): unknown[] => Array.from(new Float64Array(xs as ArrayLike<number>).sort());

describe('parallelSort', () => {
  test('orders numbers as TypedArray.prototype.sort does, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(MOSTLY_FLOATS),
        somePlace,
        schedule,
        async ({ values }, where, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where);
          const expected = values.slice().sort();
          expect(await parallelSort(xs, { threshold })).toBe(xs);
          expect(difference(xs, expected)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('orders many numbers in shared memory that is not on the heap, and where there is no WebAssembly', async () => {
    for (const Type of ALL_TYPES) {
      const values = new Type(20_011).map((_, i) => {
        const x = Math.imul(i, 0x9e3779b1) >> 16;
        return (typeof new Type(1)[0] === 'bigint' ? BigInt(x) : x / 7) as never;
      });
      const expected = values.slice().sort();
      for (const refuse of [false, true]) {
        resetKernels({ refuse });
        const xs = new Type(new SharedArrayBuffer(values.byteLength));
        (xs as Float64Array).set(values as Float64Array);
        await parallelSort(xs);
        expect(difference(xs, expected)).toBeUndefined();
        expect(difference(await parallelSort(values.slice()), expected)).toBeUndefined();
      }
    }
    resetKernels();
  });

  test('writes nothing outside of a subarray', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(NUMBER_TYPES, 500), fc.boolean(), async ({ Type, values }, shared) => {
        const around = (shared ? sharedArray(Type, values.length + 20) : new Type(values.length + 20)) as Float64Array;
        around.fill(99);
        const xs = around.subarray(7, 7 + values.length);
        xs.set(values as Float64Array);
        await parallelSort(xs, (a, b) => b - a, { threshold: 1 });
        await parallelSort(xs, { threshold: 1 });
        expect([...around.subarray(0, 7), ...around.subarray(7 + values.length)]).toEqual(new Array(20).fill(99));
      }),
    );
  });

  test('is stable: elements that compare equal keep their order', async () => {
    await fc.assert(
      fc.asyncProperty(manyIntegers(3000, 10), schedule, async (keys, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const tagged = keys.map((key, i) => key * 10_000 + i);
        const xs = sharedArray(Float64Array, tagged);
        await parallelSort(xs, (a, b) => Math.floor(a / 10_000) - Math.floor(b / 10_000), { threshold });
        expect(difference(xs, sorted(tagged))).toBeUndefined();
      }),
    );
  });

  test('agrees with the language on comparators of every type, at any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(ALL_TYPES, 800), somePlace, schedule, async ({ values }, where, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const xs = place(values, where);
        const compare = (a: number | bigint, b: number | bigint): number => (a < b ? 1 : a > b ? -1 : 0);
        const hasNaN = Array.from(values as ArrayLike<number>).some((x) => Number.isNaN(x));
        fc.pre(!hasNaN); // NaN equals everything to that comparator, which makes it inconsistent
        await parallelSort(xs, compare, { threshold });
        expect(difference(xs, Array.from<number | bigint>(values).sort(compare))).toBeUndefined();
      }),
    );
  });

  test('keeps every element once, however inconsistent the comparator is, and gives the same at any schedule', async () => {
    const hash = (a: number, b: number): number => (Math.imul(a * 31 + b, 0x9e3779b1) >> 30) as number;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), schedule, schedule, async (n, one, other) => {
        const input = Array.from({ length: n }, (_, i) => i);
        const results: Float64Array[] = [];
        for (const { threshold, ...changes } of [one, other]) {
          reset(changes);
          const xs = sharedArray(Float64Array, input);
          await parallelSort(xs, hash, { threshold: Math.min(threshold, Math.max(1, n - 1)) });
          expect(difference(sorted(xs), input)).toBeUndefined();
          results.push(xs);
        }
        expect(difference(results[0], results[1])).toBeUndefined();
      }),
    );
  });

  test('keeps every element once when the comparator answers at random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), fc.boolean(), schedule, async (n, shared, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const input = Float64Array.from({ length: n }, (_, i) => i);
        const xs = place(input, { shared, offset: 1 });
        await parallelSort(xs, () => Math.random() - 0.5, { threshold });
        expect(difference(sorted(xs), input)).toBeUndefined();
      }),
    );
  });

  test('leaves a permutation of the input when the comparator throws, or the call is cancelled', async () => {
    const compare = (a: number, b: number, { calls, limit }: { calls: Int32Array; limit: number }): number => {
      if (++calls[0] > limit) throw new RangeError('enough');
      return a - b;
    };
    await fc.assert(
      fc.asyncProperty(
        manyIntegers(2000, 50).filter((input) => input.length >= 2),
        fc.integer({ min: 0, max: 110 }).map((percent) => percent / 100),
        fc.boolean(),
        schedule,
        async (input, fraction, shared, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(Float64Array.from(input), { shared, offset: 0 });
          const limit = Math.floor(fraction * input.length * Math.log2(input.length));
          const calls = sharedArray(Int32Array, 1);
          const sorting = parallelSort(xs, compare, { threshold, context: { calls, limit } });
          const failed = await sorting.then(
            () => false,
            (error: Error) => error.name === 'RangeError' && error.message === 'enough',
          );
          expect(failed).toBe(calls[0] > limit);
          expect(difference(sorted(xs), sorted(input))).toBeUndefined();
          if (failed && !shared) expect(difference(xs, input)).toBeUndefined(); // never written back

          reset({ ...changes, cancelAt: 1 + Math.floor(fraction * 300) });
          const ys = place(Float64Array.from(input), { shared, offset: 0 });
          await parallelSort(ys, shared ? undefined : (a, b) => a - b, { threshold }).catch(() => {});
          expect(difference(sorted(ys), sorted(input))).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('reports progress that only grows, to (n, n)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3000 }),
        fc.boolean(),
        schedule,
        (n, compared, { threshold, ...changes }) => {
          reset(changes);
          const xs = sharedArray(
            Int32Array,
            Array.from({ length: n }, (_, i) => Math.imul(i, 0x9e3779b1)),
          );
          const seen: number[] = [];
          const onProgress = (done: number, total: number): void => {
            expect(total).toBe(n);
            seen.push(done);
          };
          parallelSortSync(xs, compared ? (a, b) => a - b : undefined, { threshold, onProgress });
          expect(seen.indexOf(n)).toBe(seen.length - 1);
          expect(difference(seen, sorted(seen))).toBeUndefined();
        },
      ),
    );
  });

  test('steals and splits in these tests', async () => {
    const xs = sharedArray(
      Float64Array,
      Array.from({ length: 3000 }, (_, i) => -i),
    );
    await parallelSort(xs, (a, b) => a - b, { threshold: 1 });
    expect(simulation.jobs).toBe(1);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
