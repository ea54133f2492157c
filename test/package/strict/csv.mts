/** Totals of a column of a CSV file, by the values of another one. */
import { createReadStream } from 'node:fs';
import { decodeText, lineChunks, parallelMap } from 'furcate';

type Totals = Map<string, number>;

export async function totals(path: string): Promise<Totals> {
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
  const chunks = lineChunks(createReadStream(path));
  for (const sums of await parallelMap(chunks, sumsOf, { context: { decodeText } }))
    for (const [city, sum] of sums) all.set(city, (all.get(city) ?? 0) + sum);
  return all;
}
