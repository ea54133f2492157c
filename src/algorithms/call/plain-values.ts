/**
 * Plain values: arrays and iterables of anything that can be cloned, in the place of a typed array; runs on the calling thread.
 *
 * Only what the public functions need is here. The rest is the part `values` (src/algorithms/values), which a thread loads at the first
 * call with plain values.
 */
import { type Callee, promised, type Scope, withPart } from '../../core/engine.js';
import type { AlgorithmOptions } from './options.js';

export { isPlainValues } from './options.js';

/** Arrays, generators, maps, streams, ... A typed array is no list of plain values, and neither is a string. */
export type PlainValues<T> = object & (Iterable<T> | AsyncIterable<T>) & { readonly BYTES_PER_ELEMENT?: undefined };

/** As `OnlyScoped`, for signatures that are not for typed arrays. */
export type OnlyPlain<X> = 0 extends 1 & X ? [] : [X] extends [{ readonly BYTES_PER_ELEMENT: number }] ? [never] : [];

/** A result, or a promise of one. */
export type MaybePromise<R> = R | PromiseLike<R>;

/** The call of a function made with `asyncForkable`: its scope comes before the value. It may take fewer arguments. */
export type AsyncValueFunction<T, C, R> = (scope: Scope, value: T, i: number, context: C) => PromiseLike<R>;

/** Options of calls with plain values. */
export interface PlainOptions<C = unknown> extends AlgorithmOptions<C> {
  /**
   * Number of calls that may be in progress at once, in all workers together; an integer from 1 up, or Infinity, the default. It
   * matters for functions that return promises, and limits the workers that take part for others.
   */
  concurrency?: number | undefined;
}

/** Options of calls with plain values that move buffers to the workers. */
export interface TransferOptions<T, C = unknown> extends PlainOptions<C> {
  /**
   * Names buffers in a value that are moved to the worker, and what can only be transferred, such as ports and canvases: they are of no use here as
   * soon as the value is on its way. A buffer of which the value has a part alone stays.
   */
  transfer?: ((value: T) => readonly object[]) | undefined;
}

/** Interface of the part `values`. */
export interface ValuesPart {
  mapValues(callee: Callee, values: object, fn: unknown, options: unknown): Promise<unknown[]>;
  forEachValue(callee: Callee, values: object, fn: unknown, options: unknown): Promise<void>;
  filterValues(callee: Callee, values: object, pred: unknown, options: unknown): Promise<unknown[]>;
  reduceValues(callee: Callee, values: object, op: unknown, rest: readonly unknown[]): Promise<unknown>;
}

/** Calls `use` with the part `values`. @param given the options of the call, or its last arguments */
export const withValues = <R>(given: unknown, use: (part: ValuesPart) => Promise<R>): Promise<R> =>
  promised(
    withPart('values', (exports) => use(exports as unknown as ValuesPart)),
    given,
  );
