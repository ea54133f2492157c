import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NamedReduction } from '../../../src/algorithms/kernels/operators.js';
import { parallelReduce, parallelReduceSync } from '../../../src/algorithms/reduce/reduce.js';
import type { NumberArray } from '../../../src/core/memory/element-types.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, NUMBER_TYPES, place, somePlace, someValues } from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { sequentialNamedReduce } from '../../helpers/sequential.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const floats = NUMBER_TYPES.filter((Type) => Type.name.startsWith('Float'));
const integers = NUMBER_TYPES.filter((Type) => !Type.name.startsWith('Float'));

const bitwise = new Set<NamedReduction>(['and', 'or', 'xor']);

const sameAs = (expected: number): ((actual: number) => boolean) => {
  return (actual) => Object.is(actual, expected);
};

/** What a named sum of floats is documented to be: eight accumulators a block of 4096, then a tree of aligned halves. */
function documentedSum(xs: ArrayLike<number>): number {
  const block = (lo: number, hi: number): number => {
    const a = new Array(8).fill(-0);
    let i = lo;
    for (; i + 8 <= hi; i += 8) for (let j = 0; j < 8; j++) a[j] += xs[i + j];
    for (; i < hi; i++) a[0] += xs[i];
    return a[0] + a[4] + (a[2] + a[6]) + (a[1] + a[5] + (a[3] + a[7]));
  };
  const tree = (lo: number, hi: number): number => {
    if (hi - lo === 1) return block(lo * 4096, Math.min(xs.length, hi * 4096));
    const half = 2 ** (Math.ceil(Math.log2(hi - lo)) - 1);
    return tree(lo, lo + half) + tree(lo + half, hi);
  };
  return xs.length === 0 ? 0 : tree(0, Math.ceil(xs.length / 4096)) + 0;
}

describe('parallelReduce', () => {
  test('gives sums of integers, minima, maxima and bits as a loop does, for numbers of every type', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(NUMBER_TYPES, 20_000),
        somePlace,
        fc.constantFrom<NamedReduction>('sum', 'min', 'max', 'and', 'or', 'xor'),
        schedule,
        async ({ Type, values }, where, op, { threshold, ...changes }) => {
          fc.pre(integers.includes(Type) || op === 'min' || op === 'max');
          fc.pre(!(values.length === 0 && op === 'and')); // see below: all ones of the type
          reset(changes);
          const xs = place(values, where) as NumberArray;
          const expected = sequentialNamedReduce(values as NumberArray, op);
          const actual = await parallelReduce(xs, op, { threshold });
          expect(actual).toSatisfy(sameAs(Type.name === 'Uint32Array' && bitwise.has(op) ? expected >>> 0 : expected));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('adds floats in the documented order, bit for bit, at any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(floats, 80_000), somePlace, schedule, async ({ values }, where, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const xs = place(values, where) as NumberArray;
        expect(await parallelReduce(xs, 'sum', { threshold })).toSatisfy(sameAs(documentedSum(values as NumberArray)));
      }),
    );
  });

  test('is exact on bigints, beyond 64 bits too', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(BIGINT_TYPES, 10_000),
        somePlace,
        fc.constantFrom<NamedReduction>('sum', 'min', 'max', 'and', 'or', 'xor'),
        schedule,
        async ({ values }, where, op, { threshold, ...changes }) => {
          fc.pre(values.length > 0);
          reset(changes);
          const list = Array.from(values as BigInt64Array);
          const expected = {
            sum: () => list.reduce((a, b) => a + b, 0n),
            min: () => list.reduce((a, b) => (b < a ? b : a)),
            max: () => list.reduce((a, b) => (b > a ? b : a)),
            and: () => list.reduce((a, b) => a & b),
            or: () => list.reduce((a, b) => a | b),
            xor: () => list.reduce((a, b) => a ^ b),
          }[op as 'sum']();
          expect(await parallelReduce(place(values, where), op, { threshold })).toBe(expected);
        },
      ),
    );
  });

  test('combines neighbours in order: an associative operation need not be commutative', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), schedule, (n, { threshold, ...changes }) => {
        reset(changes);
        const xs = sharedArray(Uint16Array, n);
        const map = (_x: number, i: number): string => `${i},`;
        const expected = Array.from({ length: n }, (_, i) => `${i},`).join('');
        expect(parallelReduceSync(xs, (a, b) => a + b, '<', { map, threshold })).toBe(`<${expected}`);
      }),
    );
  });

  test('combines in one tree, whatever the schedule: even an operation that is not associative gives one result', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.boolean(), schedule, schedule, (n, shared, one, other) => {
        const results = [one, other].map(({ threshold, ...changes }) => {
          reset(changes);
          const xs = place(
            Float64Array.from({ length: n }, (_, i) => Math.sin(i)),
            { shared, offset: 0 },
          );
          return parallelReduceSync(xs, (a, b) => Math.fround(a * 0.7 - b), 1, { threshold });
        });
        expect(results[1]).toSatisfy(sameAs(results[0]));
      }),
    );
  });

  test('maps bigints as it maps numbers, with an index and a context', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(ALL_TYPES, 2000), somePlace, schedule, async ({ values }, where, given) => {
        const { threshold, ...changes } = given;
        reset(changes);
        const xs = place(values, where);
        const weigh = (x: number | bigint, i: number, { modulus }: { modulus: number }): number =>
          Number.isFinite(Number(x)) ? Math.trunc(Number(x) % modulus) * (i % 5) : i;
        const context = { modulus: 101 };
        const expected = Array.from<number | bigint>(values).reduce<number>((a, x, i) => a + weigh(x, i, context), 0);
        const options = { map: weigh, context, threshold } as never;
        expect(await parallelReduce(xs, (a: number, b: number) => a + b, 0, options)).toBe(expected);
        expect(await parallelReduce(xs, 'sum', 0 as never, options)).toBe(expected);
        for (const op of values.length === 0 ? [] : bitwise) {
          const words = Array.from<number | bigint, number>(values, (x, i) => weigh(x, i, context));
          const reduced = (await parallelReduce(xs, op, options)) as number;
          expect(reduced + 0).toBe(sequentialNamedReduce(words, op)); // the only element may be -0
        }
      }),
    );
  });

  test('calls the map and the operation once for each element, where results are numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), schedule, (n, { threshold, ...changes }) => {
        reset(changes);
        const context = { calls: sharedArray(Int32Array, 2) };
        type Calls = typeof context;
        const map = (x: number, _: number, { calls }: Calls): number => {
          calls[0]++;
          return x;
        };
        const op = (a: number, b: number, { calls }: Calls): number => {
          calls[1]++;
          return a + b;
        };
        parallelReduceSync(sharedArray(Float64Array, n), op, 0, { map, context, threshold });
        expect([...context.calls]).toEqual([n, n]); // the identity is combined, too
      }),
    );
  });

  test('takes objects for partial results', () => {
    interface Extent {
      readonly least: number;
      readonly most: number;
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer(), schedule, (n, salt, { threshold, ...changes }) => {
        reset(changes);
        const values = Array.from({ length: n }, (_, i) => Math.imul(i ^ salt, 0x9e3779b1));
        const extent = parallelReduceSync(
          sharedArray(Int32Array, values),
          (a: Extent, b: Extent) => ({ least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) }),
          { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY },
          { map: (x) => ({ least: x, most: x }), threshold },
        );
        expect(extent).toEqual({ least: Math.min(...values), most: Math.max(...values) });
      }),
    );
  });

  test('surfaces the error of the lowest failing index', async () => {
    const failing = (x: number, i: number): number => {
      if (x === 1) throw new RangeError(String(i));
      return x;
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
          const reduced = parallelReduce(xs, 'max', { map: failing, threshold });
          await expect(reduced).rejects.toThrow(new RangeError(String(xs.indexOf(1))));
        },
      ),
    );
  });

  test('steals and splits in these tests', () => {
    parallelReduceSync(sharedArray(Float64Array, 3000), (a, b) => a + b, 0, { threshold: 1 });
    parallelReduceSync(sharedArray(Float64Array, 300_000), 'sum', { threshold: 1 });
    expect(simulation.jobs).toBe(2);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
