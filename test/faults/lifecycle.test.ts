import { getEventListeners } from 'node:events';
import { CancellationError, ForkJoinPool, RejectedExecutionError, sharedArray } from 'furcate';
import { describe, expect, test } from 'vitest';
import { ARRAY_CALLS, formOf } from '../helpers/array-calls.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

const dying = await fixture('dying.mjs');
const trees = await fixture<{
  expected(seed: number, depth: number): string;
  outcome(pool: ForkJoinPool, seed: number, depth: number): Promise<string>;
}>('random-tree.mjs');
const task = (name: string): Scenario => dying[name] as Scenario;

const poolOf = poolMaker('terminate');

/** Turns of the event loop, in which what should not be there any more could show. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each([1, 2, 4])('a pool of %i:', (parallelism) => {
  test('close() finishes what is in flight, and then takes no more', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const running = pool.invoke(task('counts'), words);
    const waiting = Array.from({ length: 20 }, (_, i) => pool.invoke(task('double'), i));
    const closed = pool.close();
    expect(pool.isClosed).toBe(true);
    expect(await errorOf(pool.invoke(task('double'), 1))).toBeInstanceOf(RejectedExecutionError);
    expect(() => pool.invokeSync(task('double'), 1)).toThrow(RejectedExecutionError);
    expect(await errorOf(pool.ready())).toBeInstanceOf(RejectedExecutionError);
    tell(words, 1);
    expect(await running).toBe('told');
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 20 }, (_, i) => 2 * i));
    await closed;
    await pool.close();
    expect(await errorOf(pool.invoke(task('double'), 1))).toMatchObject({ name: 'RejectedExecutionError' });
  });

  test('a pool that was closed takes no algorithms either, however short they are', async () => {
    const pool = poolOf(parallelism);
    await pool.close();
    for (const call of ARRAY_CALLS) {
      const arrays = call.arrays.map(([, times]) => sharedArray(Float64Array, 4 * times));
      const run = (form: 'promise' | 'sync'): unknown => call.call(formOf(call, form), arrays, { pool });
      expect(await errorOf(run('promise') as Promise<unknown>), call.name).toBeInstanceOf(RejectedExecutionError);
      expect(() => run('sync'), call.name).toThrow(RejectedExecutionError);
    }
  });

  test('terminate() ends what runs, even what asks nobody, and nothing of it writes afterwards', async () => {
    for (const name of ['deaf', 'counts']) {
      const pool = poolOf(parallelism);
      const words = sharedWords();
      const running = errorOf(pool.invoke(task(name), words));
      const waiting = errorOf(pool.invoke(task('counts'), sharedWords()));
      await whenSet(words);
      await pool.terminate();
      const writes = words[2];
      expect(await running).toBeInstanceOf(CancellationError);
      expect(await waiting).toBeInstanceOf(CancellationError);
      expect(await errorOf(pool.invoke(task('double'), 1))).toBeInstanceOf(RejectedExecutionError);
      await turns(50);
      expect(words[2]).toBe(writes);
      await pool.terminate();
      await pool.close();
    }
  });

  test('terminate() ends a close() that would wait for ever', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const running = errorOf(pool.invoke(task('deaf'), words));
    await whenSet(words);
    const closed = pool.close();
    await pool.terminate();
    await closed;
    expect(await running).toBeInstanceOf(CancellationError);
  });

  test('a signal that was aborted before starts nothing', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const signal = AbortSignal.abort('why');
    const { task: taskOf } = await import('furcate');
    const work = taskOf(task('writes'), words, 0);
    const error = await errorOf(pool.invoke(work, { signal }));
    expect(error).toBeInstanceOf(CancellationError);
    expect(error).toMatchObject({ name: 'AbortError', cause: 'why' });
    await pool.invoke(work);
    expect(words[0]).toBe(1);
  });

  test('a signal that is aborted meanwhile rejects once nothing runs or writes any more', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    for (const [name, ...rest] of [['counts'], ['countsEverywhere', 8]] as const) {
      const words = sharedWords();
      const controller = new AbortController();
      const running = errorOf(pool.invoke(taskOf(task(name), words, ...rest), { signal: controller.signal }));
      await whenSet(words);
      controller.abort(new Error('enough'));
      const error = await running;
      const writes = words[2];
      expect(error).toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      expect(await pool.invoke(task('double'), 4)).toBe(8);
      expect(words[2]).toBe(writes);
    }
  });

  test('a task that catches its cancellation is cancelled all the same', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('stubborn'), words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(words[3]).toBe(100);
  });

  test('an invocation that waits for a worker is cancelled at once', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const words = sharedWords();
    const busy = Array.from({ length: parallelism }, () => pool.invoke(task('counts'), words));
    await whenSet(words);
    const controller = new AbortController();
    const marks = sharedWords();
    const waiting = Array.from({ length: 5 }, (_, i) =>
      pool.invoke(taskOf(task('writes'), marks, i), { signal: controller.signal }),
    );
    controller.abort();
    for (const promise of waiting) expect(await errorOf(promise)).toMatchObject({ name: 'AbortError' });
    tell(words, 1);
    await Promise.all(busy);
    if (parallelism === 1) expect(Array.from(marks)).toEqual(Array(8).fill(0));
  });

  test('a signal that is aborted afterwards changes nothing', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const controller = new AbortController();
    const { signal } = controller;
    expect(await pool.invoke(taskOf(task('double'), 2), { signal })).toBe(4);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    controller.abort();
    expect(await pool.invoke(task('double'), 3)).toBe(6);
  });

  test('a signal of a stranger that throws, or that cannot be left, rejects the invocation, leaves nothing in flight and cancels nothing else', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const fail = (): never => {
      throw new Error('a strange signal');
    };
    const deaf = { aborted: false, addEventListener: fail, removeEventListener: fail };
    const error = await errorOf(pool.invoke(taskOf(task('double'), 2), { signal: deaf as never }));
    expect(error).toMatchObject({ message: 'a strange signal' });
    expect(await pool.awaitQuiescence(0)).toBe(true);

    const listeners: (() => void)[] = [];
    const sticky = {
      aborted: false,
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
      removeEventListener: fail,
    };
    expect(await errorOf(pool.invoke(taskOf(task('double'), 3), { signal: sticky as never }))).toMatchObject({
      message: 'a strange signal',
    });
    const words = sharedWords();
    const other = pool.invoke(task('counts'), words);
    await whenSet(words);
    for (const abort of listeners) abort();
    expect(listeners).toHaveLength(1);
    await turns(5); // in which a cancellation would be seen
    tell(words, 1);
    expect(await other).toBe('told');
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });

  test('aborting one invocation leaves the others alone', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const controller = new AbortController();
    const [mine, others] = [sharedWords(), sharedWords()];
    const cancelled = errorOf(pool.invoke(taskOf(task('counts'), mine), { signal: controller.signal }));
    await whenSet(mine);
    const running = pool.invoke(task('countsEverywhere'), others, 4);
    if (parallelism > 1) await whenSet(others);
    controller.abort();
    tell(others, 1); // before the abort has taken effect: the others may run on top of the one that is aborted
    expect(await running).toBe('told');
    expect(await cancelled).toMatchObject({ name: 'AbortError' });
  });

  test('an invocation that takes longer than timeoutMs is cancelled', async () => {
    const pool = poolOf(parallelism);
    const { task: taskOf } = await import('furcate');
    const words = sharedWords();
    for (const timeoutMs of [0, 5]) {
      const error = await errorOf(pool.invoke(taskOf(task('counts'), words), { timeoutMs }));
      expect(error).toMatchObject({
        name: 'CancellationError',
        message: expect.stringContaining(`timeoutMs = ${timeoutMs}`),
      });
    }
    expect(await pool.invoke(taskOf(task('double'), 2), { timeoutMs: 1e12 })).toBe(4);
    expect(await pool.invoke(taskOf(task('double'), 2), { timeoutMs: Number.POSITIVE_INFINITY })).toBe(4);
  });

  test('awaitQuiescence() tells whether all was done in time', async () => {
    const pool = poolOf(parallelism);
    expect(await pool.awaitQuiescence()).toBe(true);
    const words = sharedWords();
    const running = pool.invoke(task('counts'), words);
    expect(await pool.awaitQuiescence(1)).toBe(false);
    const quiet = pool.awaitQuiescence();
    tell(words, 1);
    expect(await quiet).toBe(true);
    expect(await running).toBe('told');
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });

  test('idle workers end after keepAliveMs, and the next call starts others', async () => {
    const pool = poolOf(parallelism, { keepAliveMs: 1 });
    for (let round = 0; round < 2; round++) {
      const words = sharedWords();
      const first = await pool.invoke(task('tellsOfItsEnd'), words);
      await whenSet(words);
      expect(await pool.invoke(task('thread'))).not.toBe(first);
    }
    expect(pool.stats().roots).toBe(4);
  });
});

test('the common pool cannot be closed', async () => {
  const pool = ForkJoinPool.commonPool();
  expect(ForkJoinPool.commonPool()).toBe(pool);
  await pool.close();
  await pool.terminate();
  await pool[Symbol.asyncDispose]();
  expect(pool.isClosed).toBe(false);
  expect(await pool.invoke(task('double'), 21)).toBe(42);
});

test('a pool is closed at the end of its scope by its asyncDispose', async () => {
  const pool = poolOf(2);
  const running = pool.invoke(task('double'), 3);
  await pool[Symbol.asyncDispose]();
  expect(await running).toBe(6);
  expect(pool.isClosed).toBe(true);
});

test('several pools work at once, with more workers than cores', async () => {
  const many = [poolOf(1), poolOf(3), poolOf(8), poolOf(2, { checked: true })];
  const seeds = [11, 12, 13, 14, 15, 16];
  const outcomes = await Promise.all(
    many.map((pool) => Promise.all(seeds.map((seed) => trees.outcome(pool, seed, 5)))),
  );
  for (const outcome of outcomes) expect(outcome).toEqual(seeds.map((seed) => trees.expected(seed, 5)));
  const xs = sharedArray(Int32Array, 64);
  await Promise.all(many.flatMap((pool) => Array.from({ length: 64 }, (_, at) => pool.invoke(task('writes'), xs, at))));
  expect(Array.from(xs)).toEqual(Array(64).fill(many.length));
});

test('a caller that computes again and again leaves the worker that rests for it asleep', async () => {
  const pool = poolOf(1);
  expect(await pool.invoke(task('double'), 1)).toBe(2); // the worker is awake
  const before = pool.stats().sleeps;
  const end = performance.now() + 100;
  while (performance.now() < end) pool.invokeSync(task('double'), 1);
  expect(pool.stats().sleeps - before).toBeLessThan(20); // woken at the ends of calls, some 80
});
