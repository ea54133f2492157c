/** The pulls on all threads; the movement takes too little time to share it. A round of one call for each step, and a call of its own for each. */
import { forkable, parallelForRange, parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import type { Bodies } from './config.js';
import { accelerate, halfStep, pullOn } from './sequential.js';

const pulled = forkable(import.meta.url, 'pulled', pullOn);

/** Moves the bodies before the pulls of a round, and after those of the last one. */
const moved = forkable(import.meta.url, 'moved', (round: number, bodies: Bodies): number | undefined => {
  if (round > 0) {
    accelerate(bodies);
    halfStep(bodies);
  }
  if (round === bodies.steps) return undefined;
  halfStep(bodies);
  return bodies.n;
});

const pulledInRound = forkable(
  import.meta.url,
  'pulledInRound',
  (lo: number, hi: number, _round: number, bodies: Bodies): void => pullOn(lo, hi, bodies),
);

export const ways: Ways<Bodies, void> = {
  async rounds(bodies, pool) {
    await parallelRounds(moved, pulledInRound, { pool, context: bodies });
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
