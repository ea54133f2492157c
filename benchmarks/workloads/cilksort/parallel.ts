/** Sorts quarters as tasks, and merges them by tasks that cut both parts at the same value. */
import { fork, forkable, join } from 'furcate';
import type { Ways } from '../workload.js';
import type { Numbers } from './config.js';
import { merge, quarters, sort } from './sequential.js';

/** Elements that a task sorts or merges by itself: about 100 us for a merge. */
const LEAF = 20_000;

const mergeTask = forkable(
  import.meta.url,
  'mergeTask',
  (xs: Float64Array, a0: number, a1: number, b0: number, b1: number, out: Float64Array, at: number): void => {
    if (a1 - a0 + (b1 - b0) <= LEAF) {
      merge(xs, a0, a1, b0, b1, out, at);
      return;
    }
    if (a1 - a0 < b1 - b0) [a0, a1, b0, b1] = [b0, b1, a0, a1];
    const a = (a0 + a1) >>> 1; // the middle of the longer part, and where it belongs in the other one
    let [b, end] = [b0, b1];
    while (b < end) {
      const middle = (b + end) >>> 1;
      if (xs[middle] < xs[a]) b = middle + 1;
      else end = middle;
    }
    const upper = fork(mergeTask, xs, a, a1, b, b1, out, at + (a - a0) + (b - b0));
    mergeTask(xs, a0, a, b0, b, out, at);
    join(upper);
  },
);

const sortTask = forkable(
  import.meta.url,
  'sortTask',
  (xs: Float64Array, room: Float64Array, lo: number, hi: number): void => {
    if (hi - lo <= LEAF) {
      sort(xs, room, lo, hi);
      return;
    }
    const [q1, q2, q3] = quarters(lo, hi);
    const first = fork(sortTask, xs, room, lo, q1);
    const second = fork(sortTask, xs, room, q1, q2);
    const third = fork(sortTask, xs, room, q2, q3);
    sortTask(xs, room, q3, hi);
    join(third);
    const upper = fork(mergeTask, xs, q2, q3, q3, hi, room, q2);
    join(second);
    join(first);
    mergeTask(xs, lo, q1, q1, q2, room, lo);
    join(upper);
    mergeTask(room, lo, q2, q2, hi, xs, lo);
  },
);

export const ways: Ways<Numbers, void> = {
  '': ({ xs, room }, pool) => pool.invoke(sortTask, xs, room, 0, xs.length),
};
