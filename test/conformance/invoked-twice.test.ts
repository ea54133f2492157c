/** A task object runs once: whoever invokes it again, in flight or done, gets an error, and the first invocation goes on. */
import { ForkJoinPool, type ForkJoinTask } from 'furcate';
import { afterAll, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const joining = await fixture<{
  square: Scenario;
  Square: new (n: number) => ForkJoinTask<number> & { readonly runs: number };
}>('joining.mjs');
const pool = new ForkJoinPool({ parallelism: 1 });
afterAll(() => pool.close());

const rejectionOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => new Error(`no error but ${String(value)}`),
    (error: Error) => error,
  );

test('invoke() rejects a task that waits behind more invocations than there are records', async () => {
  const many = Array.from({ length: 16_500 }, () => pool.invoke(joining.square, 2));
  const work = new joining.Square(3);
  const first = pool.invoke(work);
  expect((await rejectionOf(pool.invoke(work))).message).toMatch(/is running/);
  expect(await first).toBe(9);
  expect(work.runs).toBe(1);
  expect(new Set(await Promise.all(many))).toEqual(new Set([4]));
});

test('invoke() rejects a task that was started before, until it is reinitialized', async () => {
  const work = new joining.Square(3);
  const first = pool.invoke(work);
  expect((await rejectionOf(pool.invoke(work))).message).toMatch(/is running.*reinitialize/);
  expect(await first).toBe(9);
  expect((await rejectionOf(pool.invoke(work))).message).toMatch(/has run/);
  expect(() => pool.invokeSync(work)).toThrow(/has run/);
  work.reinitialize();
  expect(await pool.invoke(work)).toBe(9);
});
