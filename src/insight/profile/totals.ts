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
  }
}
