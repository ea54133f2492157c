/** Task graphs in every executor: a run means what plain calls of the functions mean, in any order that the graph allows. */
import fc from 'fast-check';
import { type AsyncForkable, type Executor, type Forkable, ForkJoinPool, SequentialExecutor } from 'furcate';
import { type GraphNode, type TaskGraph, taskGraph } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { errorOf as outcomeOf } from '../helpers/outcomes.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const tasks = await fixture<Record<string, Any> & { Refused: typeof Error }>('graphs.mjs');
const of = (name: string): Any => tasks[name] as Any;
const asyncOf = (name: string): AsyncForkable<unknown[], unknown> => tasks[name] as never;

const errorOf = (run: Promise<unknown>): Promise<Error> => outcomeOf(run) as Promise<Error>;

const poolOf = (parallelism: number, options = {}): Executor => new ForkJoinPool({ parallelism, ...options });
const EXECUTORS: readonly (readonly [string, Executor])[] = ofEachKind(
  [
    ['SequentialExecutor', new SequentialExecutor()],
    ['a pool of 1', poolOf(1)],
    ['a pool of 2', poolOf(2)],
    ['a pool of 4', poolOf(4)],
    ['a checked pool of 2', poolOf(2, { checked: true })],
  ],
  ([name]) => !/of [14]$/.test(name),
);
afterAll(async () => {
  for (const [, executor] of EXECUTORS) await executor.close();
});

/** A node of a random graph: its kind, and which earlier nodes it takes and follows. */
interface Description {
  readonly kind: number;
  readonly takes: readonly number[];
  readonly follows: readonly number[];
}

const descriptions = fc.array(
  fc.record({
    kind: fc.nat(11),
    takes: fc.array(fc.nat(), { maxLength: 4 }),
    follows: fc.array(fc.nat(), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 60 },
);

/** The result of a random graph: those of all nodes without a taker, so that nothing is left out. */
function plain(nodes: readonly Description[], input: unknown): unknown {
  const mix = of('mix');
  const results: unknown[] = [];
  for (const { kind, takes } of nodes)
    results.push(mix(kind, ...(results.length === 0 ? [input] : takes.map((k) => results[k % results.length]))));
  return results;
}

function build(
  nodes: readonly Description[],
  call: (kind: number) => Any = () => of('mix'),
): TaskGraph<[unknown], unknown> {
  return taskGraph<[unknown], unknown>(
    (g, input) => {
      const made: Node[] = [];
      for (const { kind, takes, follows } of nodes) {
        const args = made.length === 0 ? [input] : takes.map((k) => made[k % made.length] as Node);
        const node = g.task(call(kind), kind, ...args);
        if (made.length > 0) g.after(node, ...follows.map((k) => made[k % made.length] as Node));
        made.push(node);
      }
      return g.all(made);
    },
    { name: 'random' },
  );
}

describe.each(EXECUTORS)('in %s,', (name, pool) => {
  test('a random graph gives what plain calls give, in runs that overlap', async () => {
    const property = fc.asyncProperty(descriptions, async (nodes) => {
      const graph = build(nodes);
      const inputs = [1, { a: [2] }, 'three'];
      const runs = inputs.map((input) => graph.with({ pool }).run(input));
      expect(await Promise.all(runs)).toEqual(inputs.map((input) => plain(nodes, input)));
      if (mayBlock && name !== 'SequentialExecutor') expect(graph.with({ pool }).runSync(4)).toEqual(plain(nodes, 4));
    });
    await fc.assert(property, { numRuns: 30 });
  });

  test('a random graph with asynchronous nodes gives what plain calls give', async () => {
    const property = fc.asyncProperty(descriptions, async (nodes) => {
      const graph = build(nodes, (kind) => (kind > 8 ? (asyncOf('later') as never) : of('mix')));
      expect(await graph.with({ pool }).run(1)).toEqual(plain(nodes, 1));
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test('after failures, exactly the nodes without a failure before them have run, and the first failure counts', async () => {
    const anyCase = [descriptions, fc.integer({ min: 2, max: 9 }), fc.boolean()] as const;
    const property = fc.asyncProperty(...anyCase, async (nodes, modulus, isAsync) => {
      const words = sharedWords(128);
      const counted = isAsync ? (asyncOf('countedSoon') as never) : of('counted');
      const graph = taskGraph((g) => {
        const made: Node[] = [];
        for (const [id, { takes }] of nodes.entries()) {
          const args = made.length === 0 ? [] : takes.map((k) => made[k % made.length] as Node);
          const node = g.task(of('mixOrFail'), id, modulus, ...args);
          g.after(g.task(counted, words, id), node);
          made.push(node);
        }
        return g.all(made);
      });
      const fine: boolean[] = [];
      for (const [id, { takes }] of nodes.entries())
        fine.push(id % modulus !== 1 && (id === 0 || takes.every((k) => fine[k % id])));
      const failing = nodes.flatMap((_, id) => (id % modulus === 1 && takesFine(nodes, fine, id) ? [id] : []));
      const run = graph.with({ pool }).run();
      if (failing.length === 0) await run;
      else {
        const error = (await errorOf(run)) as Error & { errors: Error[]; node: string };
        expect(error).toBeInstanceOf(tasks.Refused);
        expect(error.errors.map(({ message }) => message)).toEqual(failing.map((id) => `node ${id}`));
        expect(error.message).toBe(`node ${failing[0]}`);
        expect(error.node).toMatch(/^mixOrFail#/);
      }
      expect([...words.subarray(0, nodes.length)]).toEqual(fine.map(Number));
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test('a choice runs the nodes of one arm, whatever lies in it', async () => {
    const words = sharedWords();
    const graph = taskGraph<[string], unknown>((g, key) => {
      const outer = g.task(of('object'));
      return g.choose(key, {
        one: (g) => g.task(of('counted'), words, 1),
        two: (g) => {
          const inner = g.choose(
            g.task((k: string) => k === 'two', key),
            {
              true: (g) => g.task(of('counted'), words, 2, outer),
              false: (g) => g.task(of('counted'), words, 3),
            },
          );
          return g.task(of('sum'), inner, 100);
        },
        outer: () => outer,
        fails: (g) => g.task(of('mixOrFail'), 1, 2),
      });
    });
    const run = graph.with({ pool }).run;
    expect([await run('one'), await run('two'), await run('outer')]).toEqual([1, 102, { list: [] }]);
    expect([...words.subarray(0, 4)]).toEqual([0, 1, 1, 0]);
    expect((await errorOf(run('fails'))).message).toBe('node 1');
    expect((await errorOf(run('three'))).message).toMatch(/'choose#\d+' was given 'three', .* one, two, outer, fails/);
  });

  test('each kind of result reaches its takers, once or many times', async () => {
    const graph = taskGraph<[number], unknown>((g, n) => {
      const kinds = [of('numbers'), of('shared'), of('object'), of('increment')].map((fn) => g.task(fn, n));
      const takers = kinds.slice(0, 2).flatMap((xs) => [1, 2, 3].map(() => g.task(of('total'), xs)));
      return g.all([...takers, ...kinds]);
    });
    const [a, b, c, d, e, f, plainArray, shared, object, x] = (await graph.with({ pool }).run(4)) as unknown[];
    expect([a, b, c, d, e, f]).toEqual([6, 6, 6, 4, 4, 4]);
    expect([plainArray, [...(shared as number[])], object, x]).toEqual([
      Float64Array.from([0, 1, 2, 3]),
      [1, 1, 1, 1],
      { list: [] },
      5,
    ]);
  });

  test('a node may fork: what it leaves unjoined is done before its successors begin', async () => {
    const words = sharedWords();
    const graph = taskGraph((g) => g.after(g.task(of('noted'), words), g.task(of('forks'), 12, words)));
    expect(await graph.with({ pool }).run()).toBe(1);
  });

  test('inline functions take values from their context; what they capture is an error that names the node', async () => {
    const graph = taskGraph<[number], number>((g, x) =>
      g.with({ name: 'scale', context: { k: 3 } }).task((y: number, { k }: { k: number }) => y * k, x),
    );
    expect(await graph.with({ pool }).run(5)).toBe(15);
    const captured = 1;
    const wrong = taskGraph((g) => g.task(() => captured));
    expect((await errorOf(wrong.with({ pool }).run())).message).toMatch(/captured.*context/s);
  });

  test('a graph is a node of another, and runs inside of tasks', async () => {
    const inner = taskGraph<[number, number], number>((g, a, b) => g.task(of('sum'), a, b, 10) as GraphNode<number>);
    const outer = taskGraph<[number], unknown>((g, x) => g.task(inner, g.task(inner, x, 1), x));
    expect(await outer.with({ pool }).run(5)).toBe(5 + 1 + 10 + 5 + 10);
    expect(await pool.invoke(asyncOf('halvedUntil'), 64, 1)).toBe(6);
    expect(await pool.invoke(of('halvedSync'), 8)).toBe(4);
  });

  test('a run that is aborted rejects when nothing of it runs any more, and the graph runs again', async () => {
    if (pool instanceof SequentialExecutor) return; // nothing else could abort it
    const words = sharedWords();
    const graph = taskGraph<[unknown], unknown>((g, fn) =>
      g.choose(g.task((f: unknown) => f === 1, fn) as GraphNode<boolean>, {
        true: (g) => g.all([g.task(of('endless'), words), g.task(of('object'))]),
        false: (g) => g.task(of('object')),
      }),
    );
    const aborter = new AbortController();
    const run = graph.with({ pool, signal: aborter.signal }).run(1);
    await whenSet(words);
    aborter.abort();
    expect((await errorOf(run)).name).toBe('AbortError');
    expect(await graph.with({ pool }).run(2)).toEqual({ list: [] });
  });

  test('with stopOnError, nodes that have not begun do not run', async () => {
    const words = sharedWords();
    const graph = taskGraph((g) => {
      const bad = g.task(of('mixOrFail'), 1, 2);
      const rest = Array.from({ length: 500 }, () => g.task(of('counted'), words, 2));
      return g.all([...rest, bad]);
    });
    expect((await errorOf(graph.with({ pool, stopOnError: true }).run())).message).toBe('node 1');
    expect(words[2]).toBeLessThanOrEqual(500);
    expect((await errorOf(graph.with({ pool }).run())).message).toBe('node 1');
  });

  test('long paths take no stack, whatever hangs off them', async () => {
    const graph = taskGraph<[number], number>((g, x) => {
      let node = x;
      for (let k = 0; k < 50_000; k++) {
        node = g.task(of('increment'), node) as GraphNode<number>;
        g.task(of('increment'), node);
      }
      return node;
    });
    expect(await graph.with({ pool }).run(0)).toBe(50_000);
  });
});

const takesFine = (nodes: readonly Description[], fine: readonly boolean[], id: number): boolean =>
  id === 0 || (nodes[id] as Description).takes.every((k) => fine[k % id]);

describe('a comb of a million nodes', () => {
  const SPINE = 500_000;
  const poolOfTwo = (): Executor => (EXECUTORS[2] as (typeof EXECUTORS)[number])[1];
  /** Each node of the spine has a tooth; the spine counts, and the node in the middle fails if the input says so. */
  const comb = (): TaskGraph<[boolean], number> =>
    taskGraph<[boolean], number>(
      (g, fails) => {
        let node = g.task((_: boolean) => 0, fails) as GraphNode<number>;
        for (let k = 1; k < SPINE; k++) {
          if (k === SPINE / 2)
            node = g.with({ name: 'middle' }).task(
              (x: number, fails: boolean) => {
                if (fails) throw new RangeError('enough');
                return x + 1;
              },
              node,
              fails,
            );
          else node = g.task(of('increment'), node) as GraphNode<number>;
          g.task(of('increment'), node);
        }
        return node;
      },
      { name: 'comb' },
    );

  test('takes no stack, and unwinds from a failure in its middle: the pool and the graph go on', async () => {
    const graph = comb();
    for (const pool of [poolOf(1), poolOfTwo()]) {
      expect(await graph.with({ pool }).run(false)).toBe(SPINE - 1);
      for (const stopOnError of [false, true]) {
        const error = await errorOf(graph.with({ pool, stopOnError }).run(true));
        expect(error).toMatchObject({ message: 'enough', node: 'middle' });
        expect((error as Error & { errors: unknown[] }).errors).toHaveLength(1);
      }
      if (mayBlock) expect(graph.with({ pool }).runSync(false)).toBe(SPINE - 1);
      if (pool !== poolOfTwo()) await pool.close();
    }
  });
});
