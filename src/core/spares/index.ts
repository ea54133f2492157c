/** The part `spares`: gives the core what it needs for blocking sections. */
import { spares } from '../worker/blocking.js';
import { blocking } from './blocking.js';
import { rest } from './rest.js';
import { gone, start } from './start.js';

Object.assign(spares, { blocking, rest, start, gone } satisfies typeof spares);
