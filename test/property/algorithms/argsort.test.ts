import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parallelArgsort, parallelArgsortSync } from '../../../src/algorithms/sort/sort.js';
import { isShared, sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  BIGINT_TYPES,
  bits,
  difference,
  MOSTLY_FLOATS,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).shortSorts(original as never),
);

beforeEach(() => reset());

type Key = number | bigint;

/** The order of `TypedArray.prototype.sort`. */
function inOrder(a: Key, b: Key): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 && b === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

const oracle = (keys: TypedArray, compare: (a: Key, b: Key) => number): number[] =>
  Array.from(keys.keys()).sort((i, j) => compare(keys[i], keys[j]));

/** Long enough for the kernels, with crowded and with spread words. */
const longKeys = fc
  .tuple(
    fc.constantFrom(...ALL_TYPES),
    fc.integer({ min: 1000, max: 4000 }),
    fc.integer(),
    fc.constantFrom(1, 3, 2 ** 30),
  )
  .map(([Type, n, seed, spread]) => {
    const xs = new Type(n);
    const words = new Uint32Array(xs.buffer, 0, Math.floor(xs.byteLength / 4));
    const random = bits(seed);
    const uppers = Array.from({ length: spread < 10 ? spread : n }, random);
    for (let i = 0; i < words.length; i++) words[i] = i % 2 === 0 ? random() : uppers[random() % uppers.length];
    if (BIGINT_TYPES.includes(Type) && spread === 3) for (let i = 0; i < words.length; i += 2) words[i] &= 3;
    return xs;
  });

describe('parallelArgsort', () => {
  test('gives the indices that a stable sort by number gives, wherever the keys lie', async () => {
    const keys = fc.oneof(
      someValues(MOSTLY_FLOATS).map(({ values }) => values),
      longKeys,
    );
    await fc.assert(
      fc.asyncProperty(keys, somePlace, schedule, async (values, where, given) => {
        const xs = place(values, where);
        const order = await parallelArgsort(xs, follow(given));
        expect(order).toBeInstanceOf(Uint32Array);
        expect(isShared(order)).toBe(where.shared);
        expect(difference(order, oracle(values, inOrder))).toBeUndefined();
        expect(difference(xs, values)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('gives the indices of many keys of every type, on the heap and elsewhere in shared memory', async () => {
    const word = bits(5);
    for (const Type of ALL_TYPES) {
      const draw = (): number => (word() % 50_000) - 25_000;
      const values = new Type(20_011).map(() => (BIGINT_TYPES.includes(Type) ? BigInt(draw()) : draw()) as never);
      const expected = oracle(values, inOrder);
      const elsewhere = new Type(new SharedArrayBuffer(values.byteLength));
      (elsewhere as Float64Array).set(values as Float64Array);
      for (const xs of [values, elsewhere, place(values, { shared: true, offset: 1 })]) {
        expect(difference(await parallelArgsort(xs), expected)).toBeUndefined();
        expect(difference(xs, values)).toBeUndefined();
      }
    }
  });

  test('keeps the order of keys that a comparator calls equal', async () => {
    const compare = (a: Key, b: Key): number => (Number(b) % 5) - (Number(a) % 5);
    const types = ALL_TYPES.filter((Type) => !Type.name.startsWith('Float'));
    await fc.assert(
      fc.asyncProperty(someValues(types), somePlace, schedule, async ({ values }, where, given) => {
        const order = await parallelArgsort(place(values, where), compare, follow(given));
        expect(difference(order, oracle(values, compare))).toBeUndefined();
      }),
    );
  });

  test('gives every index once, the same at any schedule, however inconsistent the comparator is', async () => {
    const hash = (a: number, b: number): number => (Math.imul(a * 31 + b, 0x9e3779b1) >> 30) as number;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 3000 }), schedule, schedule, async (n, one, other) => {
        const keys = sharedArray(
          Float64Array,
          Array.from({ length: n }, (_, i) => i),
        );
        const first = await parallelArgsort(keys, hash, { threshold: Math.min(follow(one).threshold, n - 1) });
        const second = await parallelArgsort(keys, hash, { threshold: Math.min(follow(other).threshold, n - 1) });
        expect(difference(first, second)).toBeUndefined();
        expect(difference(first.slice().sort(), keys)).toBeUndefined();
      }),
    );
  });

  test('leaves the keys as they are when the comparator throws', async () => {
    const keys = Float64Array.from({ length: 3000 }, (_, i) => Math.sin(i));
    const before = keys.slice();
    const failing = (a: number, b: number): number => {
      if (a > 0.99) throw new RangeError('enough');
      return a - b;
    };
    await expect(parallelArgsort(keys, failing)).rejects.toThrow('enough');
    expect(() => parallelArgsortSync(keys, failing)).toThrow('enough');
    expect(keys).toEqual(before);
    const sign = -1;
    await expect(parallelArgsort(keys, (a, b) => sign * (a - b))).rejects.toThrow(/captured variable `sign`/);
    expect(() => parallelArgsortSync(keys.subarray(9), (a, b) => sign * (a - b))).toThrow(
      'comparator of parallelArgsort',
    );
  });

  test('steals and splits in these tests', async () => {
    const keys = sharedArray(
      Float64Array,
      Array.from({ length: 3000 }, (_, i) => -i),
    );
    await parallelArgsort(keys, { threshold: 1 });
    expect(simulation.jobs).toBe(1);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
