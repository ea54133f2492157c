/**
 * Values that threads combine at the same time, one for each cell of a table; runs on every thread.
 *
 * A cell that nobody has written to holds zero, because memory does. So values are stored by exclusive or with the bits of what changes no value: zero for sums,
 * the greatest number for minima, the least for maxima.
 */
import { sharedArray } from '../../core/engine.js';
import { type AtomicArray, addTo, compareExchangeIn, loadFrom } from '../../core/memory/atomics.js';
import { ARRAYS, type ArrayOfType, F64, notOfType, U32, WIDE, type WideNumberType } from './number-types.js';

/** Combination of values of the same key. */
export type Combination = 'sum' | 'min' | 'max';
export const COMBINATIONS: readonly Combination[] = ['sum', 'min', 'max'];
const SUM = 0;
const MIN = 1;

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

const bitsOf = (value: number): bigint => {
  double[0] = value;
  return bits[0] as bigint;
};

const UNCHANGING: Readonly<Record<WideNumberType, Readonly<Record<Combination, number>>>> = {
  i32: { sum: 0, min: 2 ** 31 - 1, max: -(2 ** 31) },
  u32: { sum: 0, min: 2 ** 32 - 1, max: 0 },
  f64: { sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
};

/** Its fields travel. */
export class CellValues {
  /** The number of the type, in `WIDE`. */
  readonly type: number;
  /** The number of the combination, in `COMBINATIONS`. */
  readonly combine: number;
  /** Neutral value, which changes no other, as it is stored. */
  readonly mask: number;
  readonly values: ArrayOfType<WideNumberType>;
  readonly cells: AtomicArray;

  constructor(type: WideNumberType, combine: Combination, length: number) {
    this.type = WIDE.indexOf(type);
    this.combine = COMBINATIONS.indexOf(combine);
    this.mask = UNCHANGING[type][combine];
    const values = sharedArray<ArrayOfType<WideNumberType>>(ARRAYS[type] as never, length);
    this.values = values;
    this.cells = type === 'f64' ? new BigInt64Array(values.buffer, values.byteOffset, length) : (values as Int32Array);
  }

  /** Checks a value. @throws TypeError, RangeError for one of another type */
  check(value: number): void {
    const { type } = this;
    if (typeof value !== 'number' || (type !== F64 && (type === U32 ? value >>> 0 : value | 0) !== value))
      throw notOfType('a value of this shared map', WIDE[type] as WideNumberType, value);
  }

  /** Combines a value, which was checked, with that of a cell. Sums of integers are exact up to 32 bits, as the type is. */
  add(cell: number, value: number): void {
    const { type, cells } = this;
    if (type === F64) this.changeFloat(cell, value);
    else if (this.combine === SUM) addTo(cells, cell, value);
    else this.changeInteger(cell, value);
  }

  private changeInteger(cell: number, value: number): void {
    const { cells, mask } = this;
    for (;;) {
      const before = loadFrom(cells, cell) as number;
      const old = this.type === U32 ? (before ^ mask) >>> 0 : before ^ mask;
      if (this.combine === MIN ? value >= old : value <= old) return;
      if (compareExchangeIn(cells, cell, before, value ^ mask) === before) return;
    }
  }

  private changeFloat(cell: number, value: number): void {
    const { cells, combine, mask } = this;
    const hidden = combine === SUM ? 0n : bitsOf(mask);
    for (;;) {
      const before = loadFrom(cells, cell) as bigint;
      bits[0] = before ^ hidden;
      const old = double[0] as number;
      const next = combine === SUM ? old + value : combine === MIN ? Math.min(old, value) : Math.max(old, value);
      if (Object.is(next, old) || compareExchangeIn(cells, cell, before, bitsOf(next) ^ hidden) === before) return;
    }
  }

  /** The value of a cell. */
  at(cell: number): number {
    const { values, mask, type } = this;
    const stored = values[cell] as number; // plain: whoever needs to know all that threads add reads when they are done
    if (type !== F64) return type === U32 ? (stored ^ mask) >>> 0 : stored ^ mask;
    bits[0] = bitsOf(stored) ^ bitsOf(mask);
    return double[0] as number;
  }
}
