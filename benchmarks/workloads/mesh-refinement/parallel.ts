/** The patches of a step on all threads. Between two steps, one of the threads refines the mesh. */
import { forkable, parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import type { Front } from './config.js';
import { prepare, stepPatches } from './sequential.js';

const next = forkable(import.meta.url, 'next', prepare);
const step = forkable(import.meta.url, 'step', stepPatches);

export const ways: Ways<Front, void> = {
  ''(front, pool) {
    return parallelRounds(next, step, { pool, context: front });
  },
};
