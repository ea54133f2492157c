/**
 * The path that made a run long: what the longest invocation waited for last, back from its end to its begin. From a join that waited, the path goes to the end of the
 * stolen task that came last, from the begin of a stolen task to its victim, and from the begin of a node of a graph to the node that it has waited for last. An asynchronous
 * task goes back through its waits; the one that was invoked, such as a graph, to the task that ended last while it waited. It is that of this run: the span, of any run,
 * is what `profile` measures. In the command, and in the page that it writes.
 */
import {
  APART,
  CONTINUED,
  COROUTINE,
  INVOCATION,
  NODE,
  READY,
  ROOT,
  SLEEP,
  STOLEN,
  WAIT,
} from '../recording/timeline-event.js';
import { kindOfSlice, lastBegun, type Nesting, nameOfSlice } from './nesting.js';

/** Step of one thread without a break. */
export interface PathStep {
  readonly thread: number;
  readonly name: string;
  readonly kind: number;
  from: number;
  readonly to: number;
}

export interface LongPath {
  /** Name of what was invoked. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Time at which a thread began it. */
  readonly begun: number;
  /** In the order of time. */
  readonly steps: readonly PathStep[];
}

/** Nothing on the path is shorter (microseconds): clocks of threads differ by less. */
const CLOCKS_US = 5;

/** So many invocations are looked at, the longest first, for one whose root is there. */
const MOST_TRIED = 100;

interface LongInvocation {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The slice that it began with. */
  readonly root: number;
}

/** The longest invocation whose root is on the timeline. */
function longestOf(nesting: Nesting): LongInvocation | undefined {
  const { table, start, end } = nesting;
  const invocations: number[] = [];
  for (let row = 0; row < table.length; row++) if (table.kind[row] === INVOCATION) invocations.push(row);
  invocations.sort((a, b) => table.amount[b] - table.amount[a]);
  const roots: number[] = [];
  for (let slice = 0; slice < nesting.length; slice++) if (kindOfSlice(nesting, slice) === ROOT) roots.push(slice);
  for (const row of invocations.slice(0, MOST_TRIED)) {
    const [from, to] = [table.start[row], table.start[row] + table.amount[row]];
    const within = roots.filter((root) => start[root] >= from - CLOCKS_US && end[root] <= to + CLOCKS_US);
    const { name } = table.names[table.name[row]];
    const named = within.filter((root) => nameOfSlice(nesting, root) === name);
    const root = (named.length > 0 ? named : within).reduce((a, b) => (a < 0 || end[b] > end[a] ? b : a), -1);
    if (root >= 0) return { name, from, to, root };
  }
  return undefined;
}

/** The last one of a list whose time is not above a time; -1 if there is none. */
function lastUpTo(sorted: readonly number[], timeOf: (one: number) => number, us: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(sorted[middle]) <= us) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? sorted[low - 1] : -1;
}

/** A task that began on a thread by itself, and was not invoked. */
const isForked = (kind: number): boolean => kind === STOLEN || kind === APART;

class PathWalk {
  readonly steps: PathStep[] = [];
  readonly #nesting: Nesting;
  /** Stolen tasks, by victim, in the order of their ends. */
  readonly #stolenFrom = new Map<number, number[]>();
  /** Nodes of graphs by their keys, in the order of their ends; and where it says that one is ready, in that of time. */
  readonly #nodes = new Map<string, number[]>();
  readonly #readyRows = new Map<string, number[]>();
  /** For each slice that is a part of an asynchronous task: the number of the task here, and the part before it; -1 for others, and for a first part. */
  readonly #taskOf: Int32Array;
  readonly #previous: Int32Array;
  /** The last part of each asynchronous task. */
  readonly #lastParts: number[] = [];
  /** Tasks that began on a thread by themselves, in the order of their ends. */
  readonly #tasks: readonly number[];

  constructor(nesting: Nesting) {
    this.#nesting = nesting;
    const { table, row, end, length } = nesting;
    this.#taskOf = new Int32Array(length).fill(-1);
    this.#previous = new Int32Array(length).fill(-1);
    for (let slice = 0; slice < nesting.length; slice++) {
      if (table.kind[row[slice]] !== STOLEN) continue;
      const victim = table.about[row[slice]];
      const known = this.#stolenFrom.get(victim);
      if (known === undefined) this.#stolenFrom.set(victim, [slice]);
      else known.push(slice);
    }
    for (const slices of this.#stolenFrom.values()) slices.sort((a, b) => end[a] - end[b]);
    this.#findParts();
    this.#findNodes();
    const tasks: number[] = [];
    for (let slice = 0; slice < nesting.length; slice++) if (isForked(kindOfSlice(nesting, slice))) tasks.push(slice);
    this.#tasks = tasks.sort((a, b) => this.#endOf(a) - this.#endOf(b));
  }

  /** An asynchronous task begins with the slice of its first part; the others have its number. */
  #findParts(): void {
    const { table, row, start, length } = this.#nesting;
    /** For each thread: numbers of the tasks that begin at a time, and tasks of a number here. */
    const begun = table.threads.map(() => new Map<number, number>());
    const tasks = table.threads.map(() => new Map<number, number>());
    for (let one = 0; one < table.length; one++)
      if (table.kind[one] === COROUTINE) begun[table.thread[one]].set(table.start[one], table.about[one]);
    for (let slice = 0; slice < length; slice++) {
      const thread = table.thread[row[slice]];
      const kind = kindOfSlice(this.#nesting, slice);
      const isLater = kind === CONTINUED;
      if (!isLater && kind !== ROOT && !isForked(kind)) continue;
      const number = isLater ? table.about[row[slice]] : begun[thread].get(start[slice]);
      if (number === undefined) continue;
      const task = tasks[thread].get(number) ?? this.#lastParts.length;
      tasks[thread].set(number, task);
      this.#taskOf[slice] = task;
      this.#previous[slice] = this.#lastParts[task] ?? -1;
      this.#lastParts[task] = slice;
    }
  }

  /** The time at which a task ends, or a node: for an asynchronous one, its last part. */
  #endOf(slice: number): number {
    const { end, parent } = this.#nesting;
    let task = this.#taskOf[slice];
    if (task < 0 && parent[slice] >= 0 && kindOfSlice(this.#nesting, slice) === NODE)
      task = this.#taskOf[parent[slice]];
    return end[task < 0 ? slice : this.#lastParts[task]];
  }

  #findNodes(): void {
    const { table, row, length } = this.#nesting;
    const add = (lists: Map<string, number[]>, key: string, one: number): void => {
      const known = lists.get(key);
      if (known === undefined) lists.set(key, [one]);
      else known.push(one);
    };
    for (let slice = 0; slice < length; slice++)
      if (table.kind[row[slice]] === NODE) add(this.#nodes, this.#keyOf(row[slice], table.about[row[slice]]), slice);
    for (const slices of this.#nodes.values()) slices.sort((a, b) => this.#endOf(a) - this.#endOf(b));
    for (let one = 0; one < table.length; one++)
      if (table.kind[one] === READY) add(this.#readyRows, this.#keyOf(one, table.about[one]), one);
    for (const rows of this.#readyRows.values()) rows.sort((a, b) => table.start[a] - table.start[b]);
  }

  /** Of a node, by what an event says of it: processes number their runs by themselves. */
  #keyOf(row: number, node: number): string {
    const { table } = this.#nesting;
    return `${table.threads[table.thread[row]].process} ${node}`;
  }

  /** The node whose end has made a node ready, and when; undefined for nodes that wait for none. */
  #before(slice: number): { readonly node: number; readonly readyUs: number } | undefined {
    const { table, row, start } = this.#nesting;
    const rows = this.#readyRows.get(this.#keyOf(row[slice], table.about[row[slice]])) ?? [];
    const ready = lastUpTo(rows, (one) => table.start[one], start[slice] + CLOCKS_US);
    if (ready < 0) return undefined;
    const nodes = this.#nodes.get(this.#keyOf(ready, table.amount[ready])) ?? [];
    const node = lastUpTo(nodes, (one) => this.#endOf(one), table.start[ready] + CLOCKS_US);
    return node < 0 || this.#endOf(node) > start[slice] ? undefined : { node, readyUs: table.start[ready] };
  }

  /** Back from a time on a thread, until the root begins. */
  walk(root: number): void {
    const { table, row, start, end, parent } = this.#nesting;
    let thread = table.thread[row[root]];
    let us = this.#endOf(root);
    const begin = start[root];
    for (let steps = 0; us > begin && steps <= 2 * this.#nesting.length + 2; steps++) {
      let slice = lastBegun(this.#nesting, thread, us);
      while (slice >= 0 && start[slice] >= us) slice = slice > this.#nesting.firstOf[thread] ? slice - 1 : -1;
      let since = 0;
      while (slice >= 0 && (end[slice] < us || this.#isSleepOfJoin(slice))) {
        if (!this.#isSleepOfJoin(slice)) since = Math.max(since, end[slice]);
        slice = parent[slice];
      }
      if (slice < 0) return; // it did nothing that the timeline knows
      const kind = kindOfSlice(this.#nesting, slice);
      const other = kind === WAIT ? this.#endedLast(thread, Math.max(start[slice], since), us) : -1;
      if (other >= 0) {
        this.#step(slice, thread, end[other], us);
        thread = table.thread[row[other]];
        us = Math.min(us, end[other]);
        continue;
      }
      const from = Math.max(start[slice], since);
      this.#step(slice, thread, from, us);
      us = from;
      const before = from === start[slice] && kind === NODE ? this.#before(slice) : undefined;
      if (before !== undefined) {
        if (us - before.readyUs > CLOCKS_US)
          this.steps.push({ thread, name: 'waiting for a thread', kind: WAIT, from: before.readyUs, to: us });
        thread = table.thread[row[before.node]];
        us = this.#endOf(before.node);
      } else if (from === start[slice] && kind === CONTINUED) {
        const previous = this.#previous[slice];
        if (previous < 0) return;
        const ended = this.#taskOf[slice] === this.#taskOf[root] ? this.#taskEndedLast(end[previous], us) : -1;
        const since = ended >= 0 ? Math.min(us, this.#endOf(ended)) : end[previous];
        if (us - since > CLOCKS_US)
          this.steps.push({ thread, name: 'waiting after an await', kind: WAIT, from: since, to: us });
        if (ended >= 0) thread = table.thread[row[ended]];
        us = since;
      } else if (from === start[slice] && kind === STOLEN && table.about[row[slice]] >= 0)
        thread = table.about[row[slice]];
    }
  }

  /** The task that ended last within a time; -1 if there is none. */
  #taskEndedLast(from: number, to: number): number {
    const found = lastUpTo(this.#tasks, (slice) => this.#endOf(slice), to + CLOCKS_US);
    return found >= 0 && this.#endOf(found) > from ? found : -1;
  }

  /** A join sleeps while it waits. */
  #isSleepOfJoin(slice: number): boolean {
    const outer = this.#nesting.parent[slice];
    return kindOfSlice(this.#nesting, slice) === SLEEP && outer >= 0 && kindOfSlice(this.#nesting, outer) === WAIT;
  }

  /** The task stolen from a thread that ended last within a time; -1 if there is none. */
  #endedLast(victim: number, from: number, to: number): number {
    const { end } = this.#nesting;
    const found = lastUpTo(this.#stolenFrom.get(victim) ?? [], (slice) => end[slice], to + CLOCKS_US);
    return found >= 0 && end[found] > from ? found : -1;
  }

  #step(slice: number, thread: number, from: number, to: number): void {
    if (to <= from) return;
    const name = nameOfSlice(this.#nesting, slice);
    const last = this.steps.at(-1);
    if (last !== undefined && last.thread === thread && last.name === name) last.from = from;
    else this.steps.push({ thread, name, kind: kindOfSlice(this.#nesting, slice), from, to });
  }
}

/** Undefined if the timeline has no invocation that has ended. */
export function longPathOf(nesting: Nesting): LongPath | undefined {
  const longest = longestOf(nesting);
  if (longest === undefined) return undefined;
  const walk = new PathWalk(nesting);
  walk.walk(longest.root);
  const { name, from, to } = longest;
  return { name, from, to, begun: nesting.start[longest.root], steps: walk.steps.reverse() };
}
