/** Takes an item or leaves it, and gives up where even parts of items could not beat the best value. */
import type { Knapsack } from './config.js';

/** More than any choice of the items from `item` on can be worth. */
export function boundOf({ weights, values }: Knapsack, item: number, room: number): number {
  let bound = 0;
  for (; item < weights.length && weights[item] <= room; item++) {
    room -= weights[item];
    bound += values[item];
  }
  return item < weights.length ? bound + (room * values[item]) / weights[item] : bound;
}

function search(sack: Knapsack, item: number, room: number, value: number): void {
  if (value > sack.best[0]) sack.best[0] = value;
  if (item === sack.weights.length || Math.floor(value + boundOf(sack, item, room)) <= sack.best[0]) return;
  if (sack.weights[item] <= room) search(sack, item + 1, room - sack.weights[item], value + sack.values[item]);
  search(sack, item + 1, room, value);
}

export function sequential(sack: Knapsack): number {
  search(sack, 0, sack.capacity, 0);
  return sack.best[0];
}
