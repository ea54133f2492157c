/**
 * Random graphs beside plain calls of their functions: nodes of numbers, objects and texts, nodes that fail, wait or need permits, choices and graphs
 * within graphs; runs that overlap, in pools of several sizes.
 */
import fc from 'fast-check';
import { type AsyncForkable, type Forkable, ForkJoinPool } from 'furcate';
import { type GraphBuilder, type GraphNode, type Limit, limit, taskGraph } from 'furcate/flows';
import { fixture } from '../helpers/executors.js';
import { parametersOf, type RunOptions } from './run-options.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const OPS = ['mix', 'mix', 'mix', 'fail', 'later', 'inline', 'limited', 'choose', 'graph'] as const;

/** One node, or what it consists of. */
interface Spec {
  readonly op: (typeof OPS)[number];
  readonly kind: number;
  readonly takes: readonly number[];
  /** The arms of a choice, or the nodes of a graph. */
  readonly inner: readonly (readonly Spec[])[];
}

const specs: fc.Memo<Spec[]> = fc.memo((depth) =>
  fc.array(
    fc.record({
      op: fc.constantFrom(...OPS),
      kind: fc.nat(11),
      takes: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      inner: depth <= 1 ? fc.constant([[], []]) : fc.tuple(specs(), specs()),
    }),
    { maxLength: depth > 2 ? 40 : 5 },
  ),
);

/** What has become of a node: a value in a list, or nothing. */
type Outcome = readonly [unknown] | undefined;

/** Which nodes fail, by their numbers in the order of creation. */
const MODULUS = 7;

/** Runs the nodes by plain calls. */
class Oracle {
  readonly failures: string[] = [];
  readonly #tasks: Record<string, Any>;
  #made = 0;

  constructor(tasks: Record<string, Any>) {
    this.#tasks = tasks;
  }

  #call(name: string, args: readonly Outcome[], ...first: unknown[]): Outcome {
    if (args.includes(undefined)) return undefined;
    try {
      return [(this.#tasks[name] as Any)(...first, ...args.map((arg) => (arg as [unknown])[0]))];
    } catch (error) {
      this.failures.push((error as Error).message);
      return undefined;
    }
  }

  /** @param runs whether the nodes are in an arm that runs, if in any */
  list(nodes: readonly Spec[], before: readonly Outcome[], runs: boolean): Outcome {
    const made: Outcome[] = [...before];
    for (const { op, kind, takes, inner } of nodes) {
      const id = this.#made++;
      const args = runs ? takes.map((k) => made[k % made.length]) : [undefined];
      if (op === 'fail') made.push(this.#call('mixOrFail', args, id, MODULUS));
      else if (op === 'inline') made.push(args[0] && [{ x: args[0][0] }]);
      else if (op === 'graph') made.push(this.list(inner[0] as Spec[], [args[0]], runs));
      else if (op === 'choose') {
        const key = this.#call('side', [args[0]]);
        const arms = ['even', 'odd'].map((name, k) => {
          const isChosen = key?.[0] === name;
          const result = this.list(inner[k] as Spec[], made, isChosen);
          return isChosen ? result : undefined;
        });
        made.push(arms[0] ?? arms[1]);
      } else made.push(this.#call('mix', args, kind));
    }
    const last = made.slice(before.length);
    return !runs || last.includes(undefined) ? undefined : [last.map((one) => (one as [unknown])[0])];
  }
}

/** Makes the nodes of a graph, as the oracle numbers them. */
class Builder {
  readonly #tasks: Record<string, Any>;
  readonly #limit: Limit;
  readonly #synchronous: boolean;
  #made = 0;

  constructor(tasks: Record<string, Any>, limit: Limit, synchronous: boolean) {
    this.#tasks = tasks;
    this.#limit = limit;
    this.#synchronous = synchronous;
  }

  list(g: GraphBuilder, nodes: readonly Spec[], before: readonly Node[]): Node {
    const made: Node[] = [...before];
    for (const { op, kind, takes, inner } of nodes) {
      const id = this.#made++;
      const args = takes.map((k) => made[k % made.length] as Node);
      const [first] = args as [Node];
      const { mix, mixOrFail, later, side } = this.#tasks as Record<string, Any> & {
        later: AsyncForkable<unknown[], unknown>;
      };
      if (op === 'fail') made.push(g.task(mixOrFail as Any, id, MODULUS, ...args));
      else if (op === 'inline')
        made.push(
          this.#synchronous ? g.task((x: unknown) => ({ x }), first) : g.task(async (x: unknown) => ({ x }), first),
        );
      else if (op === 'graph')
        made.push(
          g.task(
            taskGraph<[unknown], unknown>((h, x) => this.list(h, inner[0] as Spec[], [x])),
            first,
          ),
        );
      else if (op === 'choose') {
        const key = g.task(side as Any, first) as GraphNode<'even' | 'odd'>;
        const arm = (k: number) => (h: GraphBuilder) => this.list(h, inner[k] as Spec[], made);
        made.push(g.choose(key, { even: arm(0), odd: arm(1) }));
      } else if (op === 'later' && !this.#synchronous) made.push(g.task(later, kind, ...args));
      else if (op === 'limited' && !this.#synchronous)
        made.push(g.with({ limit: this.#limit }).task(mix as Any, kind, ...args));
      else made.push(g.task(mix as Any, kind, ...args));
    }
    return g.all(made.slice(before.length));
  }
}

const outcomeOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await run);
  } catch (error) {
    return (error as { errors?: Error[] }).errors?.map(({ message }) => message).join('; ') ?? String(error);
  }
};

/** Plays random graphs. */
export async function runGraphs(options: RunOptions): Promise<void> {
  const tasks = await fixture<Record<string, Any>>('graphs.mjs');
  const pools = [1, 2, 4].map((parallelism) => new ForkJoinPool({ parallelism }));
  pools.push(new ForkJoinPool({ parallelism: 2, checked: true }));
  const property = fc.asyncProperty(
    specs(3),
    fc.boolean(),
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant({ a: [1] })), { minLength: 1, maxLength: 3 }),
    async (nodes, synchronous, inputs) => {
      const one = limit(2);
      const graph = taskGraph<[unknown], unknown>((g, x) => new Builder(tasks, one, synchronous).list(g, nodes, [x]));
      const expected = inputs.map((input) => {
        const oracle = new Oracle(tasks);
        const result = oracle.list(nodes, [[input]], true);
        return oracle.failures.length > 0 ? oracle.failures.join('; ') : JSON.stringify(result?.[0]);
      });
      for (const pool of pools) {
        const runs = inputs.map((input) => outcomeOf(graph.with({ pool }).run(input)));
        const given = await Promise.all(runs);
        for (const [k, text] of given.entries()) {
          if (text !== expected[k])
            throw new Error(`P=${pool.parallelism}: the graph gave ${text}; plain calls give ${expected[k]}`);
        }
      }
      if (one.inUse + one.waiting > 0) throw new Error(`permits are left: ${one.inUse}, ${one.waiting}`);
    },
  );
  try {
    await fc.assert(property, parametersOf(options));
  } finally {
    for (const pool of pools) await pool.close();
  }
}
