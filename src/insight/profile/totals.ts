/** Totals of a part of a computation, by label and by region; on every thread that is observed. */
import type { JournalData } from './journal.js';
import { type Label, labelOf } from './point.js';

/** Counts of one class, function or algorithm. */
export interface Row {
  readonly label: Label;
  /** Number of its tasks that have run; of an algorithm, of its calls on a thread. */
  tasks: number;
  /** Cost of the tasks, without what they have forked. */
  work: number;
}

/** Counts of one region. */
export interface Region {
  calls: number;
  work: number;
  span: number;
}

/** An account: what a task, and all that it has forked, has cost. Plain, because it crosses threads. */
export interface ProfileAccount {
  readonly work: number;
  readonly span: number;
  readonly tasks: number;
  readonly forks: number;
  /** Number of tasks that ran apart from their forker: another thread took them, or a join that waited ran them. */
  readonly apart: number;
  readonly rows: readonly (readonly [name: string, module: string, tasks: number, work: number])[];
  readonly way: readonly (readonly [name: string, module: string, units: number])[];
  readonly regions: readonly (readonly [name: string, region: Region])[];
  /** While the clock counts; undefined if there was too much to note. */
  readonly journal: JournalData | undefined;
  readonly times: Times;
  readonly nodes: readonly RanNode[];
  /** If another thread than its forker's has run the task: when it began and ended, by the clock of all threads (us). */
  readonly stolen: { readonly fromUs: number; readonly toUs: number } | undefined;
}

/** A node of a graph that has not ended. */
export type RanNode = readonly [graph: number, node: number, name: string, cost: number];

/** Time that threads have spent beside tasks (us). */
export interface Times {
  /** Waited in joins, with nothing to help with. */
  waitUs: number;
  /** From a fork to the begin of its task on another thread: some of the times. */
  steals: number[];
  /** From the end of such a task to its join, where that waited. */
  returns: number[];
}

/** Most times that an account keeps. */
const MOST_TIMES = 200;

export class Totals {
  work = 0;
  tasks = 0;
  forks = 0;
  apart = 0;
  readonly times: Times = { waitUs: 0, steals: [], returns: [] };
  nodes: RanNode[] = [];
  readonly rows = new Map<Label, Row>();
  readonly regions = new Map<string, Region>();

  row(label: Label): Row {
    let row = this.rows.get(label);
    if (row === undefined) {
      row = { label, tasks: 0, work: 0 };
      this.rows.set(label, row);
    }
    return row;
  }

  addRegion(name: string, { calls, work, span }: Region): void {
    const region = this.regions.get(name);
    if (region === undefined) this.regions.set(name, { calls, work, span });
    else Object.assign(region, { calls: region.calls + calls, work: region.work + work, span: region.span + span });
  }

  add(account: ProfileAccount): void {
    this.work += account.work;
    this.tasks += account.tasks;
    this.forks += account.forks;
    this.apart += account.apart;
    for (const [name, module, tasks, work] of account.rows) {
      const row = this.row(labelOf(name, module));
      row.tasks += tasks;
      row.work += work;
    }
    for (const [name, region] of account.regions) this.addRegion(name, region);
    for (const node of account.nodes) this.nodes.push(node);
    const { times } = this;
    times.waitUs += account.times.waitUs;
    for (const kind of ['steals', 'returns'] as const)
      times[kind] = [...times[kind], ...account.times[kind]].slice(0, MOST_TIMES);
  }
}
