/** Counters of one slot, in control memory: written plainly by their thread, read by the thread that calls `stats()`. */
import { W_COUNTERS } from '../memory/layout.js';

/** The counters, in the order of the words. */
export const COUNTERS = [
  'roots',
  'stolen',
  'published',
  'reclaimed',
  'failedSteals',
  'sleeps',
  'elements',
  'busyUs',
  'emptySteals',
  'encodedBytes',
  'garbageUs',
] as const;

export type CounterName = (typeof COUNTERS)[number];
/** The word of each counter, so that counting searches for nothing. */
const AT = Object.fromEntries(COUNTERS.map((name, k) => [name, k])) as Record<CounterName, number>;

export type CounterValues = Record<CounterName, number>;

export const plus = (a: CounterValues, b: CounterValues): CounterValues =>
  Object.fromEntries(COUNTERS.map((name) => [name, a[name] + b[name]])) as CounterValues;

/** Words behind the counters: the first word of the record of the task that the thread has taken and runs (0 for none), and since when. */
const AT_TASK = COUNTERS.length;
const AT_SINCE = AT_TASK + 1;

export class Counters {
  readonly #words: Int32Array;
  readonly #base: number;

  constructor(words: Int32Array, header: number) {
    this.#words = words;
    this.#base = header + W_COUNTERS;
  }

  /** Counts `amount` more; wraps at 2^32. */
  count(name: CounterName, amount = 1): void {
    const at = this.#base + AT[name];
    this.#words[at] = (this.#words[at] + amount) | 0; // plain: sole writer
  }

  /**
   * The thread begins a task that it has taken, or has ended it.
   *
   * @param task the first word of its record; 0 for none
   * @param nowMs by the clock of the host, which is that of all threads
   */
  runs(task: number, nowMs: number): void {
    this.#words[this.#base + AT_SINCE] = nowMs; // plain: sole writer; wraps
    this.#words[this.#base + AT_TASK] = task; // plain: sole writer
  }

  /** The task that the thread runs, and for how long it has; other threads may see the one before. */
  running(nowMs: number): { readonly task: number; readonly ms: number } {
    const task = this.#words[this.#base + AT_TASK]; // plain: for statistics
    return { task, ms: task === 0 ? 0 : Math.max(0, (nowMs - this.#words[this.#base + AT_SINCE]) | 0) };
  }

  /** A snapshot; other threads' counts may lag a little. */
  read(): CounterValues {
    const values = {} as CounterValues;
    for (const [k, name] of COUNTERS.entries()) values[name] = this.#words[this.#base + k] >>> 0;
    return values;
  }
}
