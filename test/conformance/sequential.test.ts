/** The sequential executor keeps the contract of executors: algorithms take it, signals and times cancel what waits, and it can be closed. */
import {
  type AsyncForkable,
  type AsyncTask,
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

const { never, makesLight } = await fixture<{
  never: AsyncForkable<[], never>;
  makesLight: AsyncForkable<[fails: boolean], string>;
}>('sequential.mjs');
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

test.each([false, true])(
  'a cancelled task rejects with what has cancelled it, whatever it makes of that: it fails %s',
  async (fails) => {
    const light = (): AsyncTask<string> => task(makesLight, fails);
    const controller = new AbortController();
    const aborted = pool.invoke(light(), { signal: controller.signal, timeoutMs: 60_000 });
    controller.abort('enough');
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
    await expect(pool.invoke(light(), { timeoutMs: 1 })).rejects.toMatchObject({ reason: 'timeout' });
  },
);

test('a signal that throws fails the task, and leaves nothing behind', async () => {
  for (const from of [2, Number.POSITIVE_INFINITY]) {
    let looks = 0;
    const signal = {
      get aborted(): boolean {
        if (++looks >= from) throw new RangeError('no signal');
        return false;
      },
      reason: undefined,
      addEventListener() {},
      removeEventListener(): void {
        throw new RangeError('no signal');
      },
    };
    const invoked = pool.invoke(task(makesLight, false), { signal, timeoutMs: from === 2 ? 60_000 : 1 });
    await expect(invoked).rejects.toMatchObject(from === 2 ? { message: 'no signal' } : { reason: 'timeout' });
  }
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
