/** Counts placements of queens by depth-first search. */
import type { Board } from './config.js';

/**
 * The ways to fill the rows that are left.
 *
 * @param board a bit for each column
 * @param columns the columns that have a queen, and
 * @param down the squares of the next row that queens attack along diagonals
 */
export function placements(board: number, columns: number, down: number, up: number): number {
  if (columns === board) return 1;
  let count = 0;
  for (let free = board & ~(columns | down | up); free !== 0; free &= free - 1) {
    const queen = free & -free;
    count += placements(board, columns | queen, (down | queen) << 1, (up | queen) >> 1);
  }
  return count;
}

export const sequential = ({ n }: Board): number => placements((1 << n) - 1, 0, 0, 0);
