/**
 * The steps of ForceAtlas2 on all threads: the force on each vertex, and then its movement. The library computes the force of a pair once and adds it to both of its vertices, which
 * two threads cannot do at the same time. Here each vertex adds up its own, so that a step has twice the work, on as many threads as there are.
 */
import { parallelRounds, sharedArray } from 'furcate';
import type { Make, Ways } from '../workload.js';
import type { Layout, Places } from './config.js';
import { forcesIn, placesOf, step, vertices } from './forces.js';

export const ways: Ways<Layout, Places> = {
  async ''(layout, pool) {
    const context = forcesIn(layout, sharedArray as Make);
    await parallelRounds(vertices, step, { pool, context });
    return placesOf(layout, context);
  },
};
