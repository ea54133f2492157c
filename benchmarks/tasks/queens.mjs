// Counts the ways to place n queens, with a task for every placement. `columns`, `down` and `up` are the attacked squares of the
// next row, one bit for each column. When every column is taken, every row has its queen.
import { fork, forkable, join, RecursiveTask } from 'furcate';

export class Queens extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Queens');
  }

  n;
  columns;
  down;
  up;

  constructor(n, columns, down, up) {
    super();
    this.n = n;
    this.columns = columns;
    this.down = down;
    this.up = up;
  }

  compute() {
    const { n, columns, down, up } = this;
    const board = (1 << n) - 1;
    if (columns === board) return 1;
    const forked = [];
    let free = board & ~(columns | down | up);
    while (free !== 0) {
      const bit = free & -free;
      free -= bit;
      forked.push(new Queens(n, columns | bit, (down | bit) << 1, (up | bit) >> 1).fork());
    }
    let count = 0;
    for (let i = forked.length - 1; i >= 0; i--) count += forked[i].join();
    return count;
  }
}

export const queens = forkable(import.meta.url, 'queens', (n, columns, down, up) => {
  const board = (1 << n) - 1;
  if (columns === board) return 1;
  const forked = [];
  let free = board & ~(columns | down | up);
  while (free !== 0) {
    const bit = free & -free;
    free -= bit;
    forked.push(fork(queens, n, columns | bit, (down | bit) << 1, (up | bit) >> 1));
  }
  let count = 0;
  for (let i = forked.length - 1; i >= 0; i--) count += join(forked[i]);
  return count;
});

export function plainQueens(n, columns, down, up) {
  const board = (1 << n) - 1;
  if (columns === board) return 1;
  let free = board & ~(columns | down | up);
  let count = 0;
  while (free !== 0) {
    const bit = free & -free;
    free -= bit;
    count += plainQueens(n, columns | bit, (down | bit) << 1, (up | bit) >> 1);
  }
  return count;
}
