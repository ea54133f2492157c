/** Leases of `workerLocal` and isolations hold against all that a join may run meanwhile. */
import {
  type AsyncForkable,
  type Forkable,
  ForkJoinPool,
  isolate,
  sharedArray,
  task as taskOf,
  workerLocal,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';

type Any = Forkable<unknown[], unknown> & AsyncForkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any>>('isolating.mjs');
const task = (name: string, ...args: unknown[]): never => taskOf(tasks[name] as Any, ...args) as never;

describe.each(executors())('$name:', (executor) => {
  const levels = executor.cold ? 4 : 7;

  test('no task has a value that another one has been lent, whatever its thread runs in a join', async () => {
    for (let round = 0; round < (executor.cold ? 1 : 5); round++)
      expect(await executor.run(task('leases', levels))).toBe(0);
  });

  test('what was given back is lent again, also after a throw, and is never the value of get()', async () => {
    expect(await executor.run(task('lendsAgain'))).toEqual([true, true, true]);
  });

  test('joins in an isolation run nothing but what was forked in it', async () => {
    for (let round = 0; round < (executor.cold ? 1 : 3); round++)
      expect(await executor.run(task('sections', executor.cold ? 3 : 5))).toBe(0);
  });

  test('an isolation completes its forks, and passes on what it throws', async () => {
    expect(await executor.run(task('leaves', sharedArray(Int32Array, 1)))).toBe(20);
    expect(await executor.run(task('throws'))).toBe('inside 4');
  });

  test('an isolation does not join what was forked before it', async () => {
    expect(await executor.run(task('joinsOuter'))).toEqual([
      expect.stringMatching(/^furcate: join\(\) of a handle that is/),
      2,
    ]);
  });
});

describe.each(executors().filter(({ name }) => !name.startsWith('invokeSync')))('$name:', (executor) => {
  test('asynchronous tasks keep what they were lent while they wait', async () => {
    const ids = executor.cold ? [1, 2] : [1, 2, 3, 4, 5, 6];
    const kept = await Promise.all(ids.map((id) => executor.run(task('waitsLeased', id))));
    expect(kept).toEqual(ids.map((id) => [id, id, id]));
  });
});

test('a join in an isolation does not take what another thread offers, which joins elsewhere do', async () => {
  await using pool = new ForkJoinPool({ parallelism: 4 });
  const enteredAgain = (isAlone: boolean): Promise<unknown> =>
    pool.invoke(task('entered', sharedArray(Int32Array, 4), isAlone));
  let without = 0;
  for (let k = 0; k < 3; k++) {
    expect(await enteredAgain(true)).toBe(0);
    without += (await enteredAgain(false)) as number;
  }
  expect(without).toBeGreaterThan(0);
});

test('outside of tasks, both only call their function', () => {
  expect(isolate(() => 42)).toBe(42);
  expect(workerLocal(() => [1]).use((list) => list.length)).toBe(1);
});

test('both refuse what they cannot call, and isolate refuses a promise', () => {
  expect(() => isolate(1 as never)).toThrow(/^furcate: isolate\(\) takes a function, and calls it; it was given 1/);
  expect(() => isolate((async () => {}) as never)).toThrow(
    /^furcate: the function given to isolate\(\) returned a promise/,
  );
  expect(() => workerLocal(() => 1).use(1 as never)).toThrow(
    /^furcate: use\(fn\) of a workerLocal\(\) takes a function/,
  );
});
