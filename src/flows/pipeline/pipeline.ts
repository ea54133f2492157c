/** Pipelines as users chain them; runs on the thread that calls. */
import {
  beginCall,
  CALL_OPTIONS,
  Call,
  type Callee,
  type CallOptions,
  callSite,
  isComputing,
  promised,
  stalled,
  withCallSite,
} from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { milliseconds, ofType, type Schema } from '../../core/options.js';
import { isReadable } from '../../flow/source.js';
import { type MadePipeline, noteMade } from './dropped.js';
import { pipelineFailure } from './failure.js';
import {
  calledAt,
  count,
  countOrInfinity,
  optionsOf,
  type PipelineOptions,
  type StageFunction,
  stageFunction,
} from './options.js';
import type { Pipeline, PipelineSource, Untyped } from './pipeline-type.js';
import { batched, build, type StageLink } from './plan.js';
import type { OnProgress } from './progress.js';
import { Run } from './run.js';
import type { SlicePlan } from './slice.js';
import type { StepKind } from './step.js';
import { pour, sinkOf } from './writable.js';

const CALLEE: Callee = { form: 'promise', name: 'pipeline', names: { promise: 'pipeline', sync: 'pipeline' } };

const PIPELINE_OPTIONS = {
  inFlight: count,
  ordered: ofType<boolean>('boolean'),
  ...CALL_OPTIONS,
  onProgress: ofType<OnProgress>('function'),
};
const EXPAND_OPTIONS = { uniqueBy: ofType<(item: unknown) => unknown>('function'), maxPending: countOrInfinity };
const DISTINCT_OPTIONS = { by: ofType<(item: unknown) => unknown>('function') };
const ARRAY_OPTIONS = { partial: ofType<boolean>('boolean') };
const PIPE_OPTIONS = { preventClose: ofType<boolean>('boolean') };

/** The default of `inFlight`, for each thread: enough for tasks that wait, and for cheap items to go together. */
const PLACES_PER_THREAD = 16;

/** Data that all stages of a pipeline share. */
interface Frame {
  readonly source: object;
  readonly call: CallOptions;
  readonly inFlight: number | undefined;
  readonly isOrdered: boolean;
  readonly onProgress: OnProgress | undefined;
}

class PipelineDescription<T> implements Pipeline<T> {
  readonly #frame: Frame;
  readonly #links: readonly StageLink[];
  readonly #made: MadePipeline | undefined;

  constructor(frame: Frame, links: readonly StageLink[]) {
    this.#frame = frame;
    this.#links = links;
    this.#made = noteMade(this, PipelineDescription as never);
  }

  #with<R>(link: StageLink): PipelineDescription<R> {
    if (this.#made !== undefined) this.#made.isUsed = true;
    return new PipelineDescription<R>(this.#frame, [...this.#links, link]);
  }

  #stage<S extends Schema>(kind: StepKind, fn: unknown, options: unknown, own = {} as S): StageFunction<S> {
    return stageFunction(kind, this.#links.length + 1, fn, options, own);
  }

  map(fn: unknown, options: unknown = {}): PipelineDescription<never> {
    const stage = this.#stage('map', fn, options, { index: ofType<boolean>('boolean') });
    const { index: isIndexed = false } = stage.given;
    if (isIndexed && !this.#frame.isOrdered && this.#links.length > 0)
      throw new TypeError(
        `furcate: ${stage.called}: options.index was true, but with ordered: false only the first stage knows it. Leave ordered out, or put it into the items by a first map().`,
      );
    return this.#with({ kind: 'calls', fn: stage, isIndexed });
  }

  filter(pred: unknown, options: unknown = {}): PipelineDescription<never> {
    return this.#with({ kind: 'calls', fn: this.#stage('filter', pred, options) });
  }

  flatMap(fn: unknown, options: unknown = {}): PipelineDescription<never> {
    return this.#with({ kind: 'flatMap', fn: this.#stage('flatMap', fn, options) });
  }

  batch(size: number, options: unknown = {}): PipelineDescription<T[]> {
    const called = calledAt('batch', this.#links.length + 1, undefined);
    const { maxWaitMs = Number.POSITIVE_INFINITY } = optionsOf(called, options, { maxWaitMs: milliseconds });
    const link: StageLink = {
      kind: 'batch',
      batch: { size: count(size, `${called}: size`), maxWaitMs },
    };
    const { inFlight = Number.POSITIVE_INFINITY } = this.#frame;
    const needed = batched([...this.#links, link]);
    if (needed > inFlight)
      throw new RangeError(
        `furcate: ${called}: an open batch would hold up to ${needed} places, but inFlight = ${inFlight}, so it would never be full. Raise inFlight, or make the batch smaller.`,
      );
    return this.#with(link);
  }

  scan(fn: unknown, initial: unknown, options: unknown = {}): PipelineDescription<never> {
    return this.#with({ kind: 'fold', fn: this.#stage('scan', fn, options), fold: { initial, isScan: true } });
  }

  expand(visit: unknown, options: unknown = {}): PipelineDescription<never> {
    const fn = this.#stage('expand', visit, options, EXPAND_OPTIONS);
    const { uniqueBy, maxPending = Number.POSITIVE_INFINITY } = fn.given;
    return this.#with({ kind: 'expand', fn, expand: { uniqueBy, maxPending } });
  }

  reduce(fn: unknown, initial: unknown, options: unknown = {}): Promise<never> {
    return promised(this.#reduce(fn, initial, options), this.#frame.call);
  }

  async #reduce(fn: unknown, initial: unknown, options: unknown): Promise<never> {
    const stage = this.#stage('reduce', fn, options, { commutative: ofType<boolean>('boolean') });
    const { commutative = false } = stage.given;
    if (!commutative && !this.#frame.isOrdered)
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
    const link: StageLink = { kind: 'calls', fn: this.#stage('forEach', fn, options) };
    for await (const _ of this.#with(link)); // none leaves
  }

  take(count: number): PipelineDescription<T> {
    return this.#slice('take', count, { from: 0, count });
  }

  drop(count: number): PipelineDescription<T> {
    return this.#slice('drop', count, { from: count, count: Number.POSITIVE_INFINITY });
  }

  #slice(kind: string, items: number, slice: SlicePlan): PipelineDescription<T> {
    count(items, `${calledAt(kind, this.#links.length + 1, undefined)}: count`);
    return this.#with({ kind: 'slice', slice });
  }

  distinct(options: unknown = {}): PipelineDescription<T> {
    const stage = calledAt('distinct', this.#links.length + 1, undefined);
    const { by = (item: unknown): unknown => item } = optionsOf(stage, options, DISTINCT_OPTIONS);
    return this.#with({ kind: 'distinct', distinct: { by, stage } });
  }

  window(size: number, options: unknown = {}): PipelineDescription<T[]> {
    const called = calledAt('window', this.#links.length + 1, undefined);
    const { step = 1 } = optionsOf(called, options, { step: count });
    return this.#with({ kind: 'window', window: { size: count(size, `${called}: size`), step } });
  }

  find(pred: unknown, options: unknown = {}): Promise<T | undefined> {
    return promised(
      this.#first('find', pred, options).then(([item]) => item),
      this.#frame.call,
    );
  }

  some(pred: unknown, options: unknown = {}): Promise<boolean> {
    return promised(
      this.#first('some', pred, options).then(({ length }) => length > 0),
      this.#frame.call,
    );
  }

  every(pred: unknown, options: unknown = {}): Promise<boolean> {
    return promised(
      this.#first('every', pred, options).then(({ length }) => length === 0),
      this.#frame.call,
    );
  }

  /** The first item that a step keeps, as a list. */
  async #first(kind: StepKind, pred: unknown, options: unknown): Promise<T[]> {
    const kept = this.#with<T>({ kind: 'calls', fn: this.#stage(kind, pred, options) });
    return kept.take(1).#toArray();
  }

  toArray(options: unknown = {}): Promise<T[]> {
    return promised(this.#toArray(options), this.#frame.call);
  }

  async #toArray(options: unknown = {}): Promise<T[]> {
    const { partial = false } = optionsOf('toArray() of a pipeline', options, ARRAY_OPTIONS);
    const items: T[] = [];
    try {
      for await (const item of this) items.push(item);
    } catch (error) {
      throw partial ? pipelineFailure(error, items) : error;
    }
    return items;
  }

  pipeTo(writable: unknown, options: unknown = {}): Promise<void> {
    const { call } = this.#frame;
    return beginCall('pipeline', call, callSite(this.pipeTo), () => this.#pipeTo(writable, options)).promise;
  }

  async #pipeTo(writable: unknown, options: unknown): Promise<void> {
    const { preventClose = false } = optionsOf('pipeTo() of a pipeline', options, PIPE_OPTIONS);
    const sink = sinkOf(writable, preventClose);
    let run: Run | undefined;
    try {
      run = this.#run();
      await pour(run, sink);
    } catch (error) {
      sink.abort(error);
      await run?.stop().catch(() => {}); // the source's own error on top of a failure is of no use
      throw error;
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
    const later = async (): Promise<IteratorResult<T, undefined>> => {
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
    };
    return {
      next() {
        const item = isOver ? undefined : run?.takeReady();
        return item === undefined ? later() : Promise.resolve({ done: false, value: item.value as T });
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
    if (this.#made !== undefined) this.#made.isUsed = true;
    const { source, call: options, isOrdered, onProgress } = this.#frame;
    if (isComputing())
      throw new Error(
        'furcate: a pipeline runs inside a synchronous task, which cannot await. Run it in an asynchronous task, with the option { scope }.',
      );
    const call = Call.admit(options, CALLEE);
    call.startEarly();
    const links = this.#links;
    const { inFlight: given } = this.#frame;
    const inFlight = given ?? this.#defaultInFlight(call);
    return new Run({
      source,
      call,
      inFlight,
      isExact: given !== undefined,
      isOrdered,
      onProgress,
      build: (run) => build(links, run),
    });
  }

  #defaultInFlight({ parallelism }: Call): number {
    const calls = this.#links.flatMap((link) => ('fn' in link ? [link.fn.concurrency ?? 0] : []));
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
 * @param source it is read when the pipeline runs, and closed when the run ends early. The items of one that has no types, such as a stream of
 *   Node, are `unknown`: say what they are, `pipeline<string>(lines)`
 * @param options `{ inFlight, ordered, onProgress, pool, scope, signal, timeoutMs, graceMs, priority, carry }`
 * @throws TypeError, RangeError naming the argument
 * @example
 * const squares = pipeline([1, 2, 3, 4]).map((x) => x * x).filter((x) => x > 1);
 * for await (const x of squares.batch(2)) console.log(x);
 * await squares.toArray(); // => [4, 9, 16]
 */
export function pipeline<S>(...args: Untyped<S>): Pipeline<unknown>;
export function pipeline<T>(source: PipelineSource<T>, options?: PipelineOptions): Pipeline<T>;
export function pipeline<T>(source: PipelineSource<T>, options: PipelineOptions = {}): Pipeline<T> {
  if (!isReadable(source))
    throw new TypeError(
      `furcate: pipeline(source) takes an iterable, an asynchronous iterable, or a stream; it was given ${show(source)}.`,
    );
  const {
    inFlight,
    ordered = true,
    onProgress,
    ...call
  } = optionsOf('pipeline(source, options)', options, PIPELINE_OPTIONS);
  const frame: Frame = { source, call, inFlight, isOrdered: ordered, onProgress };
  return new PipelineDescription<T>(frame, []) as Pipeline<T>;
}
