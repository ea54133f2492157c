/** The pulls on all threads; the movement takes too little time to share it. A round of one call for each step, and a call of its own for each. */
import { forkable, parallelForRange, parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import type { Bodies } from './config.js';
import { accelerate, halfStep, pullOn } from './sequential.js';

/** In rounds, the function is one text that crosses to the threads, where its arrays are constants; in calls, one of this module, which they load. */
const pulled = forkable(import.meta.url, 'pulled', (lo: number, hi: number, bodies: Bodies): void =>
  pullOn(lo, hi, 0, bodies),
);

/** Moves the bodies before the pulls of a round, and after those of the last one: half a step at both ends, a whole one between two rounds. */
const moved = (round: number, { n, steps, dt, at, speed, pull }: Bodies): number | undefined => {
  const time = round === 0 || round === steps ? dt / 2 : dt;
  for (let k = 0; k < at.length; k++) {
    if (round > 0) speed[k] += dt * pull[k];
    at[k] += time * speed[k];
  }
  return round === steps ? undefined : n;
};

export const ways: Ways<Bodies, void> = {
  async rounds(bodies, pool) {
    await parallelRounds(moved, pullOn, { pool, context: bodies });
  },
  async 'a call for each step'(bodies, pool) {
    for (let step = 0; step < bodies.steps; step++) {
      halfStep(bodies);
      await parallelForRange(bodies.n, pulled, { pool, context: bodies });
      accelerate(bodies);
      halfStep(bodies);
    }
  },
};
