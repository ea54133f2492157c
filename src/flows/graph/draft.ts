/**
 * A graph while it is built: its nodes as columns of numbers, because a graph may have a million of them; runs on the thread that builds.
 *
 * An argument of a node is a *code*: the number of another node, or a negative number that stands for a constant. Inputs of the graph are
 * its first constants. Each run gives them other values.
 */
import type { Admission } from '../limit/admission.js';

/** Kind of a node that does not call a function: `work` holds one of these, or the number of its function. */
export const ALL = -1;
/** Looks which arm of a `choose` is chosen. */
export const SWITCH = -2;
/** Stands before the nodes of an arm, which wait until it is chosen. */
export const GATE = -3;
/**
 * The result of a `choose`: that of the arm that was chosen. Its arguments are the switch, and a `LAST` for each arm. A second one may stand for the
 * end of the `choose` (after.ts).
 */
export const MERGE = -4;
/** The result of an arm, or its end; and the result of a graph within a graph, if that is an input or a constant. */
export const LAST = -5;

/** Nodes that stand in no arm. */
export const NO_ARM = -1;

/** Function that nodes call. */
export interface NodeWork {
  readonly fn: (...args: never[]) => unknown;
  readonly name: string;
  readonly context: object | undefined;
  /** True if it is asynchronous. */
  readonly waits: boolean;
  /** Permits that each of its nodes has to wait for. */
  readonly admission: Admission | undefined;
}

/** Returns true if nodes with this function wait for anything but other nodes. */
export const isApart = ({ waits, admission }: NodeWork): boolean => waits || admission !== undefined;

/** Parts of a `choose`. */
export interface Choice {
  readonly keys: readonly string[];
  /** The `GATE` of each arm. */
  readonly gates: readonly number[];
  readonly merge: number;
  /** The `MERGE` that comes after all nodes of the arm that was chosen, if anything was ordered after the choice. */
  end?: number;
}

/** Nodes that wait for the arm of a choice that was chosen. */
export const mergesOf = ({ merge, end }: Choice): number[] => (end === undefined ? [merge] : [merge, end]);

/** A graph within a graph: nodes from `first` to before `end`. */
export interface Subgraph {
  readonly first: number;
  readonly end: number;
}

/** The code of a constant. Numbers have a list of their own. */
const codeOf = (index: number, isNumber: boolean): number => ~(2 * index + (isNumber ? 1 : 0));
export const isNumberCode = (code: number): boolean => (~code & 1) === 1;
export const constantOf = (code: number): number => ~code >> 1;

export class Draft {
  readonly name: string;
  readonly inputs: number;
  readonly works: NodeWork[] = [];
  /** The columns: what each node does, where its arguments end, and the arm that it belongs to. */
  readonly work: number[] = [];
  readonly argEnd: number[] = [];
  readonly arm: number[] = [];
  /** The arguments of all nodes. */
  readonly args: number[] = [];
  /**
   * Pairs: the first of two nodes runs before the second. The first may be an input: a value, which is there before all nodes; or, where this graph is
   * part of another one, a node of that.
   */
  readonly order: number[] = [];
  /** The names of nodes that have one of their own. */
  readonly names = new Map<number, string>();
  readonly constants: unknown[] = [];
  readonly numbers: number[] = [];
  /** By their switches. */
  readonly choices = new Map<number, Choice>();
  /** The nodes of graphs within this one, by the nodes that stand for them: their results. */
  readonly subgraphs = new Map<number, Subgraph>();
  /** The arm around each arm. */
  readonly around: number[] = [];
  /** The name of each arm. */
  readonly armNames: string[] = [];
  /** The gate of each arm. */
  readonly gates: number[] = [];
  /** Reason why an arm could not be built. A builder that catches that cannot go on: its choice is half made. */
  failure: { readonly error: unknown } | undefined;
  output = 0;
  readonly #numberCodes = new Map<number, number>();

  constructor(name: string, inputs: number) {
    this.name = name;
    this.inputs = inputs;
    for (let k = 0; k < inputs; k++) this.constants.push(undefined);
  }

  get size(): number {
    return this.work.length;
  }

  /** True if nodes run apart: because they are asynchronous, or have limits. */
  get waits(): boolean {
    return this.works.some(isApart);
  }

  input(k: number): number {
    return codeOf(k, false);
  }

  constant(value: unknown): number {
    if (typeof value !== 'number') return codeOf(this.constants.push(value) - 1, false);
    const known = this.#numberCodes.get(value);
    if (known !== undefined && Object.is(this.numbers[constantOf(known)], value)) return known;
    const code = codeOf(this.numbers.push(value) - 1, true);
    if (this.#numberCodes.size < 65_536) this.#numberCodes.set(value, code);
    return code;
  }

  node(work: number, args: readonly number[], arm: number): number {
    for (let k = 0; k < args.length; k++) this.args.push(args[k] as number);
    this.argEnd.push(this.args.length);
    this.arm.push(arm);
    return this.work.push(work) - 1;
  }

  newArm(around: number, name: string): number {
    const gate = this.node(GATE, [], around);
    this.gates.push(gate);
    this.armNames.push(name);
    return this.around.push(around) - 1;
  }

  argsOf(node: number): number[] {
    return this.args.slice(node === 0 ? 0 : this.argEnd[node - 1], this.argEnd[node]);
  }

  /** Calls `edge` for each pair of nodes of which the first runs before the second, without having a result that it takes. */
  eachOrder(edge: (before: number, after: number) => void): void {
    for (let k = 0; k < this.order.length; k += 2) {
      const before = this.order[k] as number;
      if (before >= 0) edge(before, this.order[k + 1] as number);
    }
  }

  /** The switch of a `choose`, by its result; undefined for any other node. */
  switchOf(node: number): number | undefined {
    return this.work[node] === MERGE ? this.args[this.argEnd[node - 1] as number] : undefined;
  }

  /** Name of a node in errors and pictures. */
  nameOf(node: number): string {
    const own = this.names.get(node);
    if (own !== undefined) return own;
    const work = this.work[node] as number;
    const kind = { [ALL]: 'all', [SWITCH]: 'choose', [GATE]: 'arm', [MERGE]: 'chosen', [LAST]: 'result' }[work];
    return `${kind ?? (this.works[work] as NodeWork).name}#${node}`;
  }

  /** Name for error messages of a constant that is no number. */
  nameOfConstant(k: number): string {
    if (k < this.inputs) return `taskGraph ${this.name}: input ${k + 1}`;
    const at = this.args.indexOf(codeOf(k, false));
    const node = this.argEnd.findIndex((end) => end > at);
    if (at < 0) return `taskGraph ${this.name}: a constant`;
    const from = node === 0 ? 0 : (this.argEnd[node - 1] as number);
    return `taskGraph ${this.name}: argument ${at - from + 1} of node '${this.nameOf(node)}'`;
  }

  /**
   * Puts all nodes of another graph into this one.
   *
   * @param given the codes of its inputs
   * @param name what stands before the names of its nodes
   * @returns its result, which is a node of its own
   */
  include(other: Draft, given: readonly number[], arm: number, name: string | undefined): number {
    const prefix = name === undefined ? '' : `${name}.`;
    const works = other.works.map((work) => this.works.push({ ...work, name: prefix + work.name }) - 1);
    const first = this.size;
    const firstArm = this.around.length;
    const constants = other.constants.map((value, k) => (k < other.inputs ? given[k] : this.constant(value)) as number);
    const numbers = other.numbers.map((value) => this.constant(value));
    const here = (code: number): number =>
      code >= 0 ? first + code : ((isNumberCode(code) ? numbers : constants)[constantOf(code)] as number);
    const armHere = (a: number): number => (a === NO_ARM ? arm : firstArm + a);
    for (let node = 0; node < other.size; node++) {
      const work = other.work[node] as number;
      this.node(
        work < 0 ? work : (works[work] as number),
        other.argsOf(node).map(here),
        armHere(other.arm[node] as number),
      );
    }
    for (const code of other.order) this.order.push(here(code));
    for (const [node, { keys, gates, merge, end }] of other.choices) {
      const choice: Choice = { keys, gates: gates.map((gate) => first + gate), merge: first + merge };
      if (end !== undefined) choice.end = first + end;
      this.choices.set(first + node, choice);
      if (name !== undefined) this.names.set(first + node, prefix + this.nameOf(first + node));
    }
    for (const [node, own] of other.names) this.names.set(first + node, `${name ?? other.name}.${own}`);
    for (const [a, around] of other.around.entries()) {
      this.around.push(armHere(around));
      this.armNames.push(other.armNames[a] as string);
      this.gates.push(first + (other.gates[a] as number));
    }
    const result = here(other.output);
    const code = result < first ? this.node(LAST, [result], arm) : result;
    this.subgraphs.set(code, { first, end: this.size });
    return code;
  }
}

const drafts = new WeakMap<object, Draft>();

/** To be called by the constructor of a graph. */
export const provideDraft = (graph: object, draft: Draft): void => void drafts.set(graph, draft);

/** The nodes of a graph; undefined for any other value. */
export const draftOf = (value: unknown): Draft | undefined => drafts.get(Object(value) as object);
