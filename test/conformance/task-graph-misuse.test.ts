/** Graphs, runs and options that cannot be, whose errors name the cure; pictures. */
import type { AsyncForkable, Forkable } from 'furcate';
import { type GraphBuilder, type GraphNode, taskGraph } from 'furcate/flows';
import { expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf as outcomeOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const tasks = await fixture<Record<string, Any>>('graphs.mjs');
const of = (name: string): Any => tasks[name] as Any;
const asyncOf = (name: string): AsyncForkable<unknown[], unknown> => tasks[name] as never;
const errorOf = (run: Promise<unknown>): Promise<Error> => outcomeOf(run) as Promise<Error>;

const poolOf = poolMaker('terminate');

const built = (build: (g: GraphBuilder) => unknown): string => {
  try {
    taskGraph(build as never, { name: 'bad' });
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

test('a node in a value that is no node is refused where it is given, at any depth', async () => {
  const a = (g: GraphBuilder): Node => g.with({ name: 'a' }).task(of('sum') as never) as Node;
  const inside = (wrap: (node: Node) => unknown): string => built((g) => g.task(of('sum'), 1, wrap(a(g))));
  expect(inside((node) => ({ a: node }))).toMatch(
    /taskGraph bad: argument 2 of sum is an object with a node in it, at \.a\. Use g\.all\(nodes\)/,
  );
  expect(inside((node) => [node])).toMatch(/argument 2 of sum is an array with a node in it, at \[0\]/);
  expect(inside((node) => ({ list: [1, { b: node }] }))).toMatch(/at \.list\[1\]\.b\./);
  expect(inside((node) => new Map([['k', new Set([node])]]))).toMatch(/with a node in it, at an entry of/);
  expect(inside((node) => Object.assign(new Error('x'), { cause: { node } }))).toMatch(/at \.cause\.node/);
  expect(built((g) => g.with({ context: { k: { node: a(g) } } }).task(() => 1))).toMatch(
    /g\.with\(options\): context is an object with a node in it, at \.k\.node/,
  );
  const circular: { self?: unknown; view: Float64Array } = { view: new Float64Array(4) };
  circular.self = circular;
  expect(taskGraph((g) => g.task(of('sum'), circular)).size).toBe(1);
  let stray: unknown;
  const graph = taskGraph<[unknown], unknown>(
    (g, x) => {
      stray = a(g);
      return g.task(of('sum'), x);
    },
    { name: 'takes' },
  );
  const pool = poolOf(1);
  expect((await errorOf(graph.with({ pool }).run([{ stray }]))).message).toMatch(
    /taskGraph takes: input 1 has, at \[0\]\.stray, a node of a graph\. A run takes values/,
  );
  expect((await errorOf(graph.with({ pool }).run(stray))).message).toMatch(/input 1 is a node of a graph/);
});

test('in an arm, the builder of the function around it is refused: its nodes would run in any case', () => {
  const key = (g: GraphBuilder): GraphNode<'x' | 'y'> => g.task(() => 'x' as const) as never;
  const uses: ((g: GraphBuilder) => unknown)[] = [
    (g) => g.task(of('sum')),
    (g) => g.all([]),
    (g) => g.choose(key(g), { x: (h) => h.task(of('sum')), y: (h) => h.task(of('sum')) }),
  ];
  for (const use of uses) {
    const arm = (g: GraphBuilder): Node => g.choose(key(g), { x: () => use(g) as Node, y: (h) => h.task(of('sum')) });
    expect(built(arm)).toMatch(/g from outside of the arm 'x' is of no use in it.*parameter of the arm/);
    const inner = (g: GraphBuilder): Node =>
      g.choose(key(g), {
        x: (h) =>
          h.choose(
            h.task(() => 'z' as const),
            { z: () => use(g) as Node },
          ),
        y: (h) => h.all([]),
      });
    expect(built(inner)).toMatch(/g from outside of the arm 'x'/);
  }
  const before = built((g) => {
    const outside = g.task(of('sum'));
    const maker = g.with({ name: 'made' });
    const chosen = g.choose(key(g), { x: () => outside, y: (h) => h.all([outside]) });
    return g.all([chosen, maker.task(of('sum') as never)]);
  });
  expect(before).toBe('no error');
});

test('an arm that fails is the failure of the graph, though its builder catches it', () => {
  const arms = {
    fails: () => {
      throw new RangeError('a bad arm');
    },
    'gives no node': () => undefined,
  };
  const caught = (arm: () => unknown): string =>
    built((g) => {
      const node = g.task(of('sum'));
      try {
        g.choose(node as GraphNode<'x'>, { x: arm as never });
      } catch {
        return g.all([node]);
      }
      return node;
    });
  expect(caught(arms.fails)).toBe('a bad arm');
  expect(caught(arms['gives no node'])).toMatch(/the arm 'x' of g.choose\(\) must return a node/);
});

test('what g.after() refuses has ordered nothing', () => {
  const message = built((g) => {
    const [a, b] = [g.task(of('sum')), g.task(of('sum'))];
    try {
      g.after(a, b, 7 as never);
    } catch {
      // Now the other way round.
    }
    return g.after(b, a);
  });
  expect(message).toBe('no error');
});

test('many choices in each other are built, drawn, ordered and run; deeper ones fail with the cure', async () => {
  const nest = (g: GraphBuilder, depth: number, key: GraphNode<'a'>): Node =>
    depth === 0
      ? (g.task(() => 'done') as Node)
      : g.choose(key as GraphNode<'a' | 'b'>, { a: (h) => nest(h, depth - 1, key), b: (h) => h.task(() => 'no') });
  const graph = taskGraph((g) => {
    const choice = nest(
      g,
      1_200,
      g.task(() => 'a' as const),
    );
    return g.all([
      choice,
      g.after(
        g.task(() => 1),
        choice,
      ),
    ]);
  });
  const pool = poolOf(2);
  expect(await graph.with({ pool }).run()).toEqual(['done', 1]);
  expect(graph.toDot()).toMatch(/^digraph/);
  expect(
    built((g) =>
      nest(
        g,
        50_000,
        g.task(() => 'a' as const),
      ),
    ),
  ).toMatch(/taskGraph bad: choices were nested \d+ deep when the stack was full\. Make the inner ones a graph/);
  expect(() =>
    taskGraph(function recursive(): never {
      throw recursive(); // no tail call, which takes no stack in Bun
    }),
  ).toThrow(/Maximum call stack|too much recursion/);
});

test('bad graphs fail when they are built, with the names of the nodes', () => {
  let stranger: Node;
  taskGraph(
    (g) => {
      stranger = g.task(of('sum'));
      return stranger;
    },
    { name: 'other' },
  );
  const one = (g: GraphBuilder, name: string): Node => g.with({ name }).task(of('sum') as never) as Node;
  expect(built((g) => g.task(of('sum'), stranger))).toMatch(
    /taskGraph bad: argument 1 of sum is the node 'sum#0' of another graph, other/,
  );
  expect(
    built((g) => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => one(g, name)) as [Node, Node, Node];
      g.after(a, c);
      g.after(c, b);
      return g.after(b, a);
    }),
  ).toMatch(/wait for each other: (a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c)\./);
  expect(
    built((g) => {
      const a = one(g, 'a');
      return g.after(a, a);
    }),
  ).toMatch(/'a' cannot wait for itself/);
  expect(built((g) => g.choose(one(g, 'a') as GraphNode<'x'>, { x: 1 as never }))).toMatch(
    /the arm 'x' of g.choose\(\) is 1/,
  );
  expect(built((g) => g.choose(one(g, 'a') as GraphNode<'x'>, { x: () => 1 as never }))).toMatch(
    /the arm 'x' .* must return a node; it returned 1/,
  );
  expect(built(() => 7)).toMatch(/must return a node; it returned 7/);
  expect(
    built((g) => {
      let inside: Node = one(g, 'a');
      g.choose(one(g, 'b') as GraphNode<'x'>, { x: (g) => (inside = one(g, 'inner')) });
      return g.task(of('sum'), inside);
    }),
  ).toMatch(/is the node 'inner' of the arm 'x', which may not run/);
  expect(
    built((g) => {
      const out = one(g, 'out');
      const x = (h: GraphBuilder): Node => {
        const inner = one(h, 'inner');
        h.after(out, inner);
        return inner;
      };
      return g.all([out, g.choose(one(g, 'b') as GraphNode<'x'>, { x })]);
    }),
  ).toMatch(/argument 2 of g.after\(\) is the node 'inner' of the arm 'x', which may not run/);
  const fine = (h: GraphBuilder, outer: Node): Node => h.after(h.after(one(h, 'a'), one(h, 'b')), outer);
  expect(
    built((g) => {
      const outer = one(g, 'outer');
      return g.choose(outer as GraphNode<'x'>, {
        x: (h) => h.choose(outer as GraphNode<'x'>, { x: (i) => fine(i, outer) }),
      });
    }),
  ).toBe('no error');
  const inner = taskGraph((g) => g.task(of('sum')), { name: 'inner' });
  expect(built((g) => g.with({ context: { k: 1 } }).task(inner as never))).toMatch(
    /g\.with\(\{ context \}\)\.task\(graph\): the graph inner calls several functions/,
  );
  expect(
    built((g) => {
      const key = one(g, 'key') as GraphNode<'x'>;
      const waits = one(g, 'waits');
      return g.after(waits, g.choose(key, { x: (g) => g.after(one(g, 'aside'), waits) && one(g, 'last') }));
    }),
  ).toMatch(/wait for each other: .*waits/);
  expect(built((g) => g.task(of('sum'), [one(g, 'a')]))).toMatch(
    /argument 1 of sum is an array .* Use g\.all\(nodes\)/,
  );
  expect(built((g) => g.task(3 as never))).toMatch(/must be a function or a graph; it was 3/);
  let kept: GraphBuilder | undefined;
  taskGraph((g) => {
    kept = g;
    return g.task(of('sum'));
  });
  expect(() => kept?.task(of('sum'))).toThrow(/no use once/);
});

test('a graph with asynchronous nodes is refused by runSync before anything starts', () => {
  const words = sharedWords();
  const graph = taskGraph((g) => g.all([g.task(of('counted'), words, 0), g.task(asyncOf('later'), 1)]), {
    name: 'waits',
  });
  expect(() => graph.with({ pool: poolOf(2) }).runSync()).toThrow(
    /waits has asynchronous nodes \(later\).*await graph\.run\(\)/,
  );
  expect(words[0]).toBe(0);
  expect([graph.isAsync, graph.name]).toEqual([true, 'waits']);
});

test('wrong inputs, options and places are errors that name the cure', async () => {
  const graph = taskGraph<[number], unknown>((g, x) => g.task(of('increment'), x), { name: 'one' });
  expect((await errorOf((graph.run as () => Promise<unknown>)())).message).toMatch(/one takes 1 inputs.* given 0/);
  expect(() => (graph.runSync as () => unknown)()).toThrow(/graph\.runSync\(\): the graph one takes 1 inputs/);
  expect(() => graph.with({ threads: 2 } as never)).toThrow(/no option 'threads'/);
  expect(() => graph.with({ pool: 2 } as never)).toThrow(/pool must be/);
  expect((await errorOf(poolOf(2).invoke(of('halvedWrongly'), 1))).message).toMatch(/promise|graph\.runSync/);
  const outside = taskGraph<[unknown], unknown>((g, x) => g.task(of('increment'), x));
  const messageOf = async (run: Promise<unknown>): Promise<string> => {
    const error = await errorOf(run);
    expect(error.name).toBe('NotShareableError');
    return error.message;
  };
  expect(await messageOf(outside.run(() => 1))).toMatch(/^furcate: taskGraph anonymous: input 1 is a function/);
  const constants = taskGraph<[number], unknown>((g, x) =>
    g.task(of('sum'), g.task(of('increment'), x, { fine: true }), 1, [0, () => 1]),
  );
  expect(await messageOf(constants.run(1))).toMatch(
    /^furcate: taskGraph anonymous: argument 3 of node 'sum#1'\[1\] is a function/,
  );
});

test('in a checked pool, results are frozen copies', async () => {
  const checked = poolOf(2, { checked: true });
  const graph = taskGraph((g) => g.task(of('writesTo'), g.task(of('object'))));
  await graph.with({ pool: poolOf(2) }).run(); // in others, they may be written to
  expect((await errorOf(graph.with({ pool: checked }).run())).name).toBe('TypeError');
  const wrong = taskGraph((g) => g.task(of('total'), g.task(of('unshareable'))));
  const error = await errorOf(wrong.with({ pool: checked }).run());
  expect([error.name, error.message]).toEqual(['NotShareableError', expect.stringContaining("node 'unshareable#0'")]);
});

test('toDot draws nodes, edges and arms', () => {
  const graph = taskGraph<[number], unknown>((g, x) => {
    const a = g.with({ name: 'a "b"' }).task(of('increment') as never, x as never) as GraphNode<number>;
    return g.choose(
      g.task((y: number) => y > 1, a),
      { true: () => a, false: (g) => g.after(g.task(of('sum')), a) },
    );
  });
  const dot = graph.toDot();
  expect(dot).toMatch(/^digraph "anonymous" \{/);
  expect(dot).toContain('n0 [label="a \\"b\\"", shape=box];');
  expect(dot).toContain('subgraph cluster_1 {');
  expect(dot).toMatch(/n0 -> n\d+ \[style=dashed\];/);
});

test('toDot draws a step for each step: lists of results are points, or nothing', () => {
  const graph = taskGraph((g) => {
    let layer: Node[] = [1, 2, 3].map(
      (k) => g.with({ name: `first ${k}` }).task(of('sum') as never, k as never) as Node,
    );
    for (let depth = 0; depth < 5; depth++)
      layer = [1, 2, 3].map(
        (k) => g.with({ name: `${depth}.${k}` }).task(of('sum') as never, g.all(layer) as never) as Node,
      );
    return g.all(layer);
  });
  const lines = graph.toDot().split('\n');
  const shapes = (shape: string): number => lines.filter((line) => line.includes(`shape=${shape}`)).length;
  expect([shapes('box'), shapes('point')]).toEqual([18, 1]);
  expect(lines.filter((line) => line.includes('->')).length).toBe(5 * 9 + 3);
});
