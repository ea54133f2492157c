/** Spare threads: how they start, rest, leave and die, and what becomes of threads that are blocked when something ends. */
import { Worker } from 'node:worker_threads';
import {
  type AsyncForkable,
  CancellationError,
  ForkJoinPool,
  parallelHistogram,
  parallelSort,
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
import { livingWorkers, startedWorkers, whenAtMostLive } from '../helpers/worker-census.js';

const tasks = await fixture<Record<string, unknown>>('blocking.mjs');
const task = (name: string): Scenario => tasks[name] as Scenario;
const asyncTask = (name: string): AsyncForkable<unknown[], unknown> => tasks[name] as AsyncForkable<unknown[], unknown>;
const heap = heapCounters(sharedArray as never);

const poolOf = poolMaker('terminate');

/** Takes turns of the event loop until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

interface Blocked {
  readonly end: () => Promise<unknown>;
}

/** A task of the pool that blocks until `end` is called; begun. */
async function block(pool: ForkJoinPool): Promise<Blocked> {
  const words = sharedWords();
  const running = pool.invoke(task('blocks'), words, 0);
  running.catch(() => {}); // `end` returns it
  await whenSet(words, 1);
  return {
    end: () => {
      tell(words, 0);
      return running;
    },
  };
}

/** Blocks all workers of the pool, and spares too, if they are up sooner than a worker and take the task. */
async function blockWorkers(pool: ForkJoinPool): Promise<Blocked[]> {
  const rootsOfWorkers = (): number[] =>
    pool
      .stats()
      .workers.slice(1)
      .map(({ roots }) => roots);
  const before = rootsOfWorkers();
  const blocked: Blocked[] = [];
  while (rootsOfWorkers().some((roots, k) => roots === before[k])) blocked.push(await block(pool));
  return blocked;
}

describe.each([1, 2])('a pool of %i:', (parallelism) => {
  test('tasks that wait for another task of the same pool do not hang', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const blocked = Array.from({ length: parallelism }, () => pool.invoke(task('blocks'), words, 0));
    const says = pool.invoke(task('says'), words, 0);
    await says;
    expect(await Promise.all(blocked)).toEqual(blocked.map(() => 0));
  });

  test('spares stay for the next sections, and count neither as workers nor in the parallelism', async () => {
    const pool = poolOf(parallelism);
    const before = startedWorkers();
    for (let round = 0; round < 3; round++) {
      const blocked = await Promise.all(Array.from({ length: parallelism }, () => block(pool)));
      if (round === 0) await until(() => pool.stats().spares.threads === parallelism);
      expect(await pool.invoke(task('square'), 7)).toBe(49); // on a spare: all workers are blocked
      for (const { end } of blocked) await end();
    }
    const { workers, spares, roots } = pool.stats();
    expect(pool.parallelism).toBe(parallelism);
    expect(workers.map(({ worker }) => worker)).toEqual(Array.from({ length: parallelism + 1 }, (_, k) => k));
    expect(spares.threads).toBe(parallelism);
    expect(startedWorkers() - before).toBe(2 * parallelism);
    expect(spares.roots).toBeGreaterThanOrEqual(3);
    expect(roots).toBe(3 * (parallelism + 1));
    expect(workers.reduce((sum, worker) => sum + worker.roots, spares.roots)).toBe(roots);
  });

  test('a spare rests as soon as the section has ended', async () => {
    const pool = poolOf(parallelism);
    const { end } = await block(pool);
    await until(() => pool.stats().spares.threads === 1);
    await end();
    const before = pool.stats().spares;
    for (let k = 0; k < 20; k++) expect(await pool.invoke(task('fib'), 15)).toBe(610);
    const after = pool.stats().spares;
    expect(after.roots - before.roots).toBeLessThanOrEqual(1); // it may have taken one before it saw that the section had ended
    expect(after.threads).toBe(1);
  });

  test('with more sections than spares, the rest of the work waits until one ends', async () => {
    const pool = poolOf(parallelism, { maxSpares: 2 });
    const blocked = [];
    for (let k = 0; k < parallelism + 2; k++) blocked.push(await block(pool));
    const waits = pool.invoke(task('square'), 3);
    expect(pool.stats().spares.threads).toBe(2);
    await blocked[0]?.end();
    expect(await waits).toBe(9);
    for (const { end } of blocked) await end();
    expect(livingWorkers()).toBe(parallelism + 2);
  });

  test('a pool may do without spares', async () => {
    const pool = poolOf(parallelism, { maxSpares: 0 });
    const blocked = await Promise.all(Array.from({ length: parallelism }, () => block(pool)));
    const waits = pool.invoke(task('square'), 3);
    for (const { end } of blocked) await end();
    expect(await waits).toBe(9);
    expect(pool.stats().spares.threads).toBe(0);
    expect(livingWorkers()).toBe(parallelism);
  });

  test.each([0, 20])(
    'spares that have rested for keepAliveMs = %i end, and others take their places',
    async (keepAliveMs) => {
      const pool = poolOf(parallelism, { keepAliveMs });
      const words = sharedWords();
      const inFlight = pool.invoke(asyncTask('awaits'), words, 0); // or the workers would end as well
      await whenSet(words, 1);
      for (let round = 0; round < 3; round++) {
        expect(await pool.invoke(task('tower'), sharedWords(), 3)).toBe(3);
        expect(pool.stats().spares.roots + pool.stats().spares.stolen).toBeGreaterThan(0);
        await whenAtMostLive(parallelism);
        expect(pool.stats().spares.threads).toBe(0);
      }
      tell(words, 0);
      expect(await inFlight).toBe(0);
    },
  );

  test('sections that begin while spares leave find a thread in their place', async () => {
    const pool = poolOf(parallelism, { keepAliveMs: 0 });
    const words = sharedWords();
    const inFlight = pool.invoke(asyncTask('awaits'), words, 0);
    await whenSet(words, 1);
    for (let round = 0; round < 15; round++) expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
    tell(words, 0);
    await inFlight;
  });

  test('with keepAliveMs: Infinity, spares stay as the workers do', async () => {
    const pool = poolOf(parallelism, { keepAliveMs: Number.POSITIVE_INFINITY });
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
    const { threads } = pool.stats().spares;
    expect(threads).toBeGreaterThanOrEqual(1);
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
    expect(pool.stats().spares.threads).toBeGreaterThanOrEqual(threads);
  });

  test('idle workers end after keepAliveMs, and spares with them', async () => {
    const pool = poolOf(parallelism, { keepAliveMs: 50 });
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
    await whenAtMostLive(0);
    expect(pool.stats().spares).toMatchObject({ threads: 0 });
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
  });

  test('close() waits for sections, and ends the spares too', async () => {
    const pool = poolOf(parallelism);
    const { end } = await block(pool);
    await until(() => pool.stats().spares.threads === 1);
    const closed = pool.close();
    const value = end();
    await closed;
    expect(await value).toBe(0);
    expect(livingWorkers()).toBe(0);
    const { spares } = pool.stats();
    expect(spares.threads).toBe(0);
  });

  test('terminate() ends threads that are blocked', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const blocked = Array.from({ length: parallelism + 2 }, () => errorOf(pool.invoke(task('blocks'), words, 0)));
    await whenSet(words, 1);
    await pool.terminate();
    for (const error of await Promise.all(blocked)) expect(error).toBeInstanceOf(CancellationError);
    expect(livingWorkers()).toBe(0);
  });

  test('a cancelled invocation ends when its section does, and begins no other', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('blocksTwice'), words), { signal: controller.signal }));
    await whenSet(words, 1);
    controller.abort('enough');
    tell(words, 0);
    expect(await running).toMatchObject({ name: 'AbortError', cause: 'enough' });
    expect(words[2]).toBe(0);
    expect(await pool.invoke(task('square'), 7)).toBe(49);
  });

  test('after the grace, a section that does not end costs the workers', async () => {
    const pool = poolOf(parallelism, { graceMs: 5 });
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('blocks'), words, 0), { signal: controller.signal }));
    await whenSet(words, 1);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
  });

  test('a thread that dies blocked, or a spare that dies, is a crash: the next call has new workers', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const dying = errorOf(pool.invoke(task('diesBlocked'), words));
    await whenSet(words, 1);
    tell(words, 0);
    expect(await dying).toMatchObject({ exitCode: 3, message: expect.stringMatching(/worker \d of pool/) });
    const blocked = await blockWorkers(pool);
    const error = (await errorOf(pool.invoke(task('dies')))) as WorkerCrashError; // on a spare
    expect(error).toBeInstanceOf(WorkerCrashError);
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringMatching(/spare \d of pool/) });
    for (const { end } of blocked) expect(await errorOf(end())).toBeInstanceOf(WorkerCrashError);
    expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
  });

  test('a blocked owner does not take a spare that leaves for one that died', async () => {
    const pool = poolOf(parallelism + 1, { keepAliveMs: 0 });
    for (let round = 0; round < 5; round++) {
      expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
      expect(pool.invokeSync(task('fib'), 24)).toBe(46368);
      expect(pool.invokeSync(task('sleeps'), 60)).toBe(60); // its join looks for dead workers
    }
  });

  test('a root that blocks on top of another invocation leaves the tasks of both to others', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const others = await Promise.all(Array.from({ length: parallelism - 1 }, () => block(pool)));
    const below = pool.invoke(task('givesWay'), words);
    await whenSet(words, 3);
    const above = pool.invoke(taskOf(task('blocks'), words, 0), { priority: 'high' });
    expect(await Promise.all([above, below])).toEqual([0, 'joined']);
    for (const { end } of others) await end();
  });

  test('algorithms count and sort right on spares', async () => {
    const pool = poolOf(parallelism);
    const blocked = await blockWorkers(pool);
    const xs = sharedArray(Float64Array, 300_000);
    for (let i = 0; i < xs.length; i++) xs[i] = (i * 7919) % 300_007;
    const options = { pool, threshold: 10_000 }; // of shared arrays, and not in one leaf: so nothing runs on this thread
    const counts = await parallelHistogram(xs, (x) => x % 7, { ...options, bins: 7 });
    const even = await parallelHistogram(xs, { ...options, bins: 3, min: 0, max: 300_007 });
    const sorted = sharedArray(Float64Array, xs);
    await parallelSort(sorted, options);
    for (const { end } of blocked) await end();
    const expected = new Uint32Array(7);
    for (const x of xs) expected[x % 7] = (expected[x % 7] as number) + 1;
    expect(counts).toEqual(expected);
    const thirds = new Uint32Array(3);
    for (const x of xs) thirds[Math.floor((x * 3) / 300_007)] = (thirds[Math.floor((x * 3) / 300_007)] as number) + 1;
    expect(even).toEqual(thirds);
    expect(sorted).toEqual(xs.slice().sort());
    expect(pool.stats().spares.elements).toBe(pool.stats().elements);
  });

  test('nothing is left on the heap', async () => {
    const before = heap.byteBlocks();
    const pool = new ForkJoinPool({ parallelism, keepAliveMs: 0 });
    for (let round = 0; round < 3; round++) await pool.invoke(task('tower'), sharedWords(), 3);
    await pool.close();
    expect(heap.byteBlocks()).toBe(before);
  });
});

test('an asynchronous task that a spare has begun ends there, and the spare takes nothing else once it is in reserve', async () => {
  const pool = poolOf(1);
  const { end } = await block(pool); // there is no other thread yet: it blocks the worker
  const words = sharedWords();
  const waits = pool.invoke(asyncTask('awaitsOn'), words, 0);
  await whenSet(words, 1);
  await end();
  const threads = await Promise.all(Array.from({ length: 50 }, () => pool.invoke(task('threadOf'))));
  tell(words, 0);
  const spare = await waits;
  expect(threads.slice(5)).not.toContain(spare); // at first, it may not have seen that the section has ended
  expect(await pool.invoke(task('tower'), sharedWords(), 2)).toBe(2);
});

describe('a spare that cannot start', () => {
  const start = new URL('../fixtures/plain-worker.mjs', import.meta.url);
  const failing: Readonly<Record<string, () => unknown>> = {
    'createWorker throws': () => {
      throw new Error('no thread today');
    },
    'the worker ends at once': () => new Worker("throw new Error('no thread today')", { eval: true }),
  };

  test.each(Object.keys(failing))('is warned of once, and the pool goes on without: %s', async (how) => {
    let made = 0;
    const createWorker = (): unknown => (++made <= 2 ? new Worker(start) : failing[how]?.());
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    const pool = new ForkJoinPool({ name: 'mill', parallelism: 2, createWorker });
    await pool.ready();
    const blocked = [await block(pool), await block(pool)];
    const waits = pool.invoke(task('square'), 3);
    await until(() => warnings.length > 0);
    const third = block(pool);
    for (const { end } of blocked) await end();
    expect(await waits).toBe(9);
    await (await third).end();
    await pool.close();
    process.off('warning', note);
    expect(warnings).toEqual([
      "furcate: pool 'mill' could not start a spare thread for a blocking section, and goes on without: no thread today",
    ]);
    expect(made).toBe(how === 'createWorker throws' ? 3 : made);
    expect(livingWorkers()).toBe(0);
  });
});
