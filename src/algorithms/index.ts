/** The public algorithms. */

export { parallelArgsort, parallelArgsortSync } from './argsort.js';
export type { Comparator } from './comparator.js';
export { parallelCount, parallelCountSync } from './count.js';
export { type DictionaryEncoded, type DictionaryOptions, dictionaryEncode, type MaybeString } from './dictionary.js';
export { parallelEvery, parallelEverySync } from './every.js';
export { parallelFill, parallelFillSync } from './fill.js';
export { parallelFilter, parallelFilterSync } from './filter.js';
export { parallelFind, parallelFindSync } from './find.js';
export { parallelFindIndex, parallelFindIndexSync } from './find-index.js';
export type { LoopRange } from './for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export { parallelForEach, parallelForEachSync } from './for-each.js';
export {
  type BinOf,
  type HistogramOptions,
  parallelHistogram,
  parallelHistogramSync,
  type RangeHistogramOptions,
} from './histogram.js';
export { parallelIndexOf, parallelIndexOfSync } from './index-of.js';
export { type ParallelInvokeOptions, parallelInvoke, parallelInvokeSync, type ResultsOf } from './invoke.js';
export { type MapOptions, parallelMap, parallelMapSync } from './map.js';
export { type MergeOptions, parallelMerge, parallelMergeSync } from './merge.js';
export { type MinMax, parallelMinMax, parallelMinMaxSync } from './min-max.js';
export type { AlgorithmOptions, SyncOptions } from './options.js';
export { parallelPartition, parallelPartitionSync } from './partition.js';
export type { Predicate } from './predicate.js';
export type { BigIntArray, ElementOf, NamedReduction, NumberArray, ReduceOptions } from './reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
export {
  type ByKeyRest,
  type CombinedArray,
  parallelReduceByKey,
  parallelReduceByKeySync,
  type ReducedByKey,
} from './reduce-by-key.js';
export { parallelScan, parallelScanSync, type ScanOptions } from './scan.js';
export { parallelSome, parallelSomeSync } from './some.js';
export { parallelSort, parallelSortSync } from './sort.js';
export {
  type Descending,
  parallelSortBy,
  parallelSortBySync,
  type SortByOptions,
  type SortKey,
  type SortKeys,
} from './sort-by.js';
export { parallelTabulate, parallelTabulateSync, type TabulateOptions } from './tabulate.js';
export { parallelTopK, parallelTopKSync } from './top-k.js';
export type { TopKByOptions } from './top-k-by.js';
export { parallelUnique, parallelUniqueSync } from './unique.js';
