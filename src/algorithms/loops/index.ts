/** The public functions of the family `loops`. */
export type { LoopRange } from './for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export { parallelForEach, parallelForEachSync } from './for-each.js';
export { type MapOptions, parallelMap, parallelMapSync } from './map.js';
export { parallelTabulate, parallelTabulateSync, type TabulateOptions } from './tabulate.js';
