/** Bugs planted in the ends of workers; all.ts says how. */
import { name, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const GROUP = 'src/core/pool/worker-group.ts';
const IN_SIGHT = 'src/core/worker/in-sight.ts';

export const ENDING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a pool that is terminated tells its workers to leave as one that is closed does',
    changes: [replace(GROUP, 'WorkerGroup.kill', name('PHASE_KILLED'), 'PHASE_STOP')],
    caughtBy: 'endings: a termination',
  },
  {
    name: 'a worker ends its values though another one has died',
    changes: [replace(IN_SIGHT, 'leavesInOrder', name('PHASE_CRASHED'), 'PHASE_KILLED')],
    caughtBy: 'endings: a crash',
  },
  {
    name: 'a worker of a pool that is closed leaves its values as they are',
    changes: [replace(IN_SIGHT, 'leavesInOrder', name('PHASE_KILLED'), '1')],
    caughtBy: 'endings: a close',
  },
];
