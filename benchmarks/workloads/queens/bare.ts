/** The search by hand: both workers list the placements in the first rows, and take the rest below each by a counter. */
import type { Bare, Caller } from '../team.js';
import type { Board } from './config.js';
import { placements } from './sequential.js';

const SHARED_ROWS = 3;

export const caller: Caller<Board, Board, undefined, number, number> = {
  close: ({ parts }) => parts[0] + parts[1],
};

export const bare: Bare<Board, undefined, number> = ({ n }, team) => {
  const board = (1 << n) - 1;
  const starts: [columns: number, down: number, up: number][] = [];
  const list = (rows: number, columns: number, down: number, up: number): void => {
    if (rows === 0) {
      starts.push([columns, down, up]);
      return;
    }
    for (let free = board & ~(columns | down | up); free !== 0; free &= free - 1) {
      const queen = free & -free;
      list(rows - 1, columns | queen, (down | queen) << 1, (up | queen) >> 1);
    }
  };
  list(SHARED_ROWS, 0, 0, 0);
  let count = 0;
  for (const [k] of team.parts(starts.length, 1)) count += placements(board, ...starts[k]);
  return count;
};
