/** The search by hand: choices of the first items by a counter, and a best value that both workers see. */
import type { Bare, Caller } from '../team.js';
import type { Knapsack } from './config.js';
import { boundOf } from './sequential.js';

/** Items whose choices are handed out: 1,024 of them. */
const SHARED_ITEMS = 10;

export const caller: Caller<Knapsack, Knapsack, undefined, void, number> = {
  close: ({ input: { best } }) => best[0],
};

export const bare: Bare<Knapsack> = (sack, team) => {
  const { weights, values } = sack;
  const items = Math.min(SHARED_ITEMS, weights.length);
  for (const [choice] of team.parts(2 ** items, 1)) {
    let [room, value] = [sack.capacity, 0];
    for (let item = 0; item < items; item++) {
      const isLeft = (choice >> (items - 1 - item)) & 1; // choices that take the best items come first
      room -= isLeft ? 0 : weights[item];
      value += isLeft ? 0 : values[item];
    }
    if (room >= 0) search(sack, items, room, value);
  }
};

function search(sack: Knapsack, item: number, room: number, value: number): void {
  const { weights, values, best } = sack;
  // Another worker may find a better value between a look and a write.
  for (let seen = best[0]; value > seen; ) seen = Atomics.compareExchange(best, 0, seen, value);
  if (item === weights.length || Math.floor(value + boundOf(sack, item, room)) <= best[0]) return;
  if (weights[item] <= room) search(sack, item + 1, room - weights[item], value + values[item]);
  search(sack, item + 1, room, value);
}
