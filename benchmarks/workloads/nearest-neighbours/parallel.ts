/** Looks for neighbours on all threads. The grid takes a fiftieth of the time, so it is made as on one thread, while the pool starts. */
import { parallelForRange, sharedArray } from 'furcate';
import type { Make, Ways } from '../workload.js';
import type { Points } from './config.js';
import { findNearest, gridOf } from './sequential.js';

export const ways: Ways<Points, void> = {
  async ''(input, pool) {
    const ready = pool.ready();
    const grid = gridOf(input, sharedArray as Make);
    await ready;
    await parallelForRange(input.n, findNearest, { pool, context: { ...input, ...grid } });
  },
};
