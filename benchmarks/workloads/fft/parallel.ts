/** The same steps as the sequential version, each on all threads. */
import { forkable, parallelForRange, parallelForTiles } from 'furcate';
import type { Ways } from '../workload.js';
import type { Signal } from './config.js';
import { transformRows, transposeTile } from './sequential.js';

const transposed = forkable(import.meta.url, 'transposed', transposeTile);
const transformed = forkable(import.meta.url, 'transformed', transformRows);

export const ways: Ways<Signal, void> = {
  async ''({ side, signal, work, spectrum, roots }, pool) {
    const [columns, rows] = work;
    await parallelForTiles(side, side, transposed, { pool, context: { side, from: signal, to: columns } });
    await parallelForRange(side, transformed, { pool, context: { side, rows: columns, roots, twisted: true } });
    await parallelForTiles(side, side, transposed, { pool, context: { side, from: columns, to: rows } });
    await parallelForRange(side, transformed, { pool, context: { side, rows, roots, twisted: false } });
    await parallelForTiles(side, side, transposed, { pool, context: { side, from: rows, to: spectrum } });
  },
};
