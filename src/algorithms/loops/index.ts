/** The public functions of this family: loops, map, tabulate, fill, and calls side by side. */
export { parallelFill, parallelFillSync } from './fill.js';
export type { LoopRange } from './for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export { parallelForEach, parallelForEachSync } from './for-each.js';
export { type ParallelInvokeOptions, parallelInvoke, parallelInvokeSync, type ResultsOf } from './invoke.js';
export { type MapOptions, parallelMap, parallelMapSync } from './map.js';
export { parallelTabulate, parallelTabulateSync, type TabulateOptions } from './tabulate.js';
