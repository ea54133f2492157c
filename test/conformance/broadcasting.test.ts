/** `pool.broadcast` runs a call once on every worker. */
import {
  type AsyncForkable,
  type Forkable,
  ForkJoinPool,
  RejectedExecutionError,
  task,
  WorkerCrashError,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { invokeHere } from '../helpers/caller.js';
import { ofEachKind } from '../helpers/environment.js';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

interface Seen {
  readonly thread: number;
  readonly calls: number;
  readonly args: readonly unknown[];
  readonly fib?: number;
}
interface Fixture {
  readonly whoami: Forkable<unknown[], Seen>;
  readonly whoamiLater: AsyncForkable<unknown[], Seen>;
  readonly fibonacci: Forkable<[n: number], number>;
  readonly meets: Forkable<[words: Int32Array, count: number], number>;
  readonly failsAt: Forkable<[threads: readonly number[]], number>;
  readonly dies: Forkable<[thread: number], void>;
  readonly loops: Forkable<[words: Int32Array], number>;
}
const { whoami, whoamiLater, fibonacci, meets, failsAt, dies, loops } = await fixture<Fixture>('broadcasting.mjs');
const { holds, echo } = await fixture<{
  readonly holds: Forkable<[words: Int32Array, value: number], number>;
  readonly echo: Forkable<[value: number], number>;
}>('holding.mjs');

const poolOf = poolMaker('terminate');
const threadsOf = (seen: readonly Seen[]): number[] => seen.map(({ thread }) => thread);

describe.each(ofEachKind([1, 2, 4], (parallelism) => parallelism === 2))('a pool of %i:', (parallelism) => {
  test.each([false, true])(
    'a call runs once on each worker, in the same order each time (checked: %s)',
    async (checked) => {
      const pool = poolOf(parallelism, { checked });
      const first = await pool.broadcast(whoami, 1, 'two', { three: [3] });
      expect(new Set(threadsOf(first)).size).toBe(parallelism);
      for (const { calls, args } of first)
        expect({ calls, args }).toEqual({ calls: 1, args: [1, 'two', { three: [3] }] });
      for (let round = 2; round < 30; round++) {
        const again = await pool.broadcast(whoami);
        expect(threadsOf(again)).toEqual(threadsOf(first));
        for (const { calls } of again) expect(calls).toBe(round);
      }
    },
  );

  test('asynchronous functions are broadcast as well', async () => {
    const pool = poolOf(parallelism);
    for (let round = 1; round < 5; round++) {
      const seen = await pool.broadcast(whoamiLater, round);
      expect(new Set(threadsOf(seen)).size).toBe(parallelism);
      for (const { calls, args, fib } of seen)
        expect({ calls, args, fib }).toEqual({ calls: round, args: [round], fib: 55 });
    }
  });

  test('the calls of one broadcast run at the same time', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    expect(new Set(await pool.broadcast(meets, words, parallelism)).size).toBe(parallelism);
  });

  test('when all have ended, it rejects with the failure of the first worker that failed', async () => {
    const pool = poolOf(parallelism);
    const threads = threadsOf(await pool.broadcast(whoami));
    if (parallelism === 1) expect(await pool.broadcast(failsAt, threads)).toEqual([0]);
    else expect(await errorOf(pool.broadcast(failsAt, threads))).toMatchObject({ message: 'worker 2 fails' });
    const reversed = [...threads].reverse();
    if (parallelism > 1)
      expect(await errorOf(pool.broadcast(failsAt, reversed))).toMatchObject({
        message: `worker ${parallelism} fails`,
      });
  });

  test('a broadcast beside other invocations, and many at once', async () => {
    const pool = poolOf(parallelism);
    await pool.broadcast(whoami);
    const invoked = Array.from({ length: 50 }, () => pool.invoke(fibonacci, 12));
    const broadcasts = Array.from({ length: 50 }, (_, k) => pool.broadcast(whoami, k));
    expect(await invokeHere(pool, fibonacci, 15)).toBe(610);
    expect(await Promise.all(invoked)).toEqual(Array(50).fill(144));
    for (const [k, seen] of (await Promise.all(broadcasts)).entries()) {
      expect(seen.map(({ calls, args }) => [calls, args])).toEqual(Array(parallelism).fill([k + 2, [k]]));
    }
  });

  test('more broadcasts at once than there are records', { timeout: 60_000 }, async () => {
    const pool = poolOf(parallelism);
    const count = 20_000 / parallelism;
    const broadcasts = Array.from({ length: count }, (_, k) => pool.broadcast(echo, k));
    for (const [k, results] of (await Promise.all(broadcasts)).entries())
      if (results.some((value) => value !== k)) throw new Error(`${k} gave ${results}`);
  });

  test('a worker that is busy runs its call afterwards, and maxQueue does not count broadcasts', async () => {
    const pool = poolOf(parallelism, { maxQueue: 0 });
    const words = sharedWords();
    const running = Array.from({ length: parallelism }, (_, k) => pool.invoke(holds, words, k));
    const broadcasts = [pool.broadcast(whoami), pool.broadcast(whoami)];
    while (Atomics.load(words, 0) < parallelism) await turn();
    expect(await errorOf(pool.invoke(echo, 1))).toBeInstanceOf(RejectedExecutionError);
    tell(words, 1);
    expect(await Promise.all(running)).toEqual(running.map((_, k) => k));
    for (const seen of await Promise.all(broadcasts)) expect(seen).toHaveLength(parallelism);
  });

  test('a worker that dies rejects the broadcast; close() waits for it, terminate() rejects it', async () => {
    const pool = poolOf(parallelism);
    const [{ thread }] = (await pool.broadcast(whoami)) as [Seen];
    expect(await errorOf(pool.broadcast(dies, thread))).toBeInstanceOf(WorkerCrashError);
    expect(await pool.broadcast(echo, 7)).toEqual(Array(parallelism).fill(7));
    const last = pool.broadcast(whoamiLater);
    await pool.close();
    expect(await last).toHaveLength(parallelism);
    expect(await errorOf(pool.broadcast(whoami))).toBeInstanceOf(RejectedExecutionError);

    const ending = poolOf(parallelism);
    const words = sharedWords();
    const looping = errorOf(ending.broadcast(loops, words));
    await whenSet(words);
    await ending.terminate();
    expect(await looping).toMatchObject({ name: 'CancellationError' });
  });
});

test('the results come in the order of the workers', async () => {
  const pool = poolOf(3);
  await pool.broadcast(whoami);
  const roots = pool.stats().workers.map((worker) => worker.roots);
  expect(roots).toEqual([0, 1, 1, 1]);
});

test.each([
  ['a task object', task(echo, 1), 'an object'],
  ['an inline function', () => 1, 'a function'],
  ['nothing', undefined, 'undefined'],
])('%s is refused', async (_, work, shown) => {
  const error = await errorOf(poolOf(1).broadcast(work as unknown as Forkable<[], number>));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toBe(
    `furcate: broadcast() takes a function made with forkable() or asyncForkable(), and its arguments; it was given ${shown}.`,
  );
});

test('an argument that cannot be shared is refused', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  expect(await errorOf(pool.broadcast(whoami, new Float64Array(2)))).toMatchObject({ name: 'NotShareableError' });
  expect(await pool.broadcast(echo, 1)).toEqual([1, 1]);
  await pool.close();
});
