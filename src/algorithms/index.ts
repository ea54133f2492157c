/** The public algorithms. */

export type { BigIntArray, ElementOf, NumberArray } from '../core/memory/element-types.js';
export type { AlgorithmOptions, SyncOptions } from './call/options.js';
export type { Predicate } from './call/predicate.js';
export { parallelFilter, parallelFilterSync } from './filter/filter.js';
export { parallelPartition, parallelPartitionSync } from './filter/partition.js';
export {
  type DictionaryEncoded,
  type DictionaryOptions,
  dictionaryEncode,
  type MaybeString,
} from './group/dictionary.js';
export {
  type BinOf,
  type HistogramOptions,
  parallelHistogram,
  parallelHistogramSync,
  type RangeHistogramOptions,
} from './group/histogram.js';
export {
  type ByKeyRest,
  type CombinedArray,
  parallelReduceByKey,
  parallelReduceByKeySync,
  type ReducedByKey,
} from './group/reduce-by-key.js';
export { parallelUnique, parallelUniqueSync } from './group/unique.js';
export { parallelFill, parallelFillSync } from './loops/fill.js';
export type { LoopRange } from './loops/for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './loops/for.js';
export { parallelForEach, parallelForEachSync } from './loops/for-each.js';
export { type ParallelInvokeOptions, parallelInvoke, parallelInvokeSync, type ResultsOf } from './loops/invoke.js';
export { type MapOptions, parallelMap, parallelMapSync } from './loops/map.js';
export { parallelTabulate, parallelTabulateSync, type TabulateOptions } from './loops/tabulate.js';
export { parallelCount, parallelCountSync } from './reduce/count.js';
export { type MinMax, parallelMinMax, parallelMinMaxSync } from './reduce/min-max.js';
export type { NamedReduction, ReduceOptions } from './reduce/reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce/reduce.js';
export { parallelScan, parallelScanSync, type ScanOptions } from './scan/scan.js';
export { parallelEvery, parallelEverySync } from './search/every.js';
export { parallelFind, parallelFindSync } from './search/find.js';
export { parallelFindIndex, parallelFindIndexSync } from './search/find-index.js';
export { parallelIndexOf, parallelIndexOfSync } from './search/index-of.js';
export { parallelSome, parallelSomeSync } from './search/some.js';
export { parallelArgsort, parallelArgsortSync } from './sort/argsort.js';
export type { Comparator } from './sort/comparator.js';
export { type MergeOptions, parallelMerge, parallelMergeSync } from './sort/merge.js';
export { parallelSort, parallelSortSync } from './sort/sort.js';
export {
  type Descending,
  parallelSortBy,
  parallelSortBySync,
  type SortByOptions,
  type SortKey,
  type SortKeys,
} from './sort/sort-by.js';
export { parallelTopK, parallelTopKSync } from './sort/top-k.js';
export type { TopKByOptions } from './sort/top-k-by.js';
