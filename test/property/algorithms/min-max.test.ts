import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelMinMax, parallelMinMaxSync } from '../../../src/algorithms/reduce/min-max.js';
import { parallelReduceSync } from '../../../src/algorithms/reduce/reduce.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, place, somePlace, someValues } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

type Value = number | bigint;

const least = (xs: Value[]): Value =>
  xs.reduce((a, b) => (typeof a === 'bigint' ? (b < a ? b : a) : Math.min(a, b as number)));
const greatest = (xs: Value[]): Value =>
  xs.reduce((a, b) => (typeof a === 'bigint' ? (b > a ? b : a) : Math.max(a, b as number)));

describe('parallelMinMax', () => {
  test('gives what Math.min and Math.max give, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(ALL_TYPES, 20_000), somePlace, schedule, async ({ values }, where, given) => {
        fc.pre(values.length > 0);
        const result = await parallelMinMax(place(values, where), follow(given));
        const list = Array.from<Value>(values);
        expect(result).toStrictEqual({ min: least(list), max: greatest(list) });
      }),
      { numRuns: 300 },
    );
  });

  test('gives the first index of each extreme, wherever the array lies', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(ALL_TYPES, 20_000), somePlace, schedule, async ({ values }, where, given) => {
        const { min, max, minIndex, maxIndex } = await parallelMinMax(place(values, where), {
          ...follow(given),
          indices: true,
        });
        const list = Array.from<Value>(values);
        const firstOf = (value: Value): number => list.findIndex((x) => Object.is(x, value));
        expect([minIndex, maxIndex]).toEqual([firstOf(min), firstOf(max)]);
      }),
      { numRuns: 200 },
    );
    expect(parallelMinMaxSync(new Float64Array(0), { indices: true })).toMatchObject({ minIndex: -1, maxIndex: -1 });
  });

  test.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))(
    'gives for an empty %s what parallelReduce gives',
    (_, Type) => {
      const none = new Type(0);
      const [min, max] = [parallelReduceSync(none, 'min'), parallelReduceSync(none, 'max')];
      expect(parallelMinMaxSync(none)).toEqual({ min, max });
    },
  );

  test.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))(
    'sees the extremes of a short %s in whichever order its elements come',
    (_, Type) => {
      const cast: (n: number) => number | bigint = BIGINT_TYPES.includes(Type) ? BigInt : Number;
      for (let code = 0; code < 4 ** 5; code++) {
        const list = Array.from({ length: 5 }, (_, k) => (code >> (2 * k)) & 3);
        const { min, max } = parallelMinMaxSync(new Type(list.map((n) => cast(n)) as never));
        const isRight = min === cast(Math.min(...list)) && max === cast(Math.max(...list));
        if (!isRight) expect.fail(`${min} and ${max} of ${list}`);
      }
    },
  );

  test('sees NaN and -0 at every place', () => {
    for (let i = 0; i < 9; i++) {
      const xs = new Float64Array(9);
      xs[i] = -0;
      expect(parallelMinMaxSync(xs)).toStrictEqual({ min: -0, max: 0 });
      xs[i] = Number.NaN;
      expect(parallelMinMaxSync(xs)).toStrictEqual({ min: Number.NaN, max: Number.NaN });
    }
    expect(parallelMinMaxSync(Float32Array.of(-0))).toStrictEqual({ min: -0, max: -0 });
  });

  test('refuses a value that is not a typed array', async () => {
    await expect(parallelMinMax([1, 2] as never)).rejects.toThrow(/parallelMinMax: xs must be a typed array/);
    expect(() => parallelMinMaxSync(new Float64Array(1), { bins: 3 } as never)).toThrow(/there is no option "bins"/);
  });

  test('steals and splits in these tests, and reports progress', async () => {
    const xs = sharedArray(Float64Array, 1_000_000);
    const seen: number[] = [];
    await parallelMinMax(xs, { threshold: 1, onProgress: (done) => seen.push(done) });
    expect(simulation.steals).toBeGreaterThan(5);
    expect(seen.at(-1)).toBe(1_000_000);
  });
});
