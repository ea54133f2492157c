/** Calls with plain values: how far they read, how many calls are in progress, and how they end. */
import fc from 'fast-check';
import {
  CancellationError,
  type Forkable,
  NotShareableError,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
  RejectedExecutionError,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { errorOf } from '../helpers/outcomes.js';
import { coldPools, type Pools, warmPools } from '../helpers/pools.js';

const { leaves } = await fixture<{ readonly leaves: Forkable<[depth: number], number> }>('values.mjs');

const someOptions = fc.record(
  { threshold: fc.nat(40).map((n) => n + 1), concurrency: fc.nat(9).map((n) => n + 1) },
  { requiredKeys: [] },
);

const POOLS: readonly Pools[] = [warmPools(1), warmPools(2), warmPools(3), warmPools(2, true)];

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

  test('a promise that never settles is abandoned after a cancellation, wherever its call was made', async () => {
    const waits = async (ms: number): Promise<number> => {
      if (ms > 0) await new Promise(() => {});
      return process.getBuiltinModule('node:worker_threads').threadId;
    };
    const here = process.getBuiltinModule('node:worker_threads').threadId;
    const call = (values: number[], options = {}): Promise<number[]> =>
      pools.use((pool) => parallelMap(values, waits, { pool, ...options }));
    const cancelled = async (): Promise<void> =>
      expect(await errorOf(call([0, 0, 1], { timeoutMs: 20 }))).toBeInstanceOf(CancellationError);
    await cancelled(); // on a worker: nothing is known of the function
    for (let k = 0; k < 1000 && !(await call([0, 0, 0])).every((thread) => thread === here); k++);
    await cancelled(); // on this thread, but in a checked pool
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
});

describe('bad arguments:', () => {
  const pools = warmPools(1);
  type Loose = (...args: unknown[]) => Promise<unknown>;
  const map = parallelMap as unknown as Loose;
  const filter = parallelFilter as unknown as Loose;
  const reduce = parallelReduce as unknown as Loose;
  const id = (x: unknown): unknown => x;
  const add = (a: number, b: number): number => a + b;
  const bytes = new Uint8Array(8);

  test.each<
    [
      what: string,
      call: (options: object) => Promise<unknown>,
      error: abstract new (...args: never) => Error,
      says: RegExp,
    ]
  >([
    [
      'a string',
      (o) => map('abc', id, o),
      TypeError,
      /xs must be a typed array, or an array or iterable of values, but it is "abc"/,
    ],
    ['no function', (o) => map([1], 'fn', o), TypeError, /fn must be a function, but it is "fn"/],
    ['a generator', (o) => map([1], function* () {}, o), TypeError, /generator function/],
    ['a named operation', (o) => reduce([1], 'sum', 0, o), TypeError, /op must be a function \(a, b\)/],
    ['no identity', (o) => reduce([1], add, undefined, o), TypeError, /needs an identity/],
    ['an async op', (o) => reduce([1], async () => 1, 0, o), TypeError, /async function/],
    [
      'an op with promises',
      (o) => reduce([1], () => Promise.resolve(1), 0, o),
      TypeError,
      /op of parallelReduce returned a promise/,
    ],
    ['into', (o) => map([1], id, { ...o, into: [] }), TypeError, /options\.into is for typed arrays/],
    [
      'transfer in a filter',
      (o) => filter([1], id, { ...o, transfer: id }),
      TypeError,
      /there is no option "transfer"/,
    ],
    [
      'a concurrency of 0',
      (o) => map([1], id, { ...o, concurrency: 0 }),
      RangeError,
      /options\.concurrency must be an integer from 1 up/,
    ],
    ['a concurrency of 1.5', (o) => map([1], id, { ...o, concurrency: 1.5 }), RangeError, /options\.concurrency/],
    [
      'a view to transfer',
      (o) => map([bytes], id, { ...o, transfer: (x: unknown) => [x] }),
      TypeError,
      /for value 0 it returned one with .*Name its buffer/,
    ],
    [
      'no list to transfer',
      (o) => map([bytes], id, { ...o, transfer: () => 1 }),
      TypeError,
      /must return an array of ArrayBuffers; for value 0 it returned 1/,
    ],
    [
      'a port',
      (o) => map([1, new MessageChannel().port1], id, o),
      NotShareableError,
      /value 1 is an? \w+, which cannot be cloned/,
    ],
    [
      'a hidden function',
      (o) => map([1, { a: [id] }], id, o),
      NotShareableError,
      /value 1 \(at \.a\[0\]\) is a function/,
    ],
    ['a proxy', (o) => map([{}, new Proxy({}, {})], id, o), NotShareableError, /value 1 cannot be cloned/],
    [
      'a result that cannot be cloned',
      (o) => map([1, 2], (x: number) => (x === 2 ? () => 1 : x), o),
      NotShareableError,
      /the result of value 1 is a function/,
    ],
    [
      'a promise of a function that may fork',
      (o) =>
        map([1], (_: unknown, __: unknown, { leaves: f }: { leaves: unknown }) => Promise.resolve(f), {
          ...o,
          context: { leaves },
        }),
      TypeError,
      /returned a promise, but it may fork/,
    ],
  ])('%s gets an error that says what to do', async (_what, call, Class, says) => {
    const error = await errorOf(pools.use((pool) => call({ pool, graceMs: 1_000_000 })));
    expect(error).toBeInstanceOf(Class);
    expect((error as Error).message).toMatch(says);
  });
});

const lone = warmPools(1);

test('errors of the functions name what did not travel, and have the stack of the call', async () => {
  const captured = 1;
  const error = await lone.use((pool) => errorOf(parallelMap([1], () => captured, { pool })));
  expect(String(error)).toMatch(/fn of parallelMap uses the captured variable `captured`/);
  expect((error as Error).stack).toContain('values-ends.test.ts');
});

test('writes to arrays of the context are reported', async () => {
  const write = (_: number, __: number, { list }: { list: number[] }): void => void list.push(1);
  const error = await lone.use((pool) => errorOf(parallelForEach([1, 2], write, { pool, context: { list: [] } })));
  expect(String(error)).toMatch(/wrote to context\.list|object is not extensible/);
});
