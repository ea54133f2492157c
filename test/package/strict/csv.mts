/** Totals of a column of a CSV file, by the values of another one: of a file in shared memory, and of one that is too large for that. */
import { createReadStream } from 'node:fs';
import { decodeText, free, lineChunks, parallelMap, sharedFile } from 'furcate';

export type Totals = Map<string, number>;

async function totalsIn(chunks: Uint8Array[] | AsyncIterable<Uint8Array>): Promise<Totals> {
  const sumsOf = (chunk: Uint8Array, i: number, context: { decodeText: typeof decodeText }): Totals => {
    const sums: Totals = new Map();
    const lines = context.decodeText(chunk).split('\n');
    for (const line of i === 0 ? lines.slice(1) : lines) {
      const [, city = '', amount] = line.split(',');
      if (amount !== undefined) sums.set(city, (sums.get(city) ?? 0) + Number(amount));
    }
    return sums;
  };
  const all: Totals = new Map();
  for (const sums of await parallelMap(chunks, sumsOf, { context: { decodeText } }))
    for (const [city, sum] of sums) all.set(city, (all.get(city) ?? 0) + sum);
  return all;
}

export async function totals(path: string): Promise<Totals> {
  const bytes = await sharedFile(path);
  const all = await totalsIn(lineChunks(bytes));
  free(bytes);
  return all;
}

export const totalsOfLarge = (path: string): Promise<Totals> => totalsIn(lineChunks(createReadStream(path)));
