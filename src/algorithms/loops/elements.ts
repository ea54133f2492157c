/**
 * `parallelMap`, `parallelForEach` and `parallelTabulate`: a function called for each element or index; the calls run on the caller,
 * the loops on every thread that computes.
 */
import {
  type ElementOf,
  NO_TYPE,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
  typeOfView,
} from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import type { NotAPromise, Synchronous } from '../../core/task/synchronous.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { checkInto, checkResult } from '../call/into.js';
import {
  type AlgorithmOptions,
  check,
  checkArray,
  checkCount,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import {
  type AsyncValueFunction,
  isPlainValues,
  type PlainValues,
  type TransferOptions,
  withValues,
} from '../call/plain-values.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { copiedBytes } from '../call/staged-call.js';
import { shipUserFunction } from '../call/user-function.js';
import { elementLoop, type MakeStep } from './element-loop.js';

export interface MapOptions<U extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** Where the results go: an array of the same length, of any type; `xs` itself if you like. */
  into?: U;
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
});

function beginMap<U extends TypedArray>(name: string, xs: TypedArray, fn: unknown, given: unknown): PreparedCall<U> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, given, ['into']);
  const into = options.given.into as U | undefined;
  if (into !== undefined) checkInto(name, into, xs.length, xs);
  return beginElements<MapWork, U>({
    name,
    options,
    kind: MAP,
    elements: xs.length,
    user: shipUserFunction(name, 'fn', fn, options),
    copies: copiedBytes(xs, into ?? xs),
    work: (arrays) => ({
      xs: arrays.input(xs),
      out: arrays.output<TypedArray>({ into, type: typeOf(xs), shared: isShared(xs), length: xs.length }),
    }),
    result: (arrays, { out }) => into ?? (arrays.delivered(out) as U),
  });
}

/**
 * Makes an array of a function's results for plain values: objects, strings, buffers.
 *
 * @param values an array or an iterable, asynchronous or not, of values that can be cloned
 * @param fn called as `fn(value, i, context)` with clones of the values, on any thread; it may return a promise. It travels as source
 *   text: what it needs besides its arguments goes through `context`, unless it is a `forkable` or an `asyncForkable`, which gets its
 *   scope first
 * @param options `concurrency` (calls in progress at once), `transfer(value)` (buffers that move to the worker), and `pool`, `threshold`
 *   (values in a chunk), `context`, `signal`, `timeoutMs`, `graceMs`, `scope`, `onProgress(done, total)` in values
 * @returns a promise of an array with the results, in the order of the values
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; for the value of the lowest index that fails:
 *   what `fn` threw, a NotShareableError for a value or result that cannot be cloned, what the iterable threw; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls, and n copies to a worker and back; span n / parallelism. A function that is known to cost less than half of its copies
 * runs on the caller.
 * @example
 * const parsed = await parallelMap(documents, (text) => JSON.parse(text), { concurrency: 8 });
 */
export function parallelMap<T, R, C = undefined>(
  values: PlainValues<T>,
  fn: AsyncValueFunction<T, C, R>,
  options?: TransferOptions<T, C>,
): Promise<Awaited<R>[]>;
export function parallelMap<T, R, C = undefined>(
  values: PlainValues<T>,
  fn: (value: T, i: number, context: C) => R,
  options?: TransferOptions<T, C>,
): Promise<Awaited<R>[]>;
/**
 * Puts a function of each element into another array, as `TypedArray.prototype.map` does.
 *
 * @param xs any typed array; not written, unless it is `into`
 * @param fn called as `fn(x, i, context)`, in any order and on any thread, synchronous. It travels as source text: what it
 *   needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `into`, and `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in
 *   elements
 * @returns a promise of `into`, or else of a new array of the type of xs, shared if xs is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest
 *   failing index, CancellationError (`AbortError`) once `signal` is aborted: a shared `into` is half written then
 * @remarks Cost: n calls; span n / parallelism; memory for the result and, for arrays that are not shared, for copies, which are
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
  if (isPlainValues(xs)) return withValues((part) => part.mapValues('parallelMap', xs, fn, options));
  return settle('parallelMap', beginMap, xs as TypedArray, fn, options);
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
  return settleSync('parallelMapSync', beginMap<U>, xs, fn, options);
}

/** A template, see specialize.ts. */
const makeForEachStep: MakeStep = (fn) => (i, context, xs) => fn(xs[i], i, context);

const FOR_EACH = elementKind<{ readonly xs: TypedArray }>('for-each', {
  body: ({ xs }, fn, context) => elementLoop(makeForEachStep, fn, context, xs),
});

function beginForEach(name: string, xs: TypedArray, fn: unknown, given: unknown): PreparedCall<void> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, given);
  return beginElements({
    name,
    options,
    kind: FOR_EACH,
    elements: xs.length,
    user: shipUserFunction(name, 'fn', fn, options),
    copies: copiedBytes(xs),
    work: (arrays) => ({ xs: arrays.input(xs) }),
    result: () => undefined,
  });
}

/**
 * Calls a function for each of some plain values: objects, strings, buffers.
 *
 * @param values as for `parallelMap` of plain values
 * @param fn as for `parallelMap` of plain values; what it returns is awaited if it is a promise, and ignored
 * @param options as for `parallelMap` of plain values
 * @returns a promise of nothing, resolved when all calls are done
 * @throws what `parallelMap` of plain values rejects with
 * @remarks Cost: that of `parallelMap` of plain values, without results.
 * @example
 * await parallelForEach(documents, (text, i, { lengths }) => { lengths[i] = text.length; }, { context: { lengths } });
 */
export function parallelForEach<T, C = undefined>(
  values: PlainValues<T>,
  fn: AsyncValueFunction<T, C, unknown>,
  options?: TransferOptions<T, C>,
): Promise<void>;
export function parallelForEach<T, C = undefined>(
  values: PlainValues<T>,
  fn: (value: T, i: number, context: C) => unknown,
  options?: TransferOptions<T, C>,
): Promise<void>;
/**
 * Calls a function for each element, as `TypedArray.prototype.forEach` does. The function writes its results to arrays in
 * `context`.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param fn called as `fn(x, i, context)`, in any order and on any thread, synchronous; what it returns is ignored. It
 *   travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of nothing, resolved when all elements are done
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest
 *   failing index; CancellationError (`AbortError`) once `signal` is aborted: some elements are done then
 * @remarks Cost: n calls; span n / parallelism; memory for a copy of xs if it is not shared.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * await parallelForEach(keys, (key, i, { places }) => { places[key] = i; }, { context: { places } });
 */
export function parallelForEach<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  fn: (x: ElementOf<T>, i: number, context: C) => Synchronous<R>,
  options?: AlgorithmOptions<C>,
): Promise<void>;
export function parallelForEach(xs: unknown, fn: unknown, options?: unknown): Promise<void> {
  if (isPlainValues(xs)) return withValues((part) => part.forEachValue('parallelForEach', xs, fn, options));
  return settle('parallelForEach', beginForEach, xs as TypedArray, fn, options);
}

/**
 * `parallelForEach` that blocks until all elements are done. Inside a task it forks on the worker that calls it; elsewhere
 * the caller works too.
 *
 * @param xs as for `parallelForEach`
 * @param fn as for `parallelForEach`
 * @param options as for `parallelForEach`
 * @throws what `parallelForEach` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelForEach`.
 * @example
 * parallelForEachSync(keys, (key, i, { places }) => { places[key] = i; }, { context: { places } });
 */
export function parallelForEachSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  fn: (x: ElementOf<T>, i: number, context: C) => Synchronous<R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): void {
  settleSync('parallelForEachSync', beginForEach, xs, fn, options);
}

export interface TabulateOptions<T extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** Where the results go: an array of n elements of the type asked for. */
  into?: T;
}

/** A template, see specialize.ts. */
const makeTabulateStep: MakeStep = (fn) => (i, context, _, out) => {
  out[i] = fn(i, context);
};

const TABULATE = elementKind<{ readonly out: TypedArray }>('tabulate', {
  body: ({ out }, fn, context) => elementLoop(makeTabulateStep, fn, context, out),
});

function beginTabulate<T extends TypedArray>(
  name: string,
  Type: unknown,
  n: unknown,
  fn: unknown,
  given: unknown,
): PreparedCall<T> {
  const isType = typeOfConstructor(Type) !== NO_TYPE;
  check(isType, name, 'Type', 'a typed-array constructor, such as Float64Array', Type);
  const type = Type as ArrayType;
  const length = checkCount(name, 'n', n);
  const options = readOptions(name, given, ['into']);
  const into = options.given.into as T | undefined;
  if (into !== undefined) {
    checkResult(name, into, length);
    if (typeOfView(into) !== typeOfConstructor(type)) {
      throw new TypeError(
        `furcate: ${name}: options.into is a ${into[Symbol.toStringTag]}, and Type is ${type.name}. Pass the same.`,
      );
    }
  }
  return beginElements({
    name,
    options,
    kind: TABULATE,
    elements: length,
    user: shipUserFunction(name, 'fn', fn, options),
    copies: copiedBytes(into),
    work: (arrays) => ({ out: arrays.output<TypedArray>({ into, type, shared: true, length }) }),
    result: (arrays, { out }) => into ?? (arrays.delivered(out) as T),
  });
}

/**
 * Makes an array whose elements are a function of their index, as `Float64Array.from({ length: n }, (_, i) => fn(i))` does.
 *
 * @param Type the constructor of the elements' type, such as `Float64Array`
 * @param n how many elements, an integer from 0
 * @param fn called as `fn(i, context)`, in any order and on any thread, synchronous; what it returns is stored as a typed
 *   array stores it. It travels as source text: what it needs besides its arguments goes through `context`, unless it is
 *   a `forkable`
 * @param options `into`, and `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in
 *   elements
 * @returns a promise of `into`, or else of a new shared array
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest
 *   failing index; CancellationError (`AbortError`) once `signal` is aborted: a shared `into` is half written then
 * @remarks Cost: n calls; span n / parallelism; memory for the result, and for a copy of `into` if that is not shared.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const squares = await parallelTabulate(Float64Array, 1_000_000, (i) => i * i);
 */
export function parallelTabulate<T extends TypedArray, C = undefined>(
  Type: TypedArrayConstructor<T>,
  n: number,
  fn: (i: number, context: C) => ElementOf<T>,
  options?: TabulateOptions<T, C>,
): Promise<T> {
  return settle('parallelTabulate', beginTabulate<T>, Type, n, fn, options);
}

/**
 * `parallelTabulate` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param Type as for `parallelTabulate`
 * @param n as for `parallelTabulate`
 * @param fn as for `parallelTabulate`
 * @param options as for `parallelTabulate`
 * @returns what the promise of `parallelTabulate` gives
 * @throws what `parallelTabulate` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelTabulate`.
 * @example
 * const squares = parallelTabulateSync(Float64Array, 1_000, (i) => i * i);
 */
export function parallelTabulateSync<T extends TypedArray, C = undefined>(
  Type: TypedArrayConstructor<T>,
  n: number,
  fn: (i: number, context: C) => ElementOf<T>,
  options?: TabulateOptions<T, C> & SyncOptions,
): T {
  return settleSync('parallelTabulateSync', beginTabulate<T>, Type, n, fn, options);
}
