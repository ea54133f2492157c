/** A pool as its users see it, on imitated threads: their work is done by workers on the thread of the test. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CancellationError, RejectedExecutionError, WorkerCrashError } from '../../../../src/core/errors.js';
import { load, store } from '../../../../src/core/memory/atomics.js';
import { C_PHASE, PHASE_STOP, slotWord, W_ONLINE } from '../../../../src/core/memory/layout.js';
import { coreOf } from '../../../../src/core/pool/executor.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import type { ForkJoinPoolOptions } from '../../../../src/core/pool/options.js';
import { fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { AGED_MS } from '../../../../src/core/tuning.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { type Imitation, imitateThreads } from '../../../helpers/imitated-threads.js';
import { serveHere } from '../../../helpers/local-worker.js';

const host = imitateThreads();
const { threads, warnings, timers } = host;

const echo = forkable(import.meta.url, 'echo', (x: unknown) => x);
const fails = forkable(import.meta.url, 'fails', (message: string): never => {
  throw new RangeError(message);
});
const sums = forkable(import.meta.url, 'sums', (a: number, b: number): number => {
  const [first, second] = [fork(echo, a), fork(echo, b)];
  return (join(second) as number) + (join(first) as number);
});

let pool: ForkJoinPool;

beforeEach(() => {
  host.forget();
  pool = make();
});

afterEach(async () => {
  const ended = pool.terminate();
  exitAll();
  await ended;
});

const make = (options: ForkJoinPoolOptions = {}): ForkJoinPool =>
  new ForkJoinPool({ parallelism: 2, name: 'p', ...options });

const thread = (k: number): Imitation => threads[k - 1] as Imitation;

/** Lets a worker of the newest group do what there is to do. */
async function serve(slot = 1): Promise<void> {
  const { memory } = threads.at(-1) as Imitation;
  await serveHere({ memory, settings: { checked: false } }, slot);
}

/** All threads end. */
function exitAll(code = 0): void {
  for (const thread of threads) thread.exit(code);
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => `no error but ${value}`,
    (error: unknown) => error,
  );

/** Whether a promise settles by itself. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void errorOf(promise).then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('a pool', () => {
  test('starts its threads at the first call, once, and lets them keep the process alive during calls', async () => {
    expect([pool.parallelism, pool.name, threads.length]).toEqual([2, 'p', 0]);
    const both = Promise.all([pool.invoke(echo, 1), pool.invoke(taskOf('invoke', sums, [2, 3]))]);
    expect(threads.map(({ name, isReferenced }) => [name, isReferenced])).toEqual([
      ['p-1', true],
      ['p-2', true],
    ]);
    await serve();
    expect(await both).toEqual([1, 5]);
    expect(threads.map(({ isReferenced }) => isReferenced)).toEqual([false, false]);
    expect(await errorOf(Promise.all([pool.invoke(fails, 'as it should'), serve()]))).toEqual(
      new RangeError('as it should'),
    );
    expect(threads.length).toBe(2);
  });

  test('starts no thread for a call whose signal was aborted before', async () => {
    const signal = AbortSignal.abort('why');
    const error = await errorOf(pool.invoke(taskOf('invoke', echo, [1]), { signal }));
    expect(error).toMatchObject({ name: 'AbortError', cause: 'why' });
    expect(threads.length).toBe(0);
  });

  test('is ready when all workers are up, which keep the process alive until then', async () => {
    const ready = pool.ready();
    for (const [k, { memory, events, isReferenced }] of threads.entries()) {
      expect(isReferenced).toBe(true);
      expect(await isSettled(ready)).toBe(false);
      store(memory.words, slotWord(memory.layout, k + 1) + W_ONLINE, 1);
      events.message({ type: 'ready' });
    }
    await ready;
    expect(threads.map(({ isReferenced }) => isReferenced)).toEqual([false, false]);
    expect(timers.size).toBe(1);
  });

  test('counts what its threads do, also after they have ended', async () => {
    for (let round = 1; round <= 2; round++) {
      await Promise.all([pool.invoke(echo, 1), pool.invoke(echo, 2), serve(2)]);
      pool.invokeSync(sums, 1, 2);
      exitAll(1);
      const { name, parallelism, workers, spares, roots } = pool.stats();
      expect({ name, parallelism, roots, workers: workers.map(({ worker, roots }) => [worker, roots]) }).toEqual({
        name: 'p',
        parallelism: 2,
        roots: 2 * round,
        workers: [
          [0, 0],
          [1, 0],
          [2, 2 * round],
        ],
      });
      expect(spares).toMatchObject({ threads: 0, roots: 0 });
    }
  });
});

describe('broadcast()', () => {
  test('runs a call on every worker, and gives their results in order', async () => {
    const results = pool.broadcast(echo, 7);
    await serve(2);
    expect(await isSettled(results)).toBe(false);
    await serve(1);
    expect(await results).toEqual([7, 7]);
  });

  test('rejects with the failure of the first worker', async () => {
    const failure = errorOf(pool.broadcast(fails, 'as it should'));
    for (const slot of [2, 1]) await serve(slot);
    expect(await failure).toEqual(new RangeError('as it should'));
  });

  test('takes a forkable function only', async () => {
    for (const other of [() => 1, taskOf('invoke', echo, [1])])
      expect(await errorOf(pool.broadcast(other as never))).toBeInstanceOf(TypeError);
    expect(threads.length).toBe(0);
  });
});

describe('close()', () => {
  test('finishes what is in flight, takes nothing more, and ends the workers', async () => {
    const result = pool.invoke(echo, 1);
    const closed = pool.close();
    expect(pool.isClosed).toBe(true);
    expect(await errorOf(pool.invoke(echo, 2))).toBeInstanceOf(RejectedExecutionError);
    expect(() => pool.invokeSync(echo, 2)).toThrow("pool 'p' is closed");
    const { words } = thread(1).memory;
    expect(load(words, C_PHASE)).not.toBe(PHASE_STOP);
    await serve();
    expect(await result).toBe(1);
    expect(await isSettled(closed)).toBe(false);
    expect(load(words, C_PHASE)).toBe(PHASE_STOP);
    exitAll();
    await closed;
    expect(warnings).toEqual([]);
  });

  test('waits for a call that holds the pool, whose tasks still run', async () => {
    const release = coreOf(pool).hold(() => {});
    const closed = pool.close();
    const result = coreOf(pool).submit(taskOf('invoke', echo, [1]), { held: 'later' }, 0);
    await serve();
    expect(await result).toBe(1);
    expect(await isSettled(closed)).toBe(false);
    expect(load(thread(1).memory.words, C_PHASE)).not.toBe(PHASE_STOP);
    release();
    expect(await isSettled(closed)).toBe(false);
    expect(load(thread(1).memory.words, C_PHASE)).toBe(PHASE_STOP);
    exitAll();
    await closed;
    expect(() => coreOf(pool).hold(() => {})).toThrow(RejectedExecutionError);
  });

  test('waits for workers of earlier groups that have not ended', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    for (const { callback } of [...timers]) callback(); // they have been idle for long enough, or are looked after once more
    for (const { callback } of [...timers]) callback();
    expect(load(thread(1).memory.words, C_PHASE)).toBe(PHASE_STOP);
    const closed = pool.close();
    expect(await isSettled(closed)).toBe(false);
    exitAll();
    await closed;
  });
});

test('terminate() cancels what is in flight, and ends the workers by force', async () => {
  const running = errorOf(pool.invoke(echo, 1));
  const [told, untold] = [vi.fn(), vi.fn()];
  coreOf(pool).hold(told);
  coreOf(pool).hold(untold)();
  const ended = pool.terminate();
  expect(told.mock.calls).toEqual([[expect.any(CancellationError)]]);
  expect(untold).not.toHaveBeenCalled();
  expect(threads.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
  exitAll(1);
  await ended;
  expect(await running).toBeInstanceOf(CancellationError);
  const held = coreOf(pool).submit(taskOf('invoke', echo, [1]), { held: 'later' }, 0);
  expect(await errorOf(held)).toBeInstanceOf(RejectedExecutionError);
});

describe('awaitQuiescence()', () => {
  test('is true at once if nothing is in flight', async () => {
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });

  test('is true as soon as everything has ended', async () => {
    const quiet = pool.awaitQuiescence();
    expect(await quiet).toBe(true);
    const both = [pool.invoke(echo, 1), pool.invoke(echo, 2)];
    const later = [pool.awaitQuiescence(), pool.awaitQuiescence(1e9)];
    expect(await isSettled(Promise.race(later))).toBe(false);
    await serve();
    await Promise.all(both);
    expect(await Promise.all(later)).toEqual([true, true]);
  });

  test('is false when its time is over', async () => {
    const result = pool.invoke(echo, 1);
    expect(await pool.awaitQuiescence(1)).toBe(false);
    await serve();
    await result;
  });

  test('refuses what is no time', async () => {
    expect(await errorOf(pool.awaitQuiescence(-1))).toBeInstanceOf(RangeError);
  });
});

describe('idle workers', () => {
  const retirement = (): { ms: number; callback(): void } | undefined => [...timers].find(({ ms }) => ms === 50_000);
  const callRetirement = (): void => {
    const timer = retirement() as { ms: number; callback(): void };
    timers.delete(timer);
    timer.callback();
  };
  const isStopping = (): boolean => load((threads.at(-1) as Imitation).memory.words, C_PHASE) === PHASE_STOP;

  beforeEach(() => {
    pool = make({ keepAliveMs: 50_000 });
  });

  test('end after keepAliveMs, and new ones take the next call', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    callRetirement();
    expect(isStopping()).toBe(true);
    exitAll();
    await Promise.all([pool.invoke(echo, 2), serve()]);
    expect(threads.length).toBe(4);
  });

  test('stay if they were used meanwhile', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    pool.invokeSync(echo, 2);
    callRetirement();
    expect(isStopping()).toBe(false);
    callRetirement();
    expect(isStopping()).toBe(true);
  });

  test('stay while a call is in flight, whose end sets the timer again', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    const result = pool.invoke(echo, 2);
    callRetirement();
    expect([isStopping(), retirement()]).toEqual([false, undefined]);
    await serve();
    await result;
    callRetirement();
    expect(isStopping()).toBe(true);
  });

  test('stay while a call holds the pool between two of its tasks, for they may keep what belongs to the call', async () => {
    const release = coreOf(pool).hold(() => {});
    await Promise.all([pool.invoke(echo, 1), serve()]);
    expect(retirement()).toBe(undefined);
    release();
    await Promise.all([pool.invoke(echo, 2), serve()]);
    const releaseNext = coreOf(pool).hold(() => {});
    callRetirement();
    expect([isStopping(), retirement()]).toEqual([false, undefined]);
    releaseNext();
    callRetirement();
    expect(isStopping()).toBe(true);
  });

  test('stay for ever if keepAliveMs is Infinity', async () => {
    pool = make({ keepAliveMs: Number.POSITIVE_INFINITY });
    await Promise.all([pool.invoke(echo, 1), serve()]);
    expect([...timers].filter(({ ms }) => ms > 1000)).toEqual([]);
  });
});

describe('a worker that dies', () => {
  test('in flight fails the calls, and the next call has new workers', async () => {
    const failure = errorOf(pool.invoke(echo, 1));
    thread(2).exit(9);
    thread(1).exit(1);
    expect(await failure).toBeInstanceOf(WorkerCrashError);
    expect(await failure).toMatchObject({ exitCode: 9, running: 'echo' });
    expect(warnings).toEqual([]);
    await Promise.all([pool.invoke(echo, 2), serve()]);
    expect(threads.length).toBe(4);
  });

  test('while nothing is in flight is a warning with the error and its stack', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    thread(1).events.error(new Error('of a timer'));
    exitAll(3);
    expect(warnings.length).toBe(1);
    expect(warnings[0]).toMatch(/^furcate: worker 1 of pool 'p' ended with exit code 3 while nothing was in flight/);
    expect(warnings[0]).toMatch(/for an error outside of tasks:\nError: of a timer\n {4}at /);
  });

  test('while nothing is in flight, without an error, is a warning of one line', async () => {
    await Promise.all([pool.invoke(echo, 1), serve()]);
    exitAll(3);
    expect(warnings).toEqual(["furcate: worker 1 of pool 'p' ended with exit code 3 while nothing was in flight"]);
  });

  test('leaves a call that comes before the others have ended new workers', async () => {
    const failure = errorOf(pool.invoke(echo, 1));
    thread(2).exit(9);
    const next = pool.invoke(echo, 2);
    expect(threads.length).toBe(4);
    await serve();
    expect(await next).toBe(2);
    thread(1).exit(1);
    expect(await failure).toBeInstanceOf(WorkerCrashError);
    await Promise.all([pool.invoke(echo, 3), serve()]);
    expect(threads.length).toBe(4);
  });
});

test('roots age while something else is in flight', async () => {
  const agesRoots = (): boolean => [...timers].some(({ ms }) => ms === AGED_MS);
  const first = pool.invoke(echo, 1);
  expect(agesRoots()).toBe(false);
  const second = pool.invoke(echo, 2);
  expect(agesRoots()).toBe(true);
  await serve();
  await Promise.all([first, second]);
});

test('maxQueue counts what holds the pool as little as its tasks, but refuses it when the queue is full', async () => {
  pool = make({ maxQueue: 0 });
  const both = [pool.invoke(echo, 1), pool.invoke(echo, 2)];
  expect(() => coreOf(pool).hold(() => {})).toThrow(RejectedExecutionError);
  await serve();
  await Promise.all(both);
  coreOf(pool).hold(() => {})();
});
