/** How far runs of graphs are, and what they have done when they fail. In every executor. */
import type { Forkable } from 'furcate';
import { type GraphBuilder, type GraphFailure, type GraphNode, limit, type RunOptions, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { EXECUTORS } from '../helpers/graph-executors.js';
import { errorOf } from '../helpers/outcomes.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any>>('graphs.mjs');
const of = (name: string): Any => tasks[name] as Any;

/** How nodes are made: as plain ones, as asynchronous ones, with a limit. */
const one = limit(1);
const KINDS: Readonly<Record<string, (g: GraphBuilder, name: string, fn: () => unknown) => GraphNode<unknown>>> = {
  computes: (g, name, fn) => g.with({ name }).task(fn),
  waits: (g, name, fn) => g.with({ name, context: { fn } }).task(async ({ fn }: { fn: () => unknown }) => fn()),
  'has a limit': (g, name, fn) => g.with({ name, limit: one }).task(fn),
};

describe.each(EXECUTORS)('in %s,', (_, make) => {
  describe.each(Object.entries(KINDS))('where a node %s,', (_, node) => {
    const failing = (): ReturnType<typeof taskGraph> =>
      taskGraph(
        (g) => {
          const number = node(g, 'number', () => 7);
          const object = node(g, 'object', () => ({ list: [1, 2] }));
          const bad = node(g, 'bad', () => {
            throw new RangeError('no');
          });
          const after = g.with({ name: 'after' }).task((x: unknown) => x, bad);
          const worse = node(g, 'worse', () => {
            throw new TypeError('never');
          });
          const taker = g.with({ name: 'taker' }).task((x: unknown) => ({ of: x }), object);
          return g.all([number, after, worse, taker]);
        },
        { name: 'checks' },
      ) as ReturnType<typeof taskGraph>;

    test('a run with { partial: true } that fails tells what has succeeded', async () => {
      const pool = make();
      for (let round = 0; round < 3; round++) {
        const error = (await errorOf(
          failing()
            .with({ pool, partial: true } as RunOptions)
            .run(),
        )) as GraphFailure;
        expect([error.name, error.node, (error.errors as Error[]).map(({ message }) => message)]).toEqual([
          'GraphFailure',
          'bad',
          ['no', 'never'],
        ]);
        expect(error.message).toMatch(/^furcate: taskGraph checks: 2 of its nodes failed, the first of them 'bad'/);
        expect(error.cause).toBeInstanceOf(RangeError);
        expect([...error.results]).toEqual([
          ['number', 7],
          ['object', { list: [1, 2] }],
          ['taker', { of: { list: [1, 2] } }],
        ]);
      }
      await pool.close();
    });

    test('onProgress hears of growing numbers of steps, and of the end', async () => {
      const pool = make();
      const heard: number[][] = [];
      const graph = taskGraph((g) => {
        const nodes = Array.from({ length: 30 }, (_, k) => node(g, `step ${k}`, () => ({ x: 1 })));
        return g.task(of('busy'), 100, g.all(nodes));
      });
      const onProgress = (...now: number[]): void => void heard.push(now);
      expect(await graph.with({ pool, onProgress, partial: true }).run()).toBe(1);
      expect(heard.at(-1)).toEqual([31, 31]);
      expect(heard.map(([done]) => done)).toEqual(
        [...new Set(heard.map(([done]) => done))].sort((a, b) => +(a ?? 0) - +(b ?? 0)),
      );
      const error = new Error('of onProgress');
      const throws = (): void => {
        throw error;
      };
      expect(await errorOf(graph.with({ pool, onProgress: throws }).run())).toBe(error);
      await pool.close();
    });
  });

  test('runSync counts and tells, too', async () => {
    const pool = make();
    const graph = taskGraph((g) => {
      const fine = g.with({ name: 'fine' }).task(() => 'text');
      return g.task((x: string) => {
        if (x === 'text') throw new RangeError('no');
        return 1;
      }, fine);
    });
    const run = (): number => graph.with({ pool, partial: true }).runSync() as number;
    expect(run).toThrow(expect.objectContaining({ name: 'GraphFailure', results: new Map([['fine', 'text']]) }));
    await pool.close();
  });
});
