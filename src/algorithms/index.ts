/** The public algorithms. */

export { parallelArgsort, parallelArgsortSync } from './argsort.js';
export type { Comparator } from './comparator.js';
export type { LoopRange } from './for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export {
  type BinOf,
  type HistogramOptions,
  parallelHistogram,
  parallelHistogramSync,
  type RangeHistogramOptions,
} from './histogram.js';
export { type ParallelInvokeOptions, parallelInvoke, parallelInvokeSync, type ResultsOf } from './invoke.js';
export { type MapOptions, parallelMap, parallelMapSync } from './map.js';
export { type MergeOptions, parallelMerge, parallelMergeSync } from './merge.js';
export { type MinMax, parallelMinMax, parallelMinMaxSync } from './min-max.js';
export type { AlgorithmOptions } from './options.js';
export type { BigIntArray, ElementOf, NamedReduction, NumberArray, ReduceOptions } from './reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
export {
  type ByKeyRest,
  type CombinedArray,
  parallelReduceByKey,
  parallelReduceByKeySync,
  type ReducedByKey,
} from './reduce-by-key.js';
export { parallelSort, parallelSortSync } from './sort.js';
export { parallelSortBy, parallelSortBySync, type SortKey } from './sort-by.js';
export { parallelTopK, parallelTopKSync } from './top-k.js';
export { parallelUnique, parallelUniqueSync } from './unique.js';
