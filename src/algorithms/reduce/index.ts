/** Reductions: what users import. */
export {
  type NamedReduction,
  type PlainReduceOptions,
  parallelReduce,
  parallelReduceSync,
  type ReduceOptions,
} from './reduce.js';
export { parallelReduceRange, parallelReduceRangeSync, type ReduceRangeOptions } from './reduce-range.js';
