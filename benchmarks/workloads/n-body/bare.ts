/** The steps by hand: half of the bodies for each worker, and barriers, at which the last worker moves all. */
import type { Bare } from '../team.js';
import type { Bodies } from './config.js';
import { accelerate, halfStep, pullOn } from './sequential.js';

export const bare: Bare<Bodies> = (bodies, team) => {
  const [lo, hi] = team.share(bodies.n);
  team.barrier(() => halfStep(bodies));
  for (let step = 0; step < bodies.steps; step++) {
    pullOn(lo, hi, step, bodies);
    team.barrier(() => {
      accelerate(bodies);
      halfStep(bodies);
      if (step < bodies.steps - 1) halfStep(bodies);
    });
  }
};
