/** Cost of tasks with all threads of a pool beside their cost on one of them; on the thread that called `profile`. */
import { type Label, labelOf } from './point.js';
import type { ProfileAccount } from './totals.js';
import type { Usage } from './usage.js';

/** Runs on one thread take about this part of the time of the others, but for the first of them. */
const PART_ALONE = 0.25;

interface ComparedRun {
  readonly account: Pick<ProfileAccount, 'rows' | 'times' | 'work'>;
  readonly usage: Usage;
}

/** Cost of a task, or of a unit of an algorithm (us of processor time). */
export interface Inflated {
  readonly together: number;
  readonly alone: number;
}

const sum = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Checks whether a run on one thread is due, after some runs with all threads. */
export function isAloneDue(runs: readonly ComparedRun[], alone: readonly ComparedRun[]): boolean {
  if (!runs.every(({ usage }) => usage.threads > usage.pools)) return false; // one thread has run them
  const wallUs = (of: readonly ComparedRun[]): number => sum(of.map(({ usage }) => usage.wallUs));
  return wallUs(alone) <= PART_ALONE * wallUs(runs);
}

/**
 * The part of the time of its tasks for which the threads had a processor, where other programs want them, too. 1 where the runtime does not tell. A mean of
 * all runs, as the costs are: the product is the time of processors.
 */
function shareOf(runs: readonly ComparedRun[]): number {
  const neededUs = sum(runs.map(({ usage, account }) => usage.busyUs - account.times.waitUs));
  const hadUs = sum(runs.map(({ usage }) => usage.cpuUs ?? Number.POSITIVE_INFINITY));
  return neededUs <= 0 ? 1 : Math.min(1, hadUs / neededUs);
}

/** Costs of a task of each label in the runs that have some: in each of them, and on average. */
function costsOf(runs: readonly ComparedRun[]): Map<Label, { readonly ofRuns: number[]; readonly mean: number }> {
  const all = new Map<Label, { tasks: number; work: number; ofRuns: number[] }>();
  for (const { account } of runs)
    for (const [name, module, tasks, work] of account.rows) {
      if (tasks === 0) continue;
      const label = labelOf(name, module);
      const row = all.get(label) ?? { tasks: 0, work: 0, ofRuns: [] };
      all.set(label, { tasks: row.tasks + tasks, work: row.work + work, ofRuns: [...row.ofRuns, work / tasks] });
    }
  return new Map([...all].map(([label, { tasks, work, ofRuns }]) => [label, { ofRuns, mean: work / tasks }]));
}

/** Tasks of a run that took together at least so many times as long as the run have run beside each other. */
const BESIDE = 1.2;
/** Least number of such runs, if there are so many. */
const LEAST_RUNS = 3;

/** Runs in which tasks have run beside each other: thieves come late to a short program where other programs want the processors. */
function parallelOf(runs: readonly ComparedRun[]): readonly ComparedRun[] {
  const parallel = runs.filter(({ account, usage }) => account.work >= BESIDE * usage.wallUs);
  return parallel.length < Math.min(LEAST_RUNS, runs.length) ? [] : parallel;
}

/** With less of the processors, who has them when decides what a task takes. */
const LEAST_SHARE = 0.8;

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(part * values.length)] as number;

/**
 * Compares runs with all threads and on one; empty without the latter, and where other programs use the processors. The lesser of two estimates counts: by the time of processors, which other programs
 * do not lengthen, but which is told for all tasks together; and by the quicker runs with all threads and the slower ones on one thread.
 */
export function inflationOf(runs: readonly ComparedRun[], alone: readonly ComparedRun[]): Map<Label, Inflated> {
  const parallel = parallelOf(runs);
  const [onAll, onOne] = [costsOf(parallel), costsOf(alone)];
  const [share, shareOfOne] = [shareOf(parallel), shareOf(alone)];
  const found = new Map<Label, Inflated>();
  if (Math.min(share, shareOfOne) < LEAST_SHARE) return found;
  for (const [label, cost] of onAll) {
    const one = onOne.get(label);
    if (one === undefined) continue;
    const us = shareOfOne * one.mean;
    const byRuns = quantile(cost.ofRuns, 0.25) / quantile(one.ofRuns, 0.5);
    found.set(label, { together: Math.min(share * cost.mean, us * byRuns), alone: us });
  }
  return found;
}
