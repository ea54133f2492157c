/**
 * Strand that one thread runs without a break in the counting: a task that was taken with all that it joins in place, or a
 * coroutine.
 */
import type { Observer } from '../../core/engine.js';
import { StrandContext } from '../strand-context.js';
import type { BetweenCalls } from './between.js';
import { endOfGraph, type NodeCost } from './graph-path.js';
import { Journal } from './journal.js';
import { type Label, labelOf, later, type Point, START, stepsOf } from './point.js';
import { type ProfileAccount, Totals } from './totals.js';

type ThreadStrand = ReturnType<Observer['apart']>;
type StrandMark = ThreadStrand['mark'];

/** The thread. */
export interface RunningThread {
  /** The strand that it runs. */
  readonly now: ProfileStrand;
}

/** A node of a graph, or a call of a pipeline. */
export type ObservedNode = readonly [graph: number, node: number, name: string];

/** Of what is outside of all tasks. */
export const OUTSIDE: Label = labelOf('(outside of tasks)', '');

/** See `Mark`. */
export class ProfileMark implements StrandMark {
  account: StrandMark['account'];
  readonly #strand: ProfileStrand;
  readonly #point: Point;
  readonly #fork: number | undefined;
  #arrived: ReturnType<BetweenCalls['handed']>[1] | undefined;

  /** @param fork its number in the journal; without it, the task is forked when it has come @param arrived is told when it has */
  constructor(strand: ProfileStrand, point: Point, fork?: number, arrived?: ReturnType<BetweenCalls['handed']>[1]) {
    this.#strand = strand;
    this.#point = point;
    this.#fork = fork;
    this.#arrived = arrived;
  }

  arrive(isBeside = false): void {
    const { account } = this;
    this.account = undefined;
    this.#arrived?.((account as ProfileAccount | undefined)?.stolen, isBeside);
    this.#arrived = undefined;
    if (account !== undefined) this.#strand.add(account as ProfileAccount, this.#point, this.#fork, isBeside);
  }
}

export const contexts = new StrandContext<ProfileStrand>();

export class ProfileStrand implements ThreadStrand {
  readonly totals = new Totals();
  /** While the clock counts. */
  readonly journal: Journal | undefined;
  readonly mark: ProfileMark;
  /** If another thread than its forker's runs the task. */
  stolen: { readonly fromUs: number; toUs: number } | undefined;
  label: Label;
  point: Point = START;
  /** The latest point of what runs beside each other and has not been waited for: units of a stage. */
  beside: Point = START;
  /** Of forks, in their order; those that were joined have no account any more. */
  readonly #marks: ProfileMark[] = [];
  readonly #running: RunningThread;
  readonly #leave: () => void;
  /** Code outside of tasks: its time is not of the computation. */
  readonly isOutside: boolean;
  /** True once it runs the body of a coroutine. */
  isCoroutine = false;
  /** Nodes that a coroutine runs, each as a strand of its own, which is over when the coroutine is. */
  readonly #parts: (readonly [node: ObservedNode, part: ProfileStrand])[] = [];
  #whole: ProfileStrand | undefined;
  #row: ReturnType<Totals['row']>;

  /**
   * @param below what the thread has run before; undefined for what is outside of all tasks
   * @param leave goes on with that
   */
  constructor(
    running: RunningThread,
    below: ProfileStrand | undefined,
    label: Label,
    { isTimed, leave }: { readonly isTimed: boolean; leave(): void },
  ) {
    this.journal = isTimed ? new Journal() : undefined;
    this.#running = running;
    this.#leave = leave;
    this.isOutside = below === undefined;
    this.mark = new ProfileMark(below ?? this, below?.point ?? START);
    this.label = label;
    this.#row = this.totals.row(label);
  }

  spend(units: number): void {
    if (this.#row.label !== this.label) this.#row = this.totals.row(this.label);
    this.#row.work += units;
    this.totals.work += units;
    this.journal?.spend(units);
    this.point = this.point.plus(this.label, units);
  }

  /** A task was joined that began at a point of this strand. @param fork its number in the journal */
  add(account: ProfileAccount, from: Point, fork: number | undefined, isBeside = false): void {
    this.totals.add(account);
    this.totals.apart++;
    this.journal?.joined(fork ?? this.journal.fork(), account.journal, isBeside);
    let end = from;
    for (const [name, module, units] of account.way) end = end.plus(labelOf(name, module), units);
    if (isBeside) this.beside = later(this.beside, end);
    else this.point = later(this.point, end);
  }

  /** All that ran beside each other has been waited for. */
  meet(): void {
    this.point = later(this.point, this.beside);
    this.beside = START;
  }

  /** Makes the strand of a node that this coroutine runs. */
  part(node: ObservedNode, leave: () => void): ProfileStrand {
    const label = labelOf(node[2], '');
    const part = new ProfileStrand(this.#running, this, label, { isTimed: false, leave });
    part.#whole = this;
    part.totals.row(label).tasks++;
    this.#parts.push([node, part]);
    return part;
  }

  /** The nodes are over: they count, and `graphEnded` says where on the way. */
  #partsEnd(): void {
    for (const [[graph, node, name], part] of this.#parts.splice(0)) {
      const account = part.account();
      const { work, span } = account;
      const place = this.journal?.place();
      this.totals.add(account);
      this.totals.nodes.push([graph, node, name, span]);
      if (place !== undefined) this.journal?.units(place, part.label, node, node + 1, work, span);
    }
  }

  /** All nodes of a graph have come here. @param from where it began */
  graphEnds(graph: number, edges: Iterable<readonly [before: number, after: number]>, from = this.point): void {
    const { totals, journal } = this;
    const nodes = new Map<number, NodeCost>();
    for (const [of, node, name, cost] of totals.nodes)
      if (of === graph) nodes.set(node, { label: labelOf(name, ''), cost });
    totals.nodes = totals.nodes.filter(([of]) => of !== graph);
    const all = [...edges];
    this.point = later(this.point, endOfGraph(from, nodes, all));
    for (const [before, after] of all) journal?.edge(before, after);
    journal?.meet();
  }

  fork(): StrandMark {
    const part = contexts.here(this.#running.now);
    if (part !== undefined && part.#whole === this) return part.fork();
    const mark = new ProfileMark(this, this.point, this.journal?.fork());
    this.#marks.push(mark);
    this.totals.forks++;
    return mark;
  }

  run<R>(body: () => R): R {
    this.isCoroutine = true;
    return contexts.run(this, body);
  }

  leave(): void {
    this.#leave();
    this.meet();
  }

  account(): ProfileAccount {
    for (const mark of this.#marks.splice(0)) mark.arrive();
    this.meet();
    this.#partsEnd();
    const { work, tasks, forks, apart, rows, regions, times, nodes } = this.totals;
    return {
      work,
      span: this.point.cost,
      tasks,
      forks,
      apart,
      rows: [...rows.values()].map(({ label, tasks, work }) => [label.name, label.module, tasks, work]),
      way: stepsOf(this.point.way).map(({ label, units }) => [label.name, label.module, units]),
      regions: [...regions],
      journal: this.journal?.data(),
      times,
      nodes,
      stolen: this.isCoroutine ? undefined : this.stolen, // whose end nobody has noted
    };
  }
}
