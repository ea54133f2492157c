/** Nodes of graphs that consist of nodes: graphs within graphs, and choices. In every executor. */
import fc from 'fast-check';
import type { Forkable } from 'furcate';
import { type GraphBuilder, type GraphNode, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { EXECUTORS } from '../helpers/graph-executors.js';
import { errorOf as outcomeOf } from '../helpers/outcomes.js';
import { sharedWords } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const tasks = await fixture<Record<string, Any>>('graphs.mjs');
const of = (name: string): Any => tasks[name] as Any;
const errorOf = (run: Promise<unknown>): Promise<Error> => outcomeOf(run) as Promise<Error>;

/** A node that may consist of nodes: whether it is a call, a graph or a choice, and which earlier nodes of its list it follows. */
interface Whole {
  readonly kind: 'call' | 'graph' | 'a graph that returns its input' | 'choice';
  /** Whether a call fails. */
  readonly fails: boolean;
  /** Whether the next node takes its result. */
  readonly isTaken: boolean;
  readonly follows: readonly number[];
  readonly inner: readonly Whole[];
}

const wholes: fc.Memo<Whole[]> = fc.memo((depth) =>
  fc.array(
    fc.record({
      kind: fc.constantFrom('call', 'graph', 'a graph that returns its input', 'choice'),
      fails: fc.nat(9).map((k) => k === 0),
      isTaken: fc.boolean(),
      follows: fc.array(fc.nat(), { maxLength: 2 }),
      inner: depth <= 1 ? fc.constant([]) : wholes(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
);

/** How lists are built of them. */
interface How {
  /** Whether nodes follow others. */
  readonly isOrdered?: boolean;
  /** Whether calls fail that should. */
  readonly mayFail?: boolean;
  /** Whether something comes after each node that nothing else needs. */
  readonly isObserved?: boolean;
}

/** Builds lists of such nodes; each has the result of its last one, so that others are followed for their effects. */
class Wholes {
  readonly words = sharedWords(4_096);
  /** Calls that come before others. */
  readonly pairs: (readonly [before: readonly number[], after: readonly number[]])[] = [];
  calls = 0;
  readonly #how: How;

  constructor(how: How) {
    this.#how = how;
  }

  /** The calls that have run. */
  get ran(): number[] {
    return Array.from({ length: this.calls }, (_, id) => id).filter((id) => this.words[1 + 2 * id] !== 0);
  }

  list(g: GraphBuilder, list: readonly Whole[]): [node: Node, calls: number[]] {
    const made: [Node, number[]][] = [];
    const { isOrdered = false, isObserved = false } = this.#how;
    for (const whole of list) {
      const [node, calls] = this.#one(g, whole, made.at(-1)?.[0]);
      if (isObserved) g.after(g.task(of('increment'), 1), node);
      for (const k of made.length === 0 || !isOrdered ? [] : whole.follows) {
        const [before, callsBefore] = made[k % made.length] as [Node, number[]];
        g.after(node, before);
        this.pairs.push([callsBefore, calls]);
      }
      made.push([node, calls]);
    }
    return [made.at(-1)?.[0] as Node, made.flatMap(([, calls]) => calls)];
  }

  #one(g: GraphBuilder, { kind, inner, fails, isTaken }: Whole, before: Node | undefined): [Node, number[]] {
    let calls: number[] = [];
    const build = (h: GraphBuilder): Node => {
      const [node, made] = this.list(h, inner);
      calls = made;
      return node;
    };
    if (kind === 'choice' && inner.length > 0) {
      const key = g.task(() => 'yes' as const) as GraphNode<'yes' | 'no'>;
      return [g.choose(key, { no: (h) => h.task(of('increment'), 1), yes: build }), calls];
    }
    if (kind === 'graph' && inner.length > 0) return [g.task(taskGraph(build)), calls];
    if (kind === 'a graph that returns its input') {
      const graph = taskGraph<[number], number>((h, x) => {
        build(h);
        return x;
      });
      return [g.task(graph, 7), calls];
    }
    calls = [this.calls++];
    const isToFail = this.#how.mayFail === true && fails;
    return [g.task(of('timed'), this.words, calls[0], isToFail, isTaken ? before : undefined), calls];
  }
}

describe.each(EXECUTORS)('in %s,', (_, make) => {
  test('graphs within graphs and choices run after others as a whole, and others after all of them', async () => {
    const pool = make();
    const property = fc.asyncProperty(wholes(3), async (list) => {
      const made = new Wholes({ isOrdered: true });
      await taskGraph((g) => made.list(g, list)[0])
        .with({ pool })
        .run();
      const { words, calls, pairs } = made;
      expect(words[0]).toBe(2 * calls);
      for (const [before, after] of pairs)
        for (const last of before)
          for (const first of after) expect(words[2 + 2 * last]).toBeLessThan(words[1 + 2 * first] as number);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  test('what else runs does not depend on whether something is ordered after a graph or a choice', async () => {
    const pool = make();
    const property = fc.asyncProperty(wholes(3), async (list) => {
      const [plain, observed] = [new Wholes({ mayFail: true }), new Wholes({ mayFail: true, isObserved: true })];
      for (const made of [plain, observed])
        await outcomeOf(
          taskGraph((g) => made.list(g, list)[0])
            .with({ pool })
            .run(),
        );
      expect(observed.ran).toEqual(plain.ran);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('what runs after a graph or a choice does not run if any node of that has failed', async () => {
    const pool = make();
    const words = sharedWords();
    const withFailure = (g: GraphBuilder): Node => {
      g.task(of('mixOrFail'), 1, 2);
      return g.task(of('increment'), 1);
    };
    const graph = taskGraph((g) => {
      const key = g.task(() => 'x' as const) as GraphNode<'x'>;
      const others = [g.task(taskGraph(withFailure)), g.choose(key, { x: withFailure })];
      const after = others.map((other, k) => g.after(g.task(of('counted'), words, k), other));
      return g.all(after);
    });
    const error = (await errorOf(graph.with({ pool }).run())) as Error & { errors: unknown[] };
    expect([error.message, error.errors.length, words[0], words[1]]).toEqual(['node 1', 2, 0, 0]);
  });

  test('what runs after an input of a graph within a graph runs after the node that it was given, and not if that fails', async () => {
    const pool = make();
    const inner = taskGraph<[unknown, unknown], unknown>((g, x, words) => g.after(g.task(of('noted'), words), x));
    const around = taskGraph<[unknown, unknown], unknown>((g, x, words) => g.task(inner, x, words));
    for (const each of [inner, around]) {
      const words = sharedWords();
      const graph = taskGraph((g) => g.task(each, g.task(of('counted'), words, 0), words));
      expect(await graph.with({ pool }).run()).toBe(1);
      const failing = taskGraph((g) => {
        const after = g.task(each, g.task(of('mixOrFail'), 1, 2), words);
        return g.task(of('counted'), words, 1, after);
      });
      expect((await errorOf(failing.with({ pool }).run())).message).toBe('node 1');
      expect(words[1]).toBe(0);
    }
  });

  test('the name of a node that is a graph stands before the names of its nodes', async () => {
    const pool = make();
    const inner = taskGraph<[string], unknown>((g, key) =>
      g.choose(key as GraphNode<'named' | 'unnamed'>, {
        named: (g: GraphBuilder) => g.with({ name: 'own' }).task(of('mixOrFail'), 1, 2),
        unnamed: (g: GraphBuilder) => g.task(of('mixOrFail'), 1, 2),
      }),
    );
    const nodes: string[] = [];
    for (const key of ['named', 'unnamed', 'wrong']) {
      const graph = taskGraph((g) => g.with({ name: 'outer' }).task(inner, key));
      nodes.push(((await errorOf(graph.with({ pool }).run())) as Error & { node: string }).node);
    }
    expect(nodes).toEqual([
      'outer.own',
      expect.stringMatching(/^outer\.mixOrFail#\d+$/),
      expect.stringMatching(/^outer\.choose#\d+$/),
    ]);
  });
});
