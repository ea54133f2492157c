/** Counters of one slot, in control memory: written plainly by their thread, read by the thread that calls `stats()`. */
import { W_COUNTERS } from '../memory/layout.js';

/** What is counted, in the order of the words. */
export const COUNTERS = [
  'roots',
  'stolen',
  'published',
  'reclaimed',
  'failedSteals',
  'sleeps',
  'elements',
  'busyUs',
] as const;

export type CounterName = (typeof COUNTERS)[number];
/** The word of each counter, so that counting searches for nothing. */
const AT = Object.fromEntries(COUNTERS.map((name, k) => [name, k])) as Record<CounterName, number>;

export type CounterValues = Record<CounterName, number>;

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

  /** A snapshot; other threads' counts may lag a little. */
  read(): CounterValues {
    const values = {} as CounterValues;
    for (const [k, name] of COUNTERS.entries()) values[name] = this.#words[this.#base + k] >>> 0;
    return values;
  }
}
