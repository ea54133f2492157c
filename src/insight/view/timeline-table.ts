/** A timeline as columns, a row for each event: what files are read into, and what is analysed and drawn. Runs in the command, and in the page that it writes. */
import type { ClockMeasure, TimelineProcess } from '../recording/chrome-events.js';

/** A thread that has done something. */
export interface ShownThread {
  readonly tid: number;
  readonly name: string;
  /** A place in `processes`. */
  readonly process: number;
}

/** Name of an event. */
export interface ShownName {
  readonly name: string;
  /** The module that registered the task; of a count, the pool or thread that it is of; else empty. */
  readonly module: string;
}

/** Rows are in the order of the file: those of a thread by their ends. */
export interface TimelineTable {
  readonly length: number;
  /** As timeline-event.ts numbers them. */
  readonly kind: Uint8Array;
  /** A place in `threads`. */
  readonly thread: Uint16Array;
  /** A place in `names`. */
  readonly name: Uint32Array;
  /** Microseconds since the begin of the timeline. */
  readonly start: Float64Array;
  /** Time that it took (microseconds), or what was counted. */
  readonly amount: Float64Array;
  /** Elements of units; of a stolen task, the victim's place in `threads`, or -1; of others, what timeline-event.ts says. */
  readonly about: Float64Array;
  readonly threads: readonly ShownThread[];
  readonly names: readonly ShownName[];
  /** One, unless several timelines were put together. */
  readonly processes: readonly TimelineProcess[];
  /** Events that were lost. */
  readonly dropped: number;
}

const doubled = <T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(column: T, larger: T): T => {
  larger.set(column);
  return larger;
};

/** Makes a table, row by row. */
export class TableBuilder {
  readonly threads: ShownThread[] = [];
  readonly names: ShownName[] = [];
  readonly #processes: TimelineProcess[] = [{ name: '', startUs: 0, clocks: [] }];
  readonly #places = new Map<number, number>();
  #length = 0;
  #kind = new Uint8Array(1024);
  #thread = new Uint16Array(1024);
  #name = new Uint32Array(1024);
  #start = new Float64Array(1024);
  #amount = new Float64Array(1024);
  #about = new Float64Array(1024);

  /** The place of a thread, which `addThread` has named, or will. */
  threadOf(tid: number): number {
    const known = this.#places.get(tid);
    if (known !== undefined) return known;
    const place = this.threads.length;
    this.#places.set(tid, place);
    this.threads.push({ tid, name: `thread ${tid}`, process: 0 });
    return place;
  }

  addThread(tid: number, name: string, process = 0): void {
    this.threads[this.threadOf(tid)] = { tid, name, process };
  }

  #process(process: number): TimelineProcess {
    return this.#processes[process] ?? { name: '', startUs: 0, clocks: [] };
  }

  setProcess(process: number, known: Partial<TimelineProcess>): void {
    this.#processes[process] = { ...this.#process(process), ...known };
  }

  addClock(process: number, clock: ClockMeasure): void {
    const { clocks } = this.#process(process);
    this.setProcess(process, { clocks: [...clocks, clock] });
  }

  /** @param thread, name places */
  add(kind: number, thread: number, name: number, start: number, amount: number, about: number): void {
    const row = this.#length++;
    if (row === this.#kind.length) this.#grow();
    this.#kind[row] = kind;
    this.#thread[row] = thread;
    this.#name[row] = name;
    this.#start[row] = start;
    this.#amount[row] = amount;
    this.#about[row] = about;
  }

  /** Sets what the last row is about, if that is known only then. */
  tellLast(about: number): void {
    this.#about[this.#length - 1] = about;
  }

  #grow(): void {
    const rows = 2 * this.#kind.length;
    this.#kind = doubled(this.#kind, new Uint8Array(rows));
    this.#thread = doubled(this.#thread, new Uint16Array(rows));
    this.#name = doubled(this.#name, new Uint32Array(rows));
    this.#start = doubled(this.#start, new Float64Array(rows));
    this.#amount = doubled(this.#amount, new Float64Array(rows));
    this.#about = doubled(this.#about, new Float64Array(rows));
  }

  table(dropped: number): TimelineTable {
    const length = this.#length;
    return {
      length,
      kind: this.#kind.subarray(0, length),
      thread: this.#thread.subarray(0, length),
      name: this.#name.subarray(0, length),
      start: this.#start.subarray(0, length),
      amount: this.#amount.subarray(0, length),
      about: this.#about.subarray(0, length),
      threads: this.threads,
      names: this.names,
      processes: this.#processes,
      dropped,
    };
  }
}
