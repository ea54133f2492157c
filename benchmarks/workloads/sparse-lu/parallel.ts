/** Eliminates in rounds, two for each diagonal block, which is factored between them. */
import { forkable, parallelRounds, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import type { Blocks, Sparse } from './config.js';
import { factor, neighbours, solveBelow, solveRight, subtractProduct } from './sequential.js';

interface Elimination {
  readonly matrix: Blocks;
  /** The rows and the columns of a step, and how many of each there are. */
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  readonly counts: Int32Array;
}

const next = forkable(import.meta.url, 'next', (round: number, context: Elimination): number | undefined => {
  const { matrix, rows, cols, counts } = context;
  if (round % 2 === 1) return counts[0] * counts[1];
  const k = round / 2;
  if (k === matrix.blocks) return undefined;
  const found = neighbours(matrix, k);
  rows.set(found.rows);
  cols.set(found.cols);
  counts.set([found.rows.length, found.cols.length]);
  factor(matrix, matrix.places[k * matrix.blocks + k]);
  return counts[0] + counts[1];
});

const eliminate = forkable(
  import.meta.url,
  'eliminate',
  (lo: number, hi: number, round: number, { matrix, rows, cols, counts }: Elimination) => {
    const { blocks, places } = matrix;
    const k = round >> 1;
    const diagonal = places[k * blocks + k];
    for (let i = lo; i < hi; i++) {
      if (round % 2 === 1) {
        const row = rows[Math.floor(i / counts[1])];
        const col = cols[i % counts[1]];
        subtractProduct(matrix, places[row * blocks + k], places[k * blocks + col], places[row * blocks + col]);
      } else if (i < counts[1]) solveRight(matrix, diagonal, places[k * blocks + cols[i]]);
      else solveBelow(matrix, diagonal, places[rows[i - counts[1]] * blocks + k]);
    }
  },
);

export const ways: Ways<Sparse, void> = {
  async ''({ blocks, side, places, values }, pool) {
    const [rows, cols] = [sharedArray(Int32Array, blocks), sharedArray(Int32Array, blocks)];
    const context = { matrix: { blocks, side, places, values }, rows, cols, counts: sharedArray(Int32Array, 2) };
    await parallelRounds(next, eliminate, { pool, context });
  },
};
