// What holds in vitest's browser mode: test files and the modules that they import are modules of a page, which workers import, too.
import * as furcate from 'furcate';
import { expect, test } from 'vitest';
import tasks from './tasks.mjs';
import { isOnPage, metres } from './typed-tasks.ts';

const { ForkJoinPool, forkable, parallelMap, parallelReduce, sharedArray } = furcate;

/** A task in the file of a test. */
const misplaced = forkable(import.meta.url, 'misplaced', () => 1);

test('tasks of modules run in workers, in TypeScript, too', async () => {
  expect(crossOriginIsolated).toBe(true);
  const pool = new ForkJoinPool({ parallelism: 2 });
  expect(await pool.invoke(tasks.double, 21)).toBe(42);
  expect(await pool.invoke(isOnPage)).toBe(false);
  expect(await pool.invoke(metres, 2)).toBe(2000);
  const xs = sharedArray(Float64Array, [1, 2, 3, 4, 5]);
  expect(await pool.invoke(new tasks.Sum(xs, 0, 5))).toBe(15);
  const error = await pool.invoke(tasks.fails, 'ParseError').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(tasks.ParseError);
  await pool.close();
});

test('a task in the file of a test is told to move', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  await expect(pool.invoke(misplaced)).rejects.toThrow(/^furcate: .*move its tasks into a module of their own/s);
  await pool.close();
});

test('inline functions run in workers, and a captured variable is told by its name', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const xs = sharedArray(Float64Array, 100_000).fill(2);
  const squares = await parallelReduce(xs, (a, b) => a + b, 0, { map: (x) => x * x, pool });
  expect(squares).toBe(400_000);
  expect(await parallelMap(['a', 'bb'], (text) => text.length, { pool })).toEqual([1, 2]);
  const captured = Number('2');
  await expect(parallelMap(['a'], (text) => text.length * captured, { pool })).rejects.toThrow(/`captured`/);
  await pool.close();
});
