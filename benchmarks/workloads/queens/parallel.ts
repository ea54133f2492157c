/** Counts placements of queens by tasks: one for every placement, one for the rest of each row, or for those in the first rows only. */
import { type Fork, fork, forkable, join } from 'furcate';
import type { Ways } from '../workload.js';
import type { Board } from './config.js';
import { placements } from './sequential.js';

/** Rows whose placements are tasks. Below them, a subtree is a plain call: of 14 rows, it takes about 150 us. */
const SHARED_ROWS = 3;

const everyPlacement = forkable(
  import.meta.url,
  'everyPlacement',
  (board: number, columns: number, down: number, up: number): number => {
    if (columns === board) return 1;
    const forked: Fork<number>[] = [];
    for (let free = board & ~(columns | down | up); free !== 0; free &= free - 1) {
      const queen = free & -free;
      forked.push(fork(everyPlacement, board, columns | queen, (down | queen) << 1, (up | queen) >> 1));
    }
    let count = 0;
    while (forked.length > 0) count += join(forked.pop()!);
    return count;
  },
);

/** @param open the columns that have no queen yet, a bit each */
function nextRow(open: number, down: number, up: number): number {
  if (open === 0) return 1;
  const free = open & ~(down | up);
  return free === 0 ? 0 : restOfRow(free, open, down, up);
}

/** The first placement is a plain call, and all others of the row are one task, which does the same: so nothing has to be kept in an array. */
const restOfRow = forkable(
  import.meta.url,
  'restOfRow',
  (free: number, open: number, down: number, up: number): number => {
    const queen = free & -free;
    const others = free ^ queen;
    if (others === 0) return nextRow(open ^ queen, (down | queen) << 1, (up | queen) >> 1);
    const rest: Fork<number> = fork(restOfRow, others, open, down, up);
    return nextRow(open ^ queen, (down | queen) << 1, (up | queen) >> 1) + join(rest);
  },
);

const firstRows = forkable(
  import.meta.url,
  'firstRows',
  (rows: number, board: number, columns: number, down: number, up: number): number => {
    if (rows === 0) return placements(board, columns, down, up);
    const forked: Fork<number>[] = [];
    for (let free = board & ~(columns | down | up); free !== 0; free &= free - 1) {
      const queen = free & -free;
      forked.push(fork(firstRows, rows - 1, board, columns | queen, (down | queen) << 1, (up | queen) >> 1));
    }
    let count = 0;
    while (forked.length > 0) count += join(forked.pop()!);
    return count;
  },
);

export const ways: Ways<Board, number> = {
  'tasks in the first rows': ({ n }, pool) => pool.invoke(firstRows, SHARED_ROWS, (1 << n) - 1, 0, 0, 0),
  'a task for the rest of each row': ({ n }, pool) => pool.invoke(restOfRow, (1 << n) - 1, (1 << n) - 1, 0, 0),
  'a task for every placement': ({ n }, pool) => pool.invoke(everyPlacement, (1 << n) - 1, 0, 0, 0),
};
