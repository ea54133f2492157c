import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parallelArgsort, parallelSort } from '../../../src/algorithms/sort/sort.js';
import { sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { bits, difference, place, somePlace } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).shortSorts(original as never),
);

beforeEach(() => reset());

type Draw = (i: number, random: () => number) => number;

/** What a sort by sampled buckets could stumble over; `random` gives numbers from 0 up to 1. */
const DISTRIBUTIONS: Readonly<Record<string, Draw>> = {
  uniform: (_, random) => random(),
  'of both signs': (_, random) => random() - 0.5,
  normal: (_, random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  exponential: (_, random) => -Math.log(1 - random()),
  Zipf: (_, random) => Math.floor(1 / (1 - random())),
  'a power law': (_, random) => 1 / (1 - random()),
  sorted: (i) => i,
  reversed: (i) => -i,
  'nearly sorted': (i, random) => (random() < 0.01 ? random() * 1e5 : i),
  'all equal': () => 5,
  'all equal but one': (i) => (i === 777 ? -1 : 5),
  'few distinct': (_, random) => Math.floor(random() * 10),
  'a tenth NaN': (_, random) => (random() < 0.1 ? Number.NaN : random()),
  'half zeros of both signs': (_, random) => (random() < 0.5 ? random() : random() < 0.5 ? -0 : 0),
  infinities: (_, random) => (random() < 0.5 ? random() : random() < 0.5 ? -1 / 0 : 1 / 0),
  subnormal: (_, random) => random() * 2 ** -1030,
  'alike in their upper bits': (_, random) => 1 + random() * 2 ** -30,
  'crowded beside outliers': (_, random) => (random() < 0.1 ? 10 ** (random() * 400 - 200) : 1 + random() * 2 ** -30),
  'crowded at two scales': (_, random) => (random() < 0.5 ? 1 + random() * 2 ** -45 : random() * 2 ** -20),
};

const FLOATS = [Float64Array, Float32Array] as const;
const SMALL = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array] as const;
const INTEGERS = [Uint32Array, Int32Array, BigInt64Array, BigUint64Array] as const;

function drawn(Type: (typeof FLOATS | typeof INTEGERS)[number], n: number, draw: Draw, seed: number): TypedArray {
  const word = bits(seed);
  const random = (): number => word() / 2 ** 32;
  const xs = new Type(n);
  const isBig = xs instanceof BigInt64Array || xs instanceof BigUint64Array;
  const integer = (x: number): number => (Number.isFinite(x) ? Math.floor(x * (isBig ? 2 ** 50 : 2 ** 28)) : 0);
  for (let i = 0; i < n; i++) {
    const x = draw(i, random);
    xs[i] = (isBig ? BigInt(integer(x)) : Type === Uint32Array || Type === Int32Array ? integer(x) : x) as never;
  }
  return xs;
}

/** Numbers of which most crowd at a few places, beside outliers: buckets there are too large for the cache. */
const crowds = fc.record({
  Type: fc.constantFrom(Float64Array, Uint32Array, BigInt64Array),
  n: fc.integer({ min: 160_000, max: 180_000 }),
  shares: fc.constantFrom([1], [1, 2, 1], [1, 1, 2], [2, 1, 1], [1, 1, 1, 1]),
  seed: fc.integer(),
});

function crowded({ Type, n, shares, seed }: typeof crowds extends fc.Arbitrary<infer C> ? C : never): TypedArray {
  const word = bits(seed);
  const places = shares.flatMap((share, at) => new Array<number>(share).fill(at + 1));
  const xs = new Type(n);
  for (let i = 0; i < n; i++) {
    const crowd = word() % 10 === 0 ? 0 : places[word() % places.length];
    const at = word();
    if (xs instanceof BigInt64Array) xs[i] = crowd === 0 ? BigInt(at) << 32n : (BigInt(crowd) << 60n) + BigInt(at);
    else if (xs instanceof Uint32Array) xs[i] = crowd === 0 ? at : crowd * 2 ** 28 + (at >>> 15);
    else xs[i] = crowd === 0 ? 10 ** (at / 2 ** 24 - 128) : crowd + at * 2 ** -50;
  }
  return xs;
}

describe('a numeric sort by buckets', () => {
  for (const [name, draw] of Object.entries(DISTRIBUTIONS)) {
    test.each([...FLOATS, ...INTEGERS])(`sorts ${name} numbers as the language does: %o`, async (Type) => {
      for (const n of [20_011, 150_003]) {
        const xs = drawn(Type, n, draw, n);
        const expected = xs.slice().sort();
        expect(difference(await parallelSort(place(xs, { shared: true, offset: 1 })), expected)).toBeUndefined();
      }
    });
  }

  test.each(Object.keys(DISTRIBUTIONS))(
    'sorts %s numbers by comparators known by their text as the language does',
    async (name) => {
      const comparators: ((a: number, b: number) => number)[] = [
        (a, b) => a - b,
        (a, b) => b - a,
        (a, b) => (a < b ? -1 : a > b ? 1 : 0),
        (a, b) => (a < b ? 1 : a > b ? -1 : 0),
        (a, b) => (a < b ? -1 : 1),
      ];
      for (const Type of [
        Float64Array,
        Float32Array,
        Uint32Array,
        Int32Array,
        Int16Array,
        BigInt64Array,
        BigUint64Array,
      ]) {
        const xs = drawn(Type as typeof Float64Array, 20_011, DISTRIBUTIONS[name], 7) as Float64Array;
        xs.forEach((x, i) => {
          if (Number.isNaN(x)) xs[i] = 0; // NaN has no place in these orders
        });
        const isBig = typeof xs[0] === 'bigint'; // whose difference is no number
        for (const compare of isBig ? comparators.slice(2) : comparators) {
          expect(difference(await parallelSort(xs.slice(), compare), xs.slice().sort(compare))).toBeUndefined();
        }
      }
    },
  );

  test('sorts random bits of every type, of any length, at any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FLOATS, ...INTEGERS),
        fc.integer({ min: 8193, max: 40_000 }),
        fc.integer({ min: 0, max: 63 }),
        somePlace,
        fc.record({
          seed: fc.integer(),
          parallelism: fc.constantFrom(1, 2, 3, 16),
          stealing: fc.constantFrom(0, 0.5, 1),
        }),
        async (Type, n, width, where, schedule) => {
          reset(schedule);
          const word = bits(schedule.seed);
          const raw = BigUint64Array.from({ length: n }, () => (BigInt(word()) << 32n) | BigInt(word()));
          for (let i = 0; i < n; i++) raw[i] = BigInt.asUintN(64, (raw[i] >> BigInt(width)) * 0x1_0000_0001n);
          const xs = new Type(raw.buffer, 0, n) as TypedArray;
          const expected = xs.slice().sort();
          expect(difference(await parallelSort(place(xs, where)), expected)).toBeUndefined();
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each(SMALL)('counts small integers of every value: %o', async (Type) => {
    const word = bits(3);
    for (const n of [8193, 100_003]) {
      for (const mask of [0, 7, 0xffff]) {
        const xs = new Type(Uint32Array.from({ length: n }, () => word() & mask));
        const expected = xs.slice().sort();
        expect(difference(await parallelSort(place(xs, { shared: true, offset: 1 })), expected)).toBeUndefined();
      }
    }
  });

  test.each([Float64Array, Int16Array])('keeps every element, wherever it is cancelled: %o', async (Type) => {
    for (let cancelAt = 1; cancelAt < 200; cancelAt++) {
      reset({ seed: cancelAt, cancelAt, stealing: 0.3 });
      const values = drawn(Float64Array, 100_000, DISTRIBUTIONS.normal, cancelAt) as Float64Array;
      const xs = sharedArray(
        Type as typeof Float64Array,
        values.map((x) => 1000 * x),
      );
      const expected = xs.slice().sort();
      const outcome = await parallelSort(xs).then(
        () => 'sorted',
        (error: Error) => error.message,
      );
      if (outcome === 'sorted') {
        expect(cancelAt).toBeGreaterThan(8);
        break;
      }
      expect(outcome).toBe('cancelled by the simulation');
      expect(difference(xs.slice().sort(), expected)).toBeUndefined();
    }
  });

  test('shares out what crowds at a few places, and keeps every element, wherever it is cancelled', async () => {
    const cancels = fc.record({ isLate: fc.boolean(), at: fc.nat(1000) });
    await fc.assert(
      fc.asyncProperty(crowds, somePlace, schedule, cancels, async (crowd, where, given, { isLate, at }) => {
        const values = crowded(crowd);
        const expected = values.slice().sort();
        const options = { ...follow(given), threshold: 1 };
        const xs = place(values, { ...where, shared: true });
        let [done, most] = [0, 0];
        await parallelSort(xs, {
          ...options,
          onProgress(now) {
            most = Math.max(most, now - done);
            done = now;
          },
        });
        expect(difference(xs, expected)).toBeUndefined();
        expect(most).toBeLessThanOrEqual(65_536 / 2 + 1); // at most so many are sorted by one thread, which is half of the work

        const { checkpoints } = simulation;
        follow(given);
        simulation.cancelAt = isLate ? checkpoints - (at % 20) : 1 + (at % checkpoints);
        const ys = place(values, { ...where, shared: true });
        await expect(parallelSort(ys, options)).rejects.toThrow('cancelled by the simulation');
        expect(difference(ys.slice().sort(), expected)).toBeUndefined();
      }),
      { numRuns: 12 },
    );
  });

  test('moves indices along with numbers that crowd at a few places, in the order of equal ones', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, somePlace, schedule, async (crowd, where, given) => {
        const values = crowded(crowd);
        follow(given);
        const order = await parallelArgsort(place(values, where));
        const isIndex = new Uint8Array(crowd.n);
        for (const at of order) isIndex[at]++;
        expect(isIndex.every((times) => times === 1)).toBe(true);
        const wrong = order.findIndex((at, i) => {
          const before = order[i - 1];
          return i > 0 && (values[before] > values[at] || (values[before] === values[at] && before > at));
        });
        expect(wrong).toBe(-1);
      }),
      { numRuns: 12 },
    );
  });
});
