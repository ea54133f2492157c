/** The recursion of `finish()` as tasks: both halves of what the median divides are sorted at the same time, in the memory of the index. */
import { fork, forkable, join } from 'furcate';
import KDBush from 'kdbush';
import type { Ways } from '../workload.js';
import type { Points } from './config.js';
import { type Arranged, NODE_SIZE, select, sort } from './select.js';

/** Points that a task sorts by itself: about 1 ms. */
const LEAF = 10_000;

const sortTask = forkable(
  import.meta.url,
  'sortTask',
  (left: number, right: number, axis: number, arranged: Arranged): void => {
    if (right - left <= LEAF) {
      sort(left, right, axis, arranged);
      return;
    }
    const middle = (left + right) >> 1;
    select(arranged, middle, left, right, axis);
    const lower = fork(sortTask, left, middle - 1, 1 - axis, arranged);
    sortTask(middle + 1, right, 1 - axis, arranged);
    join(lower);
  },
);

export const ways: Ways<Points, KDBush> = {
  async ''({ n, xs, ys }, pool) {
    const { ids, coords, data } = new KDBush(n, NODE_SIZE, Float64Array, SharedArrayBuffer);
    for (let i = 0; i < n; i++) {
      ids[i] = i;
      coords[2 * i] = xs[i];
      coords[2 * i + 1] = ys[i];
    }
    await pool.invoke(sortTask.with({ ids, coords }), 0, n - 1, 0);
    return KDBush.from(data);
  },
};
