/** The public functions of this family: sort, argsort, merge, top k. */
export type { Comparator } from './comparator.js';
export * from './merge.js';
export * from './sort.js';
export * from './sort-by.js';
export * from './top-k.js';
export type { TopKByOptions } from './top-k-by.js';
