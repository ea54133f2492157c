/** `g`: what builds the nodes of a graph; runs once, on the thread that makes the graph. */
import { type AsyncForkable, asyncOrGenerator, forkableName, forkKind, type LimitOption } from '../../core/engine.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { ofType, readOptions } from '../../core/options.js';
import { admissionOf } from '../limit/limit.js';
import { order } from './after.js';
import { ALL, type Draft, draftOf, LAST, MERGE, NO_ARM, type NodeWork, SWITCH } from './draft.js';
import type { TaskGraph } from './graph.js';
import { Handle, isHandle, pathOfNode } from './handle.js';

declare const RESULT: unique symbol;

/** A node of a graph while it is built, or an input: stands for a value of type `T` that each run has. */
export interface GraphNode<T> {
  readonly [RESULT]: T;
}

/** Arguments, any of which may be nodes. */
export type NodesOrValues<A extends readonly unknown[]> = { [I in keyof A]: A[I] | GraphNode<A[I]> };

/** The results of nodes, each at its place. */
export type ResultsOfNodes<N extends readonly GraphNode<unknown>[]> = {
  -readonly [I in keyof N]: N[I] extends GraphNode<infer R> ? R : never;
};

/** Builds an arm of a `choose`. */
export type Arm<T = unknown> = (g: GraphBuilder) => GraphNode<T>;

/** Options of a node. */
export interface NodeOptions<C extends object> {
  /**
   * Name of the node in errors and pictures; the name of its function and a number by default. That of a graph stands before the names of its nodes.
   */
  readonly name?: string | undefined;
  /** The values that its inline function may use beside its arguments: the function's last parameter. */
  readonly context?: C | undefined;
  /**
   * Permits that the node has to wait for before it starts: a `limit()`, some permits of one, or an array of these. While it waits, it holds no
   * worker.
   */
  readonly limit?: LimitOption | undefined;
}

const NODE_OPTIONS = {
  name: ofType<string>('string'),
  context: (value: unknown) => value,
  limit: (value: unknown, what: string) => admissionOf(value, what),
};

/** Makes nodes whose functions get a context. */
export interface NodeMaker<C> {
  task<A extends unknown[], R>(fn: AsyncForkable<A, R>, ...args: NodesOrValues<A>): GraphNode<R>;
  task<A extends unknown[], R>(fn: (...args: [...A, C]) => R, ...args: NodesOrValues<A>): GraphNode<Awaited<R>>;
}

/** The inputs of a graph, as its builder has them. */
export type InputNodes<A extends readonly unknown[]> = { [I in keyof A]: GraphNode<A[I]> };

/** The numbers of functions in the draft: by the function, its context, and its limit. */
type Works = Map<unknown, unknown>;

/** The map at a key of another map, which makes it if there is none. */
function inner(map: Works, key: unknown): Works {
  let found = map.get(key) as Works | undefined;
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}

const nodeOf = (draft: Draft, code: number): GraphNode<never> => new Handle(draft, code) as unknown as GraphNode<never>;

/** Builds the nodes of a graph. It is valid until the function that it was given to has returned. */
export class GraphBuilder {
  readonly #draft: Draft;
  readonly #arm: number;
  readonly #works: Works;
  #isOver = false;
  /** The arm that is built now: its nodes are made with its own builder. */
  #inArm: string | undefined;

  /** @internal */
  constructor(draft: Draft, arm: number, works: Works) {
    this.#draft = draft;
    this.#arm = arm;
    this.#works = works;
  }

  /**
   * A node that calls a function, or that runs another graph.
   *
   * @param fn a function made with `forkable` or `asyncForkable`, an inline function that uses its arguments only and may be `async`, or a graph
   * @param args its arguments: nodes, whose results it takes, and values
   * @returns the node, which stands for the result
   * @throws TypeError for what is none of these, and for nodes of other graphs or of other arms
   */
  task<A extends unknown[], R>(fn: AsyncForkable<A, R>, ...args: NodesOrValues<A>): GraphNode<R>;
  task<A extends unknown[], R>(fn: TaskGraph<A, R>, ...args: NodesOrValues<A>): GraphNode<R>;
  task<A extends unknown[], R>(fn: (...args: A) => R, ...args: NodesOrValues<A>): GraphNode<Awaited<R>>;
  task(fn: unknown, ...args: unknown[]): GraphNode<never> {
    return this.#make(fn, args, {});
  }

  /**
   * Options for nodes: `g.with({ name: 'scale', context: { k } }).task((x, { k }) => k * x, xs)`.
   *
   * @param options `name`, for errors and pictures; `context`, which an inline function gets as its last argument; `limit`
   * @throws TypeError for an option that there is not, and for a wrong limit
   */
  with(options: NodeOptions<never>): Pick<GraphBuilder, 'task'>;
  with<C extends object>(options: NodeOptions<C>): NodeMaker<C>;
  with(options: NodeOptions<object>): NodeMaker<object> {
    const call = `taskGraph ${this.#draft.name}: g.with(options)`;
    readOptions(options, call, NODE_OPTIONS, { prefix: `${call}: ` });
    this.#refuseNodesIn(options.context, () => 'g.with(options): context');
    return { task: (fn: unknown, ...args: unknown[]) => this.#make(fn, args, options) };
  }

  /**
   * A node whose result is the list of the results of these nodes.
   *
   * @param nodes of this graph, in the order of the results
   */
  all<const N extends readonly GraphNode<unknown>[]>(nodes: N): GraphNode<ResultsOfNodes<N>> {
    this.#checkOpen();
    refuseRevoked(nodes, 'nodes of g.all(nodes)');
    if (!Array.isArray(nodes)) throw this.#error(`g.all(nodes) takes an array of nodes; it was given ${show(nodes)}.`);
    const codes = nodes.map((node, k) => this.#nodeCode(node, () => `nodes[${k}] of g.all()`));
    return nodeOf(this.#draft, this.#draft.node(ALL, codes, this.#arm));
  }

  /**
   * Says that a node runs after others, whose results it does not take. A graph within a graph and a `choose` are ordered as a whole: all their nodes that
   * run.
   *
   * @param node the one that runs later
   * @param others those that it waits for
   * @returns the node
   */
  after<T>(node: GraphNode<T>, ...others: readonly GraphNode<unknown>[]): GraphNode<T> {
    this.#checkOpen();
    const after = this.#nodeCode(node, () => 'the node of g.after()');
    if (after < 0) throw this.#error('g.after(): an input of the graph is there before all nodes; it cannot wait.');
    const befores = others.map((other, k) => {
      const what = (): string => `argument ${k + 2} of g.after()`;
      const before = this.#nodeCode(other, what);
      if (before === after) throw this.#error(`g.after(): '${this.#draft.nameOf(after)}' cannot wait for itself.`);
      if (before >= 0) this.#checkArm(before, this.#draft.arm[after] as number, what);
      return before;
    });
    for (const before of befores) order(this.#draft, before, after);
    return node;
  }

  /**
   * A node whose result is that of one of several arms. The nodes of the other arms do not run.
   *
   * @param key a node: its result is the name of the arm that runs
   * @param arms for each name a function that builds the arm, and returns the node whose result it has
   * @throws TypeError for an arm that is no function, or that returns no node
   */
  choose<K extends string | number | boolean, const Arms extends Readonly<Record<`${K}`, Arm>>>(
    key: GraphNode<K>,
    arms: Arms,
  ): GraphNode<Arms[keyof Arms] extends Arm<infer R> ? R : never> {
    this.#checkOpen();
    const draft = this.#draft;
    const keyCode = this.#nodeCode(key, () => 'the key of g.choose()');
    refuseRevoked(arms, 'arms of g.choose(key, arms)');
    const given = Object.entries(Object(arms)) as [string, Arm][];
    if (given.length === 0) throw this.#error('g.choose(key, arms) needs at least one arm: { name: (g) => node }.');
    const wrong = given.find(([, arm]) => typeof arm !== 'function');
    if (wrong !== undefined)
      throw this.#error(
        `the arm '${wrong[0]}' of g.choose() is ${show(wrong[1])}; it must be a function, (g) => node.`,
      );
    const choice = draft.node(SWITCH, [keyCode], this.#arm);
    const gates: number[] = [];
    const lasts: number[] = [];
    try {
      // A loop, because arms within arms lie on each other on the stack: two frames less for each.
      for (const [name, build] of given) {
        const arm = draft.newArm(this.#arm, name);
        gates.push(draft.gates[arm] as number);
        const inArm = new GraphBuilder(draft, arm, this.#works);
        this.#inArm = name;
        const last = inArm.#built(build(inArm), `the arm '${name}' of g.choose()`);
        lasts.push(draft.node(LAST, [last], arm));
      }
    } catch (error) {
      draft.failure ??= { error };
      throw error;
    } finally {
      this.#inArm = undefined;
    }
    const merge = draft.node(MERGE, [choice, ...lasts], this.#arm);
    draft.choices.set(choice, { keys: given.map(([name]) => name), gates, merge });
    return nodeOf(draft, merge);
  }

  /** @internal The code of what a builder function has returned; nothing can be built any more. */
  #built(result: unknown, what: string): number {
    this.#isOver = true;
    if (isHandle(result)) return this.#checked(result, () => `what ${what} returned`);
    throw this.#error(`${what} must return a node; it returned ${show(result)}.`);
  }

  /** @internal */
  static build(draft: Draft, fn: (g: GraphBuilder, ...inputs: never[]) => unknown): void {
    const g = new GraphBuilder(draft, NO_ARM, new Map());
    const inputs = Array.from({ length: draft.inputs }, (_, k) => nodeOf(draft, draft.input(k)) as never);
    try {
      draft.output = g.#built(fn(g, ...inputs), 'the function');
      if (draft.failure !== undefined) throw draft.failure.error;
    } catch (error) {
      throw g.#tooDeep(error) ?? error;
    }
  }

  /** Explains a stack overflow that arms have caused, each built in the one around it. */
  #tooDeep(error: unknown): Error | undefined {
    if (!/call stack|recursion/.test(String(Object(error).message))) return undefined;
    const depths: number[] = [];
    for (const around of this.#draft.around) depths.push(around === NO_ARM ? 1 : (depths[around] as number) + 1);
    const depth = depths.reduce((most, one) => Math.max(most, one), 0);
    if (depth < DEEP) return undefined;
    return new RangeError(
      `furcate: taskGraph ${this.#draft.name}: choices were nested ${depth} deep when the stack was full. Make the inner ones a graph of their own, and that a node: g.task(graph, ...args).`,
    );
  }

  #make(fn: unknown, given: readonly unknown[], options: NodeOptions<object>): GraphNode<never> {
    this.#checkOpen();
    const draft = this.#draft;
    refuseRevoked(fn, 'fn of g.task(fn, ...args)');
    const args = given.map((arg, k) =>
      isHandle(arg) ? this.#checked(arg, () => `argument ${k + 1} of ${nameOf(fn)}`) : this.#constant(arg, k, fn),
    );
    const other = draftOf(fn);
    if (other !== undefined) {
      if (other.inputs !== args.length)
        throw this.#error(
          `the graph ${other.name} has ${other.inputs} inputs, and was given ${args.length} arguments.`,
        );
      if (options.limit !== undefined)
        throw this.#error(
          `g.with({ limit }).task(graph): the nodes of the graph ${other.name} run one by one. Give the limit to those that need it.`,
        );
      if (options.context !== undefined)
        throw this.#error(
          `g.with({ context }).task(graph): the graph ${other.name} calls several functions. Give the context to those that need it, or pass its values as inputs.`,
        );
      return nodeOf(draft, draft.include(other, args, this.#arm, options.name));
    }
    if (typeof fn !== 'function')
      throw this.#error(`g.task(fn, ...args): fn must be a function or a graph; it was ${show(fn)}.`);
    const node = draft.node(this.#workOf(fn as NodeWork['fn'], options), args, this.#arm);
    if (options.name !== undefined) draft.names.set(node, options.name);
    return nodeOf(draft, node);
  }

  #workOf(fn: NodeWork['fn'], { context, limit }: NodeOptions<object>): number {
    const same = inner(inner(this.#works, fn), context) as Map<unknown, number>;
    const known = same.get(limit);
    if (known !== undefined) return known;
    const admission = admissionOf(limit, `taskGraph ${this.#draft.name}: g.with(options): limit`);
    const waits = forkKind(fn) === 'async' || asyncOrGenerator(fn) === 'an async function';
    const name = forkableName(fn) ?? (fn.name || 'anonymous');
    const work = this.#draft.works.push({ fn, name, context, waits, admission }) - 1;
    same.set(limit, work);
    return work;
  }

  #constant(value: unknown, k: number, fn: unknown): number {
    this.#refuseNodesIn(value, () => `argument ${k + 1} of ${nameOf(fn)}`);
    return this.#draft.constant(value);
  }

  /** @throws TypeError for a value with a node in it, whose result nobody would put there */
  #refuseNodesIn(value: unknown, what: () => string): void {
    const path = pathOfNode(value);
    if (path === undefined) return;
    throw this.#error(
      `${what()} is ${Array.isArray(value) ? 'an array' : 'an object'} with a node in it, at ${path}. Use g.all(nodes), a node whose result is the list of theirs, or pass each node as an argument.`,
    );
  }

  #nodeCode(node: unknown, what: () => string): number {
    if (isHandle(node)) return this.#checked(node, what);
    throw this.#error(`${what()} must be a node; it was ${show(node)}.`);
  }

  /** The code of a node that may be used here. */
  #checked({ draft, code }: Handle, what: () => string): number {
    if (draft !== this.#draft)
      throw this.#error(
        `${what()} is the node '${code < 0 ? 'input' : draft.nameOf(code)}' of another graph, ${draft.name}. Make that graph a node of this one: g.task(graph, ...args).`,
      );
    if (code >= 0) this.#checkArm(code, this.#arm, what);
    return code;
  }

  /** @throws TypeError unless a node runs whenever the nodes of an arm do */
  #checkArm(code: number, from: number, what: () => string): void {
    const draft = this.#draft;
    const inArm = draft.arm[code] as number;
    for (let arm = from; arm !== inArm; arm = draft.around[arm] as number) {
      if (arm !== NO_ARM) continue;
      throw this.#error(
        `${what()} is the node '${draft.nameOf(code)}' of the arm '${draft.armNames[inArm]}', which may not run. Return it from the arm, and use the result of g.choose().`,
      );
    }
  }

  #checkOpen(): void {
    if (this.#isOver) throw this.#error('g is of no use once the function that it was given to has returned.');
    if (this.#inArm !== undefined)
      throw this.#error(
        `g from outside of the arm '${this.#inArm}' is of no use in it: such nodes would run whichever arm is chosen. Use the parameter of the arm, (g) => node, or make the node before g.choose().`,
      );
  }

  #error(problem: string): TypeError {
    return new TypeError(`furcate: taskGraph ${this.#draft.name}: ${problem}`);
  }
}

/** A stack that is full with fewer arms in each other is full of something else. */
const DEEP = 100;

const nameOf = (fn: unknown): string => forkableName(fn) ?? ((typeof fn === 'function' && fn.name) || 'a node');
