/** Asynchronous tasks mean the same in every executor. */
import fc from 'fast-check';
import { type AsyncForkable, type AsyncTask, ForkJoinPool, type ForkJoinTask, task as taskOf } from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

type Any = AsyncForkable<unknown[], unknown>;
interface Fixture {
  readonly Tree: new (depth: number) => AsyncTask<number> & { readonly nodes: number };
  readonly Computes: new () => AsyncTask<number>;
  readonly Trouble: new (message: string) => Error;
  randomValue(seed: number, depth: number): number;
  readonly [name: string]: unknown;
}
const tasks = await fixture<Fixture>('asynchronous.mjs');
const { KINDS, failsBeside, staysBeside } = await fixture<{ KINDS: string[]; failsBeside: Any; staysBeside: Any }>(
  'unawaited.mjs',
);
const task = (name: string): Any => tasks[name] as Any;

const all = executors();
const awaiting = all.filter(({ name }) => !name.startsWith('invokeSync'));
const blocking = all.filter(({ name }) => name.startsWith('invokeSync'));

describe.each(awaiting)('$name:', (executor) => {
  const run = (work: Any | AsyncTask<unknown>, ...args: unknown[]): Promise<unknown> =>
    executor.run(work as unknown as ForkJoinTask<unknown>, ...args);

  test('a function that awaits gives its result, and its arguments travel', async () => {
    expect(await run(task('later'), 2, 'done')).toBe('done');
    expect(await run(task('echo'), 1, 'two', { three: [3] })).toEqual([1, 'two', { three: [3] }]);
    expect(await run(task('echo'))).toEqual([]);
    expect(await run(task('notAsync'), 1)).toBe(2);
  });

  test('what a body throws comes back with its class, before and after an await', async () => {
    for (const name of ['failsLater', 'failsAtOnce']) {
      const error = await errorOf(run(task(name), name));
      expect(error).toBeInstanceOf(tasks.Trouble);
      expect(error).toMatchObject({ message: name });
    }
  });

  test('forks of every kind are joined in any order', async () => {
    expect(await run(task('mixture'), 20)).toEqual([2470, 8000, 400, 1000, 15]);
  });

  test('a task object is its own scope, and its fields come home', async () => {
    const tree = new tasks.Tree(executor.cold ? 3 : 7);
    const nodes = 2 ** (tree as unknown as { depth: number }).depth * 2 - 1;
    expect(await run(tree)).toBe(nodes);
    expect(tree.nodes).toBe(nodes);
  });

  test('joinAll waits for all, and throws the failure of the first that failed', async () => {
    expect(await errorOf(run(task('joinsAll')))).toMatchObject({ message: 'second' });
  });

  test('a task is done when all that it forked is done', async () => {
    const words = sharedWords();
    expect(await run(task('leavesForks'), words)).toBe('left');
    expect([words[0], words[1]]).toEqual([1, 1]);
  });

  test('the first failure that nobody asked for surfaces, in fork order', async () => {
    expect(await errorOf(run(task('leavesFailures')))).toMatchObject({ message: 'first' });
    expect(await run(task('observesFailures'))).toEqual(['first', 'second']);
  });

  test('when a body throws, the signals of its forks abort, and those that have not begun never do', async () => {
    const words = sharedWords();
    expect(await errorOf(run(task('failsBesideForks'), words))).toMatchObject({ message: 'body' });
    expect(words[1]).toBe(1);
    if (executor.parallelism === 1 && !executor.checked) expect(words[2]).toBe(0);
  });

  test.each(KINDS)('a body that throws before it awaits %s ends no invocation beside it', async (kind) => {
    const words = sharedWords();
    const beside = executor.cold ? 'beside' : run(staysBeside, words); // a cold pool has one invocation
    for (const isLate of executor.cold ? [true] : [false, true])
      expect(await errorOf(run(failsBeside, kind, isLate))).toMatchObject({ message: 'body' });
    tell(words, 0);
    expect(await beside).toBe('beside');
  });

  test('the functions for synchronous tasks name the scope', async () => {
    for (const afterAwait of [false, true]) {
      for (const message of (await run(task('misuses'), afterAwait)) as string[]) {
        expect(message).toMatch(/^furcate: .* in an asynchronous task\. Use its scope: scope\.fork\(\)/);
      }
    }
  });

  test('a synchronous task cannot fork an asynchronous one', async () => {
    for (const how of ['fork', 'invokeAll', 'method']) {
      const error = await errorOf(run(task('forksAsync'), how));
      expect((error as Error).message).toMatch(/asynchronous|scope/);
    }
  });

  test('a scope refuses what is no task or no fork of its own, and is of no use once its task has completed', async () => {
    const [inline, used, list] = (await run(task('forksBadly'))) as string[];
    expect(inline).toContain('scope.fork() takes a task, or a function made with forkable() or asyncForkable()');
    expect(used).toContain('scope.fork() of a Cube that');
    expect(list).toContain('joinAll() takes an array of forks; it was given 7.');
    expect(await run(task('joinsForeign'), 'number')).toContain('scope.join() takes what scope.fork() gave');
    const words = sharedWords();
    expect(await run(task('usesScopeLate'), words)).toBe('settled');
  });

  test.each([10, 300_000])('algorithms run in a scope: %i elements', async (n) => {
    if (executor.cold && n > 10) return;
    const squares = Array.from({ length: n }, (_, i) => (i % 100) ** 2).reduce((a, b) => a + b, 0);
    const greatest = Math.min(n - 1, 99);
    expect(await run(task('computes'), n)).toEqual([squares, 3 * n, greatest, 0, 'the last']);
    expect(await run(new tasks.Computes())).toBe(6);
  });

  test('parallelInvoke forks tasks of both kinds in a scope', async () => {
    expect(await run(task('invokesTogether'))).toEqual([[9, 6, [285, 30, 9, 0, 'the last']], [], 'the first']);
  });

  test('algorithms refuse what is no scope, and what a scope cannot do', async () => {
    const [none, timed, sync, inSync] = (await run(task('misusesScope'))) as string[];
    expect(none).toContain('options.scope must be the scope of an asynchronous task that runs');
    expect(timed).toContain('options.timeoutMs is of no use beside options.scope');
    expect(sync).toContain('Use await parallelReduce() with the option { scope }');
    expect(inSync).toContain('options.scope is for asynchronous tasks');
  });

  test('chains of tasks are deeper than a stack', async () => {
    expect(await run(task('chain'), executor.cold ? 100 : 3000)).toBe(executor.cold ? 100 : 3000);
  });

  test('tasks wait for each other on any number of threads', async () => {
    expect(await run(task('meets'), sharedWords(), 20)).toBe(20);
  });

  test('a random tree gives what plain recursion gives', { timeout: 60_000 }, async () => {
    const depth = executor.cold ? 2 : 4;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), async (seed) => {
        if (seed % 23 === 0) return;
        expect(await run(task('randomTree'), seed, depth)).toBe(tasks.randomValue(seed, depth));
      }),
      { numRuns: executor.cold ? 2 : 30 },
    );
  });
});

test('when a body throws, forks that never settle are abandoned, whatever runs them', async () => {
  // All at once: each takes the second that coroutines get to end by themselves.
  const errors = await Promise.all(
    awaiting.map(({ run }) => errorOf(run(task('failsBesideNever') as never, sharedWords()))),
  );
  expect(errors.map((error) => (error as Error).message)).toEqual(awaiting.map(() => 'body'));
});

test('calls in a scope run while the worker of their task imports a module', async () => {
  const { callsWhileLoading } = await fixture<{ callsWhileLoading: Any }>('unawaited.mjs');
  const { loadedMeanwhile } = await fixture<{ loadedMeanwhile: Any }>('loaded-meanwhile.mjs');
  const pool = new ForkJoinPool({ parallelism: 1 });
  const words = sharedWords();
  const calls = pool.invoke(callsWhileLoading, words);
  await whenSet(words);
  const loaded = pool.invoke(loadedMeanwhile);
  expect(await calls).toEqual([1, 1, 'each', [42], 42, [3]]);
  expect(await loaded).toBe('loaded');
  await pool.close();
});

test.each(blocking)('$name refuses an asynchronous task', async (executor) => {
  const works = [task('echo'), new tasks.Tree(1), taskOf(task('echo'))];
  for (const work of works) {
    const error = await errorOf(Promise.resolve().then(() => executor.run(work as never)));
    expect((error as Error).message).toContain('which is asynchronous');
  }
});
