/** Calls with plain values: how far they read, how many calls are in progress, and how they end. */
import fc from 'fast-check';
import {
  type AsyncForkable,
  CancellationError,
  parallelForEach,
  parallelMap,
  parallelReduce,
  RejectedExecutionError,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { errorOf } from '../helpers/outcomes.js';
import { coldPools, type Pools, warmPools } from '../helpers/pools.js';

/** A thread under a name that it gets when a function first asks for it; functions travel without what is around them. */
type Thread = typeof globalThis & { thisThread?: string };

interface Fixture {
  readonly untilAborted: AsyncForkable<[fails: boolean, i: number, context: { seen: Int32Array }], void>;
}
const { untilAborted } = await fixture<Fixture>('values.mjs');

const someOptions = fc.record(
  { threshold: fc.nat(40).map((n) => n + 1), concurrency: fc.nat(9).map((n) => n + 1) },
  { requiredKeys: [] },
);

const POOLS: readonly Pools[] = ofEachKind(
  [warmPools(1), warmPools(2), warmPools(3), warmPools(2, true)],
  ({ parallelism }) => parallelism === 2,
);

describe.each(POOLS.map((pools) => [pools.name, pools] as const))('%s:', (_name, pools) => {
  const numRuns = 60;
  test('the failure of the lowest index wins, also if a value cannot be cloned or read', async () => {
    const bad = fc.record({ at: fc.nat(99), how: fc.constantFrom('throw', 'clone', 'read'), ms: fc.nat(2) });
    const property = fc.asyncProperty(
      fc.array(bad, { minLength: 1, maxLength: 5 }),
      someOptions,
      fc.boolean(),
      fc.boolean(),
      async (bads, options, waits, isArray) => {
        const byIndex = new Map([...bads].reverse().map((one) => [one.at, one]));
        const first = byIndex.get(Math.min(...byIndex.keys())) as (typeof bads)[number];
        const read = (i: number): unknown => {
          const bad = byIndex.get(i);
          if (bad?.how === 'read') throw new Error(`read ${i}`);
          return bad?.how === 'clone' ? () => i : { fails: bad?.how === 'throw', ms: bad?.ms ?? 0 };
        };
        let isClosed = false;
        function* generated(): Generator<unknown> {
          try {
            for (let i = 0; i < 100; i++) yield read(i);
          } finally {
            isClosed = true;
          }
        }
        const accessors = (): unknown[] => {
          const array: unknown[] = [];
          for (let i = 0; i < 100; i++) Object.defineProperty(array, i, { get: () => read(i) });
          return array;
        };
        type Value = { fails: boolean; ms: number };
        const values = (isArray ? accessors() : generated()) as Iterable<Value>;
        const error = await errorOf(
          pools.use((pool) =>
            waits
              ? parallelMap(
                  values,
                  async ({ fails, ms }, i) => {
                    await new Promise((resolve) => setTimeout(resolve, ms));
                    if (fails) throw new Error(`throw ${i}`);
                  },
                  { ...options, pool, graceMs: STEP_HANG_MS },
                )
              : parallelMap(
                  values,
                  ({ fails }, i) => {
                    if (fails) throw new Error(`throw ${i}`);
                  },
                  { ...options, pool, graceMs: STEP_HANG_MS },
                ),
          ),
        );
        expect((error as Error).message).toContain(
          first.how === 'clone' ? `value ${first.at} is a function` : `${first.how} ${first.at}`,
        );
        expect(isClosed).toBe(!isArray);
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('an iterable is read no further than the chunks in flight need', async () => {
    const threshold = 5;
    const done = sharedArray(Int32Array, 1);
    const ahead: number[] = [];
    function* values(): Generator<number> {
      for (let i = 0; i < 400; i++) {
        ahead.push(i - Atomics.load(done, 0));
        yield i;
      }
    }
    const body = (_: number, __: number, { done }: { done: Int32Array }): void => void Atomics.add(done, 0, 1);
    await pools.use((pool) =>
      parallelForEach(values(), body, { pool, threshold, graceMs: STEP_HANG_MS, context: { done } }),
    );
    expect(done[0]).toBe(400);
    expect(Math.max(...ahead)).toBeLessThan(2 * pools.parallelism * threshold);
  });

  test.each([1, 3, 8])('%i calls are in progress at once, and never more', async (concurrency) => {
    const counts = sharedArray(Int32Array, 2); // in progress; the most so far
    await pools.use((pool) =>
      parallelForEach(
        Array.from({ length: 60 }),
        async (_, __, { counts, concurrency, patienceMs }) => {
          const now = Atomics.add(counts, 0, 1) + 1;
          for (let most = counts[1] as number; most < now; most = counts[1] as number)
            Atomics.compareExchange(counts, 1, most, now);
          const end = performance.now() + patienceMs;
          while ((counts[1] as number) < concurrency && performance.now() < end)
            await new Promise((resolve) => setTimeout(resolve));
          await new Promise((resolve) => setTimeout(resolve));
          Atomics.sub(counts, 0, 1);
        },
        { pool, concurrency, context: { counts, concurrency, patienceMs: STEP_HANG_MS } },
      ),
    );
    expect([...counts]).toEqual([0, concurrency]);
  });

  test('calls on the caller do not keep others from starting', async () => {
    const here = crypto.randomUUID();
    (globalThis as Thread).thisThread = here;
    const counts = sharedArray(Int32Array, 2); // begun; lost patience
    // Values that take longer to copy than to use, so that in the end the caller uses them itself.
    const call = (isWaiting: boolean): Promise<unknown[]> =>
      pools.use((pool) =>
        parallelMap(
          Array.from({ length: 9 }, () => ({ isWaiting, data: Array.from({ length: 300 }, (_, i) => ({ i })) })),
          async ({ isWaiting }, _i, { counts, patienceMs }) => {
            (globalThis as Thread).thisThread ??= crypto.randomUUID();
            Atomics.add(counts, 0, 1);
            const end = performance.now() + patienceMs;
            while (isWaiting && Atomics.load(counts, 0) < 3 && performance.now() < end)
              await new Promise((resolve) => setTimeout(resolve));
            if (isWaiting && Atomics.load(counts, 0) < 3) counts[1] = 1;
            return (globalThis as Thread).thisThread;
          },
          { pool, concurrency: 3, context: { counts, patienceMs: STEP_HANG_MS / 4 } },
        ),
      );
    for (let k = 0; k < 30 && !(await call(false)).every((thread) => thread === here); k++);
    Atomics.store(counts, 0, 0);
    expect(await call(true)).toHaveLength(9);
    expect([...counts]).toEqual([9, 0]);
  });

  test('functions that return promises without being async keep to the concurrency, too', async () => {
    const counts = sharedArray(Int32Array, 2);
    await pools.use((pool) =>
      parallelForEach(
        Array.from({ length: 200 }),
        (_, i, { counts }) => {
          const now = Atomics.add(counts, 0, 1) + 1;
          if (now > Atomics.load(counts, 1)) Atomics.store(counts, 1, now);
          return new Promise<void>((resolve) => {
            setTimeout(() => {
              Atomics.sub(counts, 0, 1);
              resolve();
            }, i % 3);
          });
        },
        { pool, concurrency: 5, context: { counts } },
      ),
    );
    expect(counts[0]).toBe(0);
    expect(counts[1]).toBeLessThanOrEqual(5);
  });

  test('an abort rejects once nothing runs any more, and closes the iterable', async () => {
    const running = sharedArray(Int32Array, 2);
    const controller = new AbortController();
    let isClosed = false;
    function* values(): Generator<number> {
      try {
        for (let i = 0; ; i++) {
          if (i === 50) controller.abort(new Error('enough'));
          yield i;
        }
      } finally {
        isClosed = true;
      }
    }
    const error = await errorOf(
      pools.use((pool) =>
        parallelMap(
          values(),
          async (_, i, { running }) => {
            Atomics.add(running, 0, 1);
            await new Promise((resolve) => setTimeout(resolve, i % 4));
            Atomics.sub(running, 0, 1);
          },
          { pool, concurrency: 10, signal: controller.signal, context: { running } },
        ),
      ),
    );
    expect(error).toBeInstanceOf(CancellationError);
    expect((error as Error).name).toBe('AbortError');
    expect((error as Error).cause).toEqual(new Error('enough'));
    expect([running[0], isClosed]).toEqual([0, true]);
  });

  test('timeoutMs ends a call whose stream delivers nothing', async () => {
    const never = async function* (): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => {});
    };
    const error = await errorOf(pools.use((pool) => parallelMap(never(), (x) => x, { pool, timeoutMs: 20 })));
    expect(error).toBeInstanceOf(CancellationError);
    expect((error as Error).message).toContain('timeoutMs = 20');
  });

  test('a promise that never settles is abandoned after a cancellation or a failure, wherever its call was made', async () => {
    const waits = async (ms: number): Promise<string> => {
      if (ms < 0) throw new Error('bad');
      if (ms > 0) await new Promise(() => {});
      (globalThis as Thread).thisThread ??= crypto.randomUUID();
      return (globalThis as Thread).thisThread as string;
    };
    const here = await waits(0);
    const call = (values: number[], options = {}): Promise<string[]> =>
      pools.use((pool) => parallelMap(values, waits, { pool, ...options }));
    const cancelled = async (): Promise<void> => {
      expect(await errorOf(call([0, 0, 1], { timeoutMs: 20 }))).toBeInstanceOf(CancellationError);
      expect(await errorOf(call([0, -1, 1]))).toMatchObject({ message: 'bad' });
    };
    await cancelled(); // on a worker: nothing is known of the function
    for (let k = 0; k < 1000 && !(await call([0, 0, 0])).every((thread) => thread === here); k++);
    await cancelled(); // on this thread, but in a checked pool
  });

  test('the failure of the lowest index ends a call, whatever promises above it never settle', async () => {
    const property = fc.asyncProperty(fc.nat(20), someOptions, async (at, options) => {
      const values = Array.from({ length: 22 }, (_, i) => (i < at ? 'settles' : i === at ? 'fails' : 'never'));
      const error = await errorOf(
        pools.use((pool) =>
          parallelMap(
            values,
            async (how, i) => {
              if (how === 'never') await new Promise(() => {});
              await new Promise((resolve) => setTimeout(resolve, i % 3));
              if (how === 'fails') throw new Error(`bad ${i}`);
            },
            { ...options, pool, graceMs: 1 },
          ),
        ),
      );
      expect(error).toMatchObject({ message: `bad ${at}` });
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('calls beside one that has failed see their signal abort', async () => {
    const seen = sharedArray(Int32Array, 1);
    const options = { threshold: 4, context: { seen }, graceMs: STEP_HANG_MS };
    const fails = [true, false, false, false];
    const error = await errorOf(pools.use((pool) => parallelForEach(fails, untilAborted, { ...options, pool })));
    expect(error).toMatchObject({ message: 'a failing value' });
    expect(seen[0]).toBe(3);
  });

  test('no call is made for values whose reading has aborted the call', async () => {
    const controller = new AbortController();
    function* values(): Generator<number> {
      controller.abort();
      yield 1;
    }
    const waits = (): Promise<never> => new Promise(() => {});
    const { signal } = controller;
    const error = await errorOf(pools.use((pool) => parallelMap(values(), waits, { pool, signal })));
    expect(error).toMatchObject({ name: 'AbortError' });
  });

  test('onProgress counts up to the number of values', async () => {
    const reports: [number, number][] = [];
    const onProgress = (done: number, total: number): void => void reports.push([done, total]);
    await pools.use((pool) =>
      parallelMap(Array.from({ length: 100 }), (_, i) => i, { pool, onProgress, threshold: 1 }),
    );
    const last = reports.pop();
    expect(last).toEqual([100, 100]);
    for (const [done, total] of reports) expect([done <= 100, total]).toEqual([true, 100]);
    for (let call = 0; call < 20; call++) {
      reports.length = 0; // later calls run on the caller
      await pools.use((pool) => parallelMap(new Set([1, 2]), (x) => x, { pool, onProgress }));
      expect(reports.filter(([done]) => done === 2)).toEqual([[2, 2]]);
    }
    await pools.use((pool) => parallelMap(new Set([1, 2]).values(), (x) => x, { pool, onProgress }));
    expect(reports.pop()).toEqual([2, 2]);
  });
});

describe('the life of a pool:', () => {
  test('close() lets a call finish that has begun, and terminate() ends it', async () => {
    const slowly = async function* (): AsyncGenerator<number> {
      for (let i = 0; i < 10; i++) {
        await new Promise((resolve) => setTimeout(resolve));
        yield i;
      }
    };
    await coldPools(2).use(async (pool) => {
      const call = parallelMap(slowly(), (x) => x, { pool });
      await pool.close();
      expect(await call).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await errorOf(parallelMap([1], (x) => x, { pool }))).toBeInstanceOf(RejectedExecutionError);
    });
    await coldPools(2).use(async (pool) => {
      const call = errorOf(parallelMap([1, 2, 3], () => new Promise(() => {}), { pool }));
      await parallelMap([1], (x) => x, { pool });
      await pool.terminate();
      expect(await call).toBeInstanceOf(CancellationError);
    });
  });

  test('terminate() ends calls that wait for a stream, or for promises of calls on this thread', async () => {
    const waits = async (ms: number): Promise<string> => {
      if (ms > 0) await new Promise(() => {});
      (globalThis as Thread).thisThread ??= crypto.randomUUID();
      return (globalThis as Thread).thisThread as string;
    };
    const here = await waits(0);
    const never = async function* (): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => {});
    };
    await coldPools(2).use(async (pool) => {
      for (let k = 0; k < 1000 && (await parallelMap([0], waits, { pool }))[0] !== here; k++);
      const calls = [
        parallelMap(never(), (x) => x, { pool }),
        parallelReduce(never(), (a, b) => a + b, 0, { pool }),
        parallelMap([0, 1], waits, { pool }),
      ].map(errorOf);
      await parallelMap([1], (x) => x, { pool });
      await pool.terminate();
      for (const error of await Promise.all(calls)) {
        expect(error).toBeInstanceOf(CancellationError);
        expect((error as Error).message).toBe('furcate: the pool was terminated.');
      }
    });
  });
});
