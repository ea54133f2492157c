/** Leaves out an item in a task of its own, down to some depth. All tasks see the best value of any. */
import { atomicMax, fork, forkable, join } from 'furcate';
import type { Ways } from '../workload.js';
import type { Knapsack } from './config.js';
import { boundOf } from './sequential.js';

const search = forkable(
  import.meta.url,
  'search',
  (sack: Knapsack, item: number, room: number, value: number): void => {
    const { weights, values, best } = sack;
    // A plain look first: the best value changes rarely.
    if (value > best[0]) atomicMax(best, 0, value);
    if (item === weights.length || Math.floor(value + boundOf(sack, item, room)) <= best[0]) return;
    // Items near the end make tasks that are too small.
    if (item > weights.length / 2) {
      if (weights[item] <= room) search(sack, item + 1, room - weights[item], value + values[item]);
      search(sack, item + 1, room, value);
      return;
    }
    const without = fork(search, sack, item + 1, room, value);
    if (weights[item] <= room) search(sack, item + 1, room - weights[item], value + values[item]);
    join(without);
  },
);

export const ways: Ways<Knapsack, number> = {
  async ''(sack, pool) {
    await pool.invoke(search, sack, 0, sack.capacity, 0);
    return sack.best[0];
  },
};
