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
import { show } from '../../core/errors.js';
import type { Admission } from '../limit/admission.js';
import { admissionOf } from '../limit/limit.js';
import type { StepKind, StepPlan } from './steps.js';

/** How a pipeline runs. All are optional. */
export interface PipelineOptions extends Omit<CallOptions, 'onProgress'> {
  /**
   * How many items may be on their way at once: those that were read and have not been taken, dropped or handed over. An integer from 1 up. Default:
   * 16 for each thread of the pool, or more if stages need more.
   */
  readonly inFlight?: number | undefined;
  /** Whether items leave in the order in which they were read. Default true. Otherwise each leaves when it is finished. */
  readonly ordered?: boolean | undefined;
}

/** Options of every stage with a function. All are optional. */
export interface StageOptions<C = unknown, T = never> {
  /** How many of its calls may be in progress at once, in all workers together; an integer from 1 up. Default: what keeps the pool busy. */
  readonly concurrency?: number | undefined;
  /** What the function needs besides its arguments, cloned once. It gets it as its last argument. */
  readonly context?: C | undefined;
  /** What each call has to wait for: a `limit()`, some permits of one, or an array of these. */
  readonly limit?: LimitOption | undefined;
  /**
   * Returns the buffers of an item that this thread needs no more, such as `[image.buffer]`. They are copied with the item, as all data is, and detached as
   * soon as it is on its way.
   */
  readonly transfer?: ((item: T) => readonly ArrayBufferLike[]) | undefined;
  /** Appears in errors. */
  readonly name?: string | undefined;
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
  /** How many items may wait for their visits: one more fails the pipeline. An integer from 1 up; default Infinity. */
  readonly maxPending?: number | undefined;
}

/** Options of `pipeTo`. */
export interface PipeToOptions {
  /** Leaves the writable open at the end. */
  readonly preventClose?: boolean | undefined;
}

type Given = Readonly<Record<string, unknown>>;

/** @throws TypeError for what is no plain object, or has a name that is not `known` */
export function readOptions(call: string, options: unknown, known: readonly string[]): Given {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`furcate: ${call}: options must be an object; it was ${show(options)}.`);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw new TypeError(`furcate: ${call} has no option '${key}'. It has: ${known.join(', ')}.`);
  }
  return options as Given;
}

export function checkCount(call: string, what: string, value: unknown, { mayBeInfinite = false } = {}): number {
  if (typeof value !== 'number')
    throw new TypeError(`furcate: ${call}: ${what} must be a number; it was ${show(value)}.`);
  if (value >= 1 && (Number.isSafeInteger(value) || (mayBeInfinite && value === Number.POSITIVE_INFINITY)))
    return value;
  throw new RangeError(
    `furcate: ${call}: ${what} must be an integer from 1 up${mayBeInfinite ? ', or Infinity' : ''}; it was ${value}.`,
  );
}

export function checkBoolean(call: string, what: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new TypeError(`furcate: ${call}: ${what} must be a boolean; it was ${show(value)}.`);
}

export function checkWait(call: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value;
  const Kind = typeof value === 'number' ? RangeError : TypeError;
  throw new Kind(`furcate: ${call}: options.maxWaitMs must be 0 milliseconds or more; it was ${show(value)}.`);
}

/** A stage's function with its options, checked. */
export interface StageFunction {
  /** Names the stage in errors: `map(), stage 2 of the pipeline`. */
  readonly called: string;
  readonly step: StepPlan;
  readonly concurrency: number | undefined;
  readonly admission: Admission | undefined;
  readonly transfer: ((item: unknown) => unknown) | undefined;
  /** Whether it is known to return promises. */
  readonly isAsync: boolean;
  /** Whether it may fork: then it must run in a synchronous task. */
  readonly mayFork: boolean;
  /** All options, for those of one kind of stage. */
  readonly given: Given;
}

const STAGE_OPTIONS = ['concurrency', 'context', 'limit', 'transfer', 'name'];

/**
 * Checks the function of a stage and its options, and makes both ready to travel.
 *
 * @param at the number of the stage, from 1 up
 * @throws TypeError, RangeError naming the stage
 */
export function stageFunction(
  kind: StepKind,
  at: number,
  fn: unknown,
  options: unknown,
  own: readonly string[] = [],
): StageFunction {
  const isFold = kind === 'scan' || kind === 'reduce';
  const known = [...STAGE_OPTIONS.filter((option) => !(isFold && option === 'concurrency')), ...own];
  const given = readOptions(calledAt(kind, at, undefined), options, known);
  const { concurrency, context, limit, transfer, name } = given;
  if (name !== undefined && typeof name !== 'string')
    throw new TypeError(
      `furcate: ${calledAt(kind, at, undefined)}: options.name must be a string; it was ${show(name)}.`,
    );
  const called = calledAt(kind, at, name as string | undefined);
  if (typeof fn !== 'function') throw new TypeError(`furcate: ${called}: fn must be a function; it was ${show(fn)}.`);
  if (context !== undefined && (typeof context !== 'object' || context === null))
    throw new TypeError(
      `furcate: ${called}: options.context must be an object, such as { xs }; it was ${show(context)}.`,
    );
  if (transfer !== undefined && typeof transfer !== 'function')
    throw new TypeError(
      `furcate: ${called}: options.transfer must be a function that returns ArrayBuffers, such as (image) => [image.buffer]; it was ${show(transfer)}.`,
    );
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
    concurrency: concurrency === undefined ? undefined : checkCount(called, 'options.concurrency', concurrency),
    admission: admissionOf(limit, `${called}: options.limit`),
    transfer: transfer as StageFunction['transfer'],
    isAsync,
    mayFork: isForkable(ship) || shippedContext?.codes.some((code) => isForkable({ code })) === true,
    given,
  };
}

export const calledAt = (kind: string, at: number, name: string | undefined): string =>
  `${kind}(), stage ${at} of the pipeline${name === undefined ? '' : ` ('${name}')`}`;
