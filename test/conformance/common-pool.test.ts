/** The options of the common pool. Vitest gives this file a process of its own, so that nothing has made the pool yet. */
import {
  ForkJoinPool,
  type ForkJoinPoolOptions,
  forkable,
  parallelFor,
  SequentialExecutor,
  sharedArray,
} from 'furcate';
import { expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const dying = await fixture('dying.mjs');
const configure = (options: unknown): void => ForkJoinPool.configureCommonPool(options as ForkJoinPoolOptions);

test('the common pool can be configured once, before it is made', async () => {
  // What is refused leaves it as it was.
  for (const options of [null, 4, 'x', [], { threads: 2 }, { name: 4 }, { preload: 'furcate/tsx' }]) {
    expect(() => configure(options)).toThrow(TypeError);
  }
  expect(() => configure({ parallelism: 0 })).toThrow(RangeError);
  const inside = forkable(import.meta.url, 'inside', () => configure({ parallelism: 3 }));
  expect(() => new SequentialExecutor().invokeSync(inside)).toThrow(/configureCommonPool\(\) inside a task/);

  configure({ parallelism: 3, preload: [new URL('../fixtures/preloaded.mjs', import.meta.url).href] });
  const pool = ForkJoinPool.commonPool();
  expect(pool.parallelism).toBe(3);
  expect(pool.name).toBe('furcate-common');
  expect(await pool.invoke(dying['preloaded'] as Scenario)).toBe('preloaded.mjs');

  const threads = sharedArray(Int32Array, 1000);
  await parallelFor(threads.length, (i, { threads }) => void threads.fill(1, i, i + 1), {
    context: { threads },
    threshold: 10,
  });
  expect(pool.stats().elements).toBe(threads.length);
});

test('once the common pool was made, it cannot be configured in another way, and bad options are still called so', () => {
  ForkJoinPool.commonPool();
  expect(() => configure({ parallelism: 2 })).toThrow(/^furcate: .*configureCommonPool\(\) comes too late/);
  expect(() => configure({ parallelism: 'two' })).toThrow(TypeError);
  expect(ForkJoinPool.commonPool().parallelism).not.toBe(2);
  expect(() => configure({ parallelism: 3 })).toThrow(/comes too late/); // without `preload`
});

test('the common pool can be configured again with the options that it has, as the setup file of each test file does', () => {
  configure({ parallelism: 3, preload: [new URL('../fixtures/preloaded.mjs', import.meta.url).href] });
});
