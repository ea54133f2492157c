import {
  ForkJoinPool,
  parallelArgsortSync,
  parallelFilter,
  parallelFindIndex,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelReduceSync,
  parallelScan,
  parallelSort,
  sharedArray,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

type Functions = Record<string, unknown>;
type Run = (f: Functions, xs: Float64Array, options: object) => unknown;
interface Fixture {
  readonly PROMISES: Functions;
  readonly SYNCS: Functions;
  readonly CALLS: Record<string, { call: Run; expected(xs: Float64Array): unknown }>;
  readonly inTask: never;
  readonly throwing: (x: number, i: number) => boolean;
  readonly matchingBeforeThrowing: (x: number, i: number) => boolean;
  readonly slow: (x: number) => boolean;
  readonly fib: (n: number) => number;
  readonly fibOf: (x: number) => number;
  readonly freeing: (x: number, i: number) => number;
}

const { PROMISES, SYNCS, CALLS, inTask, throwing, matchingBeforeThrowing, slow, fib, fibOf, freeing } =
  await fixture<Fixture>('loops.mjs');

const LENGTHS = [0, 1, 10, 1000, 100_003];
const valuesOf = (n: number): Float64Array => Float64Array.from({ length: n }, (_, i) => (i * 7919) % 1000);

/** Arrays of any kind as plain lists. */
const plain = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  return Array.isArray(value) ? value.map(plain) : value;
};

const same = (actual: unknown, expected: unknown): boolean =>
  JSON.stringify(plain(actual)) === JSON.stringify(plain(expected));

describe.each([
  [1, false],
  [2, false],
  [2, true],
  [4, false],
])('with %i threads, checked: %s,', (parallelism, checked) => {
  const pool = new ForkJoinPool({ parallelism, checked });
  afterAll(() => pool.close());

  test.each(Object.keys(CALLS))('%s gives what its sequential twin gives, in every form and place', async (name) => {
    const { call, expected } = CALLS[name];
    for (const n of LENGTHS) {
      const values = valuesOf(n);
      const wanted = expected(values);
      for (const xs of [sharedArray(Float64Array, values), values]) {
        for (const threshold of [undefined, 1000]) {
          const options = { pool, threshold };
          const at = `n = ${n}, threshold ${threshold}, ${xs === values ? 'not ' : ''}shared`;
          expect(same(await call(PROMISES, xs, options), wanted), `promise, ${at}`).toBe(true);
          expect(same(call(SYNCS, xs, options), wanted), `Sync, ${at}`).toBe(true);
          if (xs === values) continue;
          const given = await (pool.invoke as (...args: unknown[]) => Promise<unknown>)(inTask, name, xs, threshold);
          expect(same(given, wanted), `in a task, ${at}`).toBe(true);
        }
      }
    }
  });

  test('the first match or error in the order of the array surfaces, whoever finds it', async () => {
    const xs = sharedArray(Float64Array, valuesOf(100_003));
    const bad = xs.indexOf(641);
    for (const threshold of [undefined, 100]) {
      await expect(parallelFindIndex(xs, throwing, { pool, threshold })).rejects.toThrow(`element ${bad}`);
      await expect(parallelFilter(xs, throwing, { pool, threshold })).rejects.toThrow(`element ${bad}`);
      expect(await parallelFindIndex(xs, matchingBeforeThrowing, { pool, threshold })).toBe(1);
    }
  });

  test('what forks may do so, also where it is known to be short', async () => {
    const xs = sharedArray(Float64Array, [5, 6, 7]);
    const viaContext = (x: number, _: number, { fib }: { fib: (n: number) => number }): number => fib(x);
    for (let call = 0; call < 20; call++) {
      expect([...(await parallelMap(xs, fibOf, { pool }))]).toEqual([5, 8, 13]);
      expect([...parallelMapSync(xs, fibOf, { pool })]).toEqual([5, 8, 13]);
      expect([...(await parallelMap(xs, viaContext, { pool, context: { fib } }))]).toEqual([5, 8, 13]);
      expect(await parallelReduce(xs, 'sum', { pool, map: fibOf })).toBe(26);
      expect(parallelReduceSync(xs, 'sum', { pool, map: fibOf })).toBe(26);
      const addByFib = (a: number, b: number, { fib }: { fib: (n: number) => number }): number => a + b + fib(3) - 2;
      expect(await parallelReduce(xs, addByFib, 0, { pool, context: { fib } })).toBe(18);
      const byFib = (a: number, b: number, { fib }: { fib: (n: number) => number }): number => fib(b) - fib(a);
      const falling = sharedArray(Float64Array, xs);
      expect([...(await parallelSort(falling, byFib, { pool, context: { fib } }))]).toEqual([7, 6, 5]);
      expect([...parallelArgsortSync(xs, byFib, { pool, context: { fib } })]).toEqual([2, 1, 0]);
    }
  });

  test('an array that is freed while a call works on it stays until the call has ended', () => {
    const n = 1000;
    const xs = sharedArray(Float64Array, n).fill(1);
    const context = { xs, n };
    expect(parallelMapSync(xs, freeing, { pool, threshold: 100, context })).toEqual(new Float64Array(n).fill(1));
    expect(() => xs.length && parallelMapSync(xs, freeing, { pool, context })).toThrow(/freed/);
  });

  test('an abort half-way rejects with an AbortError, and what runs is over then', async () => {
    for (const run of [
      (signal: AbortSignal) => parallelFilter(sharedArray(Float64Array, 20_000), slow, { pool, signal }),
      (signal: AbortSignal) => parallelFindIndex(sharedArray(Float64Array, 20_000), slow, { pool, signal }),
      (signal: AbortSignal) => parallelMap(sharedArray(Float64Array, 20_000), slow as never, { pool, signal }),
      (signal: AbortSignal) =>
        parallelScan(
          sharedArray(Float64Array, 20_000),
          ((a: number, b: number) => {
            let y = a + b;
            for (let k = 0; k < 20_000; k++) y = Math.sqrt(y + k);
            return y;
          }) as never,
          0,
          { pool, signal },
        ),
    ]) {
      const controller = new AbortController();
      const running = run(controller.signal);
      setImmediate(() => controller.abort());
      await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    }
  });
});
