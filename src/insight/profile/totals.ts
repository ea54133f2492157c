/** What was counted of a part of a computation, by label and by region; on every thread that is observed. */
import type { Label } from './point.js';

/** Counts of one class, function or algorithm. */
export interface Row {
  readonly label: Label;
  /** How many of its tasks have run; of an algorithm, how many of its calls on a thread. */
  tasks: number;
  /** What they have cost, without what they have forked. */
  work: number;
}

/** Counts of one region. */
export interface Region {
  calls: number;
  work: number;
  span: number;
}

/** Something that a thread has done for some time: what begins within another one of its thread ends within it. */
export type TimelineSlice = readonly [thread: string, name: string, kind: SliceKind, startUs: number, us: number];

/** A task that ran apart, a task in the place of its join, a chunk of an algorithm, a join that waits; something that takes no time. */
export type SliceKind = 'apart' | 'task' | 'units' | 'wait' | 'event';

/** Most slices of an account. */
export const MOST_SLICES = 100_000;

/** An account: what a task, and all that it has forked, has cost. Plain, because it crosses threads. */
export interface ProfileAccount {
  readonly work: number;
  readonly span: number;
  readonly tasks: number;
  readonly forks: number;
  /** How many tasks ran apart from their forker: another thread took them, or a join that waited ran them. */
  readonly apart: number;
  readonly rows: readonly (readonly [name: string, module: string, tasks: number, work: number])[];
  readonly way: readonly (readonly [name: string, module: string, units: number])[];
  readonly regions: readonly (readonly [name: string, region: Region])[];
  readonly slices: readonly TimelineSlice[];
  /** Slices for which there was no room. */
  readonly dropped: number;
}

const labels = new Map<string, Label>();

export function labelOf(name: string, module: string): Label {
  const key = `${module} ${name}`;
  let label = labels.get(key);
  if (label === undefined) {
    label = { name, module };
    labels.set(key, label);
  }
  return label;
}

export class Totals {
  work = 0;
  tasks = 0;
  forks = 0;
  apart = 0;
  readonly rows = new Map<Label, Row>();
  readonly regions = new Map<string, Region>();

  readonly slices: TimelineSlice[] = [];
  dropped = 0;

  addSlice(slice: TimelineSlice): void {
    if (this.slices.length < MOST_SLICES) this.slices.push(slice);
    else this.dropped++;
  }

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
    this.apart += account.apart + 1;
    for (const [name, module, tasks, work] of account.rows) {
      const row = this.row(labelOf(name, module));
      row.tasks += tasks;
      row.work += work;
    }
    for (const [name, region] of account.regions) this.addRegion(name, region);
    for (const slice of account.slices) this.addSlice(slice);
    this.dropped += account.dropped;
  }
}
