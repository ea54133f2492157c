/** The rounds by hand: half of the rows for each worker, and a barrier behind each round. */
import type { Bare, Caller } from '../team.js';
import { type Plate, SHARE } from './config.js';
import { spreadInRound } from './loop.js';

export const caller: Caller<Plate, Plate, undefined, void, Float64Array> = {
  close: ({ input: { steps, now, next } }) => (steps % 2 === 0 ? now : next),
};

export const bare: Bare<Plate> = (plate, team) => {
  const context = { ...plate, share: SHARE };
  const [lo, hi] = team.share(plate.side - 2);
  for (let round = 0; round < plate.steps; round++) {
    spreadInRound(lo, hi, round, context);
    team.barrier();
  }
};
