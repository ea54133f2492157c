/**
 * The library as a script, `dist/runtime.cjs`: the build makes a function of this file, which whoever evaluates it calls
 * with the two names below. One text serves the main thread and its workers, so that these need not compile it again.
 */
import { runtime } from '../runtime.js';

declare const isWorker: boolean;

if (isWorker) runtime.serveWhenSpawned();
