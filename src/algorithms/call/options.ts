/**
 * Checks the arguments of every algorithm before anything starts or is written; runs on the calling thread.
 *
 * Everything here throws at once; the promise forms are async functions, so they reject. An argument of a wrong type is a
 * `TypeError`, a number out of range a `RangeError`. Both name the argument, what it was, what is needed and the cure.
 */

import {
  Call,
  type Callee,
  type CallOptions,
  isDetached,
  isExecutor,
  type LimitOption,
  observerHere,
  refuseDead,
} from '../../core/engine.js';
import { isRevoked, refuseRevoked } from '../../core/errors.js';
import { isBigIntType, NO_TYPE, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { ShareOptions } from '../schedule/grain.js';
import { shown } from '../shown.js';

/** Options that every algorithm takes as its last argument; all optional. */
export interface AlgorithmOptions<C = unknown> extends CallOptions {
  /** Elements in a leaf of the work, an integer from 1 up; adaptive by default. It steers scheduling, never the result. */
  threshold?: number | undefined;
  /**
   * Values that the functions need besides their arguments, cloned once for the call: numbers, objects, shared arrays
   * (which stay shared), functions (which travel as source). They get it as their last argument.
   */
  context?: C | undefined;
  /**
   * Permits that the call has to wait for before it begins: a `limit()` of `furcate/flows`, some permits of one, or an array of these. It holds
   * them until its promise settles. `timeoutMs` counts from the call. Not for Sync forms.
   */
  limit?: LimitOption | undefined;
}

/** Options that were checked. */
export interface Checked extends ShareOptions {
  readonly call: Call;
  /** True if the caller's thread must not run the user's functions, because they could not be ended there. */
  readonly awayFromCaller: boolean;
  readonly context: unknown;
  /** All options as they were given, for those that one algorithm alone has. */
  readonly given: Readonly<Record<string, unknown>>;
}

const COMMON_OPTIONS = [
  'pool',
  'threshold',
  'context',
  'signal',
  'timeoutMs',
  'graceMs',
  'priority',
  'carry',
  'limit',
  'scope',
  'onProgress',
];

/** Options of calls with plain values alone. */
const OPTIONS_OF_VALUES = ['concurrency', 'transfer'];

const NO_NAMES: readonly string[] = [];

/** Asks for indices of elements, in a `Uint32Array`, in the place of the elements. */
export interface WithIndices {
  indices: true;
}

/** Asks for elements, as calls do that say nothing of indices. */
export interface WithoutIndices {
  indices?: false | undefined;
}

/** Options of Sync forms: without those that only a promise form can keep. */
export interface SyncOptions {
  /** A call that blocks cannot be timed: use the promise form. */
  timeoutMs?: undefined;
  /** A call that blocks cannot be ended: use the promise form. */
  graceMs?: undefined;
  /** A call that blocks does not wait for a worker. */
  priority?: undefined;
  /** A call that blocks is no invocation of its own. Inside a task, `carried()` gives what the task's invocation carries. */
  carry?: undefined;
  /** A call that blocks cannot wait for permits: use the promise form. */
  limit?: undefined;
}

/** Refuses an argument that is not `ok`: it must be what is `needed`; `cure` is a sentence for the user. */
export function check(ok: boolean, name: string, what: string, needed: string, value: unknown, cure = ''): asserts ok {
  if (!ok) throw new TypeError(`furcate: ${name}: ${what} must be ${needed}, but it is ${shown(value)}.${cure}`);
}

/** Checks whether a value is a plain object, of whatever realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Checks whether a value is an object that holds nothing but options, at least one. An identity may be an object, too.
 */
export function looksLikeOptions(value: unknown, own: readonly string[]): boolean {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => COMMON_OPTIONS.includes(key) || own.includes(key));
}

/** Checks that options are a plain object with names that are `known` or in `own`; `cure` is for a value that is none. */
export function readPlainOptions(
  name: string,
  options: unknown,
  known: readonly string[],
  cure = '',
  own = NO_NAMES,
): Readonly<Record<string, unknown>> {
  refuseRevoked(options, `${name}: options`);
  const given = options === undefined ? {} : options;
  if (!isPlainObject(given)) {
    const ofPool = known.includes('pool') && isExecutor(given) ? ' Write { pool }.' : '';
    check(false, name, 'options', 'a plain object', given, ofPool + cure);
  }
  for (const key of Object.keys(given)) {
    refuseRevoked(given[key], `${name}: options.${key}`);
    if (known.includes(key) || own.includes(key)) continue;
    const others = OPTIONS_OF_VALUES.includes(key)
      ? ' parallelMap and its kin have it for plain values.'
      : key === 'partition'
        ? ' parallelFor, parallelForRange, parallelForEach and parallelMap have it, the last two for typed arrays.'
        : '';
    throw new TypeError(
      `furcate: ${name}: there is no option ${shown(key)}. Its options are ${[...known, ...own].join(', ')}.${others}`,
    );
  }
  return given;
}

/**
 * Checks the options of an algorithm.
 *
 * @param own names of options that only this algorithm has; their values are checked by it
 * @throws TypeError, RangeError; what `Call.admit` says of a signal that is aborted already, or of a bad place or moment
 */
export function readOptions(callee: Callee, all: unknown, own = NO_NAMES): Checked {
  const { name } = callee;
  const given = readPlainOptions(name, all, COMMON_OPTIONS, '', own);
  const { pool, scope, threshold, context, signal, timeoutMs, graceMs, priority, carry, limit, onProgress } = given;
  check(pool === undefined || isExecutor(pool), name, 'options.pool', 'a ForkJoinPool or SequentialExecutor', pool);
  if (threshold !== undefined)
    checkCount(name, 'options.threshold', threshold, 1, ' Leave it out for an adaptive one.');
  const isContext = context === undefined || (typeof context === 'object' && context !== null);
  check(isContext, name, 'options.context', 'an object, such as { xs }', context);
  const isCallback = onProgress === undefined || typeof onProgress === 'function';
  check(isCallback, name, 'options.onProgress', 'a function (done, total)', onProgress);
  const options = { pool, scope, signal, timeoutMs, graceMs, priority, carry, limit, onProgress };
  const call = Call.admit(options as CallOptions, callee);
  return {
    call,
    awayFromCaller: call.onlyInTasks,
    threshold: observerHere()?.isFine === true ? 1 : ((threshold as number | undefined) ?? call.chunkElements),
    parallelism: call.parallelism,
    context,
    given,
  };
}

/** Checks whether a call asks for indices of elements: its option `indices`, which only it has. */
export function checkIndices(name: string, { given: { indices = false } }: Checked): boolean {
  check(typeof indices === 'boolean', name, 'options.indices', 'a boolean', indices);
  return indices;
}

/** Most elements of a call that counts elements, or notes their indices, in words of 32 bits. */
export const MAX_COUNTED = 2 ** 32 - 1;

/**
 * Refuses more elements than words of 32 bits can count.
 *
 * @param what the arguments that have them, with a verb: 'xs has'
 */
export function checkCounted(name: string, what: string, elements: number): void {
  if (elements <= MAX_COUNTED) return;
  throw new RangeError(
    `furcate: ${name}: ${what} ${elements} elements, and at most 2^32 - 1 are counted in words of 32 bits. Call it for parts, such as xs.subarray(lo, hi), and combine what they give.`,
  );
}

/** Checks a number of elements. */
export function checkCount(name: string, argument: string, n: unknown, least = 0, cure = ''): number {
  check(typeof n === 'number', name, argument, 'a number of elements', n);
  if (Number.isSafeInteger(n) && n >= least) return n;
  throw new RangeError(
    `furcate: ${name}: ${argument} must be an integer from ${least} to 2^53 - 1, but it is ${n}.${cure}`,
  );
}

/**
 * Checks a range: a number of elements, or its two ends.
 *
 * @returns `[lo, hi]`, safe integers with lo <= hi
 */
export function checkRange(name: string, range: unknown, argument = 'range'): readonly [lo: number, hi: number] {
  if (typeof range === 'number') return [0, checkCount(name, argument === 'range' ? 'n' : argument, range)];
  const isPair = Array.isArray(range) && range.length === 2 && range.every((end) => typeof end === 'number');
  check(isPair, name, argument, 'a number n, for 0 to n - 1, or two numbers [lo, hi], for lo to hi - 1', range);
  const [lo, hi] = range as [number, number];
  if (Number.isSafeInteger(lo) && Number.isSafeInteger(hi) && lo <= hi && Number.isSafeInteger(hi - lo))
    return [lo, hi];
  throw new RangeError(
    `furcate: ${name}: ${argument} must be [lo, hi] with safe integers and lo <= hi, but it is [${lo}, ${hi}].`,
  );
}

/** Checks a function that the algorithm calls for elements. */
export function checkFunction(name: string, argument: string, value: unknown): asserts value is () => unknown {
  check(typeof value === 'function', name, argument, 'a function', value);
  const tag = Object.prototype.toString.call(value);
  if (tag === '[object Function]') return;
  throw new TypeError(
    `furcate: ${name}: ${argument} is an ${tag.slice(8, -1)}, and its result would never be waited for. Use a plain synchronous function; await around ${name}, not in it.`,
  );
}

/**
 * Checks whether this argument is a list of plain values. A string is iterable too, but is more likely a mistake. Not in plain-values.ts:
 * families that import that file can load the part `values`.
 */
export const isPlainValues = (xs: unknown): xs is object =>
  typeof xs === 'object' &&
  xs !== null &&
  !ArrayBuffer.isView(xs) &&
  !isRevoked(xs) &&
  (Symbol.iterator in xs || Symbol.asyncIterator in xs);

/** Checks an array of elements; `needed` and `cure` are for the error. */
export function checkArray(
  name: string,
  argument: string,
  value: unknown,
  needed = 'a typed array',
  cure = '',
): asserts value is TypedArray {
  const isArray = ArrayBuffer.isView(value) && typeOfView(value) !== NO_TYPE;
  const ofNumbers = Array.isArray(value) ? ' Make one of numbers: sharedArray(Float64Array, values).' : '';
  check(isArray, name, argument, needed, value, ofNumbers + cure);
  const buffer = value.buffer as ArrayBufferLike & { resizable?: boolean; growable?: boolean };
  if (buffer.resizable === true || buffer.growable === true) {
    throw new TypeError(
      `furcate: ${name}: the buffer of ${argument} can be resized, which could happen while workers use it. Pass a copy on a fixed one: sharedArray(${(value as TypedArray)[Symbol.toStringTag]}, ${argument}).`,
    );
  }
  if (isDetached(value)) {
    throw new TypeError(
      `furcate: ${name}: the buffer of ${argument} is detached: it was transferred. Pass the array before.`,
    );
  }
  refuseDead(`${name}: ${argument}`, value, buffer);
}

/** Checks `xs` of an algorithm whose promise form takes plain values, too, which never come here in that form. */
export function checkArrayOrValues({ name, form, names }: Callee, xs: unknown): asserts xs is TypedArray {
  if (form === 'promise') return checkArray(name, 'xs', xs, 'a typed array, or an array or iterable of values');
  const cure = isPlainValues(xs) ? ` Use await ${names.promise}(), which takes plain values.` : '';
  checkArray(name, 'xs', xs, undefined, cure);
}

/** Checks a value that must have the type of an array's elements. */
export function checkValue(
  name: string,
  argument: string,
  value: unknown,
  xs: TypedArray,
): asserts value is number | bigint {
  const type = isBigIntType(typeOfView(xs)) ? 'bigint' : 'number';
  const isRight = typeof value === type;
  check(isRight, name, argument, `a ${type} for a ${xs[Symbol.toStringTag]}`, value);
}
