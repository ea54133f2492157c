/** Pipelines, as users see them; nothing of this file runs. */
import type { OnlyScoped, Scope } from '../../core/engine.js';
import type {
  BatchOptions,
  DistinctOptions,
  ExpandOptions,
  FoldOptions,
  IndexedOptions,
  PipelineOptions,
  PipelineReduceOptions,
  PipeToOptions,
  StageOptions,
  ToArrayOptions,
  WindowOptions,
} from './options.js';
import type { NodeWritable, WebWritable } from './writable.js';

/** Source of a pipeline: an iterable, an asynchronous iterable, such as a stream of Node, or a readable stream of the Web. */
export type PipelineSource<T> =
  | Iterable<T>
  | AsyncIterable<T>
  // A `ReadableStream`. Its `getReader` is overloaded, and of those TypeScript takes the one whose reader fills buffers.
  | { getReader(): unknown; pipeTo(destination: { getWriter(): { write(chunk?: T): Promise<void> } }): Promise<void> };

/**
 * The arguments of `pipeline` for a source whose items are of type `any`: streams of Node, parsed text. Others have another number of arguments, so that
 * the compiler does not mention this in errors.
 */
export type Untyped<S> =
  S extends PipelineSource<infer T>
    ? 0 extends 1 & T
      ? [source: S, options?: PipelineOptions | undefined]
      : [never, never, never]
    : [never, never, never];

/** The call of a function made with `asyncForkable`: its scope comes before its arguments. It may take fewer arguments. */
export type ScopedStage<A extends unknown[], R> = (scope: Scope, ...args: A) => PromiseLike<R>;

/** Has a signature count only where `index: true` is given, so that the compiler does not mention it in errors of other calls. */
export type OnlyIndexed<I, Rest extends readonly unknown[]> = [I] extends [true] ? Rest : [never, never, never];

/** Adds items to those that an `expand` visits. */
export interface Feed<T> {
  /**
   * Adds items. They may be visited while the visit that adds them goes on. In a pipeline with the option `scope`, they are visited once it has
   * ended, and so are those that a visit of less than 0.2 ms adds.
   *
   * @throws Error once the visit has ended; NotShareableError for an item that cannot be cloned
   */
  add(...items: readonly T[]): void;
}

/**
 * Items on their way from a source through stages. A pipeline is a description: it runs when it is iterated, or when one of the methods is called
 * that return a promise; and again each time, if its source can be read again. Each stage is added to a new pipeline.
 *
 * Functions of stages run on workers. So they are forkable, asyncForkable, or inline functions, which travel as text and get what they need as
 * `context`. Items are cloned on their way to the workers and back; shared arrays are shared.
 */
export interface Pipeline<T> extends AsyncIterable<T> {
  /**
   * Makes an item of each item.
   *
   * @param fn called as `fn(value, context)` on a worker; returns, or promises, the new item. It travels as text, unless it is a forkable or an
   *   asyncForkable, which gets its scope first
   * @param options `concurrency`, `context`, `limit`, `transfer`, `name`; with `index: true` it is called as `fn(value, index, context)`
   */
  map<R, C = undefined, F = unknown, I extends boolean = false>(
    fn: F & ScopedStage<[value: T, index: number, context: C], R>,
    options: IndexedOptions<C, T> & { readonly index: I },
    ...only: OnlyIndexed<I, OnlyScoped<F>>
  ): Pipeline<R>;
  map<R, C = undefined, I extends boolean = false>(
    fn: (value: T, index: number, context: C) => R,
    options: IndexedOptions<C, T> & { readonly index: I },
    ...only: OnlyIndexed<I, []>
  ): Pipeline<Awaited<R>>;
  map<R, C = undefined, F = unknown>(
    fn: F & ScopedStage<[value: T, context: C], R>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Pipeline<R>;
  map<R, C = undefined>(fn: (value: T, context: C) => R, options?: StageOptions<C, T>): Pipeline<Awaited<R>>;

  /**
   * Keeps the items for which `pred` returns, or promises, something true.
   *
   * @param pred called as `pred(value, context)` on a worker. A type guard says of what type the items are that are kept
   * @param options as of `map`
   */
  filter<S extends T, C = undefined>(
    pred: (value: T, context: C) => value is S,
    options?: StageOptions<C, T>,
  ): Pipeline<S>;
  filter<C = undefined>(pred: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Pipeline<T>;
  filter<C = undefined, F = unknown>(
    pred: F & ScopedStage<[value: T, context: C], unknown>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Pipeline<T>;

  /**
   * Makes any number of items of each item. A generator is paused while many of its items are on their way, on its worker: one that may fork joins
   * what it has forked before it yields. In a pipeline with the option `scope` it is not paused.
   *
   * @param fn called as `fn(value, context)` on a worker; returns, or promises, an iterable or asynchronous iterable; inline, it may be a generator
   *   function
   * @param options as of `map`
   */
  flatMap<R, C = undefined, F = unknown>(
    fn: F & ScopedStage<[value: T, context: C], Iterable<R> | AsyncIterable<R>>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Pipeline<R>;
  flatMap<R, C = undefined>(
    fn: (value: T, context: C) => Iterable<R> | AsyncIterable<R> | PromiseLike<Iterable<R> | AsyncIterable<R>>,
    options?: StageOptions<C, T>,
  ): Pipeline<Awaited<R>>;

  /**
   * Collects items into arrays of `size`; the last one may be shorter.
   *
   * @param size how many items a batch has, an integer from 1 up
   * @param options `maxWaitMs`: after how long a batch leaves that is not full
   * @throws RangeError if open batches could hold all places in flight: `size`, times that of each other `batch` of the pipeline, is at most `inFlight`
   */
  batch(size: number, options?: BatchOptions): Pipeline<T[]>;

  /**
   * Makes a state of each item and the state before it: the running total of a sum, for example. The calls are made one after the other.
   *
   * @param fn called as `fn(state, value, context)` on a worker; returns, or promises, the next state, which is an item of the new pipeline
   * @param initial the state before the first item, which is no item. States move by value, so keep them small
   * @param options as of `map`, without `concurrency`
   */
  scan<S, C = undefined, F = unknown>(
    fn: F & ScopedStage<[state: S, value: T, context: C], S>,
    initial: S,
    options?: FoldOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Pipeline<S>;
  scan<S, C = undefined>(
    fn: (state: S, value: T, context: C) => S | PromiseLike<S>,
    initial: S,
    options?: FoldOptions<C, T>,
  ): Pipeline<S>;

  /**
   * Visits items, and those that the visits add: for graph searches, crawlers, refinement. Ends when nothing is left to visit. Ordered, the results
   * leave in the order in which visits begin.
   *
   * @param visit called as `visit(value, feed, context)` on a worker, with a `Feed`, which takes more items; returns, or promises, the new item
   * @param options as of `map`; `uniqueBy`, which gives each item a key, of which the first is visited; `maxPending`, how many items may wait
   */
  expand<R, C = undefined, F = unknown>(
    visit: F & ScopedStage<[value: T, feed: Feed<T>, context: C], R>,
    options?: ExpandOptions<T, C>,
    ...only: OnlyScoped<F>
  ): Pipeline<R>;
  expand<R, C = undefined>(
    visit: (value: T, feed: Feed<T>, context: C) => R,
    options?: ExpandOptions<T, C>,
  ): Pipeline<Awaited<R>>;

  /**
   * Runs the pipeline and folds its items, from `initial` on, one after the other, on workers.
   *
   * @param fn called as `fn(state, value, context)`; returns, or promises, the next state. It travels as text, unless it is a forkable
   * @param initial the state before the first item, and the result if there are none. States move by value, so keep them small: what grows with the
   *   items is cheaper as `toArray()`, or in a `for await` loop on this thread
   * @param options `context`, `limit`, `transfer`, `name`, and `commutative`, which a pipeline needs that is not ordered
   */
  reduce<S, C = undefined, F = unknown>(
    fn: F & ScopedStage<[state: S, value: T, context: C], S>,
    initial: S,
    options?: PipelineReduceOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Promise<S>;
  reduce<S, C = undefined>(
    fn: (state: S, value: T, context: C) => S | PromiseLike<S>,
    initial: S,
    options?: PipelineReduceOptions<C, T>,
  ): Promise<S>;

  /**
   * Runs the pipeline, and calls a function on workers for each item.
   *
   * @param fn called as `fn(value, context)`; what it promises is awaited, and what it returns is ignored
   * @param options as of `map`
   */
  forEach<C = undefined, F = unknown>(
    fn: F & ScopedStage<[value: T, context: C], unknown>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Promise<void>;
  forEach<C = undefined>(fn: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Promise<void>;

  /**
   * Lets the first items through: then nothing more is read, and what goes on behind them ends.
   *
   * @param count how many, an integer from 1 up
   */
  take(count: number): Pipeline<T>;

  /**
   * Leaves out the first items.
   *
   * @param count how many, an integer from 1 up
   */
  drop(count: number): Pipeline<T>;

  /**
   * Lets the first item of each key through. The keys of all items so far are kept.
   *
   * @param options `by`, which is called on this thread. Keys are compared as those of a Map
   */
  distinct(options?: DistinctOptions<T>): Pipeline<T>;

  /**
   * Collects items in a row into arrays: the first `size`, then those that begin `step` items later, and so on. All are full, so that there are none if there
   * are fewer items.
   *
   * @param size how many items a window has, an integer from 1 up
   * @param options `step`
   */
  window(size: number, options?: WindowOptions): Pipeline<T[]>;

  /**
   * Runs the pipeline: its first item for which `pred` returns something true, or undefined. What comes after that item ends.
   *
   * @param pred called as `pred(value, context)` on a worker. A type guard says of what type the item is
   * @param options as of `map`
   */
  find<S extends T, C = undefined>(
    pred: (value: T, context: C) => value is S,
    options?: StageOptions<C, T>,
  ): Promise<S | undefined>;
  find<C = undefined>(pred: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Promise<T | undefined>;
  find<C = undefined, F = unknown>(
    pred: F & ScopedStage<[value: T, context: C], unknown>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Promise<T | undefined>;

  /**
   * Runs the pipeline: whether `pred` returns something true for any item.
   *
   * @param pred called as `pred(value, context)` on a worker, until one is found
   * @param options as of `map`
   */
  some<C = undefined>(pred: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Promise<boolean>;
  some<C = undefined, F = unknown>(
    pred: F & ScopedStage<[value: T, context: C], unknown>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Promise<boolean>;

  /**
   * Runs the pipeline: whether `pred` returns something true for all items.
   *
   * @param pred called as `pred(value, context)` on a worker, until one is found for which it is not true
   * @param options as of `map`
   */
  every<C = undefined>(pred: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Promise<boolean>;
  every<C = undefined, F = unknown>(
    pred: F & ScopedStage<[value: T, context: C], unknown>,
    options?: StageOptions<C, T>,
    ...only: OnlyScoped<F>
  ): Promise<boolean>;

  /**
   * Runs the pipeline, and collects its items.
   *
   * @param options `partial`: whether a failure is told as a `PipelineFailure`, which has the items that have left before
   */
  toArray(options?: ToArrayOptions): Promise<T[]>;

  /**
   * Runs the pipeline into a writable stream of Node or of the Web, no faster than that takes the items; resolves when all is written.
   *
   * @param writable it is closed at the end, and destroyed or aborted if the run fails
   * @param options `preventClose`: leaves it open at the end
   */
  pipeTo(writable: NodeWritable | WebWritable<T>, options?: PipeToOptions): Promise<void>;

  /** Runs the pipeline: for the bodies of loops, which run on this thread. `break` ends the run, and waits until nothing of it runs. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined>;
}
