/** Blocking sections mean the same in every executor; and where others compute meanwhile, nothing waits for what has blocked. */
import fc from 'fast-check';
import type { AsyncForkable, ForkJoinTask } from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords } from '../helpers/words.js';

interface Fixture {
  readonly Blocks: new (words: Int32Array) => ForkJoinTask<number>;
  readonly Trouble: new (message: string) => Error;
  readonly inAsync: AsyncForkable<[afterAwait: boolean], unknown[]>;
  randomValue(seed: number, depth: number): number;
  readonly [name: string]: unknown;
}
const tasks = await fixture<Fixture>('blocking.mjs');
const task = (name: string): Scenario => tasks[name] as Scenario;

const all = executors();
/** Where another thread computes while one is blocked: a spare, or the last worker if it is the caller. */
const standIns = all.filter(({ name, parallelism }) =>
  name.startsWith('invokeSync') ? parallelism > 1 : name !== 'SequentialExecutor',
);

describe.each(all)('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> =>
    Promise.resolve().then(() => executor.run(task(name), ...args));

  test('a blocking section gives what its function returns, and throws what it throws', async () => {
    expect(await run('gives', { one: [1] })).toEqual({ one: [1] });
    expect(await run('gives', undefined)).toBe(undefined);
    const error = await errorOf(run('fails', 'in the section'));
    expect(error).toBeInstanceOf(tasks.Trouble);
    expect(error).toMatchObject({ message: 'in the section' });
    expect(await run('gives', 'next')).toBe('next');
  });

  test('sections nest', async () => {
    expect(await run('nests')).toBe(3);
  });

  test('what is no function, or gives a promise, is an error', async () => {
    const [number, nothing, promise] = (await run('misuses')) as string[];
    expect(number).toBe('TypeError: furcate: blocking() takes a function, and calls it; it was given 7.');
    expect(nothing).toContain('it was given undefined');
    expect(promise).toContain('TypeError: furcate: the function given to blocking() returned a promise.');
  });

  test('a random tree with sections gives what plain recursion gives', { timeout: 60_000 }, async () => {
    const depth = executor.cold ? 2 : 5;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), async (seed) => {
        if (seed % 23 === 0) return;
        expect(await run('randomTree', seed, depth)).toBe(tasks.randomValue(seed, depth));
      }),
      { numRuns: executor.cold ? 2 : 15 },
    );
  });
});

describe.each(all.filter(({ name }) => !name.startsWith('invokeSync')))('$name:', (executor) => {
  test.each([false, true])('an asynchronous task is told to await instead; after an await: %s', async (afterAwait) => {
    const [message, value] = (await executor.run(task('inAsync'), afterAwait)) as [string, number];
    expect(message).toMatch(/^Error: furcate: blocking\(\) in an asynchronous task, .*Await .* or fork a synchronous/);
    expect(value).toBe(7);
  });
});

describe.each(standIns)('$name:', (executor) => {
  const run = (work: Scenario | ForkJoinTask<unknown>, ...args: unknown[]): Promise<unknown> =>
    Promise.resolve().then(() => executor.run(work, ...args));

  test('a section may wait for a task that was forked before it', async () => {
    expect(await run(task('waitsForChild'), sharedWords(), 1, false)).toBe(1);
    const words = sharedWords();
    expect(await run(new tasks.Blocks(words))).toBe(1);
  });

  test('a section may wait for a task that it forks itself', async () => {
    expect(await run(task('waitsForChild'), sharedWords(), 1, true)).toBe(1);
  });
});

test.each([1, 2, 5])('a tower of %i threads that are blocked at once comes down', async (depth) => {
  for (const executor of standIns) {
    if (executor.name.startsWith('invokeSync')) continue; // no spare can start
    expect(await executor.run(task('tower'), sharedWords(), depth)).toBe(depth);
  }
});

test('outside of a task, the function is simply called', async () => {
  const { blocking } = await import('furcate');
  expect(blocking(() => 'here')).toBe('here');
  expect(() => blocking(7 as never)).toThrow(TypeError);
  expect(() => blocking((async () => 1) as never)).toThrow('returned a promise');
});
