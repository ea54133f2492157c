/**
 * Journal of a strand while the clock counts: what it spent between which forks and joins. On every thread that is observed.
 *
 * A task that is joined stands at its join, wherever it has run. So the journal of a program is the same in every run, and course.ts can
 * compare runs place by place.
 *
 * ```
 *   cost, code, arguments    cost, code, arguments    ...        the cost is what was spent since the entry before
 * ```
 */
import { type Label, labelOf } from './point.js';

/** A task is forked; the forks of a task are numbered from 0. */
export const FORKS = 0;
/** The fork of a number is joined: what it has noted follows, up to its `ENDS`. */
export const JOINS = 1;
/** As `JOINS`, but its forker does not wait for it before the next `MEETS`. */
export const JOINS_BESIDE = 2;
export const ENDS = 3;
export const MEETS = 4;
/** Units of an algorithm: label, first unit, end, work, span of one unit. */
export const UNITS = 5;
/** A region begins: label. */
export const REGION = 6;
export const REGION_ENDS = 7;
/** The units of a stage begin: what was spent before comes before them. */
export const BEGINS = 9;
/** The units of the stage are nodes of a graph, and one comes before another: both. */
export const EDGE = 10;
/** As `FORKS`, outside of all tasks: for how long nothing had run before the task began. */
export const CALLS = 11;
/** The task is of the program: label. A task without is one of the library. */
export const TASK = 8;

/** Number of arguments that follow each code. */
export const ARGUMENTS = [0, 1, 1, 0, 0, 5, 1, 0, 1, 0, 2, 1] as const;

/** Most numbers of a journal, 32 MB: some 400,000 tasks. A program with more has tasks that are too short for the clock. */
const MOST_NUMBERS = 1 << 22;

/** A journal that crosses threads. */
export interface JournalData {
  readonly entries: readonly number[];
  readonly labels: readonly (readonly [name: string, module: string])[];
}

/** Place in a journal, to go back there. */
export interface JournalPlace {
  readonly length: number;
  readonly forks: number;
  readonly us: number;
  readonly isInStage: boolean;
}

export class Journal {
  /** Undefined once there were too many, and after a task whose account was lost. */
  #entries: number[] | undefined = [];
  readonly #labels = new Map<Label, number>();
  /** Spent since the last entry. */
  #us = 0;
  /** Forks of the task that runs. */
  #forks = 0;
  /** True if the last entry was of units, or of their begin. */
  #isInStage = false;

  spend(us: number): void {
    this.#us += us;
  }

  #put(...entry: number[]): void {
    if (this.#entries === undefined) return;
    this.#entries.push(this.#us, ...entry);
    this.#us = 0;
    this.#isInStage = entry[0] === UNITS || entry[0] === BEGINS;
    if (this.#entries.length > MOST_NUMBERS) this.#entries = undefined;
  }

  #idOf(label: Label): number {
    let id = this.#labels.get(label);
    if (id === undefined) {
      id = this.#labels.size;
      this.#labels.set(label, id);
    }
    return id;
  }

  /** @returns the number of the fork */
  fork(): number {
    this.#put(FORKS);
    return this.#forks++;
  }

  /** A fork is joined, and runs now. @returns what `end` takes */
  begin(fork: number): number {
    this.#put(JOINS, fork);
    const forks = this.#forks;
    this.#forks = 0;
    return forks;
  }

  end(forks: number): void {
    this.#put(ENDS);
    this.#forks = forks;
  }

  task(label: Label): void {
    this.#put(TASK, this.#idOf(label));
  }

  meet(): void {
    this.#put(MEETS);
  }

  region(label: Label): void {
    this.#put(REGION, this.#idOf(label));
  }

  regionEnds(): void {
    this.#put(REGION_ENDS);
  }

  /** A fork is joined that has run apart. */
  joined(fork: number, data: JournalData | undefined, isBeside: boolean): void {
    if (data === undefined) this.#entries = undefined;
    if (data === undefined || this.#entries === undefined) return;
    this.#put(isBeside ? JOINS_BESIDE : JOINS, fork);
    const ids = data.labels.map(([name, module]) => this.#idOf(labelOf(name, module)));
    const { entries } = data;
    for (let k = 0; k < entries.length; ) {
      const code = entries[k + 1];
      const isLabelled = code === UNITS || code === REGION || code === TASK;
      this.#entries.push(entries[k++], entries[k++]);
      for (let left = ARGUMENTS[code]; left > 0; left--, k++)
        this.#entries.push(isLabelled && left === ARGUMENTS[code] ? ids[entries[k]] : entries[k]);
    }
    if (this.#entries.length > MOST_NUMBERS) this.#entries = undefined;
  }

  /** To be called before units. */
  place(): JournalPlace {
    if (!this.#isInStage) this.#put(BEGINS);
    return { length: this.#entries?.length ?? 0, forks: this.#forks, us: this.#us, isInStage: this.#isInStage };
  }

  /** Notes units [lo, hi) in the place of all that they have noted themselves: how they were cut depends on the schedule. */
  units(place: JournalPlace, label: Label, lo: number, hi: number, work: number, span: number): void {
    this.back(place);
    this.#put(UNITS, this.#idOf(label), lo, hi, work, span);
  }

  edge(before: number, after: number): void {
    this.#put(EDGE, before, after);
  }

  /** @returns the number of the fork, and what takes for how long nothing had run before it */
  call(): readonly [fork: number, took: (us: number) => void] {
    this.#put(CALLS, 0);
    const entries = this.#entries;
    const last = (entries?.length ?? 0) - 1;
    const took = (us: number): void => {
      if (entries !== undefined) entries[last] = us;
    };
    return [this.#forks++, took];
  }

  /** Forgets what was noted since then. */
  back({ length, forks, us, isInStage }: JournalPlace): void {
    if (this.#entries !== undefined) this.#entries.length = length;
    this.#forks = forks;
    this.#us = us;
    this.#isInStage = isInStage;
  }

  /** The journal of a strand that has ended. */
  data(): JournalData | undefined {
    this.#put(ENDS);
    if (this.#entries === undefined) return undefined;
    return { entries: this.#entries, labels: [...this.#labels.keys()].map(({ name, module }) => [name, module]) };
  }
}
