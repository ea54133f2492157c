/** Calls with plain values whose workers end in the middle: the call says what happened, and leaves nothing behind. */
import {
  ForkJoinPool,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
  sharedArray,
  WorkerCrashError,
} from 'furcate';
import { expect, test } from 'vitest';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';

const heap = heapCounters(sharedArray);

type Values = Iterable<number>;

const CALLS: Readonly<Record<string, (values: Values, pool: ForkJoinPool) => Promise<unknown>>> = {
  parallelMap: (values, pool) => parallelMap(values, (x) => (x === 300 ? process.exit(3) : x), { pool }),
  'parallelMap of promises': (values, pool) =>
    parallelMap(
      values,
      async (x) => {
        await null;
        return x === 300 ? process.exit(3) : x;
      },
      { pool, concurrency: 10 },
    ),
  parallelForEach: (values, pool) => parallelForEach(values, (x) => (x === 300 ? process.exit(3) : x), { pool }),
  parallelFilter: (values, pool) => parallelFilter(values, (x) => (x === 300 ? process.exit(3) : x), { pool }),
  parallelReduce: (values, pool) =>
    parallelReduce(values, (a, b) => (b === 300 ? process.exit(3) : a + b), 0, { pool }),
};

test.each(Object.entries(CALLS))('%s rejects with a WorkerCrashError, and closes the iterable', async (_name, call) => {
  const pool = new ForkJoinPool({ parallelism: 2, graceMs: 1_000_000 }); // with a grace, never on the caller
  await parallelMap([1], (x) => x, { pool });
  const before = heap.byteBlocks();
  let isClosed = false;
  function* values(): Generator<number> {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      isClosed = true;
    }
  }
  const error = await errorOf(call(values(), pool));
  expect(error).toBeInstanceOf(WorkerCrashError);
  expect((error as WorkerCrashError).exitCode).toBe(3);
  expect(isClosed).toBe(true);
  expect(await parallelMap([1, 2], (x) => 2 * x, { pool })).toEqual([2, 4]);
  await pool.close();
  expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
});

test('a call that ends early leaves no memory: by a failure, an abort, or a value that cannot be cloned', async () => {
  const pool = new ForkJoinPool({ parallelism: 2, graceMs: 1_000_000 });
  const values = Array.from({ length: 1000 }, (_, i) => i);
  const calls = [
    () =>
      parallelMap(
        values,
        (x) => {
          if (x > 500) throw new Error('bad');
          return x;
        },
        { pool },
      ),
    () =>
      parallelMap(
        values,
        async (x) => {
          await null;
          if (x > 500) throw new Error('bad');
          return x;
        },
        { pool },
      ),
    () => parallelMap([...values, () => 1], (x) => x, { pool }),
    () => parallelMap(values, (x) => (x === 700 ? () => 1 : x), { pool }),
    () => {
      const controller = new AbortController();
      const onProgress = (): void => controller.abort();
      return parallelMap(values, (x) => x, { pool, threshold: 1, signal: controller.signal, onProgress });
    },
  ];
  for (const call of calls) await errorOf(call()); // publishes code, which stays
  const before = heap.byteBlocks();
  for (const call of calls) expect(await errorOf(call())).toBeInstanceOf(Error);
  expect(heap.byteBlocks()).toBe(before);
  await pool.close();
});
