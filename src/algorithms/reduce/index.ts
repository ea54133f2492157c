/** The public functions of this family: reduce, the least and the greatest. */
export { type MinMax, parallelMinMax, parallelMinMaxSync } from './min-max.js';
export type { NamedReduction, ReduceOptions } from './reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
