/** Values at their edges: identities that are not neutral, totals beyond 32 bits, ranges one short of a type's, late keys. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelHistogramSync } from '../../../src/algorithms/group/histogram.js';
import { parallelReduceByKeySync } from '../../../src/algorithms/group/reduce-by-key.js';
import { parallelUniqueSync } from '../../../src/algorithms/group/unique.js';
import type { NamedReduction } from '../../../src/algorithms/kernels/operators.js';
import { parallelReduceSync } from '../../../src/algorithms/reduce/reduce.js';
import { parallelScanSync } from '../../../src/algorithms/scan/scan.js';
import type { TypedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  awkwardLength,
  bits,
  difference,
  NUMBER_TYPES,
  place,
  somePlace,
} from '../../helpers/array-values.js';
import { anySchedule } from '../../helpers/schedules.js';
import { sequentialHistogram, sequentialReduceByKey } from '../../helpers/sequential.js';
import { reset } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const integers = NUMBER_TYPES.filter((Type) => !Type.name.startsWith('Float'));

/** The extremes of a type of integers. */
function rangeOf(Type: (typeof ALL_TYPES)[number]): [min: number, max: number] {
  const size = 2 ** (8 * Type.BYTES_PER_ELEMENT);
  return Type.name.startsWith('Int') ? [-size / 2, size / 2 - 1] : [0, size - 1];
}

/** Integers of a type, by a seed; most of them near its greatest one, so that totals grow fast. */
function greatIntegers(Type: (typeof ALL_TYPES)[number], length: number, seed: number): TypedArray {
  const [, max] = rangeOf(Type);
  const random = bits(seed);
  const xs = new Type(length) as Float64Array;
  for (let i = 0; i < length; i++) xs[i] = random() % 8 === 0 ? random() : max - (random() % 3);
  return xs;
}

const lengths = awkwardLength(20_000);

/** Not neutral, and where 32 bits end, with and without a sign. */
const identities = fc.constantFrom(1, -1, 255, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 1);

const OPERATIONS = {
  sum: (a: number, b: number) => a + b,
  min: Math.min,
  max: Math.max,
} as const;

const operations = fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]));

/** Bins of 2^k elements each, if they fill the range. Kernels find such bins by a shift. */
const powerOfTwoWide = (k: number) => (distance: number) => {
  const bins = distance / 2 ** k;
  return Number.isInteger(bins) && bins <= 2 ** 16 ? bins : 16;
};

describe('integers', () => {
  test('have totals and prefixes beyond 32 bits, from an identity that is not neutral, as a loop in doubles has', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integers),
        lengths,
        fc.integer(),
        identities,
        operations,
        somePlace,
        anySchedule,
        (Type, length, seed, identity, name, where, { threshold, ...changes }) => {
          reset(changes);
          const values = greatIntegers(Type, length, seed);
          const xs = place(values, where) as Float64Array;
          const op = OPERATIONS[name];
          let a = identity;
          const prefixes = Float64Array.from(values as Float64Array, (x) => {
            a = op(a, x);
            return a;
          });
          expect(parallelReduceSync(xs, name as NamedReduction, identity, { threshold })).toBe(a);
          const wide = place(new Float64Array(length), where);
          parallelScanSync(xs, name, identity, { into: wide, threshold });
          expect(difference(wide, prefixes)).toBeUndefined();
          // Into their own type: as stores wrap or clamp what a loop gives.
          const narrow = parallelScanSync(xs, name, identity, { threshold });
          const expected = new Type(length) as Float64Array;
          expected.set(prefixes);
          expect(difference(narrow, expected)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test('are counted into ranges that end at, or one before, the extremes of their type', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integers),
        lengths,
        fc.integer(),
        fc.tuple(fc.integer({ min: -1, max: 2 }), fc.integer({ min: -2, max: 1 })),
        fc.oneof(fc.constantFrom(1, 2, 16, 255, 256, 257), fc.integer({ min: 0, max: 16 }).map(powerOfTwoWide)),
        somePlace,
        anySchedule,
        (Type, length, seed, [from, to], count, where, { threshold, ...changes }) => {
          reset(changes);
          const values = greatIntegers(Type, length, seed) as Float64Array;
          const [least, greatest] = rangeOf(Type);
          if (length > 1) values.set([least, greatest]);
          const [min, max] = [least + from, greatest + to];
          const bins = typeof count === 'number' ? count : count(max - min);
          const counts = parallelHistogramSync(place(values, where), { bins, min, max, threshold });
          expect(difference(counts, sequentialHistogram(values, bins, min, max))).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a key that comes late', () => {
  /** Few keys, of which one is in the last places only. */
  const keys = fc
    .tuple(
      fc.constantFrom(...ALL_TYPES),
      awkwardLength(70_000, 1),
      fc.integer(),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(1, 3, 100, 5000),
    )
    .map(([Type, length, seed, late, distinct]) => {
      const random = bits(seed);
      const cast = (n: number): never => (Type.name.startsWith('Big') ? BigInt(n) : n) as never;
      const xs = new Type(length);
      for (let i = 0; i < length; i++) xs[i] = cast(random() % Math.min(distinct, 120));
      xs[Math.max(0, length - late)] = cast(121);
      return xs;
    });

  test('is the last of the distinct values, and has its own total', () => {
    fc.assert(
      fc.property(keys, somePlace, anySchedule, (values, where, { threshold, ...changes }) => {
        reset(changes);
        const xs = place(values, where);
        expect(
          difference(parallelUniqueSync(xs, { threshold }), [...new Set<number | bigint>(values)]),
        ).toBeUndefined();
        const ones = place(
          Int32Array.from({ length: values.length }, (_, i) => i + 1),
          where,
        );
        const expected = sequentialReduceByKey(values as Float64Array, ones, (a, b) => a + b);
        const { keys, values: sums } = parallelReduceByKeySync(xs, ones, 'sum', { threshold });
        expect(difference(keys, expected.keys)).toBeUndefined();
        expect(difference(sums, expected.values)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });
});
