/** All planted bugs. */
import type { PlantedBug } from './bug.js';
import { FLOW_BUGS } from './flows.js';
import { MEMORY_BUGS } from './memory.js';
import { POOL_BUGS } from './pool.js';

export const PLANTED_BUGS: readonly PlantedBug[] = [...POOL_BUGS, ...MEMORY_BUGS, ...FLOW_BUGS];
