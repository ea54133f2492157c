/** A checkpoint in an asynchronous task looks for a cancellation, or says why it cannot. It never does nothing. */
import {
  type AsyncForkable,
  type AsyncTask,
  checkpoint,
  type Forkable,
  ForkJoinPool,
  parallelMap,
  parallelReduceSync,
  task as taskOf,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
interface Fixture {
  readonly inFunction: Any;
  readonly InClass: new (depth: number) => AsyncTask<string[]>;
  readonly loops: AsyncForkable<[words: Int32Array], never>;
  readonly forksPasses: Any;
}
const tasks = await fixture<Fixture>('checkpoints.mjs');
const poolOf = poolMaker('close');

const REFUSED =
  'Error: furcate: checkpoint() in an asynchronous task, after an await. Use its scope: scope.signal.throwIfAborted().';

describe.each(executors().filter(({ name }) => !name.startsWith('invokeSync')))('$name:', (executor) => {
  test.each([0, 1, 3])(
    'it passes up to the first await, and names the signal of the scope later; depth %i',
    async (depth) => {
      const inner = Array.from({ length: depth + 1 }, () => [REFUSED, 'passed', 'passed']).flat();
      expect(await executor.run(tasks.inFunction, depth)).toEqual(inner);
      expect(await executor.run(new tasks.InClass(depth) as never)).toEqual(inner);
    },
  );

  test('it passes in synchronous tasks beside asynchronous ones', async () => {
    expect(await executor.run(tasks.forksPasses)).toBe('passed');
  });
});

describe.each([1, 2])('%i workers:', (parallelism) => {
  test('an abort ends a loop before the first await', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const controller = new AbortController();
    const loop = errorOf(pool.invoke(taskOf(tasks.loops, words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort('enough');
    expect(await loop).toMatchObject({ name: 'AbortError', cause: 'enough' });
  });

  test('an abort ends the loop of a function over plain values, which returns no promise', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const controller = new AbortController();
    const loop = parallelMap(
      ['a', 'b'],
      (_value, _i, { checkpoint: look, xs }) => {
        Atomics.store(xs, 0, 1);
        Atomics.notify(xs, 0);
        for (;;) look();
      },
      { pool, signal: controller.signal, context: { checkpoint, xs: words }, graceMs: Number.POSITIVE_INFINITY },
    );
    const error = errorOf(loop);
    await whenSet(words);
    controller.abort('enough');
    expect(await error).toMatchObject({ name: 'AbortError', cause: 'enough' });
  });
});

test('outside of tasks it does nothing, and algorithms on the caller pass theirs', () => {
  expect(checkpoint()).toBe(undefined);
  expect(parallelReduceSync(new Float64Array(10).fill(1), 'sum', { pool: ForkJoinPool.commonPool() })).toBe(10);
});
