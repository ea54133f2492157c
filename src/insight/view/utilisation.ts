/** Part of their time for which threads are busy, as it goes; in the command, and in the page that it writes. */
import { kindOfSlice, type Nesting, STATES, stateOf } from './nesting.js';

/** Shares of the time of all threads, for each bin and state: `shares[bin * STATES.length + state]`. What lacks to 1 is the search for work. */
export interface Utilisation {
  readonly bins: number;
  readonly shares: Float64Array;
  /** The mean of all bins, by state. */
  readonly mean: readonly number[];
}

/** Adds periods to bins, in constant time for each, however long. */
class BinnedTime {
  readonly #from: number;
  readonly #width: number;
  readonly #partial: Float64Array;
  /** Whole bins: what changes at each. */
  readonly #steps: Float64Array;

  constructor(from: number, to: number, bins: number) {
    this.#from = from;
    this.#width = Math.max(to - from, Number.MIN_VALUE) / bins;
    this.#partial = new Float64Array(bins);
    this.#steps = new Float64Array(bins + 1);
  }

  add(start: number, end: number, sign: number): void {
    const bins = this.#partial.length;
    const a = Math.min(bins, Math.max(0, (start - this.#from) / this.#width));
    const b = Math.min(bins, Math.max(0, (end - this.#from) / this.#width));
    if (b <= a) return;
    const [first, last] = [Math.floor(a), Math.floor(b)];
    if (first === last) {
      this.#partial[first] += sign * (b - a);
      return;
    }
    this.#partial[first] += sign * (first + 1 - a);
    if (last < bins) this.#partial[last] += sign * (b - last);
    this.#steps[first + 1] += sign;
    this.#steps[last] -= sign;
  }

  /** Part of each bin that is covered. */
  shares(): Float64Array {
    let whole = 0;
    return this.#partial.map((part, bin) => {
      whole += this.#steps[bin];
      return Math.max(0, part + whole);
    });
  }
}

/** @param threads those that count @param from, to which time is looked at */
export function utilisationOf(
  nesting: Nesting,
  threads: readonly number[],
  from: number,
  to: number,
  bins: number,
): Utilisation {
  const states = STATES.map(() => new BinnedTime(from, to, bins));
  const { start, end, parent, firstOf } = nesting;
  for (const thread of threads) {
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
      const state = stateOf(kindOfSlice(nesting, slice));
      const outer = parent[slice] < 0 ? -1 : stateOf(kindOfSlice(nesting, parent[slice]));
      if (state === outer) continue;
      states[state].add(start[slice], end[slice], 1);
      if (outer >= 0) states[outer].add(start[slice], Math.min(end[slice], end[parent[slice]]), -1);
    }
  }
  const shares = new Float64Array(bins * STATES.length);
  const mean = states.map((binned, state) => {
    let sum = 0;
    binned.shares().forEach((share, bin) => {
      const ofAll = threads.length === 0 ? 0 : share / threads.length;
      shares[bin * STATES.length + state] = ofAll;
      sum += ofAll;
    });
    return sum / bins;
  });
  return { bins, shares, mean };
}
