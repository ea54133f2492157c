/** Fetches the flights, and has the workers decode them: one task for each row group of the file. */
import { type ForkJoinPool, free, sharedArray } from 'furcate';
import { parquetMetadataAsync } from 'hyparquet';
import { parseAirports, UNKNOWN_AIRPORT } from '../../../flights/airport-table.js';
import { asyncBufferOf, decodeRows } from './decode.js';
import { type Airport, type Flights, newColumns } from './flights.js';

/** Told as loading goes on; `share` is from 0 to 1. */
export type OnProgress = (step: 'fetch' | 'decode', share: number) => void;

export interface Loaded {
  readonly flights: Flights;
  readonly fetchMs: number;
  readonly decodeMs: number;
}

/** @param rows how many flights to read from the start of the file; all if undefined */
export async function loadFlights(
  pool: ForkJoinPool,
  rows: number | undefined,
  onProgress: OnProgress,
): Promise<Loaded> {
  const fetchStart = performance.now();
  const [file, airports] = await Promise.all([
    fetchShared('data/flights-3m.parquet', (share) => onProgress('fetch', share)),
    fetchAirports('data/airports.csv'),
  ]);
  const decodeStart = performance.now();
  const { row_groups: groups } = await parquetMetadataAsync(asyncBufferOf(file));
  const inFile = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  const count = Math.min(rows ?? inFile, inFile);
  const columns = newColumns(count);
  const codes = airports.map(({ code }) => code);

  const tasks: Promise<void>[] = [];
  let done = 0;
  let rowStart = 0;
  for (const group of groups) {
    const rowEnd = Math.min(rowStart + Number(group.num_rows), count);
    if (rowStart === rowEnd) break;
    const decoded = pool.invoke(decodeRows, file, columns, codes, rowStart, rowEnd);
    tasks.push(decoded.then(() => onProgress('decode', ++done / tasks.length)));
    rowStart = rowEnd;
  }
  await Promise.all(tasks);
  free(file);
  return {
    flights: { ...columns, count, airports },
    fetchMs: decodeStart - fetchStart,
    decodeMs: performance.now() - decodeStart,
  };
}

async function get(path: string): Promise<Response> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The server answers ${response.status} for ${path}.`);
  return response;
}

/** The bytes of a file in shared memory. The server must tell its length. */
async function fetchShared(path: string, onProgress: (share: number) => void): Promise<Uint8Array> {
  const response = await get(path);
  const bytes = sharedArray(Uint8Array, Number(response.headers.get('Content-Length')));
  let length = 0;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes.set(chunk.value, length);
    length += chunk.value.length;
    onProgress(length / bytes.length);
  }
  return bytes;
}

async function fetchAirports(path: string): Promise<Airport[]> {
  const places = parseAirports(await (await get(path)).text());
  const unknown = { name: 'unknown airport', latitude: Number.NaN, longitude: Number.NaN };
  return [
    { code: UNKNOWN_AIRPORT, ...unknown },
    ...[...places].map(([code, { name, latitude, longitude }]) => ({ code, name, latitude, longitude })),
  ];
}
