/** What tasks report reaches `onReport`, in every executor that has one. */
import fc from 'fast-check';
import {
  type AsyncForkable,
  type AsyncTask,
  type Forkable,
  type ForkJoinTask,
  SequentialExecutor,
  sharedArray,
  task as taskOf,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type TreeClass = new (id: number, depth: number) => ForkJoinTask<number> | AsyncTask<number>;
interface Fixture {
  readonly Tree: TreeClass;
  readonly AsyncTree: TreeClass;
  readonly Vec: new (x: number, y: number) => { readonly length: number };
  readonly Trouble: new (message: string) => Error;
  makeValues(): unknown[];
  readonly [name: string]: unknown;
}
const tasks = await fixture<Fixture>('reporting.mjs');
const task = (name: string, ...args: unknown[]): ForkJoinTask<unknown> =>
  taskOf(tasks[name] as Any, ...args) as ForkJoinTask<unknown>;

const all = executors();
const listening = all.filter(({ name }) => !name.startsWith('invokeSync,'));
const deaf = all.filter(({ name }) => name.startsWith('invokeSync,'));

/** Checks the reports of a tree: three of each task, in its order. */
function expectTree(reports: readonly (readonly [id: number, k: number])[], depth: number): void {
  const made = new Map<number, number>();
  for (const [id, k] of reports) {
    expect(k).toBe(made.get(id) ?? 0);
    made.set(id, k + 1);
  }
  expect([...made.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 2 ** (depth + 1) - 1 }, (_, i) => i + 1));
  expect(new Set(made.values())).toEqual(new Set([3]));
}

describe.each(listening)('$name:', (executor) => {
  /** The reports of a task, and after them its result. */
  async function run(work: ForkJoinTask<unknown> | AsyncTask<unknown>): Promise<unknown[]> {
    const heard: unknown[] = [];
    const onReport = (value: unknown): number => heard.push(value);
    const result = await executor.run(work as ForkJoinTask<unknown>, { onReport });
    return [...heard, result];
  }

  test('reports arrive in the order in which a task makes them, and before its result', async () => {
    const n = executor.cold ? 100 : 5000;
    expect(await run(task('counts', n))).toEqual([...Array.from({ length: n }, (_, k) => k), n]);
  });

  test.each(['tree', 'asyncTree'])('the reports of all tasks of a %s arrive, in the order of each', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: executor.cold ? 3 : 8 }), async (depth) => {
        const heard = await run(task(name, 1, depth));
        expect(heard.pop()).toBe(2 ** (depth + 1) - 1);
        expectTree(heard as [number, number][], depth);
      }),
      { numRuns: executor.cold ? 1 : 8 },
    );
  });

  test.each(['Tree', 'AsyncTree'] as const)('the objects of a %s report as well', async (name) => {
    const heard = await run(new tasks[name](1, 4));
    expect(heard.pop()).toBe(31);
    expectTree(heard as [number, number][], 4);
  });

  test('values of every kind that a result may have arrive as copies', async () => {
    const heard = await run(task('reportsValues'));
    heard.pop();
    const expected = tasks.makeValues();
    expect(heard.length).toBe(expected.length);
    for (const [i, value] of expected.entries()) expect(heard[i]).toStrictEqual(value);
    expect((heard.find((value) => value instanceof tasks.Vec) as { length: number }).length).toBe(5);
  });

  test('errors keep their class, and shared arrays stay shared', async () => {
    const [error] = await run(task('reportsError'));
    expect(error).toBeInstanceOf(tasks.Trouble);
    expect(error).toMatchObject({ message: 'reported' });
    const xs = sharedArray(Int32Array, [7]);
    const [given, made] = (await run(task('reportsShared', xs))) as [{ xs: Int32Array }, Float64Array];
    xs[0] = 8;
    expect(given.xs[0]).toBe(8);
    expect([...made]).toEqual([1, 2, 3]);
  });

  test('a value that cannot leave its thread is refused, and the error names the cure', async () => {
    const told = (await run(task('reportsBadly'))).pop() as string[];
    expect(told).toHaveLength(3);
    for (const message of told) expect(message).toMatch(/^NotShareableError: furcate: the value of report\(\) /);
    expect(told[0]).toContain('forkable() for code');
    expect(told[2]).toContain('(at .at[0])');
  });

  test('a proxy that is reported is refused', async () => {
    const told = (await run(task('reportsProxy'))).pop();
    expect(told).toMatch(/^NotShareableError: furcate: the value of report\(\) /);
  });

  test('an inline function of an algorithm inside a task reports through its context', async () => {
    const heard = await run(task('reportsInLoop', 95));
    expect(heard.pop()).toBe(95);
    expect(heard.sort((a, b) => Number(a) - Number(b))).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  });

  test('what a task has reported before it fails arrives before the error', async () => {
    const heard: unknown[] = [];
    const onReport = (value: unknown): number => heard.push(value);
    const failing = executor.run(task('reportsThenFails', 10), { onReport });
    expect(await errorOf(failing)).toBeInstanceOf(tasks.Trouble);
    expect(heard).toHaveLength(10);
  });

  test('without onReport a report does nothing, and encodes nothing', async () => {
    expect(await executor.run(task('counts', 10))).toBe(10);
    expect(await executor.run(task('reportsBadly'))).toEqual(Array(3).fill('no error'));
  });

  test('in an asynchronous task report() names the scope, which is of no use once the task has completed', async () => {
    const cure = 'Error: furcate: report() in an asynchronous task. Use its scope: scope.report().';
    expect(await executor.run(task('misuses'))).toEqual([cure, cure]);
    if (executor.cold) return; // the worker may end first
    // On the thread that calls, report() outside of tasks does nothing.
    for (const name of ['usesScopeLate', ...(executor.name === 'SequentialExecutor' ? [] : ['reportsLate'])]) {
      const words = sharedWords();
      const told = whenSet(words);
      await executor.run(task(name, words));
      await told;
      expect(words[0]).toBe(1);
    }
  });
});

test.each(deaf)('$name: reports do nothing', async (executor) => {
  const onReport = (): never => {
    throw new Error('heard');
  };
  expect(await executor.run(task('counts', 10), { onReport })).toBe(10);
  expect(await executor.run(task('tree', 1, 3), { onReport })).toBe(15);
});

test('a SequentialExecutor names the scope, too', async () => {
  const [before, after] = (await new SequentialExecutor().invoke(
    tasks.misuses as AsyncForkable<[], string[]>,
  )) as string[];
  expect(before).toContain('scope.report()');
  expect(after).toContain('scope.report()');
});

test('outside of a pool, report does nothing', () => {
  expect((tasks.counts as (n: number) => number)(10)).toBe(10);
});
