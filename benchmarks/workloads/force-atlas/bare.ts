/** The rounds by hand: halves of the vertices, and a barrier behind each round. */
import { sharedByHand } from '../bare.js';
import type { Bare, Caller } from '../team.js';
import type { Layout, Places } from './config.js';
import { type Forces, forcesIn, placesOf, step } from './forces.js';

/** A graph as it is now: its arrays, which are new, are sent with each call. */
export const caller: Caller<Layout, undefined, Forces, void, Places> = {
  share: () => undefined, // a graph has functions, which cannot be sent
  open: (layout) => forcesIn(layout, sharedByHand),
  close: ({ input, message }) => placesOf(input, message),
};

export const bare: Bare<undefined, Forces> = (_, team, forces) => {
  const [lo, hi] = team.share(forces.n);
  for (let round = 0; round < 2 * forces.steps; round++) {
    step(lo, hi, round, forces);
    team.barrier();
  }
};
