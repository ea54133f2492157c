import {
  type ForkJoinPool,
  parallelArgsort,
  parallelArgsortSync,
  parallelFilter,
  parallelFindIndex,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelReduceSync,
  parallelScan,
  parallelSort,
  SequentialExecutor,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { ofEachKind } from '../helpers/environment.js';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { coldPools, type Pools, warmPools } from '../helpers/pools.js';
import { haveSameBytes } from '../helpers/same-bytes.js';

type Invoke = (...args: unknown[]) => Promise<unknown>;
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

function same(actual: unknown, expected: unknown): boolean {
  if (haveSameBytes(actual, expected)) return true;
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length === expected.length && actual.every((each, i) => same(each, expected[i]));
  }
  return JSON.stringify(plain(actual)) === JSON.stringify(plain(expected));
}

const POOLS = ofEachKind(
  [warmPools(1), warmPools(2), warmPools(2, true), warmPools(4), coldPools(1)],
  ({ parallelism, cold }) => cold || parallelism === 2,
);

/** The executor without threads, as if it were pools. */
const sequential: Pools = {
  name: 'no threads',
  parallelism: 1,
  checked: false,
  cold: false,
  use: async (call) => call(new SequentialExecutor() as unknown as ForkJoinPool),
};

describe.each([...POOLS, sequential])('with a pool of $name,', (pools) => {
  test.each(Object.keys(CALLS))('%s gives what its sequential version gives, in every form and place', async (name) => {
    const { call, expected } = CALLS[name];
    for (const n of pools.cold ? [100_003] : LENGTHS) {
      const values = valuesOf(n);
      const wanted = expected(values);
      for (const xs of pools.cold ? [sharedArray(Float64Array, values)] : [sharedArray(Float64Array, values), values]) {
        for (const threshold of pools.cold ? [1000] : [undefined, 1000]) {
          const at = `n = ${n}, threshold ${threshold}, ${xs === values ? 'not ' : ''}shared`;
          const promised = await pools.use((pool) => call(PROMISES, xs, { pool, threshold }));
          expect(same(promised, wanted), `promise, ${at}`).toBe(true);
          const sync = pools.use(async (pool) => call(SYNCS, xs, { pool, threshold }));
          if (mayBlock || pools.name === 'no threads') expect(same(await sync, wanted), `Sync, ${at}`).toBe(true);
          else await expect(sync, `Sync, ${at}`).rejects.toThrow('on a thread that must not block');
          if (xs === values) continue;
          const given = await pools.use((pool) => (pool.invoke as Invoke).call(pool, inTask, name, xs, threshold));
          expect(same(given, wanted), `in a task, ${at}`).toBe(true);
        }
      }
    }
  });
});

describe.each(POOLS)('with a pool of $name,', (pools) => {
  test('the first match or error in the order of the array surfaces, whoever finds it', async () => {
    const xs = sharedArray(Float64Array, valuesOf(100_003));
    const bad = xs.indexOf(641);
    for (const threshold of [undefined, 100]) {
      const found = pools.use((pool) => parallelFindIndex(xs, throwing, { pool, threshold }));
      await expect(found).rejects.toThrow(`element ${bad}`);
      const kept = pools.use((pool) => parallelFilter(xs, throwing, { pool, threshold }));
      await expect(kept).rejects.toThrow(`element ${bad}`);
      expect(await pools.use((pool) => parallelFindIndex(xs, matchingBeforeThrowing, { pool, threshold }))).toBe(1);
    }
  });

  test('what forks may do so, also where it is known to be short', async () => {
    const xs = sharedArray(Float64Array, [5, 6, 7]);
    const viaContext = (x: number, _: number, { fib }: { fib: (n: number) => number }): number => fib(x);
    const { use } = pools;
    // A page may not block: there, the promise forms once more.
    const mapHere = mayBlock ? parallelMapSync : (parallelMap as unknown as typeof parallelMapSync);
    const reduceHere = mayBlock ? parallelReduceSync : (parallelReduce as unknown as typeof parallelReduceSync);
    const argsortHere = mayBlock ? parallelArgsortSync : (parallelArgsort as unknown as typeof parallelArgsortSync);
    for (let call = 0; call < (pools.cold ? 1 : 20); call++) {
      expect([...(await use((pool) => parallelMap(xs, fibOf, { pool })))]).toEqual([5, 8, 13]);
      expect([...(await use((pool) => mapHere(xs, fibOf, { pool })))]).toEqual([5, 8, 13]);
      expect([...(await use((pool) => parallelMap(xs, viaContext, { pool, context: { fib } })))]).toEqual([5, 8, 13]);
      expect(await use((pool) => parallelReduce(xs, 'sum', { pool, map: fibOf }))).toBe(26);
      expect(await use((pool) => reduceHere(xs, 'sum', { pool, map: fibOf }))).toBe(26);
      const addByFib = (a: number, b: number, { fib }: { fib: (n: number) => number }): number => a + b + fib(3) - 2;
      expect(await use((pool) => parallelReduce(xs, addByFib, 0, { pool, context: { fib } }))).toBe(18);
      const byFib = (a: number, b: number, { fib }: { fib: (n: number) => number }): number => fib(b) - fib(a);
      const falling = sharedArray(Float64Array, xs);
      expect([...(await use((pool) => parallelSort(falling, byFib, { pool, context: { fib } })))]).toEqual([7, 6, 5]);
      expect([...(await use((pool) => argsortHere(xs, byFib, { pool, context: { fib } })))]).toEqual([2, 1, 0]);
    }
  });

  test('an array that is freed while a call works on it stays until the call has ended', async () => {
    const n = 1000;
    const xs = sharedArray(Float64Array, n).fill(1);
    const context = { xs, n };
    const mapped = await pools.use((pool) => parallelMapSync(xs, freeing, { pool, threshold: 100, context }));
    expect(mapped).toEqual(new Float64Array(n).fill(1));
    await expect(pools.use((pool) => parallelMapSync(xs, freeing, { pool, context }))).rejects.toThrow(/freed/);
  });

  test('an abort half-way rejects with an AbortError, and what runs is over then', async () => {
    for (const run of [
      (pool: ForkJoinPool, signal: AbortSignal): Promise<unknown> =>
        parallelFilter(sharedArray(Float64Array, 20_000), slow, { pool, signal }),
      (pool: ForkJoinPool, signal: AbortSignal): Promise<unknown> =>
        parallelFindIndex(sharedArray(Float64Array, 20_000), slow, { pool, signal }),
      (pool: ForkJoinPool, signal: AbortSignal): Promise<unknown> =>
        parallelMap(sharedArray(Float64Array, 20_000), slow as never, { pool, signal }),
      (pool: ForkJoinPool, signal: AbortSignal): Promise<unknown> =>
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
      const running = pools.use((pool) => {
        void turn().then(() => controller.abort());
        return run(pool, controller.signal);
      });
      await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    }
  });
});

const one = warmPools(1);

test('an op of parallelReduce that gives a promise or the like is refused, and never waited for', async () => {
  const xs = sharedArray(Float64Array, [1, 2, 3]);
  const op = (): never => Object.fromEntries([['then', () => {}]]) as never;
  for (let i = 0; i < 3; i++) {
    // On a worker the function in it cannot travel; on the caller, once the cost is known, nothing has to.
    const reduced = one.use((pool) => parallelReduce(xs, op, 0 as never, { pool }));
    await expect(reduced).rejects.toThrow(/op of parallelReduce returned a promise|cannot/);
  }
  if (!mayBlock) return;
  const sync = one.use((pool) => parallelReduceSync(xs, op, 0 as never, { pool }));
  await expect(sync).rejects.toThrow(/op of parallelReduce returned a promise/);
  // Only the last result is one, which ends a block.
  const last = (a: number, b: number): never =>
    (b === 2 ? Object.fromEntries([['then', () => {}]]) : a + b) as unknown as never;
  for (const n of [4, 5000]) {
    const ones = sharedArray(Float64Array, n).fill(1);
    ones[n - 1] = 2;
    const reduced = one.use((pool) => parallelReduceSync(ones, last, 0 as never, { pool }));
    await expect(reduced).rejects.toThrow(/op of parallelReduce returned a promise/);
  }
});
