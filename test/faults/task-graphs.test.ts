/** Workers that die while a graph runs: the run rejects, and the graph runs again. */
import { type Forkable, WorkerCrashError } from 'furcate';
import { taskGraph } from 'furcate/flows';
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
    Atomics.store(words, 0, 1);
    const [first, second] = await Promise.all([graph.with({ pool }).run(), graph.with({ pool }).run()]);
    expect(first).toBe(second);
    expect(graph.with({ pool }).runSync()).toBe(first);
  });
});
