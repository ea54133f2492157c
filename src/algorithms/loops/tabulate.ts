/**
 * `parallelTabulate`: an array made from a function of the index; the calls run on the caller, the loops on every thread
 * that computes.
 */
import type { Callee } from '../../core/engine.js';
import {
  type ElementOf,
  NO_TYPE,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
  typeOfView,
} from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import type { ArrayType } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { checkResult } from '../call/into.js';
import { type AlgorithmOptions, check, checkCount, readOptions, type SyncOptions } from '../call/options.js';
import { copiedBytes } from '../call/staged-call.js';
import { shipUserFunction } from '../call/user-function.js';
import { elementLoop, type MakeStep } from './element-loop.js';

export interface TabulateOptions<T extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** Array for the results, of n elements of the type asked for. */
  into?: T | undefined;
}

/** A template, see specialize.ts. */
const makeTabulateStep: MakeStep = (fn) => (i, context, _, out) => {
  out[i] = fn(i, context);
};

const TABULATE = elementKind<{ readonly out: TypedArray }>('tabulate', {
  body: ({ out }, fn, context) => elementLoop(makeTabulateStep, fn, context, out),
});

function begin(callee: Callee, Type: unknown, n: unknown, fn: unknown, given: unknown): Start<TypedArray> {
  const { name } = callee;
  const isType = typeOfConstructor(Type) !== NO_TYPE;
  check(isType, name, 'Type', 'a typed-array constructor, such as Float64Array', Type);
  const type = Type as ArrayType;
  const length = checkCount(name, 'n', n);
  const options = readOptions(callee, given, ['into']);
  const into = options.given.into as TypedArray | undefined;
  if (into !== undefined) {
    checkResult(name, into, length);
    if (typeOfView(into) !== typeOfConstructor(type)) {
      throw new TypeError(
        `furcate: ${name}: options.into is a ${into[Symbol.toStringTag]}, and Type is ${type.name}. Pass the same.`,
      );
    }
  }
  return beginElements({
    callee,
    options,
    kind: TABULATE,
    elements: length,
    user: shipUserFunction(callee, 'fn', fn, options),
    copies: copiedBytes(into),
    work: (arrays) => ({ out: arrays.output<TypedArray>({ into, type, shared: true, length }) }),
    result: (arrays, { out }) => into ?? arrays.delivered(out),
  });
}

const tabulate = new Algorithm('parallelTabulate', begin);

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
 * @remarks Cost: n calls; time n / parallelism; memory for the result, and for a copy of `into` if that is not shared.
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
  return tabulate.promise(Type, n, fn, options) as Promise<T>;
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
  return tabulate.sync(Type, n, fn, options) as T;
}
