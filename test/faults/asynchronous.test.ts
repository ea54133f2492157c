/** Asynchronous tasks that are cancelled, never settle, or die. */
import { type AsyncForkable, sharedArray, task as taskOf, WorkerCrashError } from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, whenSet } from '../helpers/words.js';
import { livingWorkers, startedWorkers } from '../helpers/worker-census.js';

const tasks = await fixture<Record<string, AsyncForkable<unknown[], unknown>>>('asynchronous.mjs');
const task = (name: string): AsyncForkable<unknown[], unknown> => tasks[name] as AsyncForkable<unknown[], unknown>;
const heap = heapCounters(sharedArray as never);

const poolOf = poolMaker('terminate');

describe.each([1, 2])('a pool of %i:', (parallelism) => {
  test('an abort reaches the signals of tasks that wait, and what they fork from then on is refused', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('waitsForAbort'), words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort('enough');
    expect(await running).toMatchObject({ name: 'AbortError', cause: 'enough' });
    expect([words[1], words[2]]).toEqual([1, 1]);
  });

  test('a time-out does as well', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const error = await errorOf(pool.invoke(taskOf(task('waitsForAbort'), words), { timeoutMs: 300 }));
    expect(error).toMatchObject({ name: 'CancellationError' });
    const hasBegun = words[0] as number; // on a busy machine it may not have
    expect([words[1], words[2]]).toEqual([hasBegun, hasBegun]);
  });

  test('a promise that never settles is abandoned after the grace, which costs no worker', async () => {
    const pool = poolOf(parallelism, { graceMs: 5 });
    await pool.ready();
    const before = startedWorkers();
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('neverSettles'), words), { signal: controller.signal }));
    const other = pool.invoke(task('later'), 200, 'other');
    await whenSet(words);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(await other).toBe('other');
    expect(startedWorkers()).toBe(before);
    expect(livingWorkers()).toBe(parallelism);
  });

  test('synchronous code of a coroutine that does not end costs the workers', async () => {
    const pool = poolOf(parallelism, { graceMs: 5 });
    const words = sharedWords();
    const controller = new AbortController();
    const running = errorOf(pool.invoke(taskOf(task('blocksForever'), words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    const writes = words[1];
    expect(await pool.invoke(task('later'), 1, 2)).toBe(2);
    expect(words[1]).toBe(writes);
  });

  test('a worker that dies while tasks wait rejects them all, and the next call starts new workers', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const waiting = errorOf(pool.invoke(task('waitsForAbort'), words));
    await whenSet(words);
    const dying = errorOf(pool.invoke(task('dies')));
    for (const error of [await waiting, await dying]) expect(error).toBeInstanceOf(WorkerCrashError);
    expect(await pool.invoke(task('later'), 1, 2)).toBe(2);
  });

  test('close() waits for tasks that wait; terminate() ends them', async () => {
    const closing = poolOf(parallelism);
    const done = closing.invoke(task('later'), 20, 'done');
    await closing.close();
    expect(await done).toBe('done');
    const ending = poolOf(parallelism);
    const words = sharedWords();
    const running = errorOf(ending.invoke(task('waitsForAbort'), words));
    await whenSet(words);
    await ending.terminate();
    expect(await running).toMatchObject({ name: 'CancellationError' });
  });

  test('pools and algorithms are refused in an asynchronous task, and the error names the cure', async () => {
    const pool = poolOf(parallelism);
    for (const afterAwait of [false, true]) {
      const [constructed, invoked, promised, sync] = (await pool.invoke(task('misusesPools'), afterAwait)) as string[];
      expect(constructed).toContain('new ForkJoinPool() inside a task.');
      expect(invoked).toMatch(/inside a task|in an asynchronous task/);
      expect(promised).toContain('Use await parallelReduce() with the option { scope }.');
      expect(sync).toContain('Use await parallelReduce() with the option { scope }.');
    }
  });

  test('nothing is left in the shared heap', async () => {
    const before = heap.byteBlocks();
    const pool = poolOf(parallelism);
    for (let k = 0; k < 20; k++) await pool.invoke(task('mixture'), 50);
    await errorOf(pool.invoke(task('leavesFailures')));
    await errorOf(pool.invoke(task('failsBesideForks'), sharedWords()));
    await pool.close();
    expect(heap.byteBlocks()).toBe(before);
  });
});
