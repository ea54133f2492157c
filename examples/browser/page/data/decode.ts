/** Decodes rows of the Parquet file into the columns. An asynchronous task, because the parser is asynchronous; runs on workers. */
import { asyncForkable } from 'furcate';
import { type AsyncBuffer, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { MISSING } from '../crossfilter/bounds.js';
import { binOf, DIMENSIONS } from '../crossfilter/dimensions.js';
import type { Columns } from './flights.js';

const MICROSECONDS_PER_MINUTE = 60_000_000;
const MICROSECONDS_PER_MILLISECOND = 1000;
const MINUTES_PER_DAY = 1440;

/** The file, as the parser reads it. The slices are copies in ordinary memory. */
export const asyncBufferOf = (file: Uint8Array): AsyncBuffer => ({
  byteLength: file.length,
  slice: (start, end) => file.slice(start, end).buffer as ArrayBuffer,
});

export const decodeRows = asyncForkable(
  import.meta.url,
  'decodeRows',
  async (_scope, file: Uint8Array, columns: Columns, codes: readonly string[], rowStart: number, rowEnd: number) => {
    const buffer = asyncBufferOf(file);
    const put = writers(columns, codes);
    await parquetRead({
      file: buffer,
      metadata: await parquetMetadataAsync(buffer),
      compressors,
      columns: Object.keys(put),
      rowStart,
      rowEnd,
      parsers: { timestampFromMicroseconds: Number },
      onChunk: ({ columnName, columnData, rowStart: first, rowEnd: end }) => {
        const write = put[columnName];
        for (let row = Math.max(first, rowStart); row < Math.min(end, rowEnd); row++)
          write(row, columnData[row - first]);
      },
    });
    markMissing(columns, rowStart, rowEnd);
  },
);

/** For each column of the file, what to do with a value. */
function writers(columns: Columns, codes: readonly string[]): Record<string, (row: number, value: unknown) => void> {
  const indexOfCode = new Map(codes.map((code, index) => [code, index]));
  const { distance, minute, delay, distanceBin, minuteBin, delayBin, origin, destination, departure } = columns;
  const [byDistance, byMinute, byDelay] = DIMENSIONS;
  return {
    date: (row, value) => {
      const micros = value === null ? Number.NaN : Number(value);
      departure[row] = micros / MICROSECONDS_PER_MILLISECOND;
      minute[row] = Number.isNaN(micros) ? MISSING : Math.floor(micros / MICROSECONDS_PER_MINUTE) % MINUTES_PER_DAY;
      minuteBin[row] = binOf(byMinute, minute[row]);
    },
    distance: (row, value) => {
      distance[row] = value === null ? MISSING : Number(value);
      distanceBin[row] = binOf(byDistance, distance[row]);
    },
    delay: (row, value) => {
      delay[row] = value === null ? MISSING : Number(value);
      delayBin[row] = binOf(byDelay, delay[row]);
    },
    origin: (row, value) => {
      origin[row] = indexOfCode.get(value as string) ?? 0;
    },
    destination: (row, value) => {
      destination[row] = indexOfCode.get(value as string) ?? 0;
    },
  };
}

/** A flight that lacks one value is left out of everything: no selection has it. */
function markMissing({ distance, minute, delay }: Columns, rowStart: number, rowEnd: number): void {
  for (let row = rowStart; row < rowEnd; row++) {
    if (distance[row] === MISSING || minute[row] === MISSING || delay[row] === MISSING)
      distance[row] = minute[row] = delay[row] = MISSING;
  }
}
