/**
 * A call over plain values as the calling thread makes it; runs there.
 *
 * Where both functions do nothing but read, values of an array are folded where they stand: without lists of values and results, and without clones. What cannot be
 * folded so is left to the way that all others take, which calls the functions again and tells what is wrong.
 */
import { cloned } from '../../core/engine.js';
import { FOLD_VALUES } from '../tuning.js';
import { foldBlock, type OpenCall, openCall, type ValuesSpec } from './chunk.js';
import { type LendingCheck, lendingCheck, seen } from './lend.js';

/** Known reads of the functions of a call. */
export interface KnownReading {
  /** True if they do nothing but read. */
  readonly reads: boolean;
  /** The properties that are all that `fn` reads of a value; undefined if it may read others. */
  readonly properties: readonly string[] | undefined;
}

export class CallHere {
  readonly open: OpenCall;
  readonly #reading: KnownReading;
  /** Checks whether `fn` may have values themselves; undefined where it never may. */
  readonly #mayLend: LendingCheck | undefined;

  constructor(spec: ValuesSpec, reading: KnownReading) {
    this.open = openCall(spec);
    this.#reading = reading;
    const { fn } = this.open;
    const { reads, properties } = reading;
    if (reads && fn !== undefined && properties !== undefined) this.#mayLend = lendingCheck(fn, properties);
  }

  /**
   * Returns what the functions get: the values themselves, or clones. @throws NotShareableError for a value that cannot be
   * cloned
   */
  given(values: readonly unknown[], nameOf: (k: number) => string): readonly unknown[] {
    if (this.#mayLend?.(values, 0, values.length) === true) return values;
    const { reads, properties } = this.#reading;
    return cloned(seen(values, properties), nameOf, { reads });
  }

  /**
   * Folds values [lo, hi) of an array block by block, and adds the results of blocks to a list.
   *
   * @returns where it has stopped: at the end, or before a block that cannot be folded so
   */
  foldInPlace(array: readonly unknown[], lo: number, hi: number, results: unknown[]): number {
    const mayLend = this.#mayLend;
    let at = lo;
    try {
      while (mayLend !== undefined && at < hi) {
        const end = Math.min(at + FOLD_VALUES, hi);
        const folded = mayLend(array, at, end) ? foldBlock(this.open, array, at, end, 0) : undefined;
        if (folded === undefined) break;
        results.push(folded);
        at = end;
      }
    } catch {
      // The function throws for one of the values, or the array does.
    }
    return at;
  }
}
