/** Workers that die while a graph runs: the run rejects, and the graph runs again. */
import { type Forkable, WorkerCrashError } from 'furcate';
import { limit, type TaskGraph, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords } from '../helpers/words.js';

const tasks = await fixture<Record<string, Forkable<unknown[], unknown>>>('graphs.mjs');
const of = (name: string): Forkable<unknown[], unknown> => tasks[name] as never;
const poolOf = poolMaker('close');

describe.each([1, 2, 4])('with %i workers', (parallelism) => {
  test('a run in which a worker dies rejects, beside others; the same graph runs again', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const graph = taskGraph((g) => {
      const before = Array.from({ length: 300 }, (_, k) => g.task(of('mix'), k));
      const middle = g.after(g.task(of('dies'), words), ...before.slice(0, 100));
      return g.task(of('sum'), middle, ...before.slice(200).map((node) => g.task(of('mix'), 0, node) as never));
    });
    const runs = [graph, graph].map((each) => errorOf(each.with({ pool }).run()));
    for (const error of await Promise.all(runs)) expect(error).toBeInstanceOf(WorkerCrashError);
    expect(((await runs[0]) as Error).message).toMatch(/nodes? .*'dies#300'.* of taskGraph anonymous/);
    Atomics.store(words, 0, 1);
    const [first, second] = await Promise.all([graph.with({ pool }).run(), graph.with({ pool }).run()]);
    expect(first).toBe(second);
    expect(graph.with({ pool }).runSync()).toBe(first);
  });
});

describe('errors of the library name the node and the graph, not what runs them:', () => {
  const CASES: Readonly<Record<string, () => TaskGraph<[], unknown>>> = {
    'a node that computes': () =>
      taskGraph((g) => g.with({ name: 'decode' }).task(() => process.exit(1)), { name: 'build' }),
    'a node that waits': () =>
      taskGraph(
        (g) =>
          g.with({ name: 'decode' }).task(async () => {
            await undefined;
            process.exit(1);
          }),
        { name: 'build' },
      ),
    'a node with a limit': () =>
      taskGraph((g) => g.with({ name: 'decode', limit: limit(1) }).task(() => process.exit(1)), { name: 'build' }),
  };
  test.each(Object.entries(CASES))('%s dies', async (_, make) => {
    const error = await errorOf(
      make()
        .with({ pool: poolOf(2) })
        .run(),
    );
    expect(error).toMatchObject({
      name: 'WorkerCrashError',
      message: expect.stringMatching(/while node 'decode' of taskGraph build was in flight/),
      running: "node 'decode' of taskGraph build",
    });
  });

  test.each([false, true])('a result cannot travel (checked: %s)', async (checked) => {
    const graph = taskGraph((g) => g.with({ name: 'maker' }).task(() => () => 1));
    const error = await errorOf(graph.with({ pool: poolOf(1, { checked }) }).run());
    expect(error).toMatchObject({
      name: 'NotShareableError',
      message: expect.stringMatching(/the result of node 'maker'.* is a function/),
    });
  });
});
