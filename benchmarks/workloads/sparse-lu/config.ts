/**
 * The factors of a sparse matrix of blocks, lower and upper triangular, in its place: a benchmark of the Barcelona OpenMP Tasks Suite (Duran and others
 * 2009), with its pattern and its values. Blocks of zeros are not stored, until a factor needs them.
 */
import type { Config } from '../workload.js';

export interface Size {
  /** Rows of blocks. */
  readonly blocks: number;
  /** Rows of a block. */
  readonly side: number;
}

export interface Blocks extends Size {
  /** Where each block lies in `values`, counted in blocks; -1 for one of zeros. */
  readonly places: Int32Array;
  readonly values: Float64Array;
}

export interface Sparse extends Blocks {
  readonly original: Float64Array;
}

function isStored(row: number, col: number): boolean {
  if (Math.abs(row - col) <= 1) return true;
  if (row % 2 === 1 || col % 2 === 1) return false;
  return row < col ? row % 3 === 0 : col % 3 === 0;
}

/** The product of the matrix, or of its factors, with a vector. */
function times(
  { blocks, side, places }: Blocks,
  values: Float64Array,
  part: 'all' | 'lower' | 'upper',
  x: Float64Array,
): Float64Array {
  const y = new Float64Array(blocks * side);
  for (let row = 0; row < blocks * side; row++) {
    for (let col = 0; col < blocks * side; col++) {
      const place = places[Math.floor(row / side) * blocks + Math.floor(col / side)];
      if (place < 0 || (part === 'lower' && col > row) || (part === 'upper' && col < row)) continue;
      const value = part === 'lower' && col === row ? 1 : values[(place * side + (row % side)) * side + (col % side)];
      y[row] += value * x[col];
    }
  }
  return y;
}

export const config: Config<Size, Sparse, void> = {
  what: 'rounds of blocks; checked by L (U x) = A x',
  sizes: { '30 blocks of 80': { blocks: 30, side: 80 } },
  small: { blocks: 6, side: 8 },
  open({ blocks, side }, make) {
    const places = make(Int32Array, blocks * blocks).fill(-1);
    let count = 0;
    for (let row = 0; row < blocks; row++)
      for (let col = 0; col < blocks; col++) if (isStored(row, col)) places[row * blocks + col] = count++;
    const stored = count;
    // Blocks that the factors have beyond those of the matrix.
    for (let k = 0; k < blocks; k++)
      for (let row = k + 1; row < blocks; row++)
        for (let col = k + 1; col < blocks; col++)
          if (places[row * blocks + k] >= 0 && places[k * blocks + col] >= 0 && places[row * blocks + col] < 0)
            places[row * blocks + col] = count++;
    const original = new Float64Array(count * side * side);
    let random = 1325;
    for (let i = 0; i < stored * side * side; i++) {
      random = (3125 * random) % 65536;
      original[i] = (random - 32768) / 16384;
    }
    // Large diagonals, because rows are not exchanged.
    for (let k = 0; k < blocks; k++)
      for (let i = 0; i < side; i++) original[(places[k * blocks + k] * side + i) * side + i] += 10 * blocks * side;
    const values = make(Float64Array, original.length);
    values.set(original);
    return { blocks, side, places, values, original };
  },
  restore: ({ values, original }) => values.set(original),
  answer(matrix) {
    const x = Float64Array.from({ length: matrix.blocks * matrix.side }, (_, i) => 1 + (i % 7));
    const y = times(matrix, matrix.values, 'lower', times(matrix, matrix.values, 'upper', x));
    const right = times(matrix, matrix.original, 'all', x);
    const error = y.reduce((most, value, i) => Math.max(most, Math.abs(value / right[i] - 1)), 0);
    return error < 1e-12 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
