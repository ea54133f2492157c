/**
 * `parallelMap`: a function of each element, into another array; the calls run on the caller, the loops on every thread
 * that computes.
 */

import { type Callee, isShared, type OnlyScoped } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { checkInto } from '../call/into.js';
import { blockOf, LOOP_OPTIONS, type LoopOptions } from '../call/loop-options.js';
import { checkArrayOrValues, readOptions, type SyncOptions } from '../call/options.js';
import {
  type AsyncValueFunction,
  isPlainValues,
  type OnlyPlain,
  type PlainValues,
  type TransferOptions,
  withValues,
} from '../call/plain-values.js';
import { copiedBytes } from '../call/staged-call.js';
import { shipUserFunction } from '../call/user-function.js';
import { dealt } from '../schedule/partition.js';
import { elementLoop, type MakeStep } from './element-loop.js';

export interface MapOptions<U extends TypedArray, C = unknown> extends LoopOptions<C> {
  /** Array for the results, of the same length, of any type; `xs` itself if you like. */
  into?: U | undefined;
}

interface MapWork {
  readonly xs: TypedArray;
  readonly out: TypedArray;
}

/** A template, see specialize.ts. */
const makeMapStep: MakeStep = (fn) => (i, context, xs, out) => {
  out[i] = fn(xs[i], i, context);
};

const MAP = elementKind<MapWork>('map', {
  body: ({ xs, out }, fn, context) => elementLoop(makeMapStep, fn, context, xs, out),
  dealt,
});

const MAP_OPTIONS = ['into', ...LOOP_OPTIONS];

function begin(callee: Callee, xs: TypedArray, fn: unknown, given: unknown): Start<TypedArray> {
  checkArrayOrValues(callee, xs);
  const options = readOptions(callee, given, MAP_OPTIONS);
  const into = options.given.into as TypedArray | undefined;
  if (into !== undefined) checkInto(callee.name, into, xs.length, xs);
  return beginElements<MapWork, TypedArray>({
    callee,
    options,
    kind: MAP,
    elements: xs.length,
    user: shipUserFunction(callee, 'fn', fn, options),
    copies: copiedBytes(xs, into ?? xs),
    blockUnits: blockOf(callee.name, options),
    work: (arrays) => ({
      xs: arrays.input(xs),
      out: arrays.output<TypedArray>({ into, type: typeOf(xs), shared: isShared(xs), length: xs.length }),
    }),
    result: (arrays, { out }) => into ?? arrays.delivered(out),
  });
}

const map = new Algorithm('parallelMap', begin);

/**
 * Makes an array of a function's results for plain values: objects, strings, buffers.
 *
 * @param values an array or an iterable, asynchronous or not, of values that can be cloned
 * @param fn called as `fn(value, i, context)` with clones of the values, on any thread; it may return a promise. It travels as source
 *   text: what it needs besides its arguments goes through `context`, unless it is a `forkable` or an `asyncForkable`, which gets its
 *   scope first
 * @param options `concurrency` (calls in progress at once), `transfer(value)` (buffers that move to the worker), and `pool`, `threshold`
 *   (elements in a leaf), `context`, `signal`, `timeoutMs`, `graceMs`, `scope`, `onProgress(done, total)` in elements
 * @returns a promise of an array with the results, in the order of the values
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; for the value of the lowest index that fails:
 *   what `fn` threw, a NotShareableError for a value or result that cannot be cloned, what the iterable threw; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls, and n copies to a worker and back; time n / parallelism. A function that is known to cost less than
 * four fifths of its copies runs on the caller.
 * @example
 * const parsed = await parallelMap(documents, (text) => JSON.parse(text), { concurrency: 8 });
 */
export function parallelMap<T, R, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  fn: (value: T, i: number, context: C) => R,
  options?: TransferOptions<T, C>,
  ...only: OnlyPlain<X>
): Promise<Awaited<R>[]>;
export function parallelMap<T, R, C = undefined, F = unknown>(
  values: PlainValues<T>,
  fn: F & AsyncValueFunction<T, C, R>,
  options?: TransferOptions<T, C>,
  ...only: OnlyScoped<F>
): Promise<Awaited<R>[]>;
/**
 * Puts a function of each element into another array, as `TypedArray.prototype.map` does.
 *
 * @param xs any typed array; not written, unless it is `into`
 * @param fn called as `fn(x, i, context)`, in any order and on any thread, synchronous. It travels as source text: what it
 *   needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `into`, and `pool`, `threshold` (elements in a leaf), `partition` (which elements a thread begins with), `context`,
 *   `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `into`, or else of a new array of the type of xs, shared if xs is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest
 *   failing index, CancellationError (`AbortError`) once `signal` is aborted: a shared `into` is half written then
 * @remarks Cost: n calls; time n / parallelism; memory for the result and, for arrays that are not shared, for copies, which are
 * made only if the work is worth five of them.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const roots = await parallelMap(xs, (x) => Math.sqrt(x));
 * await parallelMap(xs, (x, i, { scale }) => x * scale, { into: xs, context: { scale: 2 } });
 */
export function parallelMap<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  fn: (x: ElementOf<T>, i: number, context: C) => ElementOf<U>,
  options?: MapOptions<U, C>,
): Promise<U>;
export function parallelMap(xs: unknown, fn: unknown, options?: unknown): Promise<unknown> {
  if (isPlainValues(xs)) return withValues(options, (part) => part.mapValues(map.callees.promise, xs, fn, options));
  return map.promise(xs as TypedArray, fn, options);
}

/**
 * `parallelMap` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelMap`
 * @param fn as for `parallelMap`
 * @param options as for `parallelMap`
 * @returns what the promise of `parallelMap` gives
 * @throws what `parallelMap` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelMap`.
 * @example
 * const doubled = parallelMapSync(xs, (x) => 2 * x);
 */
export function parallelMapSync<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  fn: (x: ElementOf<T>, i: number, context: C) => ElementOf<U>,
  options?: MapOptions<U, C> & SyncOptions,
): U {
  return map.sync(xs, fn, options) as U;
}
