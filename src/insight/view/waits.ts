/** Waits for limits and stages, and counts of flows; in the command, and in the page that it writes. */
import { GAUGE, WAITED } from '../recording/timeline-event.js';
import { merged, type Period } from './busy-periods.js';
import type { TimelineTable } from './timeline-table.js';

/** Waits for one limit or stage. */
export interface Waits {
  readonly name: string;
  readonly waits: number;
  readonly items: number;
  readonly medianUs: number;
  readonly longestUs: number;
  /** Times at which something waited for it. */
  readonly periods: readonly Period[];
}

/** A count of a stage or pipeline, in so many looks. */
export interface FlowCount {
  readonly name: string;
  readonly of: string;
  readonly looks: number;
  readonly mean: number;
  readonly most: number;
}

function rowsByName(table: TimelineTable, wanted: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < table.length; row++) {
    if (table.kind[row] !== wanted) continue;
    const known = found.get(table.name[row]);
    if (known === undefined) found.set(table.name[row], [row]);
    else known.push(row);
  }
  return found;
}

/** Those first that have waited for longest, together. */
export function waitsOf(table: TimelineTable): Waits[] {
  const { start, amount, about, names } = table;
  const all = [...rowsByName(table, WAITED)].map(([name, rows]) => {
    const times = rows.map((row) => amount[row]).sort((a, b) => a - b);
    return {
      name: names[name].name,
      waits: rows.length,
      items: rows.reduce((sum, row) => sum + about[row], 0),
      medianUs: times[times.length >> 1],
      longestUs: times[times.length - 1],
      sumUs: times.reduce((a, b) => a + b),
      periods: merged(rows.map((row) => ({ from: start[row], to: start[row] + amount[row] }))),
    };
  });
  return all.sort((a, b) => b.sumUs - a.sumUs);
}

export const countedOf = (table: TimelineTable): FlowCount[] =>
  [...rowsByName(table, GAUGE)].map(([name, rows]) => {
    const counts = rows.map((row) => table.amount[row]);
    return {
      name: table.names[name].name,
      of: table.names[name].module,
      looks: rows.length,
      mean: counts.reduce((a, b) => a + b) / rows.length,
      most: counts.reduce((a, b) => Math.max(a, b)),
    };
  });
