import { ForkJoinPool, parallelFor, sharedArray } from 'furcate';
import { pipeline } from 'furcate/flows';
import { profile } from 'furcate/insight';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const { meeting, spread, spreadAsync } = (await fixture('beside.mjs')) as Record<string, Scenario> &
  Record<'meeting' | 'spread' | 'spreadAsync', Scenario>;

/** Calls to warm up, and the runs after which one on one thread comes. */
const WARM_UP = 2;
const RUNS = 5;
/** Time for which the first task leaves others to other threads: in vain on one thread (milliseconds). */
const VAIN_MS = 50;
const LONG_MS = 10_000;

const pool = new ForkJoinPool({ parallelism: 3 });
const cells = sharedArray(Int32Array, 64);
afterAll(() => pool.close());

/** Number of threads that have run tasks since it was called. */
function countThreads(): () => number {
  cells.fill(0, 1);
  return () => cells.subarray(1).filter((one) => one === 1).length;
}

/** Profiles a call, and tells on how many threads each of its runs was. */
async function threadsOfRuns(call: () => unknown): Promise<number[]> {
  const threads: number[] = [];
  await profile(
    async () => {
      const count = countThreads();
      await call();
      threads.push(count());
    },
    { runs: RUNS },
  );
  return threads;
}

const usesAll = async (): Promise<boolean> => {
  const count = countThreads();
  await pool.invoke(spread, cells, LONG_MS);
  return count() > 1;
};

beforeEach(() => pool.ready());

test('a profile has a run on one thread, and all threads take tasks before and after it', async () => {
  const threads = await threadsOfRuns(() => pool.invoke(spread, cells, VAIN_MS));
  expect(threads).toHaveLength(WARM_UP + RUNS + 1);
  expect(threads.at(-1)).toBe(1);
  expect(await usesAll()).toBe(true);
});

test('so it is with asynchronous tasks, algorithms and pipelines', async () => {
  expect((await threadsOfRuns(() => pool.invoke(spreadAsync, cells))).at(-1)).toBe(1);
  await profile(() => parallelFor(10_000, (k) => Math.sqrt(k), { pool }), { runs: 1 });
  const items = Array.from({ length: 100 }, (_, k) => k);
  const { result } = await profile(
    () =>
      pipeline(items, { pool })
        .map((x: number) => x + 1)
        .toArray(),
    { runs: 1 },
  );
  expect(result).toEqual(items.map((x) => x + 1));
  expect(await usesAll()).toBe(true);
});

test('a call that every worker is to run is run by all of them', async () => {
  let calls = 0;
  await profile(
    async () => {
      calls = (await pool.broadcast(spread, cells, 0)).length;
    },
    { runs: 1 },
  );
  expect(calls).toBe(3);
});

test('where a run on one thread fails, all threads take tasks again', async () => {
  let calls = 0;
  const failing = profile(
    async () => {
      await pool.invoke(spread, cells, 0);
      if (++calls > WARM_UP + 1) throw new Error('on one thread');
    },
    { runs: 1 },
  );
  await expect(failing).rejects.toThrow('on one thread');
  expect(await usesAll()).toBe(true);
});

test('tasks that wait for each other get all threads after a time, and there is no run on one thread', async () => {
  const { byTask } = await profile(
    () => {
      cells.fill(0);
      return pool.invoke(meeting, cells);
    },
    { runs: 1 },
  );
  expect(byTask.map(({ name }) => name)).toContain('meets');
  expect(byTask.every(({ inflation }) => inflation === undefined)).toBe(true);
});

test('a caller that computes is alone then', async () => {
  let threads = 0;
  await profile(
    () => {
      const count = countThreads();
      pool.invokeSync(spread, cells, VAIN_MS);
      threads = count();
    },
    { runs: RUNS },
  );
  expect(threads).toBe(1);
  expect(await usesAll()).toBe(true);
});
