/** Loads the flights from the Parquet file of vega-datasets, one row group at a time; runs on the main thread. */
import { readFile } from 'node:fs/promises';
import { parquetMetadata, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { type Airports, locateAirports } from './airports.js';
import { COLUMN_NAMES, ColumnBuilder, type ColumnName, type FlightColumns } from './columns.js';
import { dataFile } from './data-set.js';

export const FLIGHTS_FILE = 'flights-3m.parquet';

const MICROSECONDS_PER_MILLISECOND = 1000;

export interface Flights extends FlightColumns {
  readonly airports: Airports;
}

export interface LoadOptions {
  /** How many rows to read from the start of the file; all rows if undefined. */
  readonly rows?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function loadFlights({ rows, onProgress }: LoadOptions = {}): Promise<Flights> {
  const bytes = await readFile(dataFile(FLIGHTS_FILE));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  checkColumns(parquetSchema(metadata).children.map((child) => child.element.name));

  const total = Math.min(rows ?? Number.POSITIVE_INFINITY, Number(metadata.num_rows));
  const builder = new ColumnBuilder(total);
  let rowStart = 0;
  // One group at a time, so that decoded values (boxed numbers, strings) become garbage before the next group.
  for (const group of metadata.row_groups) {
    if (rowStart >= total) break;
    const rowEnd = rowStart + Number(group.num_rows);
    await parquetRead({
      file,
      metadata,
      compressors,
      columns: [...COLUMN_NAMES],
      rowStart,
      rowEnd,
      parsers: { timestampFromMicroseconds: (micros) => Number(micros) / MICROSECONDS_PER_MILLISECOND },
      // Chunks arrive in any order, each with its first row.
      onChunk: (chunk) => builder.put(chunk.columnName as ColumnName, chunk.rowStart, chunk.columnData),
    });
    onProgress?.(Math.min(rowEnd, total), total);
    rowStart = rowEnd;
  }

  const columns = builder.finish();
  return { ...columns, airports: await locateAirports(columns.airportCodes) };
}

function checkColumns(found: readonly string[]): void {
  const lacking = COLUMN_NAMES.filter((name) => !found.includes(name));
  if (lacking.length > 0) {
    throw new Error(`${FLIGHTS_FILE} lacks the columns ${lacking.join(', ')}; it has ${found.join(', ')}.`);
  }
}
