/** Bugs planted in which thread begins an asynchronous task; all.ts says how. */
import { drop, ifOn } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const SPREAD = 'src/extensions/async/spread.ts';

export const SPREAD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a thread leaves a fork for ever to one that does not come',
    changes: [drop(SPREAD, 'Spread.leaves', ifOn('SPREAD_MS'))],
    caughtBy: 'coroutines: a fork that is left in vain',
  },
];
