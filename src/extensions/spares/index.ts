/** The part `spares`: blocking sections, and the spare threads that compute meanwhile. */
import { install } from '../../core/worker/extension.js';
import { lend } from './blocking.js';
import { gone, leave, start } from './start.js';

install({ leave, blocked: start, gone, lend });

export { blocking } from './blocking.js';
