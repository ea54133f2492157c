/** What the priority of an invocation means, and how invocations share a pool. */
import {
  type AsyncForkable,
  type Forkable,
  type ForkJoinPool,
  free,
  type InvokeOptions,
  type Priority,
  parallelInvoke,
  parallelMap,
  sharedArray,
  task,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

const tasks = await fixture<
  Record<string, Forkable<unknown[], unknown>> & {
    readonly ways: readonly string[];
    readonly setsLater: AsyncForkable<[words: Int32Array, at: number], void>;
  }
>('priorities.mjs');
const poolOf = poolMaker('terminate');

const start = (pool: ForkJoinPool, name: string, args: unknown[], options: InvokeOptions = {}): Promise<unknown> =>
  pool.invoke(task(tasks[name] as Forkable<unknown[], unknown>, ...args), options);

/** Starts an invocation that occupies a worker until word 0 is set; resolves when it runs. */
async function occupy(
  pool: ForkJoinPool,
  words: Int32Array,
  way = 'a join of a function',
  options: InvokeOptions = {},
): Promise<{ readonly ended: Promise<unknown> }> {
  await start(pool, 'noop', []); // so that the worker has the code
  const ended = start(pool, 'occupies', [way, words], options);
  await whenSet(words, 1);
  return { ended };
}

describe.each([false, true])('a busy pool of one, checked: %s:', (checked) => {
  test.each(tasks.ways)('an invocation of high priority begins at %s', async (way) => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words, way);
    await start(pool, 'sets', [words, 0], { priority: 'high' });
    await ended;
  });

  test('an algorithm of high priority does as well', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words);
    const options = { pool, priority: 'high', graceMs: 60_000, threshold: 1 } as const;
    expect(await parallelMap(Int32Array.of(1, 2, 3), (x) => 2 * x, options)).toEqual(Int32Array.of(2, 4, 6));
    await parallelInvoke([task(tasks['sets'] as Forkable<unknown[], unknown>, words, 0)], { pool, priority: 'high' });
    await ended;
  });

  test('a fork runs nothing else', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    await start(pool, 'noop', []);
    const ended = start(pool, 'forksThenJoins', [words]);
    await whenSet(words, 1);
    const high = start(pool, 'sets', [words, 3], { priority: 'high' });
    tell(words, 0);
    await Promise.all([ended, high]);
    expect([words[4], words[5]]).toEqual([0, 1]);
  });

  test('one that has begun on top of another lets no third one in', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words);
    const second = start(pool, 'letsInOnce', [words], { priority: 'high' });
    await whenSet(words, 6);
    const third = start(pool, 'sets', [words, 3], { priority: 'high' });
    tell(words, 7);
    await Promise.all([second, third]);
    expect(words[4]).toBe(0);
    tell(words, 0);
    await ended;
  });

  test('one that fails leaves the one below alone', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words);
    const error = await errorOf(start(pool, 'fails', [], { priority: 'high' }));
    expect(error).toMatchObject({ name: 'RangeError', message: 'as it should' });
    tell(words, 0);
    expect(await ended).toBeUndefined();
  });

  test('an abort of the one below is not lost on the one on top', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const controller = new AbortController();
    const { ended } = await occupy(pool, words, 'a checkpoint', { signal: controller.signal });
    const aborted = errorOf(ended);
    const high = start(pool, 'letsInOnce', [words], { priority: 'high' });
    await whenSet(words, 6);
    controller.abort();
    tell(words, 7);
    await high;
    expect(await aborted).toMatchObject({ name: 'AbortError' });
  });

  test('an abort of the one on top leaves the one below alone', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words, 'a checkpoint');
    const controller = new AbortController();
    const { signal } = controller;
    const high = errorOf(start(pool, 'letsInOnce', [words], { priority: 'high', signal }));
    await whenSet(words, 6);
    controller.abort();
    tell(words, 7);
    expect(await high).toMatchObject({ name: 'AbortError' });
    tell(words, 0);
    expect(await ended).toBeUndefined();
  });

  test('a normal invocation does not wait for the end of a long one', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words);
    for (let i = 0; i < 5; i++) await start(pool, 'noop', []);
    await start(pool, 'sets', [words, 0]);
    await ended;
  });

  test('one of low priority gives way to a normal one', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words, 'a join of a function', { priority: 'low' });
    for (let i = 0; i < 5; i++) await start(pool, 'noop', []);
    await start(pool, 'sets', [words, 0]);
    await ended;
  });

  test('invocations of one priority begin in the order of the calls, and low ones when there is nothing else', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords(16);
    await start(pool, 'noop', []);
    const blocked = start(pool, 'blocks', [words]);
    await whenSet(words, 1);
    const given: Priority[] = ['low', 'normal', 'high', 'low', 'normal', 'high'];
    const running = given.map((priority, i) => start(pool, 'notes', [words, 4 + i], { priority }));
    tell(words, 0);
    await Promise.all([blocked, ...running]);
    const [low, normal, high, nextLow, nextNormal, nextHigh] = words.subarray(4, 10);
    expect([low, nextLow]).toEqual([5, 6]);
    // On a machine so busy that the normal ones have waited for 10 ms, they take turns with the high ones.
    expect(Number(normal) < Number(nextNormal) && Number(high) < Number(nextHigh)).toBe(true);
  });

  test('one of low priority that has waited for a second counts as normal', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    const { ended } = await occupy(pool, words);
    await start(pool, 'sets', [words, 0], { priority: 'low' });
    await ended;
  });

  test('one that is aborted before it begins is gone, whatever its priority', async () => {
    const pool = poolOf(1, { checked });
    const words = sharedWords();
    await start(pool, 'noop', []);
    const blocked = start(pool, 'blocks', [words]);
    await whenSet(words, 1);
    for (const priority of ['high', 'normal', 'low'] as const) {
      const controller = new AbortController();
      const { signal } = controller;
      const error = errorOf(start(pool, 'sets', [words, 3], { priority, signal }));
      controller.abort();
      expect(await error).toMatchObject({ name: 'AbortError' });
    }
    tell(words, 0);
    await blocked;
    expect(await start(pool, 'leaves', [5])).toBe(32);
    expect(words[3]).toBe(0);
  });
});

describe.each([
  ['one worker', 1, undefined],
  ['two workers', 2, undefined],
  ['a worker with a normal invocation that gives way', 1, {}],
  ['a worker with a low invocation that gives way', 1, { priority: 'low' }],
] as const)('while there are always invocations of high priority in the queue of %s', (_, parallelism, below) => {
  test('normal ones, asynchronous ones and low ones end', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    await Promise.all([start(pool, 'noop', []), start(pool, 'setsLater', [words, 5])]);
    const occupied = below === undefined ? undefined : await occupy(pool, words, 'a checkpoint', below);
    const ahead = 2 * parallelism + 1;
    let queued = 0;
    /** Each ends when so many more are in the queue behind it. */
    const high = async (): Promise<void> => {
      while (words[0] === 0) {
        const ended = start(pool, 'lasts', [words, queued + 1 + ahead], { priority: 'high' });
        Atomics.store(words, 3, ++queued);
        Atomics.notify(words, 3);
        await ended;
      }
    };
    const lanes = Array.from({ length: 2 * ahead }, high);
    await Promise.all([
      start(pool, 'noop', []),
      start(pool, 'noop', [], { priority: 'low' }),
      occupied ?? start(pool, 'forksLater', [20]), // which waits for an empty stack
    ]);
    tell(words, 0);
    await Promise.all([...lanes, occupied?.ended]);
  });
});

test('an asynchronous invocation of high priority waits for an empty stack, and holds up nobody', async () => {
  const pool = poolOf(1);
  const words = sharedWords();
  const { ended } = await occupy(pool, words);
  const later = pool.invoke(task(tasks.setsLater, words, 3), { priority: 'high' });
  await start(pool, 'sets', [words, 0]);
  await Promise.all([ended, later]);
  expect(words[3]).toBe(1);
});

test('invocations of all priorities at once have the right results', async () => {
  const pool = poolOf(2);
  const priorities: Priority[] = ['high', 'normal', 'low'];
  const all = Array.from({ length: 300 }, (_, i) =>
    start(pool, 'leaves', [i % 11], { priority: priorities[i % 3] as Priority }),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 300 }, (_, i) => 2 ** (i % 11)));
});

test('more invocations than there are records begin in their order', async () => {
  const pool = poolOf(1);
  const words = sharedWords();
  await start(pool, 'noop', []);
  const blocked = start(pool, 'blocks', [words]);
  await whenSet(words, 1);
  const count = 17_000;
  const began = sharedArray(Int32Array, 1 + count);
  const running = Array.from({ length: count }, (_, i) =>
    start(pool, 'counts', [began, 1 + i], { priority: i % 2 === 0 ? 'normal' : 'low' }),
  );
  tell(words, 0);
  await Promise.all([blocked, ...running]);
  for (const parity of [0, 1]) {
    const those = [...began.subarray(1)].filter((_, i) => i % 2 === parity);
    expect(those).toEqual([...those].sort((a, b) => a - b));
  }
  expect(new Set(began.subarray(1)).size).toBe(count);
  free(began);
});

test('a bad priority is refused, and so is one where nothing could keep it', async () => {
  const pool = poolOf(1);
  const bad = await errorOf(start(pool, 'noop', [], { priority: 'urgent' as Priority }));
  expect(bad).toMatchObject({ name: 'TypeError', message: expect.stringContaining("'high', 'normal' or 'low'") });
  expect(await errorOf(parallelMap(Int32Array.of(1), (x) => x, { pool, priority: 1 as never }))).toMatchObject({
    message: expect.stringContaining('options.priority'),
  });
});
