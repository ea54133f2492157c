/** Where threads cannot share memory, as on a page without isolation: the same calls run on the thread that calls. */

import type { Executor } from 'furcate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { onWarning, turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { startedWorkers } from '../helpers/worker-census.js';

type Furcate = typeof import('furcate');
type Forkable = Parameters<Furcate['task']>[0];

let furcate: Furcate;
let pool: InstanceType<Furcate['ForkJoinPool']>;
let never: Forkable;
let counts: Forkable;
let mayBlock: boolean;
const warnings: string[] = [];
let stop = (): void => {};

beforeAll(async () => {
  vi.stubGlobal('crossOriginIsolated', false);
  vi.stubGlobal('SharedArrayBuffer', undefined);
  stop = onWarning((message) => warnings.push(message));
  furcate = await import('furcate');
  ({ mayBlock } = await import('../helpers/caller.js'));
  pool = new furcate.ForkJoinPool({ parallelism: 4, name: 'lonely' });
  ({ never } = (await fixture('sequential.mjs')) as never as { never: Forkable });
  ({ counts } = (await fixture('reporting.mjs')) as never as { counts: Forkable });
});

afterAll(async () => {
  await pool.close();
  stop();
  vi.unstubAllGlobals();
});

test('one warning says that everything runs on the caller, and no thread is started', async () => {
  new furcate.ForkJoinPool();
  await turn();
  const isBrowser = (globalThis as { process?: unknown }).process === undefined;
  const reason = isBrowser
    ? 'this page is not cross-origin isolated, so that its threads cannot share memory. To use all cores, serve it with the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp'
    : 'this runtime cannot share memory between threads';
  expect(warnings).toEqual([
    `furcate: ${reason}. So tasks and algorithms run one after the other on the thread that calls.`,
  ]);
  expect(pool.parallelism).toBe(1);
  expect(startedWorkers()).toBe(0);
});

test('a shared array is an ordinary one that keeps its meaning: in contexts, as a part, and when it is freed', async () => {
  const { free, isShared, parallelFor, parallelReduce, parallelReduceSync, sharedArray } = furcate;
  const xs = sharedArray(Float64Array, 300_000);
  expect(xs.buffer).toBeInstanceOf(ArrayBuffer);
  expect([xs, xs.subarray(1), new Float64Array(2)].map(isShared)).toEqual([true, true, false]);
  const fill = (i: number, { xs }: { xs: Float64Array }): void => {
    xs[i] = i % 1000;
  };
  await parallelFor(xs.length, fill, { pool, context: { xs } });
  expect(await parallelReduce(xs, 'sum', { pool })).toBe(149_850_000);
  if (mayBlock) expect(parallelReduceSync(xs, (a, b) => a + b, 0, { pool })).toBe(149_850_000);
  expect(() => free(xs.subarray(1))).toThrow('xs is a part');
  free(xs);
  expect(() => free(xs)).toThrow('was freed');
  await expect(parallelReduce(xs, 'sum', { pool })).rejects.toThrow('was freed');
});

test('algorithms over ordinary arrays and plain values give what they give with workers', async () => {
  const { parallelFilter, parallelMap, parallelSort } = furcate;
  const xs = Float64Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 100_003);
  expect(await parallelSort(xs.slice(), { pool })).toEqual(xs.slice().sort());
  expect(await parallelFilter(xs, (x) => x < 3, { pool })).toEqual(xs.filter((x) => x < 3));
  const texts = await parallelMap(['a', 'b'], async (text: string) => text + text, { pool, concurrency: 1 });
  expect(texts).toEqual(['aa', 'bb']);
});

test('tasks, options and the ends of a pool work', async () => {
  const { CancellationError, task } = furcate;
  const reports: unknown[] = [];
  expect(await pool.with({ onReport: (value) => reports.push(value) }).invoke(counts as never, 3 as never)).toBe(3);
  expect(reports.length).toBeGreaterThan(0);
  if (mayBlock) expect(pool.invokeSync(counts as never, 2 as never)).toBe(2);
  expect(await pool.broadcast(counts as never, 2 as never)).toEqual([2]);
  await expect(pool.invoke(task(never), { timeoutMs: 1 })).rejects.toMatchObject({ reason: 'timeout' });
  expect(pool.stats()).toMatchObject({ name: 'lonely', parallelism: 1 });
  const other = new furcate.ForkJoinPool();
  const abandoned = other.invoke(task(never));
  expect(await other.awaitQuiescence(1)).toBe(false);
  await Promise.all([expect(abandoned).rejects.toSatisfy(CancellationError.is), other.terminate()]);
  await expect(other.invoke(task(never))).rejects.toMatchObject({ name: 'RejectedExecutionError' });
});

test('a program that invokes in a loop leaves its event loop free', async () => {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  });
  while (!isOver) await pool.invoke(counts as never, 1 as never);
});

test('a pool is an executor', async () => {
  const executor: Executor = pool;
  expect(await furcate.parallelReduce(Float64Array.of(1, 2), 'sum', { pool: executor })).toBe(3);
});
