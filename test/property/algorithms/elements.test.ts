import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  parallelForEach,
  parallelForEachSync,
  parallelMap,
  parallelMapSync,
  parallelTabulate,
  parallelTabulateSync,
} from '../../../src/algorithms/loops/elements.js';
import { parallelFill, parallelFillSync } from '../../../src/algorithms/loops/fill.js';
import { isShared, sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  BIGINT_TYPES,
  difference,
  NUMBER_TYPES,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

/** Loses nothing: what is stored is what was there, plus one where that fits. */
const next = (x: number | bigint): number | bigint => (typeof x === 'bigint' ? x + 1n : x + 1);

const mapped = (values: TypedArray): TypedArray => (values as Float64Array).map(next as (x: number) => number);

describe('parallelMap', () => {
  test('maps as TypedArray.prototype.map does, for every type, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES),
        somePlace,
        schedule,
        async ({ values }, where, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where);
          const before = values.slice();
          const ys = (await parallelMap(xs, next as never, { threshold })) as TypedArray;
          expect(difference(ys, mapped(values))).toBeUndefined();
          expect([ys.constructor, isShared(ys)]).toEqual([values.constructor, where.shared]);
          expect(difference(xs, before)).toBeUndefined();
          expect(difference(parallelMapSync(xs, next as never, { threshold }), ys)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  test('writes into the array given: itself, or one of another type, and nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.tuple(someValues(NUMBER_TYPES), fc.constantFrom(...NUMBER_TYPES)),
          fc.tuple(someValues(BIGINT_TYPES), fc.constantFrom(...BIGINT_TYPES)),
        ),
        somePlace,
        somePlace,
        schedule,
        async ([{ values }, Into], where, target, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where);
          const into = place(new Into(values.length), target);
          const stored = new Into(values.length) as Float64Array;
          Array.from(values as Float64Array).forEach((x, i) => {
            stored[i] = next(x) as number;
          });
          expect(await parallelMap(xs, next as never, { into: into as never, threshold })).toBe(into);
          expect(difference(into, stored)).toBeUndefined();
          expect(difference(xs, values)).toBeUndefined();
          expect(parallelMapSync(xs, next as never, { into: xs, threshold })).toBe(xs);
          expect(difference(xs, mapped(values))).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  test('gives fn the index and the context', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), fc.boolean(), schedule, async (n, shared, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const xs = place(
          Float64Array.from({ length: n }, (_, i) => Math.sin(i)),
          { shared, offset: 3 },
        );
        const context = { scale: 3 };
        const scaled = await parallelMap(xs, (x, i, { scale }) => x * scale + i, { context, threshold });
        expect(
          difference(
            scaled,
            xs.map((x, i) => x * 3 + i),
          ),
        ).toBeUndefined();
      }),
    );
  });
});

describe('parallelForEach', () => {
  test('calls fn once for every element, with its index', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(ALL_TYPES), somePlace, schedule, async ({ Type, values }, where, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const xs = place(values, where);
        const seen = sharedArray(Type, values.length) as Float64Array;
        const calls = sharedArray(Uint8Array, values.length);
        const fn = (x: unknown, i: number, context: { seen: Float64Array; calls: Uint8Array }): void => {
          context.seen[i] = x as number;
          context.calls[i]++;
        };
        const options = { context: { seen, calls }, threshold };
        expect(await parallelForEach(xs, fn, options)).toBeUndefined();
        expect(difference(seen, values)).toBeUndefined();
        expect(difference(calls, new Array(values.length).fill(1))).toBeUndefined();
        parallelForEachSync(xs, fn, options);
        expect(difference(calls, new Array(values.length).fill(2))).toBeUndefined();
      }),
    );
  });

  test('surfaces the error of the lowest failing index', async () => {
    const failing = (x: number, i: number): void => {
      if (x === 1) throw new RangeError(String(i));
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 2000 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
        schedule,
        async (n, places, { threshold, ...changes }) => {
          reset(changes);
          const xs = sharedArray(Uint8Array, n);
          for (const at of places) xs[at % n] = 1;
          const expected = new RangeError(String(xs.indexOf(1)));
          await expect(parallelForEach(xs, failing, { threshold })).rejects.toThrow(expected);
          await expect(parallelMap(xs, failing as never, { threshold })).rejects.toThrow(expected);
        },
      ),
    );
  });
});

describe('parallelTabulate', () => {
  test('stores what fn gives for each index, as a typed array stores it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ALL_TYPES),
        fc.integer({ min: 0, max: 3000 }),
        somePlace,
        schedule,
        async (Type, n, target, { threshold, ...changes }) => {
          reset(changes);
          const options = { context: { isBig: BIGINT_TYPES.includes(Type) }, threshold };
          const fn = (i: number, { isBig }: { isBig: boolean }): number | bigint =>
            isBig ? BigInt(i) * -0x123456789n : Math.sin(i) * 1e6;
          const expected = new Type(n) as Float64Array;
          for (let i = 0; i < n; i++) expected[i] = fn(i, options.context) as number;
          const made = (await parallelTabulate(Type, n, fn as never, options as never)) as TypedArray;
          expect(difference(made, expected)).toBeUndefined();
          expect([made.constructor, isShared(made)]).toEqual([Type, true]);
          const into = place(new Type(n), target);
          expect(parallelTabulateSync(Type, n, fn as never, { ...options, into } as never)).toBe(into);
          expect(difference(into, expected)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('parallelFill', () => {
  test('fills as TypedArray.prototype.fill does, and nothing outside', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(ALL_TYPES, 5000),
        fc.tuple(fc.double(), fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n })),
        somePlace,
        schedule,
        async ({ Type, values }, [number, big], where, { threshold, ...changes }) => {
          reset(changes);
          const xs = place(values, where);
          const value = (BIGINT_TYPES.includes(Type) ? big : number) as number;
          const expected = (values.slice() as Float64Array).fill(value);
          expect(await parallelFill(xs as Float64Array, value, { threshold })).toBe(xs);
          expect(difference(xs, expected)).toBeUndefined();
          expect(parallelFillSync(xs as Float64Array, value, { threshold })).toBe(xs);
          expect(difference(xs, expected)).toBeUndefined();
        },
      ),
    );
  });
});

describe('all of them', () => {
  test('steal and split in these tests', () => {
    const xs = sharedArray(Float64Array, 3000);
    parallelMapSync(xs, (x) => x + 1, { threshold: 1 });
    parallelForEachSync(xs, (x) => Math.sqrt(x), { threshold: 1 });
    parallelTabulateSync(Float64Array, 3000, (i) => i, { threshold: 1 });
    parallelFillSync(xs, 1, { threshold: 1 });
    expect(simulation.jobs).toBe(4);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
