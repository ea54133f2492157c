/** Invocations, asynchronous tasks, jobs and waits, which overlap others of their thread, for drawing: below the thread, each in a row where it has room. In the page. */
import { JOB, OVERLAPPING, WAITED } from '../recording/timeline-event.js';
import type { Nesting } from './nesting.js';

/** More at once are not drawn. */
const MOST_ROWS = 8;

/** Tracks that a thread has below its own. */
const TRACKS: readonly { readonly name: string; has(kind: number): boolean }[] = [
  { name: 'jobs', has: (kind) => kind === JOB },
  { name: 'waits', has: (kind) => kind === WAITED },
  { name: 'invocations', has: () => true },
];

/** Threads of what overlaps: their place, and that of the thread that they are of. */
export interface WithOverlapping {
  /** As before, and behind it slices of further threads. */
  readonly nesting: Nesting;
  /** The places of all threads, each with what overlaps on it behind it. */
  readonly order: readonly number[];
}

/** The first row that is free; -1 if there is none. */
function rowAt(ends: number[], start: number): number {
  const free = ends.findIndex((end) => end <= start);
  return free < 0 && ends.length < MOST_ROWS ? ends.length : free;
}

export function withOverlapping(plain: Nesting): WithOverlapping {
  const { table } = plain;
  const rowsOf = table.threads.map(() => TRACKS.map((): number[] => []));
  for (let row = 0; row < table.length; row++)
    if (OVERLAPPING.includes(table.kind[row]))
      rowsOf[table.thread[row]][TRACKS.findIndex(({ has }) => has(table.kind[row]))].push(row);
  const [rows, depths, firsts]: [number[], number[], number[]] = [[], [], []];
  const threads = [...table.threads];
  const order: number[] = [];
  const addTrack = (thread: number, name: string, own: number[]): void => {
    order.push(threads.length);
    threads.push({ ...table.threads[thread], name: `${table.threads[thread].name}: ${name}` });
    const ends: number[] = [];
    for (const row of own.sort((a, b) => table.start[a] - table.start[b])) {
      const depth = rowAt(ends, table.start[row]);
      if (depth < 0) continue;
      ends[depth] = table.start[row] + table.amount[row];
      rows.push(row);
      depths.push(depth);
    }
    firsts.push(plain.length + rows.length);
  };
  rowsOf.forEach((tracks, thread) => {
    order.push(thread);
    tracks.forEach((own, k) => {
      if (own.length > 0) addTrack(thread, TRACKS[k].name, own);
    });
  });
  const joined = <T extends Uint32Array | Float64Array | Int32Array | Uint16Array>(
    column: T,
    more: readonly number[],
  ): T => {
    const all = new (column.constructor as new (length: number) => T)(column.length + more.length);
    all.set(column);
    all.set(more, column.length);
    return all;
  };
  const amounts = rows.map((row) => table.amount[row]);
  const nesting: Nesting = {
    ...plain,
    table: { ...table, threads },
    length: plain.length + rows.length,
    row: joined(plain.row, rows),
    start: joined(
      plain.start,
      rows.map((row) => table.start[row]),
    ),
    end: joined(
      plain.end,
      rows.map((row) => table.start[row] + table.amount[row]),
    ),
    self: joined(plain.self, amounts),
    depth: joined(plain.depth, depths),
    parent: joined(
      plain.parent,
      rows.map(() => -1),
    ),
    firstOf: joined(plain.firstOf, firsts),
  };
  return { nesting, order };
}

/** The thread of a slice, be it one of what overlaps. */
export function threadOf({ firstOf }: Nesting, slice: number): number {
  let [low, high] = [0, firstOf.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (firstOf[middle + 1] > slice) high = middle;
    else low = middle + 1;
  }
  return low;
}
