/** What does not stop when it is cancelled: how long it is waited for, and what its end does to everything else. */
import { setTimeout as pause } from 'node:timers/promises';
import * as furcate from 'furcate';
import {
  CancellationError,
  checkpoint,
  type ForkJoinPool,
  ForkJoinPool as Pool,
  parallelFor,
  parallelInvoke,
  parallelReduce,
  parallelReduceSync,
  sharedArray,
  task as taskOf,
  WorkerCrashError,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';
import { livingWorkers, startedWorkers } from '../helpers/worker-census.js';

const dying = await fixture('dying.mjs');
const { occupies, blocks } = await fixture('priorities.mjs');
const task = (name: string): Scenario => dying[name] as Scenario;
const heap = heapCounters(sharedArray as never);

const poolOf = poolMaker('terminate');

describe.each([1, 2])('a pool of %i:', (parallelism) => {
  test('a task that does not stop within graceMs of its time-out is ended with its worker, and writes no more', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const stuck = pool.invoke(taskOf(task('deaf'), words), { timeoutMs: 1, graceMs: 1 });
    expect(await errorOf(stuck)).toMatchObject({
      name: 'CancellationError',
      message: 'furcate: the invocation took longer than timeoutMs = 1.',
    });
    const writes = words[2];
    expect(await pool.invoke(task('double'), 2)).toBe(4);
    expect(words[2]).toBe(writes);
    expect(livingWorkers()).toBe(parallelism);
  });

  test('what else is in flight rejects with a WorkerCrashError that says why, unless it was cancelled too', async () => {
    const pool = poolOf(parallelism, { name: 'mill', graceMs: 1 });
    const words = sharedWords();
    const stopped = new AbortController();
    const stuck = errorOf(pool.invoke(taskOf(task('deaf'), words), { signal: stopped.signal }));
    await whenSet(words);
    const innocent = errorOf(pool.invoke(task('counts'), sharedWords()));
    const patient = errorOf(
      pool.invoke(taskOf(task('counts'), sharedWords()), { signal: stopped.signal, graceMs: Number.POSITIVE_INFINITY }),
    );
    stopped.abort('enough');
    expect(await stuck).toMatchObject({ name: 'AbortError', cause: 'enough' });
    expect(await patient).toMatchObject({ name: 'AbortError', cause: 'enough' });
    const error = (await innocent) as WorkerCrashError;
    expect(error).toBeInstanceOf(WorkerCrashError);
    expect(error.message).toBe(
      "furcate: the workers of pool 'mill' were ended, because deaf had not stopped 1 ms after it was cancelled. The pool starts new workers for the next call.",
    );
    expect(await pool.invoke(task('double'), 2)).toBe(4);
  });

  test('a task that stops within its grace costs no worker', async () => {
    const pool = poolOf(parallelism, { graceMs: 60_000 });
    await pool.ready();
    const before = startedWorkers();
    for (const name of ['counts', 'asks']) {
      const words = sharedWords();
      const controller = new AbortController();
      const running = errorOf(pool.invoke(taskOf(task(name), words), { signal: controller.signal }));
      await whenSet(words);
      controller.abort();
      expect(await running).toMatchObject({ name: 'AbortError' });
    }
    expect(await pool.invoke(task('double'), 2)).toBe(4);
    expect(livingWorkers()).toBe(parallelism);
    expect(startedWorkers()).toBe(before);
  });

  test('without graceMs a leaf that ends late is waited for', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('waitsUntilTold'), words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort();
    let settled = false;
    void running.then(() => {
      settled = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    tell(words, 1);
    expect(await running).toMatchObject({ name: 'AbortError' });
  });

  test('close() and terminate() during a grace settle everything once', async () => {
    for (const end of ['close', 'terminate'] as const) {
      const pool = poolOf(parallelism);
      const words = sharedWords();
      const controller = new AbortController();
      const options = { signal: controller.signal, graceMs: 1 };
      const stuck = errorOf(pool.invoke(taskOf(task('deaf'), words), options));
      const other = errorOf(pool.invoke(task('counts'), sharedWords()));
      await whenSet(words);
      controller.abort();
      const ended = pool[end]();
      expect(await stuck).toMatchObject({ name: 'AbortError' });
      expect(await other).toBeInstanceOf(end === 'close' ? WorkerCrashError : CancellationError);
      await ended;
      expect(livingWorkers()).toBe(0);
    }
  });
});

test('a cancelled task below one of high priority has more time than its grace', async () => {
  const pool = poolOf(1);
  const [words, others] = [sharedWords(), sharedWords()];
  const controller = new AbortController();
  const below = taskOf(occupies as Scenario, 'a checkpoint', words);
  const cancelled = errorOf(pool.invoke(below, { signal: controller.signal, graceMs: 100 }));
  await whenSet(words, 1);
  const innocent = pool.invoke(taskOf(blocks as Scenario, others), { priority: 'high' });
  await whenSet(others, 1);
  controller.abort();
  await pause(500); // many times its grace
  tell(others, 0);
  expect(await innocent).toBeUndefined();
  expect(await cancelled).toMatchObject({ name: 'AbortError' });
  expect(livingWorkers()).toBe(1);
});

test('a task that goes on after one of high priority on top of it is ended', async () => {
  const pool = poolOf(1);
  const [words, others] = [sharedWords(), sharedWords()];
  const controller = new AbortController();
  const stuck = errorOf(
    pool.invoke(taskOf(task('deafAfter'), words, others), { signal: controller.signal, graceMs: 10 }),
  );
  await whenSet(words, 0);
  const innocent = pool.invoke(taskOf(task('waitsUntilTold'), others), { priority: 'high' });
  await whenSet(others, 0);
  controller.abort();
  await pause(200);
  tell(others, 1);
  await innocent;
  expect(await stuck).toMatchObject({ name: 'AbortError' });
  expect(livingWorkers()).toBe(0);
});

test('parallelInvoke takes timeoutMs and graceMs for all of its tasks', async () => {
  const pool = poolOf(2);
  const tasks = [taskOf(task('deaf'), sharedWords()), taskOf(task('counts'), sharedWords())];
  const error = await errorOf(parallelInvoke(tasks, { pool, timeoutMs: 1, graceMs: 1 }));
  expect(error).toMatchObject({ name: 'CancellationError' });
  expect(await pool.invoke(task('double'), 2)).toBe(4);
});

type Context = { context: { words: Int32Array } };

/** Calls an algorithm with a function that says that it has begun, and never ends; `n` elements. */
const endless: Record<string, (n: number, options: Context) => Promise<unknown>> = (() => {
  const spin = (...args: unknown[]): never => {
    const { words } = args[args.length - 1] as Context['context'];
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    for (;;);
  };
  const arrayOf = (n: number): Float64Array => Float64Array.from({ length: n }, (_, i) => (i * 7) % n);
  const call = (name: string, ...args: unknown[]): Promise<unknown> =>
    (furcate as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]?.(
      ...args,
    ) as Promise<unknown>;
  return {
    parallelFor: (n, options) => call('parallelFor', n, spin, options),
    parallelForRange: (n, options) => call('parallelForRange', n, spin, options),
    parallelForTiles: (n, options) => call('parallelForTiles', 10, n, spin, options),
    parallelRounds: (_, options) => call('parallelRounds', () => 5000, spin, options),
    'parallelRounds with next': (_, options) => call('parallelRounds', spin, () => {}, options),
    parallelForEach: (n, options) => call('parallelForEach', arrayOf(n), spin, options),
    parallelMap: (n, options) => call('parallelMap', arrayOf(n), spin, options),
    parallelFlatMap: (n, options) => call('parallelFlatMap', arrayOf(n), spin, options),
    parallelTabulate: (n, options) => call('parallelTabulate', Float64Array, n, spin, options),
    parallelReduce: (n, options) => call('parallelReduce', arrayOf(n), spin, 0, options),
    'parallelReduce with map': (n, options) => call('parallelReduce', arrayOf(n), 'sum', { map: spin, ...options }),
    parallelReduceRange: (n, options) => call('parallelReduceRange', n, 'sum', { map: spin, ...options }),
    parallelScan: (n, options) => call('parallelScan', arrayOf(n), spin, 0, options),
    parallelFilter: (n, options) => call('parallelFilter', arrayOf(n), spin, options),
    parallelPartition: (n, options) => call('parallelPartition', arrayOf(n), spin, options),
    parallelCount: (n, options) => call('parallelCount', arrayOf(n), spin, options),
    parallelSome: (n, options) => call('parallelSome', arrayOf(n), spin, options),
    parallelEvery: (n, options) => call('parallelEvery', arrayOf(n), spin, options),
    parallelFind: (n, options) => call('parallelFind', arrayOf(n), spin, options),
    parallelFindIndex: (n, options) => call('parallelFindIndex', arrayOf(n), spin, options),
    parallelSort: (n, options) => call('parallelSort', arrayOf(n), spin, options),
    parallelArgsort: (n, options) => call('parallelArgsort', arrayOf(n), spin, options),
    parallelMerge: (n, options) => call('parallelMerge', arrayOf(n).sort(), arrayOf(n).sort(), spin, options),
    parallelTopK: (n, options) => call('parallelTopK', arrayOf(n), 3, spin, options),
    parallelHistogram: (n, options) => call('parallelHistogram', arrayOf(n), spin, { bins: 4, ...options }),
    parallelReduceByKey: (n, options) =>
      call(
        'parallelReduceByKey',
        Int32Array.from(arrayOf(n), (x) => x % 3),
        arrayOf(n),
        spin,
        0,
        options,
      ),
  };
})();

/** Starts an endless call, and aborts it as soon as its function runs. */
async function startAndAbort(name: string, n: number, pool: ForkJoinPool): Promise<unknown> {
  const words = sharedWords();
  const controller = new AbortController();
  const start = endless[name] as (typeof endless)[string];
  const stuck = errorOf(start(n, { pool, signal: controller.signal, context: { words } } as Context));
  await whenSet(words);
  controller.abort();
  const error = await stuck;
  furcate.free(words);
  return error;
}

describe('every algorithm that calls a function which never ends', () => {
  test.each(Object.keys(endless))('%s leaves the caller free and is ended, at any length', async (name) => {
    const pool = poolOf(2, { graceMs: 1 });
    for (const n of [10, 5000]) expect(await startAndAbort(name, n, pool)).toMatchObject({ name: 'AbortError' });
    const xs = sharedArray(Float64Array, 100_000).fill(1);
    expect(await parallelReduce(xs, (a, b) => a + b, 0, { pool })).toBe(100_000);
  });

  test('every one that takes a function is listed here', () => {
    const others = ['parallelFill', 'parallelIndexOf', 'parallelMinMax', 'parallelUnique', 'parallelInvoke'];
    others.push('parallelSortBy'); // its key runs on the caller, for objects do not travel
    const takeFunctions = Object.keys(furcate).filter(
      (name) => /^parallel.*(?<!Sync)$/.test(name) && !others.includes(name),
    );
    expect(new Set(Object.keys(endless).map((name) => name.split(' ')[0]))).toEqual(new Set(takeFunctions));
  });

  test('nothing of it is left in the shared heap', async () => {
    const pool = poolOf(2, { graceMs: 1 });
    const round = async (): Promise<number> => {
      for (const name of ['parallelMap', 'parallelSort', 'parallelReduce']) await startAndAbort(name, 5000, pool);
      return heap.byteBlocks();
    };
    const before = await round();
    for (let k = 0; k < 3; k++) expect(await round()).toBe(before);
  });
});

test('without a finite graceMs short calls still run at once on the caller', async () => {
  const pool = poolOf(1);
  const xs = Float64Array.from({ length: 10 }, (_, i) => i);
  const call = (): Promise<unknown> => furcate.parallelMap(xs, (x) => x + 1, { pool, timeoutMs: 60_000 });
  let ranHere = false;
  for (let k = 0; k < 1000 && !ranHere; k++) {
    const { roots } = pool.stats(); // an unknown cost is measured in the pool first
    await call();
    ranHere = pool.stats().roots === roots;
  }
  expect(ranHere).toBe(true);
});

test('Sync forms refuse timeoutMs and graceMs, and name the promise form', () => {
  for (const option of ['timeoutMs', 'graceMs']) {
    expect(() => parallelReduceSync(new Float64Array(3), 'sum', { [option]: 1 } as never)).toThrow(
      new TypeError(
        `furcate: parallelReduceSync: options.${option} is of no use to a call that blocks. Use await parallelReduce() for it.`,
      ),
    );
  }
});

test('bad limits are refused by name, before anything starts', async () => {
  const pool = poolOf(1);
  expect(() => new Pool({ graceMs: -1 })).toThrow('furcate: graceMs must be 0 milliseconds or more; it was -1.');
  const work = taskOf(task('double'), 1);
  expect(await errorOf(pool.invoke(work, { graceMs: Number.NaN }))).toBeInstanceOf(RangeError);
  expect(await errorOf(parallelFor(3, () => {}, { pool, timeoutMs: '1' as never }))).toMatchObject({
    name: 'TypeError',
    message: "furcate: parallelFor: options.timeoutMs must be a number of milliseconds; it was '1'.",
  });
  expect(livingWorkers()).toBe(0);
});

describe('checkpoint()', () => {
  test('throws in a task once its invocation is cancelled', async () => {
    const pool = poolOf(2);
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('asks'), words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
  });

  test('gives a forked task to a worker that has nothing to do', async () => {
    const pool = poolOf(2);
    expect(await pool.invoke(task('waitsForItsChild'), sharedWords())).toBe(1);
    expect(pool.invokeSync(task('waitsForItsChild'), sharedWords())).toBe(1);
  });

  test('reaches inline functions through their context, and does nothing where nothing can be cancelled', async () => {
    const pool = poolOf(2);
    checkpoint();
    const words = sharedWords();
    const controller = new AbortController();
    const spin = (_: number, context: { checkpoint: () => void; words: Int32Array }): void => {
      Atomics.store(context.words, 0, 1);
      Atomics.notify(context.words, 0);
      for (;;) context.checkpoint();
    };
    const running = errorOf(
      parallelFor(1_000_000, spin, { pool, signal: controller.signal, context: { checkpoint, words } }),
    );
    await whenSet(words);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    const doubled = await furcate.parallelMap(
      new Float64Array([1, 2]),
      (x, _i, c) => {
        c.checkpoint();
        return 2 * x;
      },
      { pool, context: { checkpoint } },
    );
    expect([...doubled]).toEqual([2, 4]);
  });
});
