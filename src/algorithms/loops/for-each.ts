/**
 * `parallelForEach`: a function called for each element; the calls run on the caller, the loops on every thread that
 * computes.
 */

import type { Callee, NotAPromise, OnlyScoped, Synchronous } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { beginElements, elementKind } from '../call/element-call.js';
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

/** A template, see specialize.ts. */
const makeForEachStep: MakeStep = (fn) => (i, context, xs) => fn(xs[i], i, context);

const FOR_EACH = elementKind<{ readonly xs: TypedArray }>('for-each', {
  body: ({ xs }, fn, context) => elementLoop(makeForEachStep, fn, context, xs),
  dealt,
});

function begin(callee: Callee, xs: TypedArray, fn: unknown, given: unknown): Start<void> {
  checkArrayOrValues(callee, xs);
  const options = readOptions(callee, given, LOOP_OPTIONS);
  return beginElements({
    callee,
    options,
    kind: FOR_EACH,
    elements: xs.length,
    user: shipUserFunction(callee, 'fn', fn, options),
    copies: copiedBytes(xs),
    blockUnits: blockOf(callee.name, options),
    work: (arrays) => ({ xs: arrays.input(xs) }),
    result: () => undefined,
  });
}

const forEach = new Algorithm('parallelForEach', begin);

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
export function parallelForEach<T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  fn: (value: T, i: number, context: C) => unknown,
  options?: TransferOptions<T, C>,
  ...only: OnlyPlain<X>
): Promise<void>;
export function parallelForEach<T, C = undefined, F = unknown>(
  values: PlainValues<T>,
  fn: F & AsyncValueFunction<T, C, unknown>,
  options?: TransferOptions<T, C>,
  ...only: OnlyScoped<F>
): Promise<void>;
/**
 * Calls a function for each element, as `TypedArray.prototype.forEach` does. The function writes its results to arrays in
 * `context`.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param fn called as `fn(x, i, context)`, in any order and on any thread, synchronous; what it returns is ignored. It
 *   travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `partition` (which elements a thread begins with), `context`, `signal`,
 *   `onProgress(done, total)` in elements
 * @returns a promise of nothing, resolved when all elements are done
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest
 *   failing index; CancellationError (`AbortError`) once `signal` is aborted: some elements are done then
 * @remarks Cost: n calls; time n / parallelism; memory for a copy of xs if it is not shared.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * await parallelForEach(keys, (key, i, { places }) => { places[key] = i; }, { context: { places } });
 */
export function parallelForEach<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  fn: (x: ElementOf<T>, i: number, context: C) => Synchronous<R>,
  options?: LoopOptions<C>,
): Promise<void>;
export function parallelForEach(xs: unknown, fn: unknown, options?: unknown): Promise<void> {
  if (isPlainValues(xs))
    return withValues(options, (part) => part.forEachValue(forEach.callees.promise, xs, fn, options));
  return forEach.promise(xs as TypedArray, fn, options);
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
  options?: LoopOptions<C> & SyncOptions,
): void {
  forEach.sync(xs, fn, options);
}
