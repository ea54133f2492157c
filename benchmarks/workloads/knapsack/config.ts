/** The most valuable items that fit into a knapsack: branch and bound, as in Cilk's example. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Knapsack {
  readonly capacity: number;
  /** In the order of their value for each unit of weight, the best first. */
  readonly weights: Uint32Array;
  readonly values: Uint32Array;
  /** The best value so far. */
  readonly best: Uint32Array;
}

export const config: Config<number, Knapsack, number> = {
  what: 'branch and bound with a best value that tasks share; checked by a table over all capacities',
  sizes: { '24 items': 24 },
  small: 14,
  open(n, make) {
    const random = randomNumbers(9);
    // Even weights and an odd capacity, values in proportion (Chvátal 1980): no choice reaches the bound, so that it ends hardly any branch.
    const items = Array.from({ length: n }, () => 200 + 2 * Math.floor(400 * random()));
    const [weights, values] = [make(Uint32Array, n), make(Uint32Array, n)];
    weights.set(items);
    values.set(items);
    const capacity = Math.floor(items.reduce((sum, weight) => sum + weight, 0) / 2) | 1;
    return { capacity, weights, values, best: make(Uint32Array, 1) };
  },
  restore: ({ best }) => void best.fill(0),
  answer: (_, result) => result,
  expected({ capacity, weights, values }) {
    const most = new Uint32Array(capacity + 1);
    weights.forEach((weight, i) => {
      for (let room = capacity; room >= weight; room--)
        most[room] = Math.max(most[room], most[room - weight] + values[i]);
    });
    return most[capacity];
  },
};
