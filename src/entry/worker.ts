/**
 * What a worker thread runs: inlined into the library for its own workers, and published as `furcate/worker` for a
 * worker file of the user's, which imports it beside the modules that define its tasks.
 */
import { runtime } from '../runtime.js';

runtime.serveWhenSpawned();
