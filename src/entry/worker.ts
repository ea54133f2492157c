/**
 * `furcate/worker`, for a worker file of the user's, which imports it beside the modules that define its tasks. The library's
 * own workers run library.ts.
 */
import { runtime } from '../runtime.js';

runtime.serveWhenSpawned();
