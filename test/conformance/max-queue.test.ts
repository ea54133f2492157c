/** The option `maxQueue` of a pool: how many invocations may wait for a worker. */
import {
  type AsyncForkable,
  type Forkable,
  ForkJoinPool,
  parallelMap,
  RejectedExecutionError,
  task as taskOf,
} from 'furcate';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, tell } from '../helpers/words.js';

interface Fixture {
  readonly holds: Forkable<[words: Int32Array, value: number], number>;
  readonly awaits: AsyncForkable<[words: Int32Array, value: number], number>;
  readonly echo: Forkable<[value: number], number>;
}
const { holds, awaits, echo } = await fixture<Fixture>('holding.mjs');

const pools: ForkJoinPool[] = [];
function poolOf(parallelism: number, maxQueue: number): ForkJoinPool {
  const pool = new ForkJoinPool({ parallelism, maxQueue, name: 'shop' });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.terminate();
});

type WaitAsync = (words: Int32Array, at: number, value: number) => { value: Promise<string> | string };

/** Resolves once so many tasks have begun. */
async function whenBegun(words: Int32Array, count: number): Promise<void> {
  const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync };
  for (let seen = 0; seen < count; seen = Atomics.load(words, 0)) await waitAsync(words, 0, seen).value;
}

/** Keeps all workers of a pool busy. */
async function saturate(
  pool: ForkJoinPool,
): Promise<{ readonly words: Int32Array; readonly running: Promise<number>[] }> {
  const words = sharedWords();
  const running = Array.from({ length: pool.parallelism }, (_, k) => pool.invoke(holds, words, k));
  await whenBegun(words, pool.parallelism);
  return { words, running };
}

for (const parallelism of [1, 2]) {
  test.each([0, 1, 5])(`a pool of ${parallelism} lets %i invocations wait, and refuses one more`, async (maxQueue) => {
    const pool = poolOf(parallelism, maxQueue);
    const { words, running } = await saturate(pool);
    const waiting = Array.from({ length: maxQueue }, (_, k) => pool.invoke(echo, k));
    for (let k = 0; k < 3; k++) {
      const error = await errorOf(pool.invoke(echo, 7));
      expect(error).toBeInstanceOf(RejectedExecutionError);
      expect((error as Error).message).toBe(
        `furcate: pool 'shop' takes no more work: all workers are busy, and maxQueue = ${maxQueue} invocations wait. Call again later, or raise maxQueue.`,
      );
    }
    tell(words, 1);
    expect(await Promise.all(running)).toEqual(running.map((_, k) => k));
    expect(await Promise.all(waiting)).toEqual(waiting.map((_, k) => k));
    expect(await pool.invoke(echo, 7)).toBe(7);
  });
}

test('with a maxQueue of 0, an idle pool takes as many invocations as it has workers, one after the other or at once', async () => {
  const pool = poolOf(2, 0);
  for (let k = 0; k < 200; k++) expect(await Promise.all([pool.invoke(echo, k), pool.invoke(echo, k)])).toEqual([k, k]);
});

test('an asynchronous task that waits holds no worker', async () => {
  const pool = poolOf(1, 0);
  const words = sharedWords();
  const waiting = [pool.invoke(awaits, words, 1)];
  await whenBegun(words, 1);
  waiting.push(pool.invoke(awaits, words, 2));
  await whenBegun(words, 2);
  tell(words, 1);
  expect(await Promise.all(waiting)).toEqual([1, 2]);
});

test('an invocation that is cancelled while it waits makes room for another', async () => {
  const pool = poolOf(1, 1);
  const { words, running } = await saturate(pool);
  const controller = new AbortController();
  const cancelled = errorOf(pool.invoke(taskOf(echo, 1), { signal: controller.signal }));
  expect(await errorOf(pool.invoke(echo, 2))).toBeInstanceOf(RejectedExecutionError);
  controller.abort();
  const other = pool.invoke(echo, 3);
  expect(await cancelled).toMatchObject({ name: 'AbortError' });
  tell(words, 1);
  expect(await Promise.all([...running, other])).toEqual([0, 3]);
});

test('calls of algorithms are refused, too, and invokeSync never is', async () => {
  const pool = poolOf(2, 0);
  const { words, running } = await saturate(pool);
  const mapping = parallelMap(new Float64Array(10), (x) => x + 1, { pool, graceMs: 60_000 }); // with a grace, never on the caller
  expect(await errorOf(mapping)).toBeInstanceOf(RejectedExecutionError);
  expect(pool.invokeSync(echo, 5)).toBe(5);
  tell(words, 1);
  await Promise.all(running);
  expect([...(await parallelMap(new Float64Array(2), (x) => x + 1, { pool, graceMs: 60_000 }))]).toEqual([1, 1]);
});

test('a call with plain values waits until its first chunk is taken, and counts once', async () => {
  const pool = poolOf(2, 3);
  const { words, running } = await saturate(pool);
  const values = Array.from({ length: 20 }, (_, i) => i);
  const call = (): Promise<number[]> => parallelMap(values, (x) => x + 1, { pool, threshold: 1, graceMs: 60_000 });
  const calls = [call(), call(), call()];
  for (let k = 0; k < 10; k++) expect(await errorOf(call())).toBeInstanceOf(RejectedExecutionError);
  expect(await errorOf(pool.invoke(echo, 1))).toBeInstanceOf(RejectedExecutionError);
  tell(words, 1);
  await Promise.all(running);
  for (const result of await Promise.all(calls)) expect(result).toEqual(values.map((x) => x + 1));
  expect(await call()).toEqual(values.map((x) => x + 1));
});

test('a pool without maxQueue lets any number wait', async () => {
  for (const options of [{}, { maxQueue: Number.POSITIVE_INFINITY }]) {
    const pool = new ForkJoinPool({ parallelism: 1, ...options });
    pools.push(pool);
    const calls = Array.from({ length: 500 }, (_, k) => pool.invoke(echo, k));
    expect((await Promise.all(calls)).length).toBe(500);
  }
});

test('more invocations than there are records end, whatever their priority', { timeout: 60_000 }, async () => {
  const pool = poolOf(1, Number.POSITIVE_INFINITY);
  const normal = Array.from({ length: 17_000 }, (_, k) => pool.invoke(echo, k));
  const others = (['high', 'low'] as const).map((priority) => pool.invoke(taskOf(echo, 1), { priority }));
  const last = pool.broadcast(echo, 2);
  expect(await Promise.all(others)).toEqual([1, 1]);
  expect(await last).toEqual([2]);
  expect((await Promise.all(normal)).length).toBe(17_000);
});

test.each([
  [-1, RangeError],
  [1.5, RangeError],
  [Number.NaN, RangeError],
  ['3', TypeError],
  [null, TypeError],
])('a maxQueue of %o is refused', (maxQueue, Kind) => {
  const make = (): ForkJoinPool => new ForkJoinPool({ maxQueue: maxQueue as number });
  expect(make).toThrow(Kind);
  expect(make).toThrow('furcate: maxQueue must be an integer from 0 up, or Infinity; it was ');
});
