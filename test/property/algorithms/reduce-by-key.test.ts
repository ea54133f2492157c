import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelReduceByKey, parallelReduceByKeySync } from '../../../src/algorithms/group/reduce-by-key.js';
import { heapStats } from '../../../src/core/memory/heap.js';
import { isShared, sharedArray } from '../../../src/core/memory/shared-array.js';
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
import { sequentialReduceByKey } from '../../helpers/sequential.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

type Value = number | bigint;

function folded(
  keys: ArrayLike<Value>,
  values: ArrayLike<Value>,
  op: (a: Value, b: Value) => Value,
): [Value[], Value[]] {
  const result = sequentialReduceByKey(keys, values, op);
  return [result.keys, result.values];
}

const someKeys = someValues(MOSTLY_FLOATS, 12_000);

describe('parallelReduceByKey', () => {
  test('combines the values of each key, keys in the order of first occurrence, wherever the arrays lie', async () => {
    await fc.assert(
      fc.asyncProperty(
        someKeys,
        somePlace,
        somePlace,
        schedule,
        fc.integer(),
        async ({ values: keys }, one, other, given, seed) => {
          const random = bits(seed);
          const values = place(
            Int32Array.from(keys as ArrayLike<number>, () => random() % 1000),
            other,
          );
          const result = await parallelReduceByKey(place(keys, one), values, 'sum', follow(given));
          const [expectedKeys, sums] = folded(keys, values, (a, b) => (a as number) + (b as number));
          expect(result.values).toBeInstanceOf(Float64Array);
          expect([isShared(result.keys), isShared(result.values)]).toEqual([one.shared, other.shared]);
          expect(difference(result.keys, expectedKeys)).toBeUndefined();
          expect(difference(result.values, sums)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  test('keeps the order of values: an operation that does not commute gives the first and the last', async () => {
    await fc.assert(
      fc.asyncProperty(someKeys, fc.boolean(), schedule, schedule, async ({ values: keys }, last, one, other) => {
        const places = Float64Array.from(keys as ArrayLike<number>, (_, i) => i);
        const op = last ? (_: number, b: number) => b : (a: number, _: number) => a;
        const first = await parallelReduceByKey(keys, places, op, follow(one));
        const second = parallelReduceByKeySync(keys, places, op, undefined, follow(other));
        const [, expected] = folded(keys, places, op as never);
        expect(difference(first.values, expected)).toBeUndefined();
        expect(difference(second.values, expected)).toBeUndefined();
      }),
    );
  });

  test('gives the same bits at any schedule, and up to a block those of a loop that begins with the identity', async () => {
    await fc.assert(
      fc.asyncProperty(someKeys, schedule, schedule, fc.integer(), async ({ values: keys }, one, other, seed) => {
        const random = bits(seed);
        const values = Float64Array.from(keys as ArrayLike<number>, () => random() / 3e5);
        const op = (a: number, b: number): number => a * 0.7 + b;
        const first = await parallelReduceByKey(keys, values, op, 5, follow(one));
        const second = await parallelReduceByKey(keys, values, op, 5, follow(other));
        expect(difference(first.keys, second.keys)).toBeUndefined();
        expect(difference(first.values, second.values)).toBeUndefined();
        if (keys.length > 2048) return;
        const prepared = new Map<Value, number>();
        let i = 0;
        for (const key of keys) prepared.set(key, op(prepared.get(key) ?? 5, values[i++]));
        expect(difference(first.values, [...prepared.values()])).toBeUndefined();
      }),
    );
  });

  test('sums of integers are the same bits at any schedule, whether doubles hold them or not', () => {
    const n = 3_000_000;
    const random = bits(3);
    const keys = sharedArray(Uint8Array, n);
    const sumsOf = (values: Uint32Array | Int32Array) =>
      [1, 3, 4].map((parallelism) => {
        reset({ parallelism });
        return parallelReduceByKeySync(keys, values, 'sum', undefined, { threshold: 1 }).values[0];
      });
    const small = sharedArray(Int32Array, n);
    let total = 0;
    for (let i = 0; i < n; i++) {
      small[i] = (random() % 9) - 4;
      total += small[i] as number;
    }
    expect(sumsOf(small)).toEqual([total, total, total]);
    const large = sharedArray(Uint32Array, n);
    for (let i = 0; i < n; i++) large[i] = 2 ** 32 - 1 - (random() % 9);
    const [one, ...others] = sumsOf(large);
    expect(one).toBeGreaterThan(2 ** 53);
    expect(others).toEqual([one, one]);
  });

  test('begins with an identity as an array of the type of values keeps it, at any schedule', () => {
    const n = 300_000;
    const keys = sharedArray(Int32Array, n);
    const values = sharedArray(BigUint64Array, n);
    for (let i = 0; i < n; i++) values[i] = BigInt(1000 + i);
    for (const parallelism of [1, 2, 3]) {
      reset({ parallelism });
      const of = (op: 'min' | 'max', identity: bigint) =>
        parallelReduceByKeySync(keys, values, op, identity, { threshold: 1 }).values[0];
      expect(of('min', -3n)).toBe(1000n);
      expect(of('max', 2n ** 64n + 5n)).toBe(BigInt(999 + n));
    }
  });

  test('folds blocks as long as documented from left to right, and then what they give', async () => {
    for (const n of [262_144, 262_145, 2_097_153]) {
      let block = 2048;
      while (block < 65_536 && 128 * block < n) block *= 2;
      const keys = new Uint8Array(n).map((_, i) => (i >> 4) % 3);
      const values = new Float64Array(n).map((_, i) => i % 101);
      const op = (a: number, b: number): number => a * 0.9 + b;
      const expected: number[] = [];
      for (let lo = 0; lo < n; lo += block) {
        const parts: number[] = [];
        for (let i = lo; i < Math.min(n, lo + block); i++) {
          const key = keys[i] as number;
          const x = values[i] as number;
          parts[key] = parts[key] === undefined ? x : op(parts[key], x);
        }
        parts.forEach((part, key) => {
          expected[key] = lo === 0 ? part : op(expected[key] as number, part);
        });
      }
      const result = await parallelReduceByKey(keys, values, op, { threshold: block });
      expect(difference(result.values, expected)).toBeUndefined();
    }
  });

  test('merges many distinct keys by buckets as it does few', async () => {
    const n = 70_000;
    const random = bits(3);
    for (const Type of ALL_TYPES.filter((type) => type.BYTES_PER_ELEMENT >= 4)) {
      const isBig = BIGINT_TYPES.includes(Type);
      const list = Array.from({ length: n }, () => random() % 50_000);
      const keys = sharedArray(Type, (isBig ? list.map(BigInt) : list) as never);
      const values = sharedArray(
        Int32Array,
        list.map((_, i) => i % 1001),
      );
      const [expectedKeys, sums] = folded(keys, values, (a, b) => (a as number) + (b as number));
      for (const identity of [undefined, 0.5]) {
        const result = await parallelReduceByKey(keys, values, 'sum', identity, { threshold: 1 });
        expect(difference(result.keys, expectedKeys)).toBeUndefined();
        expect(
          difference(
            result.values,
            sums.map((sum) => (sum as number) + (identity ?? 0)),
          ),
        ).toBeUndefined();
      }
      const last = await parallelReduceByKey(keys, values, (_, b) => b, { threshold: 1 });
      expect(difference(last.values, folded(keys, values, (_, b) => b)[1])).toBeUndefined();
    }
    expect(simulation.steals).toBeGreaterThan(5);
  });

  test('has the named operations of parallelReduce, for numbers and bigints', () => {
    const keys = Uint8Array.of(1, 2, 1, 1);
    const of = (values: never, op: string): Value[] => [
      ...parallelReduceByKeySync(keys, values as Uint32Array, op as 'sum').values,
    ];
    const words = Uint32Array.of(0xf0000000, 7, 0x8000000f, 0x90000001) as never;
    expect(of(words, 'and')).toEqual([0x80000000, 7]);
    expect(of(words, 'or')).toEqual([0xf000000f, 7]);
    expect(of(words, 'xor')).toEqual([0xe000000e, 7]);
    expect(of(Uint8Array.of(200, 1, 200, 200) as never, 'sum')).toEqual([600, 1]);
    expect(of(Float32Array.of(1, 2, Number.NaN, 0) as never, 'min')).toEqual([Number.NaN, 2]);
    expect(of(Float64Array.of(0, 2, -0, 0) as never, 'min')).toEqual([-0, 2]);
    const bigs = BigInt64Array.of(-5n, 2n, 7n, 3n) as never;
    expect(of(bigs, 'sum')).toEqual([5n, 2n]);
    expect(of(bigs, 'max')).toEqual([7n, 2n]);
    expect(of(bigs, 'product')).toEqual([-105n, 2n]);
    expect(of(BigUint64Array.of(2n ** 63n, 1n, 2n ** 63n, 5n) as never, 'sum')).toEqual([5n, 1n]);
    const none = parallelReduceByKeySync(new Uint8Array(0), new BigInt64Array(0), 'sum', 3n);
    expect(none).toEqual({ keys: new Uint8Array(0), values: new BigInt64Array(0) });
  });

  test('leaves everything as it was when the operation throws or returns what is no number, and gives memory back', async () => {
    const keys = Int32Array.from({ length: 50_000 }, (_, i) => i % 100);
    const values = Int32Array.from(keys, (_, i) => i);
    const attempt = async (): Promise<void> => {
      const context = { limit: 40_000 };
      const failing = (a: number, b: number, { limit }: { limit: number }): number => {
        if (b > limit) throw new RangeError('enough');
        return a + b;
      };
      await expect(parallelReduceByKey(keys, values, failing, { context })).rejects.toThrow('enough');
      await expect(parallelReduceByKey(keys, values, (() => '1') as never)).rejects.toThrow(
        /op must return a number.*"1"/,
      );
      expect(() =>
        parallelReduceByKeySync(keys.subarray(0, 200), values.subarray(0, 200), (() => 1n) as never),
      ).toThrow(TypeError);
      const factor = 2;
      await expect(parallelReduceByKey(keys, values, (a, b) => a + factor * b)).rejects.toThrow(
        /captured variable `factor`/,
      );
      await parallelReduceByKey(keys, values, 'sum', { threshold: 1 });
    };
    await attempt();
    const before = heapStats();
    await attempt();
    expect(heapStats()).toEqual(before);
    expect(values.every((value, i) => value === i && keys[i] === i % 100)).toBe(true);
  });

  test('checks its arguments before anything starts', async () => {
    const keys = Int32Array.of(1, 2);
    const wrong = (...all: unknown[]): Promise<unknown> =>
      (parallelReduceByKey as (...all: unknown[]) => Promise<unknown>)(...all);
    await expect(wrong(keys, Int32Array.of(1), 'sum')).rejects.toThrow(/there are 1 values and 2 keys/);
    await expect(wrong([1], keys, 'sum')).rejects.toThrow(/keys must be a typed array/);
    await expect(wrong(keys, [1, 2], 'sum')).rejects.toThrow(/values must be a typed array/);
    await expect(wrong(keys, keys, 'mean')).rejects.toThrow(/op must be a function \(a, b\) or one of/);
    await expect(wrong(keys, Float64Array.of(1, 2), 'xor')).rejects.toThrow(
      /works on bits, and values is a Float64Array/,
    );
    await expect(wrong(keys, keys, 'sum', 1n)).rejects.toThrow(/identity must be a number/);
    await expect(wrong(keys, keys, 'sum', 0, { bins: 1 })).rejects.toThrow(/no option "bins"/);
  });
});
