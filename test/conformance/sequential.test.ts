/** The sequential executor keeps the contract of executors: algorithms take it, signals and times cancel what waits, and it can be closed. */
import {
  type Executor,
  ForkJoinPool,
  ForkJoinTask,
  forkable,
  parallelFor,
  parallelInvoke,
  parallelInvokeSync,
  parallelMap,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { livingWorkers } from '../helpers/worker-census.js';

const { never } = (await fixture('sequential.mjs')) as never as { never: Parameters<typeof task>[0] };
const where = forkable(import.meta.url, 'where', (): string => ForkJoinTask.getPool()?.name ?? 'nowhere');

const pool: Executor = new SequentialExecutor();

test('algorithms over shared and other arrays run on it, in both forms, and start no thread', async () => {
  const xs = sharedArray(Float64Array, 300_000);
  await parallelFor(
    xs.length,
    (i, { xs }) => {
      xs[i] = i % 1000;
    },
    { pool, context: { xs } },
  );
  expect(await parallelReduce(xs, 'sum', { pool })).toBe(149_850_000);
  expect(parallelReduceSync(xs, (a, b) => a + b, 0, { pool })).toBe(149_850_000);
  expect((await parallelSort(Float64Array.from(xs), { pool }))[299_999]).toBe(999);
  expect(livingWorkers()).toBe(0);
});

test('plain values and functions that wait run on it', async () => {
  const doubled = await parallelMap(['a', 'b', 'c'], async (text) => text + text, { pool });
  expect(doubled).toEqual(['aa', 'bb', 'cc']);
  expect(livingWorkers()).toBe(0);
});

test('tasks see it as their pool', async () => {
  expect(await pool.invoke(where)).toBe('sequential');
  expect(await parallelInvoke([task(where), task(where)], { pool })).toEqual(['sequential', 'sequential']);
  expect(parallelInvokeSync([task(where)], { pool })).toEqual(['sequential']);
});

test('a signal and a time-out cancel an asynchronous task', async () => {
  const signal = AbortSignal.timeout(1);
  await expect(pool.invoke(task(never), { signal })).rejects.toMatchObject({ name: 'AbortError', reason: 'signal' });
  await expect(pool.invoke(task(never), { timeoutMs: 1 })).rejects.toMatchObject({ reason: 'timeout' });
  await expect(pool.invoke(task(where), { signal: AbortSignal.abort('no') })).rejects.toMatchObject({ cause: 'no' });
});

test('it refuses options that no executor has', async () => {
  await expect(pool.invoke(task(where), { hurry: true } as never)).rejects.toThrow(/no option 'hurry'/);
});

test('it finishes what is in flight when it is closed, and takes no more', async () => {
  const executor = new SequentialExecutor();
  const controller = new AbortController();
  const waiting = executor.invoke(task(never), { signal: controller.signal });
  const closed = executor.close();
  await expect(executor.invoke(where)).rejects.toMatchObject({ name: 'RejectedExecutionError' });
  expect(() => executor.invokeSync(where)).toThrow(/closed/);
  await expect(parallelMap(['a'], (text) => text, { pool: executor })).rejects.toMatchObject({
    name: 'RejectedExecutionError',
  });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await closed;
});

test('pools are executors, too', async () => {
  const executor: Executor = new ForkJoinPool({ parallelism: 1 });
  expect(await parallelReduce(Float64Array.of(1, 2), 'sum', { pool: executor })).toBe(3);
  await executor.close();
});

test('what is no executor is refused by name', async () => {
  const alike = { name: 'mine', parallelism: 2, invoke: async () => 1, close: async () => {} };
  await expect(parallelReduce(Float64Array.of(1), 'sum', { pool: alike as never })).rejects.toThrow(
    /options\.pool must be a ForkJoinPool or SequentialExecutor/,
  );
});
