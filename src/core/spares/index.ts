/** The part `spares`: blocking sections, and the spare threads that compute meanwhile. */
import { enterPart } from '../code/parts.js';
import type { Spares } from '../worker/spares.js';
import { rest } from './rest.js';
import { gone, start } from './start.js';

enterPart('spares', { rest, start, gone } satisfies Spares); // for those who run from the sources

export { blocking } from './blocking.js';
export { gone, rest, start };
