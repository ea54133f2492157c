/** `taskGraph`, and what it gives; runs on the thread that calls. */
import {
  beginCall,
  CALL_OPTIONS,
  Call,
  type Callee,
  type CallJob,
  copyData,
  forkKind,
  shipContext,
  shipFunction,
} from '../../core/engine.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { ofType, readOptions } from '../../core/options.js';
import { GraphBuilder, type GraphNode, type InputNodes } from './builder.js';
import { dotOf } from './dot.js';
import { Draft, isApart, mergesOf, type NodeWork, provideDraft } from './draft.js';
import { type GraphFailure, graphFailure } from './failure.js';
import type { GraphRunner, RunOptions, TaskGraph, TaskGraphOptions } from './graph.js';
import { pathOfNode } from './handle.js';
import { GRAPH, graphRoot, graphSteps } from './lane.js';
import type { PartialOutcome } from './results.js';
import { type RunSpec, type ShippedWork, wordsOf } from './run.js';
import { type Topology, topologyOf } from './topology.js';
import { type Admissions, runWaiting } from './waiting-run.js';

const CALLEES = { promise: 'graph.run', sync: 'graph.runSync' } as const;
const calleeOf = (form: 'promise' | 'sync'): Callee => ({ form, name: CALLEES[form], names: CALLEES });

const MAKING = 'taskGraph(build, options)';
const GRAPH_OPTIONS = { name: ofType<string>('string') };
const RUNNING = 'graph.with(options)';
const RUN_OPTIONS = {
  ...CALL_OPTIONS,
  stopOnError: ofType<boolean>('boolean'),
  partial: ofType<boolean>('boolean'),
  onProgress: ofType<(done: number, total: number) => void>('function'),
};

/** Parts of a graph that do not change from run to run. */
interface CompiledGraph {
  readonly topology: Topology;
  readonly works: readonly ShippedWork[];
  readonly choices: RunSpec['choices'];
  readonly admissions: Admissions;
}

class Graph<A extends readonly unknown[], R> implements TaskGraph<A, R> {
  readonly #draft: Draft;
  readonly #topology: Topology;
  #compiled: CompiledGraph | undefined;

  constructor(draft: Draft) {
    this.#draft = draft;
    this.#topology = topologyOf(draft);
    provideDraft(this, draft);
    this.run = this.run.bind(this);
    this.runSync = this.runSync.bind(this);
  }

  get name(): string {
    return this.#draft.name;
  }

  get size(): number {
    return this.#draft.size;
  }

  get isAsync(): boolean {
    return this.#draft.waits;
  }

  run(...args: A): Promise<R> {
    return this.#run(args, {});
  }

  runSync(...args: A): R {
    return this.#runSync(args, {});
  }

  with(options: RunOptions): GraphRunner<A, R> {
    const given: RunOptions = readOptions(options, RUNNING, RUN_OPTIONS, { prefix: `${RUNNING}: ` });
    return {
      run: (...args) => this.#run(args, given),
      runSync: (...args) => this.#runSync(args, given),
    };
  }

  toDot(): string {
    return dotOf(this.#draft);
  }

  #run(args: A, options: RunOptions): Promise<R> {
    return beginCall(CALLEES.promise, options, this.run, (leaving) => this.#begin(args, options, leaving)).promise;
  }

  async #begin(args: A, options: RunOptions, leaving: () => void): Promise<R> {
    const call = Call.admit(options, calleeOf('promise')).with({ called: undefined }); // its tasks are called after their nodes
    const spec = this.#specOf('promise', args, call, options);
    call.startEarly();
    leaving();
    const result = this.#draft.waits
      ? await runWaiting(call, spec, (this.#compiled as CompiledGraph).admissions, spec.counts ? this.#steps : 0)
      : await this.#jobOf(spec, call).run();
    return resultOf(spec, result);
  }

  #runSync(args: A, options: RunOptions): R {
    const { name, works, waits } = this.#draft;
    if (waits) {
      const first = works.find(isApart) as NodeWork;
      const kind = first.waits ? 'asynchronous nodes' : 'nodes with limits';
      throw new Error(
        `furcate: graph.runSync(): the graph ${name} has ${kind} (${first.name}), and a call that blocks cannot await them. Use await graph.run().`,
      );
    }
    const call = Call.admit(options, calleeOf('sync'));
    const spec = this.#specOf('sync', args, call, options);
    return resultOf(spec, this.#jobOf(spec, call).runSync());
  }

  #specOf(form: keyof typeof CALLEES, args: A, call: Call, options: RunOptions): RunSpec {
    const draft = this.#draft;
    const { name, inputs } = draft;
    if (args.length !== inputs)
      throw new TypeError(
        `furcate: ${CALLEES[form]}(): the graph ${name} takes ${inputs} inputs, the parameters of its function after g; it was given ${args.length}.`,
      );
    this.#compiled ??= compile(draft, this.#topology);
    const constants = draft.constants.map((value, k) => (k < inputs ? args[k] : value));
    const copy = copyConstants(draft, constants);
    const { works, topology, choices } = this.#compiled;
    const codes = new Set([
      ...works.flatMap(({ ship, context }) => [ship.code, ...(context?.codes ?? [])]),
      ...copy.codes,
    ]);
    return {
      topology,
      works,
      choices,
      name,
      constants: copy.data,
      names: draft.names,
      output: draft.output,
      stopOnError: options.stopOnError === true,
      partial: options.partial === true,
      counts: options.onProgress !== undefined,
      parallelism: call.parallelism,
      codes: { codes: [...codes] },
    };
  }

  /** Number of nodes that call functions. */
  get #steps(): number {
    return this.#draft.work.reduce((count, work) => count + (work >= 0 ? 1 : 0), 0);
  }

  #jobOf(spec: RunSpec, call: Call): CallJob<unknown> {
    const total = spec.counts ? this.#steps : 0;
    const sharedWords = wordsOf(this.size);
    return call.job({ total, kind: GRAPH, spec, root: graphRoot, steps: graphSteps, from: 0, sharedWords });
  }
}

/** Result of a run for its caller, from what its root has told. @throws GraphFailure */
function resultOf<R>({ partial, name }: RunSpec, told: unknown): R {
  if (!partial) return told as R;
  const { value, node, errors, results } = told as PartialOutcome;
  if (errors === undefined) return value as R;
  throw graphFailure(name, { node, errors, results } as GraphFailure);
}

/** @throws NotShareableError that names the input, or the argument of a node */
function copyConstants(draft: Draft, constants: readonly unknown[]): ReturnType<typeof copyData> {
  try {
    return copyData(constants, '');
  } catch (error) {
    for (const [k, value] of constants.entries()) {
      const path = pathOfNode(value);
      if (path !== undefined)
        throw new TypeError(
          `furcate: ${draft.nameOfConstant(k)} ${path === '' ? 'is' : `has, at ${path},`} a node of a graph. A run takes values: give the graph an input, or a node that makes the value.`,
        );
      copyData(value, draft.nameOfConstant(k));
    }
    throw error;
  }
}

function compile(draft: Draft, topology: Topology): CompiledGraph {
  const works = draft.works.map(({ fn, name, context, waits, admission }) => ({
    ship: shipFunction(fn, `the function ${name} of taskGraph ${draft.name}`, { mayAwait: waits }),
    name,
    context: context && shipContext(context, 'context'),
    isApart: waits || admission !== undefined,
    waits,
    takesScope: forkKind(fn) === 'async',
  }));
  const choices = new Map(
    [...draft.choices].map(([node, choice]) => [node, [choice.keys, choice.gates, mergesOf(choice)]] as const),
  );
  return { topology, works, choices, admissions: draft.works.map(({ admission }) => admission) };
}

/**
 * Makes a graph of tasks: each node runs when the nodes whose results it takes are done.
 *
 * @param build makes the nodes by `g`, and returns the node whose result the graph has. Its other parameters are the inputs: nodes
 *   that stand for the values of a run. It is called once, at once
 * @param options `name`
 * @returns a graph, which can be run any number of times, also at the same time
 * @throws TypeError that names the nodes, for a graph that cannot run: with nodes of other graphs, nodes that wait for each other, arms that return no
 *   node
 * @remarks Cost: 0.1 to 0.2 us a node whose arguments and result are numbers; where a result is an object that another thread takes, some us more.
 * @example
 * const area = taskGraph<[a: number, b: number], number>((g, a, b) => {
 *   const product = g.task((x: number, y: number) => x * y, a, b);
 *   return g.task(Math.sqrt as (x: number) => number, product);
 * });
 */
export function taskGraph<A extends readonly unknown[] = [], R = unknown>(
  build: (g: GraphBuilder, ...inputs: InputNodes<A>) => GraphNode<R>,
  options?: TaskGraphOptions,
): TaskGraph<A, R>;
// Second, for inputs without types: a function that has none would fit here, too.
export function taskGraph<R>(
  build: (g: GraphBuilder, ...inputs: GraphNode<never>[]) => GraphNode<R>,
  options?: TaskGraphOptions,
): TaskGraph<unknown[], R>;
export function taskGraph<R>(
  build: (g: GraphBuilder, ...inputs: never[]) => GraphNode<R>,
  options: TaskGraphOptions = {},
): TaskGraph<never, R> {
  refuseRevoked(build, 'build of taskGraph(build)');
  if (typeof build !== 'function')
    throw new TypeError(
      `furcate: taskGraph(build): build must be a function, (g, ...inputs) => node; it was ${show(build)}.`,
    );
  const { name = build.name || 'anonymous' } = readOptions(options, MAKING, GRAPH_OPTIONS, { prefix: `${MAKING}: ` });
  const draft = new Draft(name, Math.max(0, build.length - 1));
  GraphBuilder.build(draft, build as never);
  return new Graph<never, R>(draft);
}
