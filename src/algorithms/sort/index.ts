/** The public functions of this family: sort, argsort, merge, top k. */
export { parallelArgsort, parallelArgsortSync } from './argsort.js';
export type { Comparator } from './comparator.js';
export { type MergeOptions, parallelMerge, parallelMergeSync } from './merge.js';
export { parallelSort, parallelSortSync } from './sort.js';
export {
  type Descending,
  parallelSortBy,
  parallelSortBySync,
  type SortByOptions,
  type SortKey,
  type SortKeys,
} from './sort-by.js';
export { parallelTopK, parallelTopKSync } from './top-k.js';
export type { TopKByOptions } from './top-k-by.js';
