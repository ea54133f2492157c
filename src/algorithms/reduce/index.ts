/** The public functions of this family: reduce, count, the least and the greatest. */
export { parallelCount, parallelCountSync } from './count.js';
export { type MinMax, parallelMinMax, parallelMinMaxSync } from './min-max.js';
export type { NamedReduction, ReduceOptions } from './reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
