/** Multiplies matrices, tile by tile on all threads. */
import { forkable, parallelForTiles } from 'furcate';
import type { Ways } from '../workload.js';
import type { Matrices } from './config.js';
import { multiplyTile } from './sequential.js';

const multiply = forkable(import.meta.url, 'multiply', multiplyTile);

export const ways: Ways<Matrices, void> = {
  '': (matrices, pool) => parallelForTiles(matrices.n, matrices.n, multiply, { pool, tile: 64, context: matrices }),
};
