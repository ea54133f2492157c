/**
 * Furcate: fork/join parallelism for TypeScript.
 *
 * Tasks in the style of Java's `ForkJoinPool` (`RecursiveTask`, `forkable` functions), and parallel algorithms over typed
 * arrays, on worker threads that steal work from each other. Start with `parallelFor` and `sharedArray`; write tasks when
 * the problem is a recursion.
 *
 * @module
 */
import type * as own from './api.js';
import { runtime } from './runtime.js';

export type {
  AbortSignalLike,
  AlgorithmOptions,
  ArrayValues,
  BigIntArray,
  BinOf,
  ByKeyRest,
  CombinedArray,
  Comparator,
  Descending,
  DictionaryEncoded,
  DictionaryOptions,
  ElementOf,
  Fork,
  Forkable,
  ForkJoinPoolOptions,
  HistogramOptions,
  InvokeOptions,
  LoopRange,
  MapOptions,
  MaybeString,
  MergeOptions,
  MinMax,
  NamedReduction,
  NotAPromise,
  NumberArray,
  ParallelInvokeOptions,
  Predicate,
  RangeHistogramOptions,
  ReducedByKey,
  ReduceOptions,
  ResultsOf,
  ScanOptions,
  SortByOptions,
  SortKey,
  SortKeys,
  Stats,
  Synchronous,
  SyncOptions,
  TabulateOptions,
  TopKByOptions,
  TypedArray,
  TypedArrayConstructor,
  WorkerLocal,
  WorkerStats,
} from './api.js';

export const ForkJoinTask: typeof own.ForkJoinTask = runtime.ForkJoinTask;
export type ForkJoinTask<T> = own.ForkJoinTask<T>;
export const RecursiveTask: typeof own.RecursiveTask = runtime.RecursiveTask;
export type RecursiveTask<T> = own.RecursiveTask<T>;
export const RecursiveAction: typeof own.RecursiveAction = runtime.RecursiveAction;
export type RecursiveAction = own.RecursiveAction;
export const ForkJoinPool: typeof own.ForkJoinPool = runtime.ForkJoinPool;
export type ForkJoinPool = own.ForkJoinPool;
export const SequentialExecutor: typeof own.SequentialExecutor = runtime.SequentialExecutor;
export type SequentialExecutor = own.SequentialExecutor;
export const CancellationError: typeof own.CancellationError = runtime.CancellationError;
export type CancellationError = own.CancellationError;
export const NotShareableError: typeof own.NotShareableError = runtime.NotShareableError;
export type NotShareableError = own.NotShareableError;
export const RejectedExecutionError: typeof own.RejectedExecutionError = runtime.RejectedExecutionError;
export type RejectedExecutionError = own.RejectedExecutionError;
export const TaskRegistrationError: typeof own.TaskRegistrationError = runtime.TaskRegistrationError;
export type TaskRegistrationError = own.TaskRegistrationError;
export const WorkerCrashError: typeof own.WorkerCrashError = runtime.WorkerCrashError;
export type WorkerCrashError = own.WorkerCrashError;

export const checkpoint: typeof own.checkpoint = runtime.checkpoint;
export const fork: typeof own.fork = runtime.fork;
export const join: typeof own.join = runtime.join;
export const forkable: typeof own.forkable = runtime.forkable;
export const task: typeof own.task = runtime.task;
export const registerClass: typeof own.registerClass = runtime.registerClass;
export const registerError: typeof own.registerError = runtime.registerError;
export const sharedArray: typeof own.sharedArray = runtime.sharedArray;
export const free: typeof own.free = runtime.free;
export const isShared: typeof own.isShared = runtime.isShared;
export const dictionaryEncode: typeof own.dictionaryEncode = runtime.dictionaryEncode;
export const workerLocal: typeof own.workerLocal = runtime.workerLocal;

export const parallelCount: typeof own.parallelCount = runtime.parallelCount;
export const parallelCountSync: typeof own.parallelCountSync = runtime.parallelCountSync;
export const parallelEvery: typeof own.parallelEvery = runtime.parallelEvery;
export const parallelEverySync: typeof own.parallelEverySync = runtime.parallelEverySync;
export const parallelFill: typeof own.parallelFill = runtime.parallelFill;
export const parallelFillSync: typeof own.parallelFillSync = runtime.parallelFillSync;
export const parallelFilter: typeof own.parallelFilter = runtime.parallelFilter;
export const parallelFilterSync: typeof own.parallelFilterSync = runtime.parallelFilterSync;
export const parallelFind: typeof own.parallelFind = runtime.parallelFind;
export const parallelFindSync: typeof own.parallelFindSync = runtime.parallelFindSync;
export const parallelFindIndex: typeof own.parallelFindIndex = runtime.parallelFindIndex;
export const parallelFindIndexSync: typeof own.parallelFindIndexSync = runtime.parallelFindIndexSync;
export const parallelArgsort: typeof own.parallelArgsort = runtime.parallelArgsort;
export const parallelArgsortSync: typeof own.parallelArgsortSync = runtime.parallelArgsortSync;
export const parallelFor: typeof own.parallelFor = runtime.parallelFor;
export const parallelForSync: typeof own.parallelForSync = runtime.parallelForSync;
export const parallelForRange: typeof own.parallelForRange = runtime.parallelForRange;
export const parallelForRangeSync: typeof own.parallelForRangeSync = runtime.parallelForRangeSync;
export const parallelForEach: typeof own.parallelForEach = runtime.parallelForEach;
export const parallelForEachSync: typeof own.parallelForEachSync = runtime.parallelForEachSync;
export const parallelIndexOf: typeof own.parallelIndexOf = runtime.parallelIndexOf;
export const parallelIndexOfSync: typeof own.parallelIndexOfSync = runtime.parallelIndexOfSync;
export const parallelMap: typeof own.parallelMap = runtime.parallelMap;
export const parallelMapSync: typeof own.parallelMapSync = runtime.parallelMapSync;
export const parallelPartition: typeof own.parallelPartition = runtime.parallelPartition;
export const parallelPartitionSync: typeof own.parallelPartitionSync = runtime.parallelPartitionSync;
export const parallelReduce: typeof own.parallelReduce = runtime.parallelReduce;
export const parallelReduceSync: typeof own.parallelReduceSync = runtime.parallelReduceSync;
export const parallelScan: typeof own.parallelScan = runtime.parallelScan;
export const parallelScanSync: typeof own.parallelScanSync = runtime.parallelScanSync;
export const parallelSome: typeof own.parallelSome = runtime.parallelSome;
export const parallelSomeSync: typeof own.parallelSomeSync = runtime.parallelSomeSync;
export const parallelSort: typeof own.parallelSort = runtime.parallelSort;
export const parallelSortSync: typeof own.parallelSortSync = runtime.parallelSortSync;
export const parallelTabulate: typeof own.parallelTabulate = runtime.parallelTabulate;
export const parallelTabulateSync: typeof own.parallelTabulateSync = runtime.parallelTabulateSync;
export const parallelHistogram: typeof own.parallelHistogram = runtime.parallelHistogram;
export const parallelHistogramSync: typeof own.parallelHistogramSync = runtime.parallelHistogramSync;
export const parallelInvoke: typeof own.parallelInvoke = runtime.parallelInvoke;
export const parallelInvokeSync: typeof own.parallelInvokeSync = runtime.parallelInvokeSync;
export const parallelMerge: typeof own.parallelMerge = runtime.parallelMerge;
export const parallelMergeSync: typeof own.parallelMergeSync = runtime.parallelMergeSync;
export const parallelMinMax: typeof own.parallelMinMax = runtime.parallelMinMax;
export const parallelMinMaxSync: typeof own.parallelMinMaxSync = runtime.parallelMinMaxSync;
export const parallelReduceByKey: typeof own.parallelReduceByKey = runtime.parallelReduceByKey;
export const parallelReduceByKeySync: typeof own.parallelReduceByKeySync = runtime.parallelReduceByKeySync;
export const parallelSortBy: typeof own.parallelSortBy = runtime.parallelSortBy;
export const parallelSortBySync: typeof own.parallelSortBySync = runtime.parallelSortBySync;
export const parallelTopK: typeof own.parallelTopK = runtime.parallelTopK;
export const parallelTopKSync: typeof own.parallelTopKSync = runtime.parallelTopKSync;
export const parallelUnique: typeof own.parallelUnique = runtime.parallelUnique;
export const parallelUniqueSync: typeof own.parallelUniqueSync = runtime.parallelUniqueSync;
