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
import { blockingSections } from './entry/blocking.js';
import { asynchronous } from './entry/coroutines.js';
import { elements, fill, filter, group, invoke, loops, minMax, reduce, scan, search, sort } from './entry/families.js';
import { reporting } from './entry/reports.js';
import { runtime } from './entry/runtime.js';

export type {
  AbortSignalLike,
  AlgorithmOptions,
  ArrayValues,
  AsyncForkable,
  AsyncValueFunction,
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
  JoinedAll,
  LoopRange,
  MapOptions,
  MaybePromise,
  MaybeString,
  MergeOptions,
  MinMax,
  NamedReduction,
  NotAPromise,
  NumberArray,
  ParallelInvokeOptions,
  PlainOptions,
  PlainReduceOptions,
  PlainValues,
  Predicate,
  Priority,
  RangeHistogramOptions,
  ReducedByKey,
  ReduceOptions,
  ResultsOf,
  ScanOptions,
  Scope,
  ScopeFork,
  ScopeSignal,
  SortByOptions,
  SortKey,
  SortKeys,
  SpareStats,
  Stats,
  Synchronous,
  SyncOptions,
  TabulateOptions,
  TopKByOptions,
  TransferOptions,
  TypedArray,
  TypedArrayConstructor,
  WorkerLocal,
  WorkerStats,
} from './api.js';

export const ForkJoinTask: typeof own.ForkJoinTask = runtime.core.ForkJoinTask;
export type ForkJoinTask<T> = own.ForkJoinTask<T>;
export const RecursiveTask: typeof own.RecursiveTask = runtime.core.RecursiveTask;
export type RecursiveTask<T> = own.RecursiveTask<T>;
export const RecursiveAction: typeof own.RecursiveAction = runtime.core.RecursiveAction;
export type RecursiveAction = own.RecursiveAction;
export const AsyncTask: typeof own.AsyncTask = /* @__PURE__ */ asynchronous('AsyncTask');
export type AsyncTask<T> = own.AsyncTask<T>;
export const ForkJoinPool: typeof own.ForkJoinPool = runtime.core.ForkJoinPool;
export type ForkJoinPool = own.ForkJoinPool;
export const SequentialExecutor: typeof own.SequentialExecutor = runtime.core.SequentialExecutor;
export type SequentialExecutor = own.SequentialExecutor;
export const CancellationError: typeof own.CancellationError = runtime.core.CancellationError;
export type CancellationError = own.CancellationError;
export const NotShareableError: typeof own.NotShareableError = runtime.core.NotShareableError;
export type NotShareableError = own.NotShareableError;
export const RejectedExecutionError: typeof own.RejectedExecutionError = runtime.core.RejectedExecutionError;
export type RejectedExecutionError = own.RejectedExecutionError;
export const TaskRegistrationError: typeof own.TaskRegistrationError = runtime.core.TaskRegistrationError;
export type TaskRegistrationError = own.TaskRegistrationError;
export const WorkerCrashError: typeof own.WorkerCrashError = runtime.core.WorkerCrashError;
export type WorkerCrashError = own.WorkerCrashError;

export const blocking: typeof own.blocking = /* @__PURE__ */ blockingSections();
export const checkpoint: typeof own.checkpoint = runtime.core.checkpoint;
export const fork: typeof own.fork = runtime.core.fork;
export const join: typeof own.join = runtime.core.join;
export const asyncForkable: typeof own.asyncForkable = /* @__PURE__ */ asynchronous('asyncForkable');
export const forkable: typeof own.forkable = runtime.core.forkable;
export const report: typeof own.report = /* @__PURE__ */ reporting('report');
export const task: typeof own.task = runtime.core.task;
export const registerClass: typeof own.registerClass = runtime.core.registerClass;
export const registerError: typeof own.registerError = runtime.core.registerError;
export const sharedArray: typeof own.sharedArray = runtime.core.sharedArray;
export const free: typeof own.free = runtime.core.free;
export const isShared: typeof own.isShared = runtime.core.isShared;
export const dictionaryEncode: typeof own.dictionaryEncode = /* @__PURE__ */ group('dictionaryEncode');
export const workerLocal: typeof own.workerLocal = runtime.core.workerLocal;

export const parallelCount: typeof own.parallelCount = /* @__PURE__ */ search('parallelCount');
export const parallelCountSync: typeof own.parallelCountSync = /* @__PURE__ */ search('parallelCountSync');
export const parallelEvery: typeof own.parallelEvery = /* @__PURE__ */ search('parallelEvery');
export const parallelEverySync: typeof own.parallelEverySync = /* @__PURE__ */ search('parallelEverySync');
export const parallelFill: typeof own.parallelFill = /* @__PURE__ */ fill('parallelFill');
export const parallelFillSync: typeof own.parallelFillSync = /* @__PURE__ */ fill('parallelFillSync');
export const parallelFilter: typeof own.parallelFilter = /* @__PURE__ */ filter('parallelFilter');
export const parallelFilterSync: typeof own.parallelFilterSync = /* @__PURE__ */ filter('parallelFilterSync');
export const parallelFind: typeof own.parallelFind = /* @__PURE__ */ search('parallelFind');
export const parallelFindSync: typeof own.parallelFindSync = /* @__PURE__ */ search('parallelFindSync');
export const parallelFindIndex: typeof own.parallelFindIndex = /* @__PURE__ */ search('parallelFindIndex');
export const parallelFindIndexSync: typeof own.parallelFindIndexSync = /* @__PURE__ */ search('parallelFindIndexSync');
export const parallelArgsort: typeof own.parallelArgsort = /* @__PURE__ */ sort('parallelArgsort');
export const parallelArgsortSync: typeof own.parallelArgsortSync = /* @__PURE__ */ sort('parallelArgsortSync');
export const parallelFor: typeof own.parallelFor = /* @__PURE__ */ loops('parallelFor');
export const parallelForSync: typeof own.parallelForSync = /* @__PURE__ */ loops('parallelForSync');
export const parallelForRange: typeof own.parallelForRange = /* @__PURE__ */ loops('parallelForRange');
export const parallelForRangeSync: typeof own.parallelForRangeSync = /* @__PURE__ */ loops('parallelForRangeSync');
export const parallelForEach: typeof own.parallelForEach = /* @__PURE__ */ elements('parallelForEach');
export const parallelForEachSync: typeof own.parallelForEachSync = /* @__PURE__ */ elements('parallelForEachSync');
export const parallelIndexOf: typeof own.parallelIndexOf = /* @__PURE__ */ search('parallelIndexOf');
export const parallelIndexOfSync: typeof own.parallelIndexOfSync = /* @__PURE__ */ search('parallelIndexOfSync');
export const parallelMap: typeof own.parallelMap = /* @__PURE__ */ elements('parallelMap');
export const parallelMapSync: typeof own.parallelMapSync = /* @__PURE__ */ elements('parallelMapSync');
export const parallelPartition: typeof own.parallelPartition = /* @__PURE__ */ filter('parallelPartition');
export const parallelPartitionSync: typeof own.parallelPartitionSync = /* @__PURE__ */ filter('parallelPartitionSync');
export const parallelReduce: typeof own.parallelReduce = /* @__PURE__ */ reduce('parallelReduce');
export const parallelReduceSync: typeof own.parallelReduceSync = /* @__PURE__ */ reduce('parallelReduceSync');
export const parallelScan: typeof own.parallelScan = /* @__PURE__ */ scan('parallelScan');
export const parallelScanSync: typeof own.parallelScanSync = /* @__PURE__ */ scan('parallelScanSync');
export const parallelSome: typeof own.parallelSome = /* @__PURE__ */ search('parallelSome');
export const parallelSomeSync: typeof own.parallelSomeSync = /* @__PURE__ */ search('parallelSomeSync');
export const parallelSort: typeof own.parallelSort = /* @__PURE__ */ sort('parallelSort');
export const parallelSortSync: typeof own.parallelSortSync = /* @__PURE__ */ sort('parallelSortSync');
export const parallelTabulate: typeof own.parallelTabulate = /* @__PURE__ */ elements('parallelTabulate');
export const parallelTabulateSync: typeof own.parallelTabulateSync = /* @__PURE__ */ elements('parallelTabulateSync');
export const parallelHistogram: typeof own.parallelHistogram = /* @__PURE__ */ group('parallelHistogram');
export const parallelHistogramSync: typeof own.parallelHistogramSync = /* @__PURE__ */ group('parallelHistogramSync');
export const parallelInvoke: typeof own.parallelInvoke = /* @__PURE__ */ invoke('parallelInvoke');
export const parallelInvokeSync: typeof own.parallelInvokeSync = /* @__PURE__ */ invoke('parallelInvokeSync');
export const parallelMerge: typeof own.parallelMerge = /* @__PURE__ */ sort('parallelMerge');
export const parallelMergeSync: typeof own.parallelMergeSync = /* @__PURE__ */ sort('parallelMergeSync');
export const parallelMinMax: typeof own.parallelMinMax = /* @__PURE__ */ minMax('parallelMinMax');
export const parallelMinMaxSync: typeof own.parallelMinMaxSync = /* @__PURE__ */ minMax('parallelMinMaxSync');
export const parallelReduceByKey: typeof own.parallelReduceByKey = /* @__PURE__ */ group('parallelReduceByKey');
export const parallelReduceByKeySync: typeof own.parallelReduceByKeySync =
  /* @__PURE__ */ group('parallelReduceByKeySync');
export const parallelSortBy: typeof own.parallelSortBy = /* @__PURE__ */ sort('parallelSortBy');
export const parallelSortBySync: typeof own.parallelSortBySync = /* @__PURE__ */ sort('parallelSortBySync');
export const parallelTopK: typeof own.parallelTopK = /* @__PURE__ */ sort('parallelTopK');
export const parallelTopKSync: typeof own.parallelTopKSync = /* @__PURE__ */ sort('parallelTopKSync');
export const parallelUnique: typeof own.parallelUnique = /* @__PURE__ */ group('parallelUnique');
export const parallelUniqueSync: typeof own.parallelUniqueSync = /* @__PURE__ */ group('parallelUniqueSync');
