/** `sharedMap`: a value for each of many numbers, which threads combine at the same time; runs on every thread. */
import { builtinClass, unfilledArray } from '../../core/engine.js';
import { typeOf } from '../call/call-arrays.js';
import { CellValues, COMBINATIONS, type Combination } from './cell-values.js';
import { type NumberTable, newTable } from './number-tables.js';
import {
  type ArrayOfType,
  checkWideType,
  mustBe,
  readSizeOptions,
  type SharedSizeOptions,
  type WideNumberType,
} from './number-types.js';
import { keysAt } from './shared-set.js';

export type { Combination };

/** Options of `sharedMap`. */
export interface SharedMapOptions extends SharedSizeOptions {
  /** Combination of values of the same key: 'sum', 'min' or 'max'. */
  readonly combine: Combination;
}

/** A value for each of many numbers, which all threads share. It may stand in arguments, in contexts, and in fields of tasks. */
export interface SharedMap<K extends WideNumberType = WideNumberType, V extends WideNumberType = WideNumberType> {
  /** Number of keys. */
  readonly size: number;
  /**
   * Combines a value with what is there for the key. Any thread may do so at any time.
   *
   * @param value 1 if it is left out: sums count, then
   * @throws TypeError or RangeError for what is no number of the type; RangeError when the map is full
   */
  add(key: number, value?: number): void;
  /** The value of a key; undefined if there is none. Values are whole when all threads that add have done so. */
  get(key: number): number | undefined;
  /** Checks whether there is such a key. */
  has(key: number): boolean;
  /** All keys and their values, as new shared arrays. Their order follows from the keys alone. No thread may add any meanwhile. */
  entries(): { readonly keys: ArrayOfType<K>; readonly values: ArrayOfType<V> };
  /** Empties the map. No other thread may use it meanwhile. */
  clear(): void;
}

/** Its fields travel. */
class NumberMap implements SharedMap {
  readonly table: NumberTable;
  readonly values: CellValues;

  constructor(table: NumberTable, values: CellValues) {
    this.table = table;
    this.values = values;
  }

  get size(): number {
    return this.table.size;
  }

  add(key: number, value = 1): void {
    this.values.check(value); // before there is a cell for the key
    const cell = this.table.insert(key);
    this.values.add(cell < 0 ? -1 - cell : cell, value);
  }

  get(key: number): number | undefined {
    const cell = this.table.find(key);
    return cell < 0 ? undefined : this.values.at(cell);
  }

  has(key: number): boolean {
    return this.table.find(key) >= 0;
  }

  entries(): ReturnType<SharedMap['entries']> {
    const cells = this.table.inOrder();
    const values = unfilledArray(typeOf(this.values.values), cells.length);
    for (let k = 0; k < cells.length; k++) values[k] = this.values.at(cells[k] as number);
    return { keys: keysAt(this.table, cells), values };
  }

  clear(): void {
    this.values.values.fill(0, 0, this.table.end);
    this.table.clear();
  }
}

builtinClass('SharedMap', NumberMap);
builtinClass('SharedMapValues', CellValues);

const COMBINE = mustBe<Combination>((value) => COMBINATIONS.includes(value as never), "'sum', 'min' or 'max'");

/**
 * Makes a map from numbers to numbers that all threads share: for counts, sums and least or greatest values by key. What is in it, and in which order, does not
 * depend on the threads that have put it there.
 *
 * @param key type of the keys: 'u32', 'i32' or 'f64'; as in `Map`, 0 is -0, and NaN is itself
 * @param value type of the values: 'u32' or 'i32', whose sums wrap as the types do, or 'f64', whose sums depend in their last bits on the order in which threads
 *   add, unless they are integers below 2^53
 * @param options `combine`: what becomes of several values of a key; `maxSize`: how many keys it has room for at least, 1,048,576 by default
 * @throws TypeError, RangeError for bad arguments; RangeError when the shared heap is full
 * @remarks Cost: about that of a `Map`, where values are floats some 40 ns more. Memory: 17 to 68 bytes for each key of `maxSize`, most of which is not touched before it is
 * needed. Where values are in an array beside their keys, `parallelReduceByKey` needs no such table. Source: as for `sharedSet`.
 * @example
 * const counts = sharedMap('u32', 'u32', { combine: 'sum' });
 * await parallelForEach(Uint32Array.of(7, 9, 7), (x, _, { counts }) => counts.add(x), { context: { counts } });
 * const { keys, values } = counts.entries(); // 7 twice, 9 once
 */
export function sharedMap<K extends WideNumberType, V extends WideNumberType>(
  key: K,
  value: V,
  options: SharedMapOptions,
): SharedMap<K, V> {
  checkWideType('sharedMap: key', key);
  checkWideType('sharedMap: value', value);
  const { combine, maxSize } = readSizeOptions('sharedMap', options, { combine: COMBINE });
  if (combine === undefined)
    throw new TypeError(
      "furcate: sharedMap: options.combine is missing. Say what becomes of several values of a key: { combine: 'sum' }.",
    );
  const table = newTable(key, maxSize);
  return new NumberMap(table, new CellValues(value, combine, table.cells.length)) as SharedMap as SharedMap<K, V>;
}
