/** Eliminates block by block: a diagonal block, those right of it and below it, then all that lie right and below. */
import type { Blocks } from './config.js';

/** The factors of a diagonal block. */
export function factor({ side, values }: Blocks, block: number): void {
  const at = block * side * side;
  for (let k = 0; k < side; k++) {
    for (let row = k + 1; row < side; row++) {
      const scale = values[at + row * side + k] / values[at + k * side + k];
      values[at + row * side + k] = scale;
      for (let col = k + 1; col < side; col++) values[at + row * side + col] -= scale * values[at + k * side + col];
    }
  }
}

/** A block right of the diagonal one: multiplies it by the inverse of the lower factor. */
export function solveRight({ side, values }: Blocks, diagonal: number, block: number): void {
  const [d, at] = [diagonal * side * side, block * side * side];
  for (let k = 0; k < side; k++) {
    for (let row = k + 1; row < side; row++) {
      const scale = values[d + row * side + k];
      for (let col = 0; col < side; col++) values[at + row * side + col] -= scale * values[at + k * side + col];
    }
  }
}

/** A block below the diagonal one: multiplies it by the inverse of the upper factor. */
export function solveBelow({ side, values }: Blocks, diagonal: number, block: number): void {
  const [d, at] = [diagonal * side * side, block * side * side];
  for (let row = 0; row < side; row++) {
    for (let k = 0; k < side; k++) {
      const scale = values[at + row * side + k] / values[d + k * side + k];
      values[at + row * side + k] = scale;
      for (let col = k + 1; col < side; col++) values[at + row * side + col] -= scale * values[d + k * side + col];
    }
  }
}

/** Takes the product of a block below and one on the right from the block in the row of the one and the column of the other. */
export function subtractProduct({ side, values }: Blocks, below: number, right: number, block: number): void {
  const [b, r, at] = [below * side * side, right * side * side, block * side * side];
  for (let row = 0; row < side; row++) {
    for (let k = 0; k < side; k++) {
      const scale = values[b + row * side + k];
      for (let col = 0; col < side; col++) values[at + row * side + col] -= scale * values[r + k * side + col];
    }
  }
}

/** The rows below the diagonal block k that have a block in its column, and the columns right of it that have one in its row. */
export function neighbours({ blocks, places }: Blocks, k: number): { rows: number[]; cols: number[] } {
  const beyond = Array.from({ length: blocks - k - 1 }, (_, i) => k + 1 + i);
  return {
    rows: beyond.filter((row) => places[row * blocks + k] >= 0),
    cols: beyond.filter((col) => places[k * blocks + col] >= 0),
  };
}

export function sequential(matrix: Blocks): void {
  const { blocks, places } = matrix;
  for (let k = 0; k < blocks; k++) {
    const { rows, cols } = neighbours(matrix, k);
    const diagonal = places[k * blocks + k];
    factor(matrix, diagonal);
    for (const col of cols) solveRight(matrix, diagonal, places[k * blocks + col]);
    for (const row of rows) solveBelow(matrix, diagonal, places[row * blocks + k]);
    for (const row of rows)
      for (const col of cols)
        subtractProduct(matrix, places[row * blocks + k], places[k * blocks + col], places[row * blocks + col]);
  }
}
