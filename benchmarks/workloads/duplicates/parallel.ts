/** One call. */
import { parallelUnique } from 'furcate';
import type { Ways } from '../workload.js';
import type { Entries } from './config.js';

export const ways: Ways<Entries, ArrayLike<number>> = {
  '': ({ xs }, pool) => parallelUnique(xs, { pool }),
};
