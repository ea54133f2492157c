/**
 * Furcate: fork/join parallelism for TypeScript.
 *
 * Tasks in the style of Java's `ForkJoinPool` (`RecursiveTask`, `forkable` functions), and parallel algorithms over typed
 * arrays, on worker threads that steal work from each other. Start with `parallelFor` and `sharedArray`; write tasks when
 * the problem is a recursion.
 *
 * @module
 */
// The build replaces this module in the package's entries: there each name loads its part when it is first used (scripts/parts.ts).
export * from './algorithms/index.js';

import './extensions/async/index.js';
import './extensions/reports/index.js';

export * from './core/index.js';
export { blocking } from './extensions/spares/index.js';
