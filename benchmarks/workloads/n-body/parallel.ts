/** The pulls on all threads; the movement takes too little time to share it. */
import { forkable, parallelForRange } from 'furcate';
import type { Ways } from '../workload.js';
import type { Bodies } from './config.js';
import { accelerate, halfStep, pullOn } from './sequential.js';

const pulled = forkable(import.meta.url, 'pulled', pullOn);

export const ways: Ways<Bodies, void> = {
  async ''(bodies, pool) {
    for (let step = 0; step < bodies.steps; step++) {
      halfStep(bodies);
      await parallelForRange(bodies.n, pulled, { pool, context: bodies });
      accelerate(bodies);
      halfStep(bodies);
    }
  },
};
