/** Leaves out an item in a task of its own, down to some depth. All tasks see the best value of any. */
import { atomicMax, fork, forkable, join } from 'furcate';
import type { Ways } from '../workload.js';
import type { Knapsack } from './config.js';
import { boundOf } from './sequential.js';

/** Items whose choices are tasks. Those behind make tasks that are too small: of 24, about 70 us. */
const SHARED_ITEMS = 10;

const search = forkable(
  import.meta.url,
  'search',
  (item: number, room: number, value: number, sack: Knapsack): void => {
    const { weights, values, best } = sack;
    // A plain look first: the best value changes rarely.
    if (value > best[0]) atomicMax(best, 0, value);
    if (item === weights.length || Math.floor(value + boundOf(sack, item, room)) <= best[0]) return;
    if (item >= SHARED_ITEMS) {
      if (weights[item] <= room) search(item + 1, room - weights[item], value + values[item], sack);
      search(item + 1, room, value, sack);
      return;
    }
    const without = fork(search, item + 1, room, value, sack);
    if (weights[item] <= room) search(item + 1, room - weights[item], value + values[item], sack);
    join(without);
  },
);

export const ways: Ways<Knapsack, number> = {
  async ''(sack, pool) {
    await pool.invoke(search.with(sack), 0, sack.capacity, 0);
    return sack.best[0];
  },
};
