/** Lengths of tasks, beside what it costs to fork and to steal one; in the command, and in the page that it writes. */
import { PUBLISHED, STOLEN, UNITS } from '../recording/timeline-event.js';
import { isTask, kindOfSlice, type Nesting, nameOfSlice, SLEEPING, sliceAt } from './nesting.js';

/** Cost of a fork and its join where nobody steals (microseconds): 10 to 60 ns (docs/balance.md). */
export const FORK_US = 0.06;
/** Cost of a steal where the timeline does not tell (microseconds). */
export const STEAL_US = 20;

/** Bounds of the classes of lengths (microseconds): 1, 2, 5, 10 and so on. */
export const BOUNDS_US: readonly number[] = Array.from(
  { length: 31 },
  (_, k) => [1, 2, 5][k % 3] * 10 ** (Math.floor(k / 3) - 2),
);

export interface LengthClass {
  readonly fromUs: number;
  readonly toUs: number;
  tasks: number;
  /** Total time that they took. */
  us: number;
}

export interface TaskLengths {
  readonly classes: readonly LengthClass[];
  /** All of them, sorted (microseconds). */
  readonly sortedUs: Float64Array;
}

/** Number of them that are shorter than that. */
export const shorterThan = ({ sortedUs }: TaskLengths, us: number): number => {
  const at = sortedUs.findIndex((length) => length >= us);
  return at < 0 ? sortedUs.length : at;
};

/** Kind of what is counted: tasks that a thread has taken or run, or units of algorithms. */
export type MeasuredKind = 'tasks' | 'stolen' | 'units';

const counts = (kind: number, what: MeasuredKind): boolean =>
  what === 'units' ? kind === UNITS : what === 'stolen' ? kind === STOLEN : isTask(kind);

/** @param name only those of this name */
export function lengthsOf(nesting: Nesting, what: MeasuredKind, name?: string): TaskLengths {
  const classes = BOUNDS_US.map((toUs, k) => ({ fromUs: k === 0 ? 0 : BOUNDS_US[k - 1], toUs, tasks: 0, us: 0 }));
  classes.push({ fromUs: BOUNDS_US[BOUNDS_US.length - 1], toUs: Number.POSITIVE_INFINITY, tasks: 0, us: 0 });
  const all: number[] = [];
  for (let slice = 0; slice < nesting.length; slice++) {
    if (!counts(kindOfSlice(nesting, slice), what)) continue;
    if (name !== undefined && nameOfSlice(nesting, slice) !== name) continue;
    const us = nesting.end[slice] - nesting.start[slice];
    all.push(us);
    let at = 0;
    while (classes[at].toUs <= us) at++;
    classes[at].tasks++;
    classes[at].us += us;
  }
  return { classes, sortedUs: Float64Array.from(all).sort() };
}

/** Cost of a steal, and how many of the timeline say so; none if it is what others have measured. */
export interface StealCost {
  readonly us: number;
  readonly steals: number;
}

/** Fewer steals say nothing. */
const LEAST_STEALS = 5;

/**
 * From the publication of a task until a thread that was idle then has begun it. So the time that it lies there while all threads are busy does
 * not count. The lower quartile counts: other programs delay some steals.
 */
export function stealCostOf(nesting: Nesting): StealCost {
  const { table } = nesting;
  const published = new Map<number, number[]>();
  for (let row = 0; row < table.length; row++) {
    if (table.kind[row] !== PUBLISHED) continue;
    const times = published.get(table.thread[row]) ?? [];
    published.set(table.thread[row], times);
    times.push(table.start[row]);
  }
  for (const times of published.values()) times.sort((a, b) => a - b);
  const costs: number[] = [];
  for (let slice = 0; slice < nesting.length; slice++) {
    const row = nesting.row[slice];
    if (table.kind[row] !== STOLEN) continue;
    const start = nesting.start[slice];
    const times = published.get(table.about[row]);
    const at = times === undefined ? -1 : lastUpTo(times, start);
    if (times === undefined || at < 0) continue;
    const before = slice - 1;
    const wasBusy = before >= nesting.firstOf[table.thread[row]] && nesting.start[before] > times[at];
    if (wasBusy && !SLEEPING.includes(kindOfSlice(nesting, before))) continue; // it has loaded code first
    const during = sliceAt(nesting, table.thread[row], times[at]);
    if (during < 0 || SLEEPING.includes(kindOfSlice(nesting, during))) costs.push(start - times[at]);
  }
  if (costs.length < LEAST_STEALS) return { us: STEAL_US, steals: 0 };
  costs.sort((a, b) => a - b);
  return { us: costs[costs.length >> 2], steals: costs.length };
}

/** The last of sorted numbers that is not above a number; -1 if there is none. */
function lastUpTo(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
