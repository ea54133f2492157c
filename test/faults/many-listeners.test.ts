/** However many calls one signal has, Node warns of no leak, and nobody listens once they have ended. */
import { getEventListeners } from 'node:events';
import type { AsyncForkable, Forkable } from 'furcate';
import { parallelFor, parallelInvoke, parallelMap, parallelReduce, parallelSortBy, task as taskOf } from 'furcate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';

interface Fixture {
  readonly echo: Forkable<[value: number], number>;
  readonly listens: AsyncForkable<[count: number], string[]>;
}
const { echo, listens } = await fixture<Fixture>('left-behind.mjs');
const poolOf = poolMaker('terminate');
const COUNT = 50;

const warnings: Error[] = [];
const hear = (warning: Error): void => void warnings.push(warning);
beforeAll(() => void process.on('warning', hear));
afterAll(() => void process.off('warning', hear));

test.each(['end', 'abort'])('%s', async (how) => {
  const pool = poolOf(2);
  const controller = new AbortController();
  const { signal } = controller;
  const heard = (): number => getEventListeners(signal, 'abort').length;
  const calls: Promise<unknown>[] = [];
  for (let k = 0; k < COUNT; k++) {
    const options = { pool, signal, timeoutMs: 1e9, graceMs: 1e8 };
    calls.push(
      errorOf(pool.invoke(taskOf(echo, k), { signal })),
      errorOf(parallelInvoke([taskOf(echo, 1), taskOf(echo, 2)], { pool, signal })),
      errorOf(parallelFor(1000, () => {}, options)),
      errorOf(parallelFor(1000, () => {}, { ...options, onProgress() {} })),
      errorOf(parallelMap([1, 2, 3], (x) => x, options)),
      errorOf(parallelReduce([1, 2, 3], (a, b) => a + b, 0, options)),
      errorOf(parallelSortBy([3, 2, 1], (x) => x, { pool, signal })),
    );
  }
  expect(heard()).toBe(1);
  if (how === 'abort') controller.abort('enough');
  const errors = await Promise.all(calls);
  if (how === 'abort') for (const error of errors) expect(error).toMatchObject({ name: 'AbortError', cause: 'enough' });
  else expect(errors.filter((error) => typeof error !== 'string')).toEqual([]); // none rejects
  expect(heard()).toBe(0);
  expect(warnings).toEqual([]);
});

test('the signal of a scope takes any number of listeners of the user', async () => {
  expect(await poolOf(1).invoke(listens, COUNT)).toEqual([]);
});
