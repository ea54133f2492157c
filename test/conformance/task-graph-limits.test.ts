/** Nodes of graphs that wait: for permits, and for what asynchronous inline functions await. In every executor. */
import fc from 'fast-check';
import type { AsyncForkable, Forkable } from 'furcate';
import { type GraphNode, type Limit, limit, type TaskGraph, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { EXECUTORS, poolOf } from '../helpers/graph-executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const limited = await fixture<Record<string, Any> & Record<'NOW' | 'MOST' | 'DONE', number>>('limited.mjs');
const graphs = await fixture<Record<string, Any>>('graphs.mjs');
const { NOW, MOST, DONE } = limited;
const of = (name: string): Any => (limited[name] ?? graphs[name]) as Any;
const asyncOf = (name: string): AsyncForkable<unknown[], unknown> => of(name) as never;
const messageOf = async (run: Promise<unknown>): Promise<string> => ((await errorOf(run)) as Error).message;

const isFree = (...limits: Limit[]): boolean => limits.every(({ inUse, waiting }) => inUse === 0 && waiting === 0);

/** Nodes of random graphs: whether each is asynchronous, how many permits it needs of each of two limits, and what it takes. */
const descriptions = fc.array(
  fc.record({
    waits: fc.boolean(),
    asks: fc.tuple(fc.nat(3), fc.nat(3)),
    takes: fc.array(fc.nat(), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe.each(EXECUTORS)('in %s,', (_, make) => {
  test('no more nodes run at once than there are permits, and all of them run', async () => {
    const pool = make();
    const property = fc.asyncProperty(descriptions, fc.integer({ min: 1, max: 3 }), async (nodes, size) => {
      const limits = [limit(size), limit(3)];
      const words = [sharedWords(), sharedWords()];
      const graph = taskGraph((g) => {
        const made: Node[] = [];
        for (const { waits, asks, takes } of nodes) {
          const before = made.length === 0 ? [] : takes.map((k) => made[k % made.length] as Node);
          const weights = asks.map((ask, k) => Math.min(ask, limits[k]?.size ?? 0));
          const asked = limits.flatMap((one, k) => (weights[k] === 0 ? [] : [one.of(weights[k] as number)]));
          const counted = waits ? (asyncOf('countedBothLater') as unknown as Any) : of('countedBoth');
          const node = g.with({ limit: asked }).task(counted, ...words, ...weights, g.all(before)) as Node;
          made.push(g.task(of('mix'), 2, node));
        }
        return g.all(made);
      });
      const runs = [1, 2].map(() => graph.with({ pool }).run());
      const [first, second] = (await Promise.all(runs)) as unknown[][];
      expect(first).toEqual(second);
      expect(first).toHaveLength(nodes.length);
      for (const [k, one] of limits.entries()) {
        expect(words[k]?.[MOST]).toBeLessThanOrEqual(one.size);
        expect([words[k]?.[NOW], words[k]?.[DONE]]).toEqual([0, 2 * nodes.length]);
      }
      expect(isFree(...limits)).toBe(true);
    });
    await fc.assert(property, { numRuns: 15 });
    await pool.close();
  });

  test('permits of nodes that fail go to others, nodes that are skipped take none, and failures count as ever', async () => {
    const pool = make();
    const one = limit(1);
    const words = sharedWords();
    const graph = taskGraph((g) => {
      const db = g.with({ limit: one });
      const bad = db.task(of('fails')) as Node;
      const skipped = db.task(of('counted'), words, 1, 0, bad) as Node;
      return g.all([skipped, ...[1, 2, 3].map(() => db.task(of('counted'), words, 1, 0) as Node)]);
    });
    const error = (await errorOf(graph.with({ pool }).run())) as Error & { node: string };
    expect([error.message, error.node]).toEqual(['no', 'fails#0']);
    expect(words[DONE]).toBe(3);
    expect(isFree(one)).toBe(true);
    await pool.close();
  });

  test('a limit is one for nodes, tasks and runs of several graphs, and reaches into graphs within graphs and arms', async () => {
    const pool = make();
    const two = limit(2);
    const words = sharedWords();
    const inner = taskGraph<[unknown], unknown>((g, x) => g.with({ limit: two }).task(of('counted'), words, 1, 20, x));
    const outer = taskGraph((g) =>
      g.choose(
        g.task(() => 'yes' as const),
        {
          yes: (g) => g.all(Array.from({ length: 10 }, (_, k) => g.task(inner, k))),
        },
      ),
    );
    const tasks = Array.from({ length: 5 }, () => pool.with({ limit: two }).invoke(of('counted'), words, 1, 20));
    const runs = [1, 2].map(() => outer.with({ pool }).run());
    await Promise.all([...tasks, ...runs, inner.with({ pool }).run(0)]);
    expect(words[DONE]).toBe(26);
    expect(words[MOST]).toBeLessThanOrEqual(2);
    expect(isFree(two)).toBe(true);
    await pool.close();
  });

  test('inline asynchronous functions are nodes, with a context, also beside others', async () => {
    const pool = make();
    const graph: TaskGraph<[number], unknown> = taskGraph<[number], unknown>((g, x) => {
      const later = g.task(async (y: number) => {
        await new Promise((wake) => setTimeout(wake, 0));
        return { y };
      }, x);
      const scaled = g
        .with({ name: 'scaled', context: { k: 3 } })
        .task(async ({ y }: { y: number }, { k }: { k: number }) => y * k, later);
      return g.task((a: number, b: number) => a + b, scaled, x);
    });
    expect(graph.isAsync).toBe(true);
    expect(await graph.with({ pool }).run(5)).toBe(20);
    const captured = 1;
    const wrong = taskGraph((g) => g.with({ name: 'wrong' }).task(async () => captured));
    expect(await messageOf(wrong.with({ pool }).run())).toMatch(/captured.*context/s);
    const fails = taskGraph((g) => {
      const bad = g.with({ name: 'bad' }).task(async () => {
        throw new RangeError('later');
      });
      return g.task((x: unknown) => x, bad);
    });
    expect(await errorOf(fails.with({ pool }).run())).toMatchObject({ message: 'later', node: 'bad' });
    await pool.close();
  });

  test('a function that returns a promise, and does not say so, fails with the cure', async () => {
    const pool = make();
    const graph = taskGraph((g) => g.with({ name: 'sly' }).task((x: number) => Promise.resolve(x), 1));
    expect(await messageOf(graph.with({ pool }).run())).toMatch(/sly.*promise.*async/s);
    await pool.close();
  });
});

test('a node that waits for its permit holds no worker', async () => {
  const pool = poolOf(1);
  const one = limit(1);
  const [held, free] = [sharedWords(), sharedWords()];
  const holder = pool.with({ limit: one }).invoke(asyncOf('opens') as never, held);
  await whenSet(held);
  const graph = taskGraph((g) => {
    const waits = g.with({ limit: one }).task(of('counted'), free, 1, 0) as Node;
    return g.all([waits, g.task(of('sets'), held, 1)]);
  });
  expect(await graph.with({ pool }).run()).toEqual([1, 1]); // the other node lets the holder end
  await holder;
  expect(isFree(one)).toBe(true);
});

test('a run that is cancelled while nodes wait takes no permit, and those that run give theirs back', async () => {
  const pool = poolOf(2);
  const one = limit(1);
  const words = sharedWords();
  const graph = taskGraph((g) =>
    g.all([1, 2, 3].map(() => g.with({ limit: one }).task(of('endlessly'), words) as Node)),
  );
  const aborter = new AbortController();
  const run = errorOf(graph.with({ pool, signal: aborter.signal }).run());
  await whenSet(words);
  expect([one.inUse, one.waiting]).toEqual([1, 2]);
  aborter.abort();
  expect(await run).toMatchObject({ name: 'AbortError' });
  expect(isFree(one)).toBe(true);
  expect(await errorOf(graph.with({ pool, timeoutMs: 20 }).run())).toMatchObject({ name: 'CancellationError' });
  expect(isFree(one)).toBe(true);
});

test('with stopOnError, nodes that wait for permits do not run', async () => {
  const pool = poolOf(2);
  const one = limit(1);
  const words = sharedWords();
  const graph = taskGraph((g) => {
    const db = g.with({ limit: one });
    const bad = db.task(of('fails')) as Node;
    return g.all([bad, ...Array.from({ length: 50 }, () => db.task(of('counted'), words, 1, 0) as Node)]);
  });
  expect(await messageOf(graph.with({ pool, stopOnError: true }).run())).toBe('no');
  expect(words[DONE]).toBe(0); // permits are given in the order of asking
  expect(isFree(one)).toBe(true);
});

test('with stopOnError, a run ends though others hold the permits for which its nodes wait', async () => {
  const pool = poolOf(2);
  const one = limit(1);
  const [held, words] = [sharedWords(), sharedWords()];
  const holder = pool.with({ limit: one }).invoke(asyncOf('opens') as never, held);
  await whenSet(held);
  const failsLater = async (): Promise<never> => {
    throw new RangeError('no');
  };
  for (const fails of [of('fails'), failsLater]) {
    const graph = taskGraph((g) => {
      const waits = [1, 2, 3].map(() => g.with({ limit: one }).task(of('counted'), words, 1, 0) as Node);
      const behind = g.task(of('counted'), words, 1, 0, ...waits);
      return g.all([g.task(fails as never) as Node, ...waits, behind as Node]);
    });
    expect(await messageOf(graph.with({ pool, stopOnError: true }).run())).toBe('no');
    expect([one.inUse, one.waiting, words[DONE]]).toEqual([1, 0, 0]);
  }
  Atomics.store(held, 1, 1);
  Atomics.notify(held, 1);
  await holder;
});

test('a worker that is idle for hooks of a run opens the run and its contexts once', async () => {
  const pool = poolOf(1);
  const one = limit(1);
  const graph = taskGraph((g) => {
    const isNew = g.with({ limit: one, context: { table: { a: 1 } } });
    const countNew = (n: number, { table }: { table: object }): number => {
      const realm = globalThis as { seen?: object };
      const isSeen = realm.seen === table;
      realm.seen = table;
      return isSeen ? n : n + 1;
    };
    let count: GraphNode<number> = g.task(() => 0);
    for (let k = 0; k < 30; k++) count = isNew.task(countNew, count);
    return count;
  });
  expect(await graph.with({ pool }).run()).toBe(1);
  expect(await graph.with({ pool }).run()).toBe(1);
});

test('inside of an asynchronous task, limits that it makes hold for the runs in its scope', async () => {
  const pool = poolOf(2);
  const words = sharedWords();
  expect(await pool.invoke(asyncOf('limitedRun') as never, words, 20)).toBe(20);
  expect([words[DONE], words[NOW]]).toEqual([20, 0]);
  expect(words[MOST]).toBeLessThanOrEqual(2);
});

test('wrong limits are errors when the graph is built', () => {
  const one = limit(1, { name: 'db' });
  const build = (given: unknown) => () =>
    taskGraph((g) => g.with({ limit: given as Limit }).task(of('fails')), { name: 'bad' });
  expect(build(3)).toThrow(/taskGraph bad: g\.with\(options\): limit takes what limit\(\).*it was given 3/);
  expect(build([one, one.of(1)])).toThrow(/taskGraph bad.*names db twice/);
  const inner = taskGraph((g) => g.task(of('fails')), { name: 'inner' });
  expect(() => taskGraph((g) => g.with({ limit: one } as object).task(inner as never))).toThrow(
    /nodes of the graph inner run one by one\. Give the limit/,
  );
  const graph = taskGraph((g) => g.with({ limit: one }).task(of('fails')), { name: 'waits' });
  expect(() => graph.runSync()).toThrow(/waits has nodes with limits \(fails\).*await graph\.run\(\)/);
});
