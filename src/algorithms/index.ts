/** The public algorithms, by family. */
export type { BigIntArray, ElementOf, NumberArray } from '../core/memory/element-types.js';
export type { LoopOptions, LoopRange, Partition } from './call/loop-options.js';
export type { AlgorithmOptions, SyncOptions, WithIndices, WithoutIndices } from './call/options.js';
export type {
  AsyncValueFunction,
  MaybePromise,
  OnlyPlain,
  PlainOptions,
  PlainValues,
  TransferOptions,
} from './call/plain-values.js';
export type { Predicate } from './call/predicate.js';
export * from './containers/index.js';
export * from './filter/filter.js';
export * from './group/index.js';
export * from './kernel/kernel.js';
export * from './loops/elements.js';
export * from './loops/fill.js';
export * from './loops/flat-map.js';
export * from './loops/for-loops.js';
export * from './loops/for-tiles.js';
export * from './loops/invoke.js';
export * from './loops/rounds.js';
export * from './random/index.js';
export * from './reduce/index.js';
export * from './reduce/min-max.js';
export * from './scan/scan.js';
export * from './search/index.js';
export * from './sort/index.js';
export * from './text/index.js';
