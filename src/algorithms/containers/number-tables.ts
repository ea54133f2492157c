/** Tables of numbers of each type: what the cells of a table are made of; runs on every thread. */
import { builtinClass, sharedArray } from '../../core/engine.js';
import { compareExchange, compareExchangeIn } from '../../core/memory/atomics.js';
import { endOf, KeyTable, shapeFor, stateWords, type TableShape } from './key-table.js';
import { notOfType, type WideNumberType } from './number-types.js';

const newState = (shape: TableShape): Int32Array => sharedArray(Int32Array, stateWords(shape));
const cellsIn = (shape: TableShape): number => endOf(shape, shape.last);

const refuse = (type: WideNumberType, key: unknown): never => {
  throw notOfType('a key of this shared table', type, key);
};

/** Different integers have different hashes. */
const spread = (word: number): number => Math.imul(word ^ (word >>> 16), 0x9e3779b1);

/** Integers of 32 bits. Cells hold them with a sign, because V8 boxes integers from 2^31 on. */
class IntegerTable extends KeyTable {
  readonly type: 'i32' | 'u32';
  /** The greatest integer of the type without a sign, or the least one of that with a sign. */
  readonly specialKey: number;
  readonly cells: Int32Array;

  constructor(type: 'i32' | 'u32', shape: TableShape) {
    super(shape, newState(shape));
    this.type = type;
    this.specialKey = type === 'u32' ? 2 ** 32 - 1 : -(2 ** 31);
    this.cells = sharedArray(Int32Array, cellsIn(shape));
    this.sealStoppers();
  }

  protected hashOf(held: number): number {
    return spread(held);
  }

  protected heldFor(key: number): number {
    return key | 0;
  }

  protected keyOf(held: number): number {
    return this.specialKey > 0 ? held >>> 0 : held; // of u32
  }

  protected specialOf(key: number): number {
    if (key === 0) return 0;
    if (key === this.specialKey) return 1;
    return typeof key === 'number' && this.keyOf(key | 0) === key ? -1 : refuse(this.type, key);
  }

  protected read(cell: number): number {
    return this.cells[cell] as number;
  }

  protected isSeal(held: number): boolean {
    return held === (this.specialKey | 0);
  }

  protected tryTake(cell: number, held: number): boolean {
    return compareExchange(this.cells, cell, 0, held) === 0;
  }

  protected trySeal(cell: number): boolean {
    return compareExchange(this.cells, cell, 0, this.specialKey) === 0;
  }

  protected free(from: number, to: number): void {
    this.cells.fill(0, from, to);
    for (let g = 0; g <= this.last; g++) this.cells[endOf(this, g) - 1] = 0;
  }
}

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);
const bits = new BigInt64Array(double.buffer);

/** Floats. Seals are NaN. Engines read the eight bytes of an aligned float at once. */
class FloatTable extends KeyTable {
  readonly type = 'f64';
  readonly specialKey = Number.NaN;
  readonly cells: BigInt64Array;
  readonly keys: Float64Array;

  constructor(shape: TableShape) {
    super(shape, newState(shape));
    this.keys = sharedArray(Float64Array, cellsIn(shape));
    const { buffer, byteOffset, length } = this.keys;
    this.cells = new BigInt64Array(buffer, byteOffset, length);
    this.sealStoppers();
  }

  protected heldFor(key: number): number {
    return key;
  }

  protected keyOf(held: number): number {
    return held;
  }

  protected hashOf(held: number): number {
    double[0] = held;
    return spread(Math.imul(words[0] as number, 0x85ebca6b) ^ (words[1] as number));
  }

  protected specialOf(key: number): number {
    if (key === 0) return 0;
    if (typeof key !== 'number') refuse('f64', key);
    return Number.isNaN(key) ? 1 : -1;
  }

  protected read(cell: number): number {
    return this.keys[cell] as number;
  }

  protected isSeal(held: number): boolean {
    return Number.isNaN(held);
  }

  protected tryTake(cell: number, held: number): boolean {
    double[0] = held;
    return compareExchangeIn(this.cells, cell, 0n, bits[0] as bigint) === 0n;
  }

  protected trySeal(cell: number): boolean {
    return this.tryTake(cell, Number.NaN);
  }

  protected free(from: number, to: number): void {
    this.keys.fill(0, from, to);
    for (let g = 0; g <= this.last; g++) this.keys[endOf(this, g) - 1] = 0;
  }
}

builtinClass('SharedIntegers', IntegerTable);
builtinClass('SharedFloats', FloatTable);

/** A table for keys of a type. */
export type NumberTable = IntegerTable | FloatTable;

export const newTable = (type: WideNumberType, maxSize: number): NumberTable => {
  const shape = shapeFor(maxSize);
  return type === 'f64' ? new FloatTable(shape) : new IntegerTable(type, shape);
};
