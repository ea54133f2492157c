/**
 * One run of a graph, as a thread has it: the shared words of its job, and what this thread has made of its specification.
 *
 * ```
 *   word 0 ..      BLOBS     whether any result lies on the heap
 *                  FAILED    whether any node has failed
 *                  STOPPED   whether nodes that have not begun are skipped
 *                  UNWIND    whether all lanes but the root end (lane.ts)
 *                  TOKENS    how many chains of ready nodes were offered
 *                  GROUP     the tag of the memory where results lie, if any does
 *   HEADER ..      for each node, in one cache line:
 *                  result    a double, or the place of its bytes (two words)
 *                  count     how many nodes it still waits for; FAILED_BEFORE is added if one of them has no result
 *                  state     once it is done, one of the constants below; while it is ready, the next one in its chain
 *   then           uses      of each result on the heap: how many nodes will still take it
 * ```
 *
 * | word             | written by                                                     | read by             | access |
 * | ---------------- | -------------------------------------------------------------- | ------------------- | ------ |
 * | `result`, `state` | the thread that runs the node, before it counts its successors down | successors, the root | plain, published by R1 |
 * | `state` as a link | the thread that makes a chain                                  | the thread that takes it | plain, published with the task that carries the chain |
 * | `count`          | the threads that finish predecessors                           | the same            | atomic (R1); plain while one thread has all nodes, if there is one predecessor, or as a hint |
 * | `uses`           | the thread that runs the node; then those that take the result | the same            | atomic |
 * | the header       | all                                                            | all                 | atomic; `FAILED`, `STOPPED`, `UNWIND` plain as hints |
 *
 * R1 stands in readiness.ts.
 */
import {
  compiled,
  endPiece,
  explainThrown,
  isChecked,
  jobWords,
  openContext,
  openData,
  type ShippedContext,
  type ShippedFunction,
} from '../../core/engine.js';
import { constantOf, isNumberCode } from './draft.js';
import { sizeOf, type Topology, workOf } from './topology.js';

/** States of nodes. */
export const NOT_DONE = 0;
export const NUMBER = -1;
export const UNDEFINED = -2;
export const NULL = -3;
export const TRUE = -4;
export const FALSE = -5;
/** The result is in `values` of the thread that has made it, and nowhere else. */
export const LOCAL = -6;
/** The result is on the heap, as bytes. */
export const PACKED = -7;
/** It was on the heap, until the last node took it. */
export const FREED = -8;
/** The node has failed, and what it threw is on the heap. */
export const FAILED = -9;
export const SKIPPED = -10;
/** Its function has been called, and has not ended. Nobody reads that but whoever names what ran when a worker died. */
export const RUNNING = -11;

export const W_BLOBS = 0;
export const W_FAILED = 1;
export const W_STOPPED = 2;
export const W_UNWIND = 3;
export const W_TOKENS = 4;
export const W_GROUP = 5;
/** Two cache lines, so that the doubles after it are aligned. */
const HEADER_WORDS = 32;
/** Words of a node, as a shift. */
const NODE_SHIFT = 2;
const N_COUNT = 2;
const N_STATE = 3;

/** Position of a node's count in `nodes`. */
export const countAt = (node: number): number => (node << NODE_SHIFT) + N_COUNT;
export const stateOf = ({ nodes }: RunWords, node: number): number => nodes[(node << NODE_SHIFT) + N_STATE] as number;
export const resultOf = ({ results }: RunWords, node: number): number => results[node << 1] as number;
export function setState({ nodes }: RunWords, node: number, state: number): void {
  nodes[(node << NODE_SHIFT) + N_STATE] = state;
}
export function setResult({ results }: RunWords, node: number, result: number): void {
  results[node << 1] = result;
}

/** Number of shared words that a run needs. */
export const wordsOf = (nodes: number): number => HEADER_WORDS + 5 * nodes;

/** A function of the graph, ready to travel. */
export interface ShippedWork {
  readonly ship: ShippedFunction;
  readonly name: string;
  readonly context: ShippedContext | undefined;
  /** True if each node is a task of its own, which the dispatcher starts: because it is asynchronous, or has a limit. */
  readonly isApart: boolean;
  /** True if it is asynchronous. */
  readonly waits: boolean;
  /** True if it is called with the scope of its task. */
  readonly takesScope: boolean;
}

/** Description of a choice for threads. */
export type OpenChoice = readonly [keys: readonly string[], gates: readonly number[], merges: readonly number[]];

/** Description of a run for threads. */
export interface RunSpec {
  readonly name: string;
  readonly topology: Topology;
  readonly works: readonly ShippedWork[];
  /** Constants that are no numbers, as copies; the inputs of the run come first. */
  readonly constants: unknown;
  /** Keys, gates and merges by switch. */
  readonly choices: ReadonlyMap<number, OpenChoice>;
  /** The names of nodes that have one of their own. */
  readonly names: ReadonlyMap<number, string>;
  readonly output: number;
  readonly stopOnError: boolean;
  /** True if all results are kept, for a run that fails. */
  readonly partial: boolean;
  /** True if steps are counted as they are done. */
  readonly counts: boolean;
  readonly parallelism: number;
  /** All code that a thread needs. */
  readonly codes: { readonly codes: readonly number[] };
}

/** A function, as this thread calls it. */
interface OpenWork {
  readonly fn: (...args: unknown[]) => unknown;
  readonly name: string;
  readonly ship: ShippedContext | undefined;
  readonly context: object | undefined;
  readonly waits: boolean;
  readonly takesScope: boolean;
}

/** The shared words of a run: all that the thread needs that only says which nodes run where. */
export class RunWords {
  readonly spec: RunSpec;
  readonly topology: Topology;
  readonly size: number;
  readonly job: number;
  readonly words: Int32Array;
  /** `count` and `state` of each node, beside its result. */
  readonly nodes: Int32Array;
  /** The same words as doubles. */
  readonly results: Float64Array;
  readonly uses: Int32Array;

  constructor(spec: RunSpec, job: number) {
    this.spec = spec;
    this.job = job;
    this.topology = spec.topology;
    const size = sizeOf(spec.topology);
    this.size = size;
    const words = jobWords(job);
    this.words = words;
    const end = HEADER_WORDS + (size << NODE_SHIFT);
    this.nodes = words.subarray(HEADER_WORDS, end);
    this.results = new Float64Array(words.buffer, words.byteOffset + 4 * HEADER_WORDS, 2 * size);
    this.uses = words.subarray(end, end + size);
  }

  nameOf(node: number): string {
    const own = this.spec.names.get(node);
    if (own !== undefined) return own;
    const work = workOf(this.topology, node);
    return work < 0 ? `choose#${node}` : `${(this.spec.works[work] as ShippedWork).name}#${node}`;
  }

  /** The name of a node, or else of its function. */
  functionOf(node: number): string {
    return this.spec.names.get(node) ?? (this.spec.works[workOf(this.topology, node)] as ShippedWork).name;
  }

  /** Writes what all threads expect before any node runs. */
  begin(): void {
    this.words.fill(0, 0, HEADER_WORDS); // plain, as the next two: nothing is forked yet
    const { waitsFor } = this.topology;
    for (let node = 0; node < this.size; node++) {
      this.nodes[countAt(node)] = waitsFor[node] as number;
      setState(this, node, NOT_DONE);
    }
  }
}

/** Most nodes that an error names. */
const MOST_NAMES = 5;

/**
 * Name of a run for error messages: by the nodes that run in it, or else by the one whose result it has. Plain reads: whoever wrote has ended, or this
 * thread has.
 */
export function nameOfRun(run: RunWords): string {
  const { spec, size } = run;
  const running = Array.from({ length: size }, (_, node) => node).filter((node) => stateOf(run, node) === RUNNING);
  const names = running.slice(0, MOST_NAMES).map((node) => `'${run.nameOf(node)}'`);
  const more = running.length - names.length;
  if (names.length > 0)
    return `node${running.length > 1 ? 's' : ''} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} of taskGraph ${spec.name}`;
  const isDone = spec.output >= 0 && stateOf(run, spec.output) < NOT_DONE;
  return isDone
    ? `node '${run.nameOf(spec.output)}', which is that of taskGraph ${spec.name}`
    : `taskGraph ${spec.name}`;
}

/** Returns true if a node runs as a task of its own, which the dispatcher starts. */
export function isApart({ topology, spec }: RunWords, node: number): boolean {
  const work = workOf(topology, node);
  return work >= 0 && (spec.works[work] as ShippedWork).isApart;
}

/** Returns true if nodes that have not begun are to be skipped. Plain: a hint, asked once a node. */
export const isStopped = ({ words }: RunWords): boolean => words[W_STOPPED] !== 0;

/** A run on a thread that runs its nodes. */
export class GraphRun extends RunWords {
  readonly works: readonly OpenWork[];
  readonly constants: readonly unknown[];
  /** Results that this thread has as objects. */
  readonly values = new Map<number, unknown>();
  /** Number of entries that `values` may have before it is looked through for results that nobody needs. */
  room = 64;
  /** The thread's ready nodes, newest last: positions from `first` to `top`. The complement of a node stands for one that is to be skipped. */
  ready = new Int32Array(64);
  first = 0;
  top = 0;
  /** Number of lanes of this run on the thread's stack. */
  depth = 0;
  /** The chain that a lane takes back by its join. */
  taking = -1;
  /** True if no other thread has nodes of this run, so that results need not be packed. */
  isAlone = false;
  readonly checked = isChecked();
  /** True if each result is packed at once. */
  readonly packsAll: boolean;

  constructor(spec: RunSpec, job: number) {
    super(spec, job);
    this.packsAll = this.checked || spec.partial;
    this.works = spec.works.map(({ ship, name, context, waits, takesScope }) => ({
      fn: compiled(ship) as OpenWork['fn'],
      name,
      ship: context,
      context: context && openContext(context),
      waits,
      takesScope,
    }));
    const constants = openData(spec.constants) as unknown[];
    this.constants = this.checked ? constants.map(frozen) : constants;
  }

  constant(code: number): unknown {
    const k = constantOf(code);
    return isNumberCode(code) ? normal(this.topology.numbers[k] as number) : this.constants[k];
  }

  /** Explains what a function threw, as the program should see it; and what it did to its context. */
  explain(error: unknown, { name, ship }: OpenWork): unknown {
    return explainThrown(error, `node '${name}' of taskGraph ${this.spec.name}`, ship);
  }

  endPiece({ name, ship }: OpenWork): void {
    endPiece(ship, `node '${name}' of taskGraph ${this.spec.name}`, false);
  }
}

/** Integers are integers for V8, too: a double in their place would be an object. */
export const normal = (x: number): number => {
  const i = x | 0;
  return i === x && (i !== 0 || 1 / x > 0) ? i : x;
};

/** A value that nobody can write to any more, as far as the language allows. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of value instanceof Map || value instanceof Set ? value.keys() : Object.values(value)) frozen(part);
  if (value instanceof Map) for (const part of value.values()) frozen(part);
  return value;
}
