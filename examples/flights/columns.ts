/**
 * Collects the columns of the flights in shared arrays, and counts missing values.
 *
 * Every column of the file may contain nulls. A flight without delay or distance is of no use to any question, so it is left out and
 * counted. A flight without a date or an airport stays, with NaN or the code 0 as the missing value.
 */
import { sharedArray } from 'furcate';
import { UNKNOWN_AIRPORT } from './airport-table.js';

export const COLUMN_NAMES = ['date', 'delay', 'distance', 'origin', 'destination'] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

const MAX_AIRPORTS = 0x10000; // codes are stored in 16 bits

export interface FlightColumns {
  /** Flights kept: the length of every column. */
  readonly count: number;
  /** Actual departure in local time, as milliseconds since 1970 as if it were UTC; NaN when missing. */
  readonly departure: Float64Array;
  /** Arrival delay in minutes; negative when early. */
  readonly delay: Int32Array;
  /** Distance in miles. */
  readonly distance: Int32Array;
  /** Airports, as indices into `airportCodes`. */
  readonly origin: Uint16Array;
  readonly destination: Uint16Array;
  readonly airportCodes: readonly string[];
  /** How many values are missing in each column, in the rows read. */
  readonly missing: Readonly<Record<ColumnName, number>>;
  /** How many rows were left out, because they have no delay or no distance. */
  readonly leftOut: number;
}

export class ColumnBuilder {
  readonly #rows: number;
  readonly #departure: Float64Array;
  readonly #delay: Int32Array;
  readonly #distance: Int32Array;
  readonly #origin: Uint16Array;
  readonly #destination: Uint16Array;
  readonly #unusable: Uint8Array; // 1 for a row to leave out
  readonly #codeOfAirport = new Map<string, number>([[UNKNOWN_AIRPORT, 0]]);
  readonly #missing: Record<ColumnName, number> = { date: 0, delay: 0, distance: 0, origin: 0, destination: 0 };

  constructor(rows: number) {
    this.#rows = rows;
    this.#departure = sharedArray(Float64Array, rows);
    this.#delay = sharedArray(Int32Array, rows);
    this.#distance = sharedArray(Int32Array, rows);
    this.#origin = sharedArray(Uint16Array, rows);
    this.#destination = sharedArray(Uint16Array, rows);
    this.#unusable = new Uint8Array(rows);
  }

  /** Stores consecutive values of one column. Ignores values beyond the last row. */
  put(column: ColumnName, rowStart: number, values: ArrayLike<unknown>): void {
    const count = Math.min(values.length, this.#rows - rowStart);
    for (let i = 0; i < count; i++) {
      const value = values[i];
      const row = rowStart + i;
      if (value === null || value === undefined) this.#putMissing(column, row);
      else this.#putValue(column, row, value);
    }
  }

  /** Removes the unusable rows and returns the columns. */
  finish(): FlightColumns {
    const columns = [this.#departure, this.#delay, this.#distance, this.#origin, this.#destination];
    let count = 0;
    for (let row = 0; row < this.#rows; row++) {
      if (this.#unusable[row] === 1) continue;
      if (count < row) for (const column of columns) column.copyWithin(count, row, row + 1);
      count++;
    }
    return {
      count,
      departure: this.#departure.subarray(0, count),
      delay: this.#delay.subarray(0, count),
      distance: this.#distance.subarray(0, count),
      origin: this.#origin.subarray(0, count),
      destination: this.#destination.subarray(0, count),
      airportCodes: [...this.#codeOfAirport.keys()], // a Map keeps the order of insertion, so the index is the code
      missing: this.#missing,
      leftOut: this.#rows - count,
    };
  }

  #putMissing(column: ColumnName, row: number): void {
    this.#missing[column]++;
    if (column === 'date') this.#departure[row] = Number.NaN;
    else if (column === 'delay' || column === 'distance') this.#unusable[row] = 1;
    // A missing airport needs no store: shared arrays start with zeros, and 0 is the code of the unknown airport.
  }

  #putValue(column: ColumnName, row: number, value: unknown): void {
    if (column === 'date') this.#departure[row] = numberIn(column, row, value);
    else if (column === 'delay') this.#delay[row] = int32In(column, row, value);
    else if (column === 'distance') this.#distance[row] = int32In(column, row, value);
    else if (column === 'origin') this.#origin[row] = this.#airportCode(column, row, value);
    else this.#destination[row] = this.#airportCode(column, row, value);
  }

  #airportCode(column: ColumnName, row: number, value: unknown): number {
    if (typeof value !== 'string') throw wrongValue(column, row, value, 'a string');
    let code = this.#codeOfAirport.get(value);
    if (code === undefined) {
      code = this.#codeOfAirport.size;
      if (code === MAX_AIRPORTS) throw wrongValue(column, row, value, `one of at most ${MAX_AIRPORTS - 1} airports`);
      this.#codeOfAirport.set(value, code);
    }
    return code;
  }
}

function numberIn(column: ColumnName, row: number, value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue(column, row, value, 'a number');
  return Number(value); // the parser returns 64-bit integers as bigint
}

function int32In(column: ColumnName, row: number, value: unknown): number {
  const number = numberIn(column, row, value);
  if (number !== (number | 0)) throw wrongValue(column, row, value, 'a 32-bit integer');
  return number;
}

function wrongValue(column: ColumnName, row: number, value: unknown, needed: string): TypeError {
  return new TypeError(`Column '${column}', row ${row}: got ${typeof value} ${String(value)}, but needs ${needed}.`);
}
