/** The public algorithms, by family. */
export type { BigIntArray, ElementOf, NumberArray } from '../core/memory/element-types.js';
export type { AlgorithmOptions, SyncOptions } from './call/options.js';
export type { Predicate } from './call/predicate.js';
export * from './filter/index.js';
export * from './group/index.js';
export * from './loops/index.js';
export * from './reduce/index.js';
export * from './scan/index.js';
export * from './search/index.js';
export * from './sort/index.js';
