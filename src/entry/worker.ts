/**
 * `furcate/worker`, for a worker file of the user's, which imports it beside the modules that define its tasks. The library's
 * own workers run the core alone.
 */
import { runtime } from './runtime.js';

runtime.core.serveWhenSpawned();
