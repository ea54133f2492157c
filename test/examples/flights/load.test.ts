import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import { parseAirports, UNKNOWN_AIRPORT } from '../../../examples/flights/airport-table.js';
import { locateAirports } from '../../../examples/flights/airports.js';
import { ColumnBuilder } from '../../../examples/flights/columns.js';
import { dataFile } from '../../../examples/flights/data-set.js';
import { FLIGHTS_FILE, loadFlights } from '../../../examples/flights/load.js';
import { LONG_TEST_HANG_MS } from '../../helpers/limits.js';

describe('the columns', () => {
  test('hold the rows with delay and distance, in order, however the values come in', () => {
    const value = fc.option(fc.integer({ min: -1200, max: 1700 }));
    const row = fc.record({ delay: value, distance: value, origin: fc.option(fc.constantFrom('ATL', 'JFK', 'LAX')) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), fc.nat({ max: 40 }), fc.boolean(), (rows, cut, swapped) => {
        const builder = new ColumnBuilder(rows.length);
        const chunks = [rows.slice(0, cut), rows.slice(cut)].map((chunk, i) => ({ chunk, start: i * cut }));
        for (const { chunk, start } of swapped ? chunks.reverse() : chunks) {
          for (const name of ['delay', 'distance', 'origin'] as const) {
            builder.put(
              name,
              start,
              chunk.map((flight) => flight[name]),
            );
          }
        }
        const columns = builder.finish();

        const kept = rows.filter((flight) => flight.delay !== null && flight.distance !== null);
        expect(columns.count).toBe(kept.length);
        expect(columns.leftOut).toBe(rows.length - kept.length);
        expect([...columns.delay]).toEqual(kept.map((flight) => flight.delay));
        expect([...columns.distance]).toEqual(kept.map((flight) => flight.distance));
        expect([...columns.origin].map((code) => columns.airportCodes[code])).toEqual(
          kept.map((flight) => flight.origin ?? UNKNOWN_AIRPORT),
        );
        for (const name of ['delay', 'distance', 'origin'] as const) {
          expect(columns.missing[name]).toBe(rows.filter((flight) => flight[name] === null).length);
        }
      }),
    );
  });

  test('keep a flight without a date, with NaN', () => {
    const builder = new ColumnBuilder(2);
    builder.put('date', 0, [null, 86_400_000]);
    builder.put('delay', 0, [1n, 2n]);
    builder.put('distance', 0, [3n, 4n]);
    const { departure, missing, leftOut } = builder.finish();
    expect([...departure]).toEqual([Number.NaN, 86_400_000]);
    expect({ missing, leftOut }).toEqual({
      missing: { date: 1, delay: 0, distance: 0, origin: 0, destination: 0 },
      leftOut: 0,
    });
  });

  test('ignore values of rows beyond those asked for', () => {
    const builder = new ColumnBuilder(2);
    builder.put('delay', 0, [1n, 2n, 3n]);
    builder.put('delay', 2, [4n]);
    builder.put('distance', 0, [5n, 6n, 7n]);
    expect([...builder.finish().delay]).toEqual([1, 2]);
  });

  test.each([
    ['delay', 2n ** 31n, /Column 'delay', row 7: got bigint 2147483648, but needs a 32-bit integer/],
    ['distance', 1.5, /Column 'distance', row 7: got number 1\.5, but needs a 32-bit integer/],
    ['delay', 'late', /Column 'delay', row 7: got string late, but needs a number/],
    ['origin', 12, /Column 'origin', row 7: got number 12, but needs a string/],
  ] as const)('refuse in %s what they cannot hold: %s', (column, value, message) => {
    expect(() => new ColumnBuilder(8).put(column, 7, [value])).toThrow(message);
  });
});

describe('the airports', () => {
  test('have coordinates where a name holds commas, and none where the line lacks them', () => {
    const places = parseAirports(
      'iata,name,city,state,country,latitude,longitude\nABC,"A, B",C,D,USA,31.5,-89.25\nXYZ,E,F\n',
    );
    expect([...places]).toEqual([['ABC', { name: 'A, B', latitude: 31.5, longitude: -89.25 }]]);
  });

  test('count what is not located, except for the airport that is missing in the data', async () => {
    const { latitude, longitude, unlocated } = await locateAirports([UNKNOWN_AIRPORT, 'JFK', 'XX?']);
    expect(unlocated).toBe(1);
    expect([...latitude].map(Number.isNaN)).toEqual([true, false, true]);
    expect(latitude[1]).toBeCloseTo((40.64 * Math.PI) / 180, 3);
    expect(longitude[1]).toBeCloseTo((-73.78 * Math.PI) / 180, 3);
  });
});

describe('the loader', () => {
  test(
    'reads exactly the rows asked for, over the border of a row group, in the order of the file',
    async () => {
      const ROW_GROUP_BORDER = 272_727;
      const rows = ROW_GROUP_BORDER + 50;
      const seen: number[] = [];
      const flights = await loadFlights({ rows, onProgress: (done) => seen.push(done) });

      expect(flights).toMatchObject({ count: rows, leftOut: 0 });
      expect(flights.missing).toEqual({ date: 0, delay: 0, distance: 0, origin: 0, destination: 0 });
      expect(flights.airports.unlocated).toBe(0);
      expect(seen).toEqual([ROW_GROUP_BORDER, rows]);
      for (const column of [flights.departure, flights.delay, flights.distance, flights.origin, flights.destination]) {
        expect(column).toHaveLength(rows);
        expect(column.buffer).toBeInstanceOf(SharedArrayBuffer);
      }

      const bytes = await readFile(dataFile(FLIGHTS_FILE));
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      const rowStart = ROW_GROUP_BORDER - 50;
      const expected = await parquetReadObjects({ file, compressors, rowStart, rowEnd: rows });
      const found = Array.from({ length: rows - rowStart }, (_, i) => ({
        date: new Date(flights.departure[rowStart + i]),
        delay: BigInt(flights.delay[rowStart + i]),
        distance: BigInt(flights.distance[rowStart + i]),
        origin: flights.airportCodes[flights.origin[rowStart + i]],
        destination: flights.airportCodes[flights.destination[rowStart + i]],
      }));
      expect(found).toEqual(expected);
    },
    LONG_TEST_HANG_MS,
  );

  test(
    'reads all three million flights when not told otherwise',
    async () => {
      const { count, leftOut } = await loadFlights();
      expect({ count, leftOut }).toEqual({ count: 3_000_000, leftOut: 0 });
    },
    LONG_TEST_HANG_MS,
  );
});
