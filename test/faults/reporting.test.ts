/** Reports of tasks that fail, are cancelled or lose their worker, and an `onReport` that throws or calls the pool. */
import {
  type Forkable,
  type ForkJoinPool,
  type ForkJoinTask,
  free,
  type InvokeOptions,
  ForkJoinPool as Pool,
  sharedArray,
  task as taskOf,
  WorkerCrashError,
} from 'furcate';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, tell } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, unknown>>('reporting.mjs');
const task = (name: string, ...args: unknown[]): ForkJoinTask<unknown> => taskOf(tasks[name] as Any, ...args);
const heap = heapCounters(sharedArray as never);

/** Takes all of the shared heap but some; returns what gives it back. To be called once: a second time it would touch all of it. */
function fillHeap(leftBytes: number): () => void {
  const left = sharedArray(Uint8Array, leftBytes);
  const taken: Uint8Array[] = [];
  for (let bytes = 2 ** 30; bytes >= 2 ** 12; ) {
    try {
      taken.push(sharedArray(Uint8Array, bytes));
    } catch {
      bytes /= 2;
    }
  }
  free(left);
  return () => {
    for (const array of taken) free(array);
  };
}

const pools: ForkJoinPool[] = [];
function poolOf(parallelism: number, options: object = {}): ForkJoinPool {
  const pool = new Pool({ parallelism, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.terminate();
});

const upTo = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

describe.each([1, 2])('a pool of %i:', (parallelism) => {
  test('a report arrives while its task runs, although the task never returns to its event loop', async () => {
    const words = sharedWords();
    const heard: unknown[] = [];
    const onReport = (value: unknown): void => {
      heard.push(value);
      if (value === 99) tell(words, 1); // the task waits for it
    };
    expect(await poolOf(parallelism).invoke(task('reportsAndWaits', words, 100), { onReport })).toBe(100);
    expect(heard).toEqual(upTo(100));
  });

  test.each(['reportsAndDies', 'asyncReportsAndDies'])(
    'what a task has reported before its worker died arrives before the error: %s',
    async (name) => {
      const before = heap.byteBlocks();
      const pool = poolOf(parallelism);
      const heard: unknown[] = [];
      const dying = pool.invoke(task(name, 1000), { onReport: (value) => void heard.push(value) });
      expect(await errorOf(dying)).toBeInstanceOf(WorkerCrashError);
      expect(heard).toEqual(upTo(1000));
      expect(await pool.invoke(task('counts', 3), { onReport: (value) => void heard.push(value) })).toBe(3);
      expect(heard.slice(1000)).toEqual(upTo(3));
      await pool.close();
      expect(heap.byteBlocks()).toBe(before);
    },
  );

  test('what was reported arrives before the error of an abort or of terminate()', async () => {
    for (const how of ['abort', 'terminate']) {
      const pool = poolOf(parallelism);
      const controller = new AbortController();
      const heard: unknown[] = [];
      const onReport = (value: unknown): void => {
        heard.push(value);
        if (value !== 9) return;
        if (how === 'abort') controller.abort();
        else void pool.terminate();
      };
      const running = pool.invoke(task('reportsForever'), { signal: controller.signal, onReport });
      expect(await errorOf(running)).toMatchObject({ name: how === 'abort' ? 'AbortError' : 'CancellationError' });
      const numbers = heard.filter((value) => value !== 'cancelled');
      expect(numbers).toEqual(upTo(numbers.length));
      if (how === 'abort') expect(heard[heard.length - 1]).toBe('cancelled');
    }
  });

  test('when onReport throws, the invocation is cancelled, and rejects with that', async () => {
    const before = heap.byteBlocks();
    const pool = poolOf(parallelism);
    for (const thrown of [new Error('not now'), undefined]) {
      for (const work of [task('reportsForever'), task('counts', 10_000), task('tree', 1, 8)]) {
        let calls = 0;
        const onReport = (): void => {
          if (++calls === 5) throw thrown;
        };
        const outcome = await pool.invoke(work, { onReport }).then(
          () => 'no error',
          (error: unknown) => [error],
        );
        expect(outcome).toEqual([thrown]);
        expect(calls).toBe(5);
      }
    }
    await pool.close();
    expect(heap.byteBlocks()).toBe(before);
  });

  test('an instance that the owner cannot read rejects the invocation', async () => {
    const pool = poolOf(parallelism);
    const running = pool.invoke(task('reportsForeign'), { onReport: () => {} });
    expect(await errorOf(running)).toMatchObject({ name: 'TaskRegistrationError' });
  });

  test('onReport may call the pool', async () => {
    const pool = poolOf(parallelism);
    const inner: Promise<unknown>[] = [];
    const heard: unknown[] = [];
    const nested = { onReport: (value: unknown) => void heard.push(value) };
    const onReport = (value: unknown): void => {
      if (value === 1) inner.push(pool.invoke(task('counts', 5), nested));
      if (value === 2) expect(pool.invokeSync(task('counts', 7))).toBe(7);
      if (value === 3) inner.push(pool.awaitQuiescence());
    };
    expect(await pool.invoke(task('counts', 10), { onReport })).toBe(10);
    expect(await Promise.all(inner)).toEqual([5, true]);
    expect(heard).toEqual(upTo(5));
  });

  test('the event loop gets its turns while reports pour in', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    let heard = 0;
    const onReport = (): void => {
      if (heard++ === 0) setImmediate(count);
      for (const endMs = performance.now() + 0.1; performance.now() < endMs; );
    };
    await poolOf(parallelism).invoke(task('counts', 2000), { onReport });
    isOver = true;
    expect(heard).toBe(2000); // which takes 200 ms
    expect(turns).toBeGreaterThan(5);
  });

  test('nothing is left in the shared heap', async () => {
    const before = heap.byteBlocks();
    const pool = poolOf(parallelism);
    const onReport = (): void => {};
    for (let k = 0; k < 10; k++) await pool.invoke(task('tree', 1, 6), { onReport });
    await pool.invoke(task('reportsValues'), { onReport });
    await errorOf(pool.invoke(task('reportsThenFails', 10), { onReport }));
    await pool.close();
    expect(heap.byteBlocks()).toBe(before);
  });
});

test('a report for which the heap has no room is refused, and none that was accepted is lost', async () => {
  let heard = 0;
  const onReport = (): void => {
    heard++;
  };
  const pool = poolOf(1);
  await pool.ready();
  const words = sharedWords();
  const giveBack = fillHeap(2 ** 20);
  const filling = pool.invoke(task('fillsHeap', words), { onReport });
  Atomics.wait(words, 0, 0); // takes no reports meanwhile
  const [reported, told] = (await filling) as [number, string];
  giveBack();
  expect(told).toContain('RangeError: furcate: report(): the shared heap has no room for it. Report less often');
  expect(reported).toBeGreaterThan(0);
  expect(heard).toBe(reported);
});

describe('options of an invocation', () => {
  test.each([7, 'log', {}, null])('onReport must be a function, and %o is none', async (onReport) => {
    const error = await errorOf(poolOf(1).invoke(task('counts', 1), { onReport } as unknown as InvokeOptions));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain('furcate: onReport must be a function');
  });
});
