/** Nesting of the slices of a thread; in the command, and in the page that it writes. */
import { hasValue } from '../recording/binary-format.js';
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  INVOCATION,
  JOB,
  NODE,
  ROOT,
  SLEEP,
  STOLEN,
  TASK,
  TURN,
  UNITS,
  WAIT,
  WAITED,
} from '../recording/timeline-event.js';
import type { TimelineTable } from './timeline-table.js';

/** Rough states of a thread. */
export const BUSY = 0;
export const WAITING = 1;
export const ASLEEP = 2;
/** Event loop, loading code, garbage, copies. */
export const BESIDE = 3;
export const STATES = ['busy', 'waiting in joins', 'asleep', 'event loop, code, garbage, copies'] as const;

/** During these a thread would rather have a task. */
export const SLEEPING: readonly number[] = [SLEEP, WAIT];

export const isSlice = (kind: number): boolean =>
  (kind >= ROOT && kind <= GARBAGE) || [COPY, NODE, CONTINUED].includes(kind);
/** Tasks and nodes that a thread has taken or run. */
export const isTask = (kind: number): boolean => (kind >= ROOT && kind <= TASK) || kind === NODE;
/** Tasks, nodes and units: what a program has asked for. */
export const isWork = (kind: number): boolean => isTask(kind) || kind === UNITS;

export function stateOf(kind: number): number {
  if (kind === WAIT) return WAITING;
  if (kind === SLEEP) return ASLEEP;
  return [TURN, CODE, GARBAGE, COPY].includes(kind) ? BESIDE : BUSY;
}

export const KIND_NAMES: Readonly<Record<number, string>> = {
  [ROOT]: 'task from the caller',
  [STOLEN]: 'stolen task',
  [APART]: 'task',
  [TASK]: 'task in its join',
  [UNITS]: 'units of an algorithm',
  [WAIT]: 'waiting in a join',
  [SLEEP]: 'asleep',
  [TURN]: 'event loop',
  [CODE]: 'loading code',
  [GARBAGE]: 'garbage collection',
  [COPY]: 'copying an array',
  [INVOCATION]: 'invocation',
  [COROUTINE]: 'asynchronous task',
  [NODE]: 'node of a graph',
  [CONTINUED]: 'asynchronous task that goes on',
  [WAITED]: 'waiting for a limit or a stage',
  [JOB]: 'job of a cluster',
};

/** Slices, sorted by thread, begin, and outer ones first: so a parent is before its children. A *slice* is a place in these columns. */
export interface Nesting {
  readonly table: TimelineTable;
  readonly length: number;
  /** The row of the table. */
  readonly row: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The slice that it is directly within; -1 if there is none. */
  readonly parent: Int32Array;
  readonly depth: Uint16Array;
  /** Time without that of the slices within (microseconds). */
  readonly self: Float64Array;
  /** The first slice of each thread, and the end of the last one's. */
  readonly firstOf: Uint32Array;
  /** From the first event to the last end of a slice or an invocation. */
  readonly from: number;
  readonly to: number;
}

/** The rows of slices, in their order. */
function sortedRows(table: TimelineTable): { row: Uint32Array; firstOf: Uint32Array } {
  const { kind, thread, start, amount } = table;
  const firstOf = new Uint32Array(table.threads.length + 1);
  for (let row = 0; row < table.length; row++) if (isSlice(kind[row])) firstOf[thread[row] + 1]++;
  for (let k = 0; k < table.threads.length; k++) firstOf[k + 1] += firstOf[k];
  const next = firstOf.slice();
  const rows = new Uint32Array(firstOf[table.threads.length]);
  for (let row = 0; row < table.length; row++) if (isSlice(kind[row])) rows[next[thread[row]]++] = row;
  for (let k = 0; k < table.threads.length; k++)
    rows.subarray(firstOf[k], firstOf[k + 1]).sort((a, b) => start[a] - start[b] || amount[b] - amount[a] || b - a); // of two that are alike, the outer one was written later
  return { row: rows, firstOf };
}

/** Longer than any rounding of times (microseconds). */
const ROUNDING_US = 0.002;

export function nestingOf(table: TimelineTable): Nesting {
  const { row, firstOf } = sortedRows(table);
  const length = row.length;
  const start = Float64Array.from(row, (one) => table.start[one]);
  const end = Float64Array.from(row, (one) => table.start[one] + table.amount[one]);
  const self = Float64Array.from(row, (one) => table.amount[one]);
  const parent = new Int32Array(length).fill(-1);
  const depth = new Uint16Array(length);
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (let one = 0; one < table.length; one++) {
    from = Math.min(from, table.start[one]);
    if (!hasValue(table.kind[one])) to = Math.max(to, table.start[one] + table.amount[one]);
  }
  for (let thread = 0; thread < table.threads.length; thread++) {
    let open = -1;
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
      while (open >= 0 && end[open] <= start[slice] + ROUNDING_US && end[open] < end[slice]) open = parent[open];
      parent[slice] = open;
      if (open >= 0) {
        depth[slice] = depth[open] + 1;
        self[open] = Math.max(0, self[open] - (end[slice] - start[slice]));
      }
      open = slice;
    }
  }
  return { table, length, row, start, end, parent, depth, self, firstOf, from: Math.min(from, to), to };
}

/** The name of what a slice is. */
export const nameOfSlice = ({ table, row }: Nesting, slice: number): string => table.names[table.name[row[slice]]].name;

export const kindOfSlice = ({ table, row }: Nesting, slice: number): number => table.kind[row[slice]];

/** The last slice of a thread that begins before a time (or at it); -1 if there is none. */
export function lastBegun({ start, firstOf }: Nesting, thread: number, us: number): number {
  let [low, high] = [firstOf[thread], firstOf[thread + 1]];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (start[middle] <= us) low = middle + 1;
    else high = middle;
  }
  return low > firstOf[thread] ? low - 1 : -1;
}

/** The innermost slice of a thread at a time; -1 if it does nothing. */
export function sliceAt(nesting: Nesting, thread: number, us: number): number {
  let slice = lastBegun(nesting, thread, us);
  while (slice >= 0 && nesting.end[slice] < us) slice = nesting.parent[slice];
  return slice;
}

/** Threads that have run tasks, or slept for want of them. */
export function workersOf({ table, firstOf, row }: Nesting): number[] {
  return table.threads
    .map((_, thread) => thread)
    .filter((thread) => {
      for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
        const kind = table.kind[row[slice]];
        if (isWork(kind) || kind === SLEEP) return true;
      }
      return false;
    });
}
