/** Eliminates in rounds of two loops, which run in a task: there, a loop need not go through the event loop. */
import { forkable, parallelForSync } from 'furcate';
import type { Ways } from '../workload.js';
import type { Blocks, Sparse } from './config.js';
import { factor, neighbours, solveBelow, solveRight, subtractProduct } from './sequential.js';

interface Round {
  readonly matrix: Blocks;
  readonly k: number;
  readonly rows: readonly number[];
  readonly cols: readonly number[];
}

const solve = forkable(import.meta.url, 'solve', (i: number, { matrix, k, rows, cols }: Round) => {
  const { blocks, places } = matrix;
  const diagonal = places[k * blocks + k];
  if (i < cols.length) solveRight(matrix, diagonal, places[k * blocks + cols[i]]);
  else solveBelow(matrix, diagonal, places[rows[i - cols.length] * blocks + k]);
});

const subtract = forkable(import.meta.url, 'subtract', (i: number, { matrix, k, rows, cols }: Round) => {
  const { blocks, places } = matrix;
  const row = rows[Math.floor(i / cols.length)];
  const col = cols[i % cols.length];
  subtractProduct(matrix, places[row * blocks + k], places[k * blocks + col], places[row * blocks + col]);
});

const eliminate = forkable(import.meta.url, 'eliminate', (matrix: Blocks) => {
  const { blocks, places } = matrix;
  for (let k = 0; k < blocks; k++) {
    const { rows, cols } = neighbours(matrix, k);
    const context = { matrix, k, rows, cols };
    factor(matrix, places[k * blocks + k]);
    parallelForSync(cols.length + rows.length, solve, { context });
    parallelForSync(rows.length * cols.length, subtract, { context });
  }
});

export const ways: Ways<Sparse, void> = {
  '': ({ blocks, side, places, values }, pool) => pool.invoke(eliminate, { blocks, side, places, values }),
};
