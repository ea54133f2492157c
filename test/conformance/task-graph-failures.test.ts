/** What becomes of failures, and of results that nobody can take. In every executor. */
import type { Forkable } from 'furcate';
import { type GraphNode, limit, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { fixture } from '../helpers/executors.js';
import { EXECUTORS, poolOf } from '../helpers/graph-executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Failure = Error & { node: string; errors: Error[] };
const tasks = await fixture<Record<string, Any> & { Getters: typeof Error }>('graphs.mjs');
const of = (name: string): Any => tasks[name] as Any;
const failureOf = (run: Promise<unknown>): Promise<Failure> => errorOf(run) as Promise<Failure>;

describe.each(EXECUTORS)('in %s,', (name, make) => {
  test('a result that nobody takes is forgotten, whether or not it could be cloned', async () => {
    const graph = taskGraph((g) => g.after(g.task(of('increment'), 1), g.task(of('unshareable'))));
    expect(await graph.with({ pool: make() }).run()).toBe(2);
  });

  test.each(['synchronous', 'asynchronous', 'limited'])(
    'where a result cannot be cloned, %s nodes that take it do not run, and nothing else fails',
    async (kind) => {
      const pool = make();
      const one = limit(1);
      const graph = taskGraph((g) => {
        const made = g.with({ name: 'made' }).task(of('unshareable'));
        const takers = Array.from({ length: 100 }, () => {
          if (kind === 'asynchronous') return g.task(of('typeSoon'), made);
          return kind === 'limited'
            ? g.with({ limit: one }).task(of('busy'), 500, made)
            : g.task(of('busy'), 500, made);
        });
        return g.all(takers as GraphNode<unknown>[]);
      });
      // Where one thread runs all nodes, results are passed as they are.
      const failure = await graph
        .with({ pool })
        .run()
        .then(
          () => undefined,
          (error: Failure) => error,
        );
      if (name.startsWith('a checked')) expect(failure).toBeDefined();
      if (failure !== undefined)
        expect([failure.name, failure.node, failure.errors.length]).toEqual(['NotShareableError', 'made', 1]);
    },
  );

  test('the properties that an error has are not overwritten', async () => {
    const pool = make();
    const run = (task: string): Promise<Failure> =>
      failureOf(
        taskGraph((g) => g.with({ name: 'n' }).task(of(task)))
          .with({ pool })
          .run(),
      );
    const getters = await run('throwsGetters');
    expect(getters).toBeInstanceOf(tasks.Getters);
    expect([getters.message, getters.node, getters.errors]).toEqual(['mine', 'mine', []]);
    const several = await run('throwsSeveral');
    expect([several.name, several.node, several.errors.map(({ message }) => message)]).toEqual([
      'AggregateError',
      'n',
      ['a', 'b'],
    ]);
    if (!mayBlock || name === 'SequentialExecutor') return;
    const inside = await run('failsInside'); // what the inner run has added is no property of the user's
    expect([inside.message, inside.node, inside.errors.length]).toEqual(['node 1', 'n', 1]);
  });

  test('a node that returns a promise is named, also after it has run another graph', async () => {
    if (name === 'SequentialExecutor') return;
    const graph = taskGraph((g) =>
      g.with({ name: 'outer' }).task(of('halvedThenPromised'), g.task(of('increment'), 1)),
    );
    expect((await failureOf(graph.with({ pool: make() }).run())).message).toMatch(/node 'outer'.*promise/);
  });

  test('a key of any kind that names no arm is shown', async () => {
    const pool = make();
    const graph = taskGraph<[unknown], unknown>((g, key) =>
      g.choose(key as GraphNode<'x'>, { x: (g) => g.task(of('increment'), 1) }),
    );
    const circular: { self?: unknown } = {};
    circular.self = circular;
    for (const [key, shown] of [
      [5n, '5n'],
      [circular, 'an object'],
      [Number.NaN, 'NaN'],
      [['y'], 'an array'],
    ])
      expect((await failureOf(graph.with({ pool }).run(key))).message).toContain(
        `was given ${shown}, and has no such arm`,
      );
  });
});

test('with stopOnError, a result that cannot be cloned stops the run, as any failure does', async () => {
  const words = sharedWords();
  const graph = taskGraph((g) => {
    const rest = Array.from({ length: 500 }, () => g.task(of('counted'), words, 0));
    return g.all([...rest, g.task(of('unshareable'))]); // the newest node runs first
  });
  const run = graph.with({ pool: poolOf(1, { checked: true }), stopOnError: true }).run();
  expect((await failureOf(run)).errors).toHaveLength(1);
  expect(words[0]).toBe(0);
});
