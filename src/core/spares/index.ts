/** The part `spares`: what blocking sections and spare threads need. */
import { enterPart } from '../code/parts.js';
import type { Spares } from '../worker/blocking.js';
import { blocking } from './blocking.js';
import { rest } from './rest.js';
import { gone, start } from './start.js';

enterPart('spares', { blocking, rest, start, gone } satisfies Spares); // for those who run from the sources

export { blocking, gone, rest, start };
