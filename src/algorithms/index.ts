/** The public algorithms. */

export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export type { AlgorithmOptions } from './options.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
export { parallelSort, parallelSortSync } from './sort.js';
