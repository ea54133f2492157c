/** The public algorithms. */

export { parallelCount, parallelCountSync } from './count.js';
export { parallelEvery, parallelEverySync } from './every.js';
export { parallelFill, parallelFillSync } from './fill.js';
export { parallelFilter, parallelFilterSync } from './filter.js';
export { parallelFind, parallelFindSync } from './find.js';
export { parallelFindIndex, parallelFindIndexSync } from './find-index.js';
export type { LoopRange } from './for.js';
export { parallelFor, parallelForRange, parallelForRangeSync, parallelForSync } from './for.js';
export { parallelForEach, parallelForEachSync } from './for-each.js';
export { parallelIndexOf, parallelIndexOfSync } from './index-of.js';
export { type MapOptions, parallelMap, parallelMapSync } from './map.js';
export type { AlgorithmOptions } from './options.js';
export { parallelPartition, parallelPartitionSync } from './partition.js';
export type { Predicate } from './predicate.js';
export type { BigIntArray, ElementOf, NamedReduction, NumberArray, ReduceOptions } from './reduce.js';
export { parallelReduce, parallelReduceSync } from './reduce.js';
export { parallelScan, parallelScanSync, type ScanOptions } from './scan.js';
export { parallelSome, parallelSomeSync } from './some.js';
export type { Comparator } from './sort.js';
export { parallelSort, parallelSortSync } from './sort.js';
export { parallelTabulate, parallelTabulateSync, type TabulateOptions } from './tabulate.js';
