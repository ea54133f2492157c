/** Pipelines, as users see them; runs on the thread that calls. */
import {
  type AdmittedCall,
  type AsyncForkableMark,
  admit,
  type Callee,
  type CallOptions,
  callSite,
  isComputing,
  isExecutor,
  promised,
  type Scope,
  stalled,
  startEarly,
  withCallSite,
} from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { isReadable } from '../../flow/source.js';
import {
  type BatchOptions,
  calledAt,
  checkBoolean,
  checkCount,
  checkWait,
  type ExpandOptions,
  type FoldOptions,
  type PipelineOptions,
  type PipelineReduceOptions,
  type PipeToOptions,
  readOptions,
  type StageFunction,
  type StageOptions,
  stageFunction,
} from './options.js';
import { batched, build, type Link } from './plan.js';
import { Run } from './run.js';
import type { StepKind } from './steps.js';
import { type NodeWritable, pour, sinkOf, type WebWritable } from './writable.js';

/** What a pipeline reads: an iterable, an asynchronous iterable, such as a stream of Node, or a readable stream of the Web. */
export type PipelineSource<T> =
  | Iterable<T>
  | AsyncIterable<T>
  | { getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: T | undefined }> } };

/** A function made with `asyncForkable`, whose scope comes before its arguments. It may take fewer arguments. */
export type ScopedStage<A extends unknown[], R> = ((scope: Scope, ...args: A) => PromiseLike<R>) & AsyncForkableMark;

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
  /** Makes an item of each item. */
  map<R, C = undefined>(fn: ScopedStage<[value: T, context: C], R>, options?: StageOptions<C, T>): Pipeline<R>;
  map<R, C = undefined>(fn: (value: T, context: C) => R, options?: StageOptions<C, T>): Pipeline<Awaited<R>>;

  /** Keeps the items for which `pred` returns, or promises, something true. */
  filter<C = undefined>(pred: ScopedStage<[value: T, context: C], unknown>, options?: StageOptions<C, T>): Pipeline<T>;
  filter<S extends T, C = undefined>(
    pred: (value: T, context: C) => value is S,
    options?: StageOptions<C, T>,
  ): Pipeline<S>;
  filter<C = undefined>(pred: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Pipeline<T>;

  /**
   * Makes any number of items of each item. A generator is paused while many of its items are on their way, on its worker: one that may fork joins
   * what it has forked before it yields. In a pipeline with the option `scope` it is not paused.
   *
   * @param fn returns, or promises, an iterable or asynchronous iterable; inline, it may be a generator function
   */
  flatMap<R, C = undefined>(
    fn: ScopedStage<[value: T, context: C], Iterable<R> | AsyncIterable<R>>,
    options?: StageOptions<C, T>,
  ): Pipeline<R>;
  flatMap<R, C = undefined>(
    fn: (value: T, context: C) => Iterable<R> | AsyncIterable<R> | PromiseLike<Iterable<R> | AsyncIterable<R>>,
    options?: StageOptions<C, T>,
  ): Pipeline<Awaited<R>>;

  /**
   * Collects items into arrays of `size`; the last one may be shorter.
   *
   * @throws RangeError if open batches could hold all places in flight: `size`, times that of each other `batch` of the pipeline, is at most `inFlight`
   */
  batch(size: number, options?: BatchOptions): Pipeline<T[]>;

  /** Makes a state of each item and the state before it: the running total of a sum, for example. The calls are made one after the other. */
  scan<S, C = undefined>(
    fn: ScopedStage<[state: S, value: T, context: C], S>,
    initial: S,
    options?: FoldOptions<C, T>,
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
   * @param visit called with an item and a `Feed`, which takes more items
   */
  expand<R, C = undefined>(
    visit: ScopedStage<[value: T, feed: Feed<T>, context: C], R>,
    options?: ExpandOptions<T, C>,
  ): Pipeline<R>;
  expand<R, C = undefined>(
    visit: (value: T, feed: Feed<T>, context: C) => R,
    options?: ExpandOptions<T, C>,
  ): Pipeline<Awaited<R>>;

  /** Runs the pipeline and folds its items, from `initial` on, one after the other. */
  reduce<S, C = undefined>(
    fn: ScopedStage<[state: S, value: T, context: C], S>,
    initial: S,
    options?: PipelineReduceOptions<C, T>,
  ): Promise<S>;
  reduce<S, C = undefined>(
    fn: (state: S, value: T, context: C) => S | PromiseLike<S>,
    initial: S,
    options?: PipelineReduceOptions<C, T>,
  ): Promise<S>;

  /** Runs the pipeline, and calls a function on workers for each item. */
  forEach<C = undefined>(fn: ScopedStage<[value: T, context: C], unknown>, options?: StageOptions<C, T>): Promise<void>;
  forEach<C = undefined>(fn: (value: T, context: C) => unknown, options?: StageOptions<C, T>): Promise<void>;

  /** Runs the pipeline, and collects its items. */
  toArray(): Promise<T[]>;

  /** Runs the pipeline into a writable stream of Node or of the Web, no faster than that takes the items; resolves when all is written. */
  pipeTo(writable: NodeWritable | WebWritable<T>, options?: PipeToOptions): Promise<void>;

  /** Runs the pipeline: for the bodies of loops, which run on this thread. `break` ends the run, and waits until nothing of it runs. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined>;
}

const CALLEE: Callee = { form: 'promise', name: 'pipeline', names: { promise: 'pipeline', sync: 'pipeline' } };

const CALL_OPTIONS = ['pool', 'scope', 'signal', 'timeoutMs', 'graceMs', 'priority'];

/** The default of `inFlight`, for each thread: enough for tasks that wait, and for cheap items to go together. */
const PLACES_PER_THREAD = 16;

/** What all stages of a pipeline share. */
interface Frame {
  readonly source: object;
  readonly call: CallOptions;
  readonly inFlight: number | undefined;
  readonly isOrdered: boolean;
}

class Chain<T> implements Pipeline<T> {
  readonly #frame: Frame;
  readonly #links: readonly Link[];

  constructor(frame: Frame, links: readonly Link[]) {
    this.#frame = frame;
    this.#links = links;
  }

  #with<R>(link: Link): Chain<R> {
    return new Chain<R>(this.#frame, [...this.#links, link]);
  }

  #stage(kind: StepKind, fn: unknown, options: unknown, own: readonly string[] = []): StageFunction {
    return stageFunction(kind, this.#links.length + 1, fn, options, own);
  }

  map(fn: unknown, options: unknown = {}): Chain<never> {
    return this.#with({ kind: 'calls', fn: this.#stage('map', fn, options) });
  }

  filter(pred: unknown, options: unknown = {}): Chain<never> {
    return this.#with({ kind: 'calls', fn: this.#stage('filter', pred, options) });
  }

  flatMap(fn: unknown, options: unknown = {}): Chain<never> {
    return this.#with({ kind: 'flatMap', fn: this.#stage('flatMap', fn, options) });
  }

  batch(size: number, options: unknown = {}): Chain<T[]> {
    const called = calledAt('batch', this.#links.length + 1, undefined);
    const { maxWaitMs = Number.POSITIVE_INFINITY } = readOptions(called, options, ['maxWaitMs']);
    const link: Link = {
      kind: 'batch',
      batch: { size: checkCount(called, 'size', size), maxWaitMs: checkWait(called, maxWaitMs) },
    };
    const { inFlight = Number.POSITIVE_INFINITY } = this.#frame;
    const needed = batched([...this.#links, link]);
    if (needed > inFlight)
      throw new RangeError(
        `furcate: ${called}: an open batch would hold up to ${needed} places, but inFlight = ${inFlight}, so that it would never be full. Raise inFlight, or make the batch smaller.`,
      );
    return this.#with(link);
  }

  scan(fn: unknown, initial: unknown, options: unknown = {}): Chain<never> {
    return this.#with({ kind: 'fold', fn: this.#stage('scan', fn, options), fold: { initial, isScan: true } });
  }

  expand(visit: unknown, options: unknown = {}): Chain<never> {
    const fn = this.#stage('expand', visit, options, ['uniqueBy', 'maxPending']);
    const { uniqueBy, maxPending = Number.POSITIVE_INFINITY } = fn.given;
    if (uniqueBy !== undefined && typeof uniqueBy !== 'function')
      throw new TypeError(`furcate: ${fn.called}: options.uniqueBy must be a function; it was ${show(uniqueBy)}.`);
    const expand = {
      uniqueBy: uniqueBy as ((item: unknown) => unknown) | undefined,
      maxPending: checkCount(fn.called, 'options.maxPending', maxPending, { mayBeInfinite: true }),
    };
    return this.#with({ kind: 'expand', fn, expand });
  }

  reduce(fn: unknown, initial: unknown, options: unknown = {}): Promise<never> {
    return promised(this.#reduce(fn, initial, options), this.#frame.call);
  }

  async #reduce(fn: unknown, initial: unknown, options: unknown): Promise<never> {
    const stage = this.#stage('reduce', fn, options, ['commutative']);
    const { commutative = false } = stage.given;
    if (!checkBoolean(stage.called, 'options.commutative', commutative) && !this.#frame.isOrdered)
      throw new TypeError(
        `furcate: ${stage.called}: items of a pipeline with ordered: false arrive in any order. If that does not matter to fn, say { commutative: true }; otherwise leave ordered out.`,
      );
    const [result] = await this.#with({ kind: 'fold', fn: stage, fold: { initial, isScan: false } }).toArray();
    return result as never;
  }

  forEach(fn: unknown, options: unknown = {}): Promise<void> {
    return promised(this.#forEach(fn, options), this.#frame.call);
  }

  async #forEach(fn: unknown, options: unknown): Promise<void> {
    const link: Link = { kind: 'calls', fn: this.#stage('forEach', fn, options) };
    for await (const _ of this.#with(link)); // none leaves
  }

  toArray(): Promise<T[]> {
    return promised(this.#toArray(), this.#frame.call);
  }

  async #toArray(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  pipeTo(writable: unknown, options: unknown = {}): Promise<void> {
    return promised(this.#pipeTo(writable, options), this.#frame.call);
  }

  async #pipeTo(writable: unknown, options: unknown): Promise<void> {
    const { preventClose = false } = readOptions('pipeTo() of a pipeline', options, ['preventClose']);
    const sink = sinkOf(writable, checkBoolean('pipeTo() of a pipeline', 'options.preventClose', preventClose));
    const site = callSite(this.pipeTo);
    let run: Run | undefined;
    try {
      const stall = stalled('pipeline', this.#frame.call);
      if (stall !== undefined) await stall;
      run = this.#run();
      await pour(run, sink);
    } catch (error) {
      sink.abort(error);
      await run?.stop().catch(() => {}); // the source's own error on top of a failure is of no use
      throw withCallSite(error, site);
    }
  }

  [Symbol.asyncIterator](): Required<AsyncIterator<T, undefined>> {
    const site = callSite(this[Symbol.asyncIterator]);
    const start = (): Run => this.#run();
    const { call: options } = this.#frame;
    let run: Run | undefined;
    let isOver = false;
    const over = { done: true as const, value: undefined };
    const rejected = (error: unknown): Promise<never> => Promise.reject(withCallSite(error, site));
    return {
      async next() {
        if (isOver) return over;
        try {
          const stall = run === undefined ? stalled('pipeline', options) : undefined;
          if (stall !== undefined) return await stall;
          run ??= start();
          const item = await run.next();
          if (item !== undefined) return { done: false, value: item.value as T };
          isOver = true;
          return over;
        } catch (error) {
          if (isOver) return over; // another call has told of it
          isOver = true;
          return rejected(error);
        }
      },
      async return() {
        const isFirst = !isOver;
        isOver = true;
        if (isFirst) await run?.stop();
        return over;
      },
      async throw(error) {
        isOver = true;
        await run?.stop();
        return rejected(error);
      },
    };
  }

  #run(): Run {
    const { source, call: options, isOrdered } = this.#frame;
    if (isComputing())
      throw new Error(
        'furcate: a pipeline runs inside a synchronous task, which cannot await. Run it in an asynchronous task, with the option { scope }.',
      );
    const call: AdmittedCall = admit(options, CALLEE);
    startEarly(call, 'promise');
    const links = this.#links;
    const inFlight = this.#frame.inFlight ?? this.#defaultInFlight(call);
    return new Run({ source, call, inFlight, isOrdered, build: (run) => build(links, run) });
  }

  #defaultInFlight({ parallelism }: AdmittedCall): number {
    const calls = this.#links.flatMap((link) => (link.kind === 'batch' ? [] : [link.fn.concurrency ?? 0]));
    return Math.max(PLACES_PER_THREAD * parallelism, 2 * Math.max(0, ...calls), 2 * batched(this.#links));
  }
}

/**
 * Makes a pipeline of a source: items that arrive over time go through stages, whose functions run on workers.
 *
 * The event loop of this thread reads the source, and never reads further than `inFlight` allows: a slow stage, or a slow reader of the
 * results, makes the source wait. If something fails, what comes before it is finished and delivered; then the run rejects with the failure of the lowest
 * item, when nothing runs any more. An error of a stage's function keeps its class and message, and has the name of the stage as its `stage`.
 *
 * @param source it is read when the pipeline runs, and closed when the run ends early
 * @param options `{ inFlight, ordered, pool, scope, signal, timeoutMs, graceMs, priority }`
 * @throws TypeError, RangeError naming the argument
 * @example
 * const squares = pipeline([1, 2, 3, 4]).map((x) => x * x).filter((x) => x > 1);
 * for await (const x of squares.batch(2)) console.log(x);
 * await squares.toArray(); // => [4, 9, 16]
 */
export function pipeline<T>(source: PipelineSource<T>, options: PipelineOptions = {}): Pipeline<T> {
  if (!isReadable(source))
    throw new TypeError(
      `furcate: pipeline(source) takes an iterable, an asynchronous iterable, or a stream; it was given ${show(source)}.`,
    );
  const given = readOptions('pipeline(source, options)', options, ['inFlight', 'ordered', ...CALL_OPTIONS]);
  const { inFlight, ordered = true, ...call } = given;
  if (call['pool'] !== undefined && !isExecutor(call['pool']))
    throw new TypeError(
      `furcate: pipeline: options.pool must be a ForkJoinPool or SequentialExecutor; it was ${show(call['pool'])}.`,
    );
  const frame: Frame = {
    source,
    call,
    inFlight: inFlight === undefined ? undefined : checkCount('pipeline', 'options.inFlight', inFlight),
    isOrdered: checkBoolean('pipeline', 'options.ordered', ordered),
  };
  return new Chain<T>(frame, []) as Pipeline<T>;
}
