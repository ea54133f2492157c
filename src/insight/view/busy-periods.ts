/** Times when something was to be done, and how many threads did it; in the command, and in the page that it writes. */
import { INVOCATION } from '../recording/timeline-event.js';
import { BUSY, kindOfSlice, type Nesting, STATES, stateOf } from './nesting.js';

export interface Period {
  readonly from: number;
  readonly to: number;
}

const lengthOf = (periods: readonly Period[]): number => periods.reduce((sum, { from, to }) => sum + to - from, 0);

/** Periods that overlap become one; they are sorted by their begin. */
export function merged(periods: readonly Period[]): Period[] {
  const made: { from: number; to: number }[] = [];
  for (const { from, to } of [...periods].sort((a, b) => a.from - b.from)) {
    const last = made[made.length - 1];
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else made.push({ from, to });
  }
  return made;
}

/**
 * Times when an invocation was under way: then threads should have something to do. All of the time, if the timeline has no
 * invocation.
 */
export function demandOf({ table, from, to }: Nesting): Period[] {
  const periods: Period[] = [];
  for (let row = 0; row < table.length; row++)
    if (table.kind[row] === INVOCATION)
      periods.push({ from: table.start[row], to: table.start[row] + table.amount[row] });
  return periods.length === 0 ? [{ from, to }] : merged(periods);
}

/** Part of [from, to) that is within periods, which are sorted and apart. */
export function overlap(periods: readonly Period[], from: number, to: number): number {
  let [low, high] = [0, periods.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (periods[middle].to <= from) low = middle + 1;
    else high = middle;
  }
  let sum = 0;
  for (let k = low; k < periods.length && periods[k].from < to; k++)
    sum += Math.min(to, periods[k].to) - Math.max(from, periods[k].from);
  return sum;
}

/** Times that threads spent within periods, by state, and the time of all of them (microseconds). */
export interface StateTimes {
  readonly byState: readonly number[];
  readonly allUs: number;
}

export function stateTimesOf(nesting: Nesting, threads: readonly number[], periods: readonly Period[]): StateTimes {
  const byState = STATES.map(() => 0);
  const { start, end, parent, firstOf } = nesting;
  for (const thread of threads) {
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
      const state = stateOf(kindOfSlice(nesting, slice));
      const outer = parent[slice] < 0 ? -1 : stateOf(kindOfSlice(nesting, parent[slice]));
      if (state === outer) continue;
      const us = overlap(periods, start[slice], end[slice]);
      byState[state] += us;
      if (outer >= 0) byState[outer] -= us;
    }
  }
  return { byState, allUs: lengthOf(periods) * threads.length };
}

/** Number of threads that are busy, from each time on. */
export interface BusyThreads {
  readonly from: Float64Array;
  readonly count: Uint16Array;
  /** If it is one thread, which one; else -1. */
  readonly alone: Int32Array;
}

export function busyThreadsOf(nesting: Nesting, threads: readonly number[]): BusyThreads {
  const steps: { us: number; thread: number; sign: number }[] = [];
  const { start, end, parent, firstOf } = nesting;
  for (const thread of threads) {
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
      const isBusy = stateOf(kindOfSlice(nesting, slice)) === BUSY;
      const wasBusy = parent[slice] >= 0 && stateOf(kindOfSlice(nesting, parent[slice])) === BUSY;
      if (isBusy === wasBusy) continue;
      const sign = isBusy ? 1 : -1;
      steps.push({ us: start[slice], thread, sign }, { us: end[slice], thread, sign: -sign });
    }
  }
  steps.sort((a, b) => a.us - b.us || a.sign - b.sign);
  const from = new Float64Array(steps.length);
  const count = new Uint16Array(steps.length);
  const alone = new Int32Array(steps.length).fill(-1);
  const level = new Map<number, number>();
  let busy = 0;
  let sum = 0; // of the numbers of busy threads: that of the only one, if there is one
  steps.forEach(({ us, thread, sign }, k) => {
    const before = level.get(thread) ?? 0;
    level.set(thread, before + sign);
    const change = Number(before + sign > 0) - Number(before > 0);
    busy += change;
    sum += change * thread;
    from[k] = us;
    count[k] = busy;
    if (busy === 1) alone[k] = sum;
  });
  return { from, count, alone };
}

/** Number of threads that are busy at a time. */
export function busyAt({ from, count }: BusyThreads, us: number): number {
  let [low, high] = [0, from.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (from[middle] <= us) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : count[low - 1];
}
