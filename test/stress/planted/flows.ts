/** Bugs planted in flows; bug.ts says how. */
import { binary, replace, setTo } from '../../../scripts/changes/index.js';
import type { PlantedBug } from './bug.js';

export const FLOW_BUGS: readonly PlantedBug[] = [
  {
    name: 'a result is copied when its promise is resolved, after other calls have written to it',
    changes: [replace('src/flow/returned.ts', 'Returned.copyOf', binary('!==', 'undefined'), 'false')],
    caughtBy: 'pipelines',
  },
  {
    name: 'the number of a generator is that of another run, too',
    changes: [setTo('src/flows/pipeline/flat-task.ts', 'keyOf', '(_job: number, id: number): string => String(id)')],
    caughtBy: 'pipelines',
  },
];
