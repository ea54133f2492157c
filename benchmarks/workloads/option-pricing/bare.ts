/** The sum by hand: half of the walks for each worker. */
import { randomStreams } from 'furcate';
import type { Bare, Caller } from '../team.js';
import { SEED } from './config.js';
import { priceOf, worthOf } from './sequential.js';

export const caller: Caller<number, number, undefined, number, number> = {
  close: ({ input, parts }) => priceOf(input, parts[0] + parts[1]),
};

export const bare: Bare<number, undefined, number> = (walks, team) => {
  const random = randomStreams(SEED);
  const [lo, hi] = team.share(walks);
  let sum = 0;
  for (let walk = lo; walk < hi; walk++) sum += worthOf(random.stream(walk));
  return sum;
};
