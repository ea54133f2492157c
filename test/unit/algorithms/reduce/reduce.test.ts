import '../../../helpers/in-simulated-core.js';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { parallelReduce, parallelReduceSync } from '../../../../src/algorithms/reduce/reduce.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { pool, reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset());

describe('parallelReduce', () => {
  test('refuses an identity that cannot be cloned, by name', async () => {
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    const gone = new Float64Array(1);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    for (const identity of [() => 1, Symbol('x'), new WeakMap(), gone]) {
      await expect(parallelReduce(xs, (a) => a, identity as never)).rejects.toThrow(
        /identity is (an? \w+, which cannot be cloned|on a buffer that was transferred)/,
      );
    }
  });

  test('takes an identity, options, both or neither', async () => {
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    const options = { pool } as { pool: never };
    expect(await parallelReduce(xs, 'sum')).toBe(6);
    expect(await parallelReduce(xs, 'sum', 10)).toBe(16);
    expect(await parallelReduce(xs, 'sum', options)).toBe(6);
    expect(await parallelReduce(xs, 'sum', 10, options)).toBe(16);
    expect(await parallelReduce(xs, 'sum', undefined, options)).toBe(6);
    expect(await parallelReduce(xs, (a, b) => a * b, 1)).toBe(6);
    expect(await parallelReduce(xs, (a, b) => a * b, 1, options)).toBe(6);
    expect(parallelReduceSync(xs, 'max', options)).toBe(3);
  });

  test('gives the identity for an empty array, or that of the named operation', () => {
    const none = new Float64Array(0);
    const identity = { seen: 0 };
    expect(parallelReduceSync(none, (a) => a, identity, { map: () => identity })).toEqual(identity);
    expect(parallelReduceSync(none, 'sum')).toBe(0);
    expect(parallelReduceSync(none, 'product')).toBe(1);
    expect(parallelReduceSync(none, 'min')).toBe(Number.POSITIVE_INFINITY);
    expect(parallelReduceSync(none, 'max')).toBe(Number.NEGATIVE_INFINITY);
    expect(parallelReduceSync(none, 'max', 7)).toBe(7);
    expect(parallelReduceSync(new Uint8Array(0), 'and')).toBe(255);
    expect(parallelReduceSync(new Uint32Array(0), 'and')).toBe(2 ** 32 - 1);
    expect(parallelReduceSync(new Int32Array(0), 'and')).toBe(-1);
    expect(parallelReduceSync(new Int32Array(0), 'xor')).toBe(0);
    expect(parallelReduceSync(new BigInt64Array(0), 'sum')).toBe(0n);
    expect(parallelReduceSync(new BigInt64Array(0), 'product')).toBe(1n);
    expect(parallelReduceSync(new BigInt64Array(0), 'min')).toBe(2n ** 63n - 1n);
    expect(parallelReduceSync(new BigInt64Array(0), 'max')).toBe(-(2n ** 63n));
    expect(parallelReduceSync(new BigUint64Array(0), 'max')).toBe(0n);
    expect(parallelReduceSync(new BigUint64Array(0), 'and')).toBe(2n ** 64n - 1n);
  });

  test('combines as Math does: NaN wins, -0 is less than 0, a sum of -0 is 0', () => {
    expect(parallelReduceSync(Float64Array.of(1, Number.NaN, 0), 'min')).toBe(Number.NaN);
    expect(parallelReduceSync(Float64Array.of(0, -0, 0), 'min')).toBe(-0);
    expect(parallelReduceSync(Float64Array.of(-0, 0, -0), 'max')).toBe(0);
    expect(parallelReduceSync(Float64Array.of(-0, -0), 'sum')).toBe(0);
    expect(parallelReduceSync(Float64Array.of(-0, -0), 'max')).toBe(-0);
    expect(parallelReduceSync(Float64Array.of(-3, 5), 'product')).toBe(-15);
    expect(parallelReduceSync(Uint32Array.of(2 ** 31, 1), 'or')).toBe(2 ** 31 + 1);
    expect(parallelReduceSync(Int32Array.of(2 ** 31 - 1, 1), 'sum')).toBe(2 ** 31);
    expect(parallelReduceSync(BigInt64Array.of(2n ** 62n, 2n ** 62n), 'product')).toBe(2n ** 124n);
  });

  test.each(['Float64Array', 'Float32Array'] as const)('sees NaN and -0 at every place of a %s', (name) => {
    for (let n = 1; n < 20; n++) {
      for (let i = 0; i < n; i++) {
        for (const op of ['min', 'max', 'sum', 'product'] as const) {
          const xs = new globalThis[name](n).fill(5);
          xs[i] = Number.NaN;
          expect(parallelReduceSync(xs, op)).toBe(Number.NaN);
        }
        expect(parallelReduceSync(new globalThis[name](n).fill(0).fill(-0, i, i + 1), 'min')).toBe(-0);
        expect(parallelReduceSync(new globalThis[name](n).fill(-0).fill(0, i, i + 1), 'max')).toBe(0);
      }
    }
  });

  test('counts the identity once, even if it is not neutral', () => {
    reset({ stealing: 1 });
    const xs = sharedArray(Float64Array, 5000).fill(1);
    expect(parallelReduceSync(xs, (a, b) => a + b, 100, { threshold: 64 })).toBe(5100);
    expect(parallelReduceSync(xs, 'sum', 100, { threshold: 64 })).toBe(5100);
    expect(parallelReduceSync(xs, 'sum', 100, { threshold: 64, map: (x) => 2 * x })).toBe(10_100);
  });

  test('never changes the identity that it was given', () => {
    const identity = { list: [0] };
    const push = (a: { list: number[] }, b: { list: number[] }): { list: number[] } => {
      a.list.push(...b.list);
      return a;
    };
    const map = (x: number): { list: number[] } => ({ list: [x] });
    // The first calls go to the pool, which has a clone anyway; later ones run here.
    for (let call = 0; call < 20; call++) {
      expect(parallelReduceSync(Float64Array.of(1, 2, 3), push, identity, { map }).list).toEqual([0, 1, 2, 3]);
      expect(identity.list).toEqual([0]);
    }
  });

  test('copies an array that is not shared only where the work is worth five copies', async () => {
    const xs = new Float64Array(20_000).fill(1);
    expect(await parallelReduce(xs, 'sum')).toBe(20_000);
    expect(simulation.jobs).toBe(0);
    const dear = (x: number): number => {
      let y = x;
      for (let k = 0; k < 1000; k++) y = Math.sqrt(y);
      return y;
    };
    await parallelReduce(xs, 'sum', { map: dear });
    expect(await parallelReduce(xs, 'sum', { map: dear })).toBe(20_000);
    expect(simulation.jobs).toBe(2);
  });

  test('reads a snapshot taken at the call', async () => {
    const xs = new Float64Array(3000).fill(1);
    const sum = parallelReduce(xs, (a, b) => a + b, 0, { threshold: 1 });
    xs.fill(2);
    expect(await sum).toBe(3000);
  });

  test('gives its memory back, also when it fails', async () => {
    const xs = new Float64Array(50_000).fill(1);
    const reduceTwice = async (): Promise<void> => {
      await parallelReduce(xs, (a, b) => Math.max(a, b), 0);
      const failing = parallelReduce(
        xs,
        () => {
          throw new RangeError('no');
        },
        0,
      );
      await expect(failing).rejects.toThrow('no');
    };
    await reduceTwice(); // sources of functions stay
    const before = heapStats();
    await reduceTwice();
    expect(heapStats()).toEqual(before);
  });

  test('refuses what a named operation cannot combine', () => {
    const xs = Float64Array.of(1, 2);
    const map = (): number => 'text' as unknown as number;
    expect(() => parallelReduceSync(xs, 'sum', { map })).toThrow(/map must return numbers.*string/);
  });

  test('names a captured variable, in op and in map', async () => {
    const factor = 3;
    const xs = Float64Array.of(1, 2);
    await expect(parallelReduce(xs, (a, b) => a + factor * b, 0)).rejects.toThrow(/captured variable `factor`/);
    await expect(parallelReduce(xs, 'sum', { map: (x) => factor * x })).rejects.toThrow(/captured variable `factor`/);
  });

  test('has the types that its arguments give', () => {
    const typed = (): void => {
      const xs = new Float64Array(1);
      const bigs = new BigInt64Array(1);
      expectTypeOf(parallelReduce(xs, 'sum')).toEqualTypeOf<Promise<number>>();
      expectTypeOf(parallelReduce(bigs, 'sum')).toEqualTypeOf<Promise<bigint>>();
      expectTypeOf(parallelReduceSync(bigs, 'sum', 1n, { threshold: 2 })).toEqualTypeOf<bigint>();
      expectTypeOf(parallelReduceSync(xs, (a, b) => a + b, 0)).toEqualTypeOf<number>();
      expectTypeOf(parallelReduceSync(bigs, 'sum', { map: (x) => Number(x) })).toEqualTypeOf<number>();
      expectTypeOf(parallelReduceSync(xs, (a, b) => a + b, '', { map: (x, i) => `${x}${i}` })).toEqualTypeOf<string>();
      // @ts-expect-error a function needs an identity
      parallelReduceSync(xs, (a: number, b: number) => a + b);
    };
    expect(typed).toBeTypeOf('function');
  });
});
