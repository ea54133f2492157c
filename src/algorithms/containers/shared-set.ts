/** `sharedSet`: a set of numbers that threads fill at the same time; runs on every thread. */
import { builtinClass, unfilledArray } from '../../core/engine.js';
import { type NumberTable, newTable } from './number-tables.js';
import {
  ARRAYS,
  type ArrayOfType,
  checkWideType,
  readSizeOptions,
  type SharedSizeOptions,
  type WideNumberType,
} from './number-types.js';

/** A set of numbers that all threads share. It may stand in arguments, in contexts, and in fields of tasks. */
export interface SharedSet<K extends WideNumberType = WideNumberType> {
  /** Count of the numbers in it. */
  readonly size: number;
  /**
   * Puts a number into the set. Any thread may do so at any time.
   *
   * @returns whether this call has put it there: of all calls with the same number, one gives true
   * @throws TypeError or RangeError for what is no number of the set's type; RangeError when the set is full
   */
  add(key: number): boolean;
  /** Checks whether a number is in the set. */
  has(key: number): boolean;
  /** All numbers, as a new shared array. Their order follows from the numbers alone. No thread may add any meanwhile. */
  keys(): ArrayOfType<K>;
  /** Empties the set. No other thread may use it meanwhile. */
  clear(): void;
}

/** Its fields travel. */
class NumberSet implements SharedSet {
  readonly table: NumberTable;

  constructor(table: NumberTable) {
    this.table = table;
  }

  get size(): number {
    return this.table.size;
  }

  add(key: number): boolean {
    return this.table.insert(key) >= 0;
  }

  has(key: number): boolean {
    return this.table.find(key) >= 0;
  }

  keys(): ArrayOfType<WideNumberType> {
    return keysAt(this.table, this.table.inOrder());
  }

  clear(): void {
    this.table.clear();
  }
}

builtinClass('SharedSet', NumberSet);

/** The keys of these cells. */
export function keysAt(table: NumberTable, cells: Uint32Array): ArrayOfType<WideNumberType> {
  const keys = unfilledArray<ArrayOfType<WideNumberType>>(ARRAYS[table.type] as never, cells.length);
  for (let k = 0; k < cells.length; k++) keys[k] = table.keyAt(cells[k] as number);
  return keys;
}

/**
 * Makes a set of numbers that all threads share: for duplicates, for vertices that were seen. What is in it, and in which order, does not depend on the
 * threads that have put it there.
 *
 * @param type of the numbers: 'u32', 'i32' or 'f64'; as in `Map`, 0 is -0, and NaN is itself
 * @param options `maxSize`: how many numbers it has room for at least, 1,048,576 by default
 * @throws TypeError, RangeError for bad arguments; RangeError when the shared heap is full
 * @remarks Cost: that of a `Set`. Memory: 9 to 34 bytes for each number of `maxSize`, most of which is not touched before it is needed. Source: linear
 * probing whose contents do not depend on the schedule (Shun and Blelloch, "Phase-concurrent hash tables for determinism", 2014).
 * @example
 * const seen = sharedSet('u32');
 * const isNew = await parallelMap(Uint32Array.of(7, 9, 7), (x, _, { seen }) => (seen.add(x) ? 1 : 0), { context: { seen } });
 * // seen.size is 2; of the two sevens, one was new
 */
export function sharedSet<K extends WideNumberType>(type: K, options: SharedSizeOptions = {}): SharedSet<K> {
  checkWideType('sharedSet: type', type);
  const { maxSize } = readSizeOptions('sharedSet', options, {});
  return new NumberSet(newTable(type, maxSize)) as SharedSet as SharedSet<K>;
}
