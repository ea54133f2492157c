/** The part `spares`: blocking sections, and the spare threads that compute meanwhile. */
import { install } from '../../core/worker/extension.js';
import { lend } from './blocking.js';
import { rest } from './rest.js';
import { gone, start } from './start.js';

install({ rest, blocked: start, gone, lend });

export { blocking } from './blocking.js';
