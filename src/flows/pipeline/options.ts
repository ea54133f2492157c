/** Checks what users give to a pipeline and its stages, before anything runs; on the calling thread. */
import {
  asyncOrGenerator,
  type CallOptions,
  forkKind,
  isForkable,
  type LimitOption,
  shipContext,
  shipFunction,
} from '../../core/engine.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { type Given, mustBe, numberOf, ofType, readOptions, type Schema } from '../../core/options.js';
import type { Admission } from '../limit/admission.js';
import { admissionOf } from '../limit/limit.js';
import type { PipelineProgress } from './progress.js';
import type { StepKind, StepPlan } from './step.js';

/** Options of a pipeline. All are optional. */
export interface PipelineOptions extends Omit<CallOptions, 'onProgress'> {
  /**
   * Number of items that may be on their way at once: those that were read and have not been taken, dropped or handed over. An integer from 1 up.
   * Default: 16 for each thread of the pool, or more if stages need more.
   */
  readonly inFlight?: number | undefined;
  /** True if items leave in the order in which they were read. Default true. Otherwise each leaves when it is finished. */
  readonly ordered?: boolean | undefined;
  /**
   * Called now and then while the run goes on, and at its end if nothing has failed: what was read, and what each stage has begun and done. An error
   * that it throws ends the run.
   */
  readonly onProgress?: ((progress: PipelineProgress) => void) | undefined;
}

/** Options of every stage with a function. All are optional. */
export interface StageOptions<C = unknown, T = never> {
  /**
   * Number of its calls that may be in progress at once, in all workers together; an integer from 1 up. Default: what keeps the pool busy.
   */
  readonly concurrency?: number | undefined;
  /** Values that the function needs besides its arguments, cloned once. It gets it as its last argument. */
  readonly context?: C | undefined;
  /** Permits that each call has to wait for: a `limit()`, some permits of one, or an array of these. */
  readonly limit?: LimitOption | undefined;
  /**
   * Returns the buffers of an item that this thread needs no more, such as `[image.buffer]`. They are copied with the item, as all data is, and detached as
   * soon as it is on its way. A buffer of which the item has a part alone is not detached. Ports, canvases and the like are moved.
   */
  readonly transfer?: ((item: T) => readonly object[]) | undefined;
  /** Appears in errors. */
  readonly name?: string | undefined;
}

/** Options of a `map` whose function gets the index of each item. */
export interface IndexedOptions<C = unknown, T = never> extends StageOptions<C, T> {
  /**
   * Gives the function the index of the item after the item: how many have arrived at this stage before it. Where an earlier stage drops items, or finishes them out
   * of order, this one waits for those before. If the pipeline is not ordered, only its first stage may ask for it.
   */
  readonly index: true;
}

/** Options of `window`. */
export interface WindowOptions {
  /** Distance between the starts of two windows, in items: an integer from 1 up. Default 1: each window has one new item. */
  readonly step?: number | undefined;
}

/** Options of `distinct`. */
export interface DistinctOptions<T> {
  /** Gives each item a key, on the calling thread. Default: the item itself. */
  readonly by?: ((item: T) => unknown) | undefined;
}

/** Options of `scan` and `reduce`, whose calls are made one after the other. */
export interface FoldOptions<C = unknown, T = never> extends Omit<StageOptions<C, T>, 'concurrency'> {}

/** Options of `reduce`. */
export interface PipelineReduceOptions<C = unknown, T = never> extends FoldOptions<C, T> {
  /** Says that the order of the items does not matter: needed in a pipeline that is not ordered. */
  readonly commutative?: boolean | undefined;
}

/** Options of `batch`. */
export interface BatchOptions {
  /** After how long a batch leaves that is not full (milliseconds), from its first item on. Default: when there are no more items. */
  readonly maxWaitMs?: number | undefined;
}

/** Options of `expand`. */
export interface ExpandOptions<T, C = unknown> extends StageOptions<C, T> {
  /** Gives each item a key, on the calling thread; only the first item of a key is visited. */
  readonly uniqueBy?: ((item: T) => unknown) | undefined;
  /**
   * Number of items that may wait for their visits: one more fails the pipeline. An integer from 1 up; default Infinity.
   */
  readonly maxPending?: number | undefined;
}

/** Options of `toArray`. */
export interface ToArrayOptions {
  /** True for a run that rejects with a `PipelineFailure` if it fails, which has the items that have left before. */
  readonly partial?: boolean | undefined;
}

/** Options of `pipeTo`. */
export interface PipeToOptions {
  /** Leaves the writable open at the end. */
  readonly preventClose?: boolean | undefined;
}

/** A stage's function with its options, checked. */
export interface StageFunction<S extends Schema = Schema> {
  /** Names the stage in errors: `map(), stage 2 of the pipeline`. */
  readonly called: string;
  readonly step: StepPlan;
  readonly concurrency: number | undefined;
  readonly admission: Admission | undefined;
  readonly transfer: ((item: unknown) => unknown) | undefined;
  /** True if it is known to return promises. */
  readonly isAsync: boolean;
  /** True if it may fork: then it must run in a synchronous task. */
  readonly mayFork: boolean;
  /** All options, for those of one kind of stage. */
  readonly given: Given<S>;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
export const count = numberOf(isCount, 'an integer from 1 up');
export const countOrInfinity = numberOf(
  (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
  'an integer from 1 up, or Infinity',
);

/** Options of a call that is named so. @throws TypeError, RangeError naming the option */
export const optionsOf = <S extends Schema>(call: string, options: unknown, schema: S): Given<S> =>
  readOptions(options, call, schema, { prefix: `${call}: options.` });

const FOLD_OPTIONS = {
  context: mustBe<object>((value) => typeof value === 'object' && value !== null, 'an object, such as { xs }'),
  limit: (value: unknown, what: string) => admissionOf(value, what),
  transfer: mustBe<(item: unknown) => unknown>(
    (value) => typeof value === 'function',
    'a function that returns ArrayBuffers, such as (image) => [image.buffer]',
  ),
  name: ofType<string>('string'),
};
const STAGE_OPTIONS = { concurrency: count, ...FOLD_OPTIONS };

/**
 * Checks the function of a stage and its options, and makes both ready to travel.
 *
 * @param at the number of the stage, from 1 up
 * @param own options that only this stage has
 * @throws TypeError, RangeError naming the stage
 */
export function stageFunction<S extends Schema>(
  kind: StepKind,
  at: number,
  fn: unknown,
  options: unknown,
  own: S,
): StageFunction<S> {
  const isFold = kind === 'scan' || kind === 'reduce';
  const schema: typeof STAGE_OPTIONS = isFold ? (FOLD_OPTIONS as never) : STAGE_OPTIONS;
  const given = optionsOf(calledAt(kind, at, undefined), options, { ...schema, ...own });
  const { concurrency, context, limit, transfer, name } = given as Given<typeof STAGE_OPTIONS>;
  const called = calledAt(kind, at, name);
  refuseRevoked(fn, `fn of ${called}`);
  if (typeof fn !== 'function') throw new TypeError(`furcate: ${called}: fn must be a function; it was ${show(fn)}.`);
  const fnCalled = `fn of ${called}`;
  const ship = shipFunction(fn, fnCalled, { mayAwait: true, mayYield: kind === 'flatMap' });
  const shippedContext = context === undefined ? undefined : shipContext(context, `options.context of ${called}`);
  const takesScope = forkKind(fn) === 'async';
  const isAsync =
    takesScope ||
    /^\[object Async/.test(Object.prototype.toString.call(fn)) ||
    asyncOrGenerator(fn) === 'an async function';
  return {
    called,
    step: { kind, fn: ship, context: shippedContext, takesScope, called: fnCalled, stage: called },
    concurrency,
    admission: limit,
    transfer,
    isAsync,
    mayFork: isForkable(ship) || shippedContext?.codes.some((code) => isForkable({ code })) === true,
    given,
  };
}

export const calledAt = (kind: string, at: number, name: string | undefined): string =>
  `${kind}(), stage ${at} of the pipeline${name === undefined ? '' : ` ('${name}')`}`;
