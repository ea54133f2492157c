/** Totals of a column of a CSV file, by the values of another one: of a file that workers read part by part, and of a stream that arrives. */
import { decodeText, type FilePart, fileParts, lineChunks, parallelMap } from 'furcate';

export type Totals = Map<string, number>;

const totalsOf = (lines: Iterable<string>): Totals => {
  const sums: Totals = new Map();
  for (const line of lines) {
    const [, city = '', amount = '0'] = line.split(',');
    sums.set(city, (sums.get(city) ?? 0) + Number(amount));
  }
  return sums;
};

function added(parts: readonly Totals[]): Totals {
  const all: Totals = new Map();
  for (const sums of parts) for (const [city, sum] of sums) all.set(city, (all.get(city) ?? 0) + sum);
  return all;
}

const context = { decodeText, totalsOf };
type Context = typeof context;

export async function totals(path: string): Promise<Totals> {
  const sumsOf = (part: FilePart, _: number, { totalsOf }: Context): Totals => totalsOf(part.lines());
  return added(await parallelMap(await fileParts(path, { skipLines: 1 }), sumsOf, { context }));
}

export async function totalsOfStream(stream: AsyncIterable<Uint8Array>): Promise<Totals> {
  const sumsOf = (chunk: Uint8Array, i: number, { decodeText, totalsOf }: Context): Totals =>
    totalsOf(
      decodeText(chunk)
        .trimEnd()
        .split('\n')
        .slice(i === 0 ? 1 : 0),
    );
  return added(await parallelMap(lineChunks(stream), sumsOf, { context }));
}
