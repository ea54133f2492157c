/**
 * Random graphs beside plain calls of their functions: nodes of numbers, objects, texts and buffers that their thread keeps, nodes that fail, wait or need
 * permits, choices and graphs within graphs, and nodes that run after others; runs that overlap, in pools of several sizes, whose workers retire while
 * others hold the permits.
 */
import fc from 'fast-check';
import { type AsyncForkable, type Forkable, ForkJoinPool, type ForkJoinPoolOptions, sharedArray } from 'furcate';
import { type GraphBuilder, type GraphNode, type Limit, limit, taskGraph } from 'furcate/flows';
import { turn } from '../helpers/event-loop.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { settledInTime } from '../helpers/hangs.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';
import { parametersOf, type RunOptions } from './run-options.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
export const OPS = ['mix', 'mix', 'scratch', 'fail', 'fail', 'later', 'inline', 'limited', 'choose', 'graph'] as const;

/** One node, or what it consists of. */
interface Spec {
  readonly op: (typeof OPS)[number];
  readonly kind: number;
  readonly takes: readonly number[];
  /** What it runs after beside that, if anything. */
  readonly after: number | undefined;
  /** The arms of a choice, or the nodes of a graph. */
  readonly inner: readonly (readonly Spec[])[];
  /** Whether their result is their first node, whatever becomes of the others; or the list of all. */
  readonly givesFirst: boolean;
}

export const anyNodes: fc.Memo<Spec[]> = fc.memo((depth) =>
  fc.array(
    fc.record({
      op: fc.constantFrom(...OPS),
      kind: fc.nat(11),
      takes: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      after: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
      inner: depth <= 1 ? fc.constant([[], []]) : fc.tuple(anyNodes(), anyNodes()),
      givesFirst: fc.boolean(),
    }),
    { maxLength: depth > 2 ? 40 : 5, size: depth > 2 ? 'max' : 'small' },
  ),
);

/** What has become of a node: a value in a list, or nothing. */
type Outcome = readonly [unknown] | undefined;

/** A node, and whether all nodes have a result that it consists of. */
interface Done {
  readonly outcome: Outcome;
  readonly isWhole: boolean;
}

const done = (outcome: Outcome): Done => ({ outcome, isWhole: outcome !== undefined });

/** Which nodes fail, by their numbers in the order of creation. */
const MODULUS = 4;
/** Words in which nodes that may fail count how often they ran. */
const COUNTERS = 256;

/** Runs the nodes by plain calls. */
class Oracle {
  readonly failures: string[] = [];
  readonly #tasks: Record<string, Any>;
  /** How often nodes ran that may fail. */
  readonly #counts: Int32Array;
  readonly #isHeld: boolean;
  #made = 0;

  /** @param isHeld whether nodes with a limit never run */
  constructor(tasks: Record<string, Any>, counts: Int32Array, isHeld = false) {
    this.#tasks = tasks;
    this.#counts = counts;
    this.#isHeld = isHeld;
  }

  #call(name: string, args: readonly Outcome[], ...first: unknown[]): Outcome {
    if (args.includes(undefined)) return undefined;
    try {
      const value = (this.#tasks[name] as Any)(...first, ...args.map((arg) => (arg as [unknown])[0]));
      return [name === 'scratch' ? (value as Float64Array).slice() : value];
    } catch (error) {
      this.failures.push((error as Error).message);
      return undefined;
    }
  }

  #node({ op, kind, takes, inner, givesFirst }: Spec, made: readonly Done[], runs: boolean): Done {
    const id = this.#made++;
    const args = runs ? takes.map((k) => made[k % made.length]?.outcome) : [undefined];
    if (op === 'fail') return done(this.#call('countedOrFails', args, this.#counts, id % COUNTERS, MODULUS));
    if (op === 'inline') return done(args[0] && [{ x: args[0][0] }]);
    if (op === 'scratch') return done(this.#call('scratch', args));
    if (op === 'graph') return this.list(inner[0] as Spec[], [done(args[0])], runs, givesFirst);
    if (op === 'choose') {
      const key = this.#call('side', [args[0]]);
      const arms = ['even', 'odd'].map((name, k) => {
        const isChosen = key?.[0] === name;
        const all = this.list(inner[k] as Spec[], made, isChosen, givesFirst);
        return isChosen ? all : undefined;
      });
      return arms[0] ?? arms[1] ?? done(undefined);
    }
    if (op === 'limited' && this.#isHeld) return done(undefined);
    return done(this.#call('mix', args, kind));
  }

  /** @param runs whether the nodes are in an arm that runs, if in any */
  list(nodes: readonly Spec[], before: readonly Done[], runs: boolean, givesFirst = false): Done {
    const made: Done[] = [...before];
    for (const spec of nodes) {
      const isFirst = spec.after === undefined || made[spec.after % made.length]?.isWhole === true;
      made.push(this.#node(spec, made, runs && isFirst));
    }
    if (!runs) return done(undefined);
    const own = made.slice(before.length);
    const isWhole = own.every((node) => node.isWhole);
    if (givesFirst && own[0] !== undefined) return { outcome: own[0].outcome, isWhole };
    if (own.some(({ outcome }) => outcome === undefined)) return { outcome: undefined, isWhole };
    return { outcome: [own.map(({ outcome }) => (outcome as [unknown])[0])], isWhole };
  }
}

/** Makes the nodes of a graph, as the oracle numbers them. */
class Builder {
  readonly #tasks: Record<string, Any>;
  readonly #limit: Limit;
  readonly #synchronous: boolean;
  /** Where nodes that may fail count that they ran. */
  readonly #counts: Int32Array;
  #made = 0;

  constructor(tasks: Record<string, Any>, counts: Int32Array, limit: Limit, synchronous: boolean) {
    this.#tasks = tasks;
    this.#counts = counts;
    this.#limit = limit;
    this.#synchronous = synchronous;
  }

  list(g: GraphBuilder, nodes: readonly Spec[], before: readonly Node[], givesFirst = false): Node {
    const made: Node[] = [...before];
    for (const spec of nodes) {
      const node = this.#node(g, spec, made);
      made.push(spec.after === undefined ? node : g.after(node, made[spec.after % made.length] as Node));
    }
    const own = made.slice(before.length);
    return givesFirst && own[0] !== undefined ? own[0] : g.all(own);
  }

  #node(g: GraphBuilder, { op, kind, takes, inner, givesFirst }: Spec, made: readonly Node[]): Node {
    const id = this.#made++;
    const args = takes.map((k) => made[k % made.length] as Node);
    const [first] = args as [Node];
    const { mix, countedOrFails, later, side, scratch } = this.#tasks as Record<string, Any> & {
      later: AsyncForkable<unknown[], unknown>;
    };
    if (kind === 11) refusesNested(g, mix as Any, first);
    if (op === 'fail') return g.task(countedOrFails as Any, this.#counts, id % COUNTERS, MODULUS, ...args);
    if (op === 'inline')
      return this.#synchronous ? g.task((x: unknown) => ({ x }), first) : g.task(async (x: unknown) => ({ x }), first);
    if (op === 'scratch') return g.task(scratch as Any, ...args);
    if (op === 'graph') {
      const graph = taskGraph<[unknown], unknown>((h, x) => this.list(h, inner[0] as Spec[], [x], givesFirst));
      return g.task(graph, first);
    }
    if (op === 'choose') {
      const key = g.task(side as Any, first) as GraphNode<'even' | 'odd'>;
      const arm = (k: number) => (h: GraphBuilder) => this.list(h, inner[k] as Spec[], made, givesFirst);
      return g.choose(key, { even: arm(0), odd: arm(1) });
    }
    if (op === 'later' && !this.#synchronous) return g.task(later, kind, ...args);
    if (op === 'limited' && !this.#synchronous) return g.with({ limit: this.#limit }).task(mix as Any, kind, ...args);
    return g.task(mix as Any, kind, ...args);
  }
}

/** A node in an object stands for no value. */
function refusesNested(g: GraphBuilder, mix: Any, node: Node): void {
  let message = 'a node in an object was taken';
  try {
    g.task(mix, 0, { list: [node] });
  } catch (error) {
    message = (error as Error).message;
  }
  if (!message.includes('g.all(')) throw new Error(message);
}

const outcomeOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await run);
  } catch (error) {
    return (error as { errors?: Error[] }).errors?.map(({ message }) => message).join('; ') ?? String(error);
  }
};

/** Workers retire within `HELD_MS`, unless something holds them. */
const RETIRING: ForkJoinPoolOptions = { parallelism: 2, keepAliveMs: 20 };
const POOLS: readonly ForkJoinPoolOptions[] = [
  { parallelism: 1 },
  RETIRING,
  { parallelism: 4 },
  { parallelism: 2, checked: true },
];

/** For how many turns of the event loop others hold the permits, while a run waits for them; and for how long at least, if workers are to retire. */
const HELD_TURNS = 20;
const HELD_MS = 40;

/** Plays random graphs. */
export async function runGraphs(options: RunOptions): Promise<void> {
  const tasks = await fixture<Record<string, Any>>('graphs.mjs');
  const { awaits } = await fixture<Record<string, Scenario>>('blocking.mjs');
  const pools = POOLS.map((given) => new ForkJoinPool(given));
  const retiring = pools[POOLS.indexOf(RETIRING)];
  const others = new ForkJoinPool({ parallelism: 1 });
  /** Holds all permits until the function is called that it resolves to. */
  const hold = async (one: Limit): Promise<() => Promise<unknown>> => {
    const words = sharedWords();
    const held = others.with({ limit: one.of(2) }).invoke(awaits as Scenario, words, 0) as Promise<unknown>;
    await whenSet(words, 1);
    return () => {
      tell(words, 0);
      return held;
    };
  };
  const property = fc.asyncProperty(
    anyNodes(3),
    fc.boolean(),
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant({ a: [1] })), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(0, HELD_MS),
    async (nodes, synchronous, inputs, heldMs) => {
      const one = limit(2);
      const ran = sharedArray(Int32Array, COUNTERS);
      const graph = taskGraph<[unknown], unknown>((g, x) =>
        new Builder(tasks, ran, one, synchronous).list(g, nodes, [x]),
      );
      /** What a run gives or fails with, by plain calls. */
      const outcomeHere = (input: unknown, counts: Int32Array, isHeld = false): { text: string; fails: boolean } => {
        const oracle = new Oracle(tasks, counts, isHeld);
        const result = oracle.list(nodes, [done([input])], true).outcome;
        const fails = oracle.failures.length > 0;
        return { text: fails ? oracle.failures.join('; ') : String(JSON.stringify(result?.[0])), fails };
      };
      const mayRun = new Int32Array(COUNTERS);
      const expected = inputs.map((input) => outcomeHere(input, mayRun).text);
      for (const pool of pools) {
        const release = await hold(one);
        await pool.ready(); // from here on, workers retire that nothing holds
        const runs = inputs.map((input) => outcomeOf(graph.with({ pool }).run(input)));
        const endMs = performance.now() + (pool === retiring ? heldMs : 0);
        for (let turns = 0; turns < HELD_TURNS || performance.now() < endMs; turns++) await turn();
        await release();
        const given = await settledInTime('a graph', Promise.all(runs));
        for (const [k, text] of given.entries()) {
          if (text !== expected[k])
            throw new Error(`P=${pool.parallelism}: the graph gave ${text}; plain calls give ${expected[k]}`);
        }
        if (ran.join() !== mayRun.join())
          throw new Error(`P=${pool.parallelism}: nodes ran ${ran.join()} times; of plain calls ${mayRun.join()} run`);
        ran.fill(0);
      }
      // What has failed for good waits for no permits.
      const fails = inputs.filter((input) => !synchronous && outcomeHere(input, new Int32Array(COUNTERS), true).fails);
      if (fails.length > 0) {
        const release = await hold(one);
        const runs = fails.map((input) => outcomeOf(graph.with({ pool: pools[0], stopOnError: true }).run(input)));
        await settledInTime('a graph that has failed', Promise.all(runs));
        await release();
      }
      if (one.inUse + one.waiting > 0) throw new Error(`permits are left: ${one.inUse}, ${one.waiting}`);
    },
  );
  try {
    await fc.assert(property, parametersOf(options));
  } finally {
    for (const pool of [...pools, others]) await pool.terminate(); // where a run hangs, close() would too
  }
}
