/** A pipeline whose second stage has a limit, and a graph whose nodes wait for their neighbours, as pictures of docs/insight.md show them. */
import type { ForkJoinPool } from 'furcate';
import { type GraphNode, limit, pipeline, taskGraph } from 'furcate/flows';

/** Computes for some milliseconds. */
function busy(ms: number): number {
  const endMs = performance.now() + ms;
  let steps = 0;
  while (performance.now() < endMs) steps++;
  return steps;
}

const SIDE = 6;

/** A tile waits for those above and to the left of it. */
const wavefront = taskGraph(
  (g) => {
    const tiles = new Map<string, GraphNode<number>>();
    const tile = (row: number, column: number): GraphNode<number> =>
      g
        .with({ name: `tile ${row},${column}`, context: { busy } })
        .task(
          (_above: unknown, _left: unknown, { busy }: { busy: (ms: number) => number }): number => busy(3),
          tiles.get(`${row - 1},${column}`) ?? 0,
          tiles.get(`${row},${column - 1}`) ?? 0,
        );
    for (let row = 0; row < SIDE; row++)
      for (let column = 0; column < SIDE; column++) tiles.set(`${row},${column}`, tile(row, column));
    return tiles.get(`${SIDE - 1},${SIDE - 1}`) as GraphNode<number>;
  },
  { name: 'wavefront' },
);

/** @param items so many go through the pipeline */
export async function runFlows(pool: ForkJoinPool, items: number): Promise<void> {
  const connections = limit(2, { name: 'connections' });
  const parse = (item: number, { busy }: { busy: (ms: number) => number }): number => item + busy(1);
  const store = async (item: number): Promise<number> => {
    await new Promise((done) => setTimeout(done, 5)); // stands for a database
    return item;
  };
  await pipeline(
    Array.from({ length: items }, (_, k) => k),
    { pool },
  )
    .map(parse, { name: 'parse', context: { busy } })
    .map(store, { name: 'store', limit: connections })
    .toArray();
  await wavefront.with({ pool }).run();
}
