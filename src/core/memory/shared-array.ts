/**
 * The public functions of shared arrays, `sharedArray` and `free`; runs on every thread.
 */

import { refuseRevoked } from '../errors.js';
import { ofType, readOptions } from '../options.js';
import { BY_ANYBODY, BY_NOBODY, BY_OTHERS, BY_PINS } from './array-blocks.js';
import {
  bufferOfNewBlock,
  bytesOf,
  fateOf,
  freedError,
  freeStandIn,
  GONE,
  isExternal,
  isHeap,
  payloadOffset,
  type Reference,
  referenceOf,
} from './array-views.js';
import { addBallast, dropBallast } from './ballast.js';
import {
  constructorOfType,
  isBigIntType,
  isStandIn,
  NO_TYPE,
  standInBuffer,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
  typeOfView,
} from './element-types.js';
import { currentHeap, heapAvailable } from './heap.js';

export * from './array-views.js';
export type { TypedArray, TypedArrayConstructor } from './element-types.js';

/** Options of `sharedArray`. */
export interface SharedArrayOptions {
  /**
   * Leaves the elements as they are, whatever they are, instead of zeroing them: for an array that is written as a whole before it is read.
   * It saves 10 ms for 80 MB of memory that was used before.
   */
  uninitialized?: boolean | undefined;
}

/** Values with which a shared array can be filled: numbers, or bigints for the two bigint types. */
export type ArrayValues<T extends TypedArray> = ArrayLike<T[number]> | Iterable<T[number]>;

const OPTIONS = { uninitialized: ofType<boolean>('boolean') };

/**
 * Makes a typed array whose bytes every worker sees, so that it crosses to them without a copy.
 *
 * It is collected when it is dropped, like any other; `free` does so at once. Note that `xs.buffer` is the whole shared
 * heap (make further views with `xs.subarray()`), and that `xs.slice()` and `xs.map()` give ordinary, unshared arrays.
 * Where memory cannot be shared (a page without isolation) it is an ordinary array, and everything runs on the caller.
 *
 * @param type the constructor of the elements' type, such as `Float64Array`; all eleven, and `Float16Array` where it exists
 * @param nOrValues the number of elements, which are zero then, or the values to copy
 * @param options `uninitialized`: whether the elements may be anything at first, for an array that is written before it is read
 * @returns an array of exactly that type, not longer or shorter
 * @throws TypeError if `type` is no typed-array constructor, or a value is not a number (a bigint, for bigint types); for bad options
 * @throws RangeError if the number of elements is not an integer >= 0, or the shared heap (4 GiB at most) is full
 *
 * Costs about a microsecond, and the zeroing or copying: nothing for bytes never used before, 10 ms for 80 MB otherwise.
 * @example
 * const xs = sharedArray(Float64Array, 1_000);
 * const ys = sharedArray(Int32Array, [3, 1, 2]);
 * const squares = sharedArray(Float64Array, 1_000, { uninitialized: true });
 * await parallelMap(xs, (x) => x * x, { into: squares });
 */
export function sharedArray<T extends TypedArray>(
  type: TypedArrayConstructor<T>,
  nOrValues: number | ArrayValues<T>,
  options: SharedArrayOptions = {},
): T {
  const { uninitialized = false } = readOptions(options, 'sharedArray', OPTIONS, { prefix: 'sharedArray: options.' });
  refuseRevoked(type, 'sharedArray: type');
  refuseRevoked(nOrValues, 'sharedArray: values');
  const elementType = typeOfConstructor(type);
  if (elementType === NO_TYPE) {
    throw refused(`type is ${nameOf(type)}; it must be a typed-array constructor, such as Float64Array.`);
  }
  if (typeof nOrValues === 'number') {
    if (Number.isInteger(nOrValues) && nOrValues >= 0)
      return newArray(type, nOrValues, uninitialized ? 'allocate' : 'allocateZeroed');
    throw new RangeError(`furcate: sharedArray: n is ${nOrValues}; the number of elements must be an integer >= 0.`);
  }
  const values = readValues(type, nOrValues);
  const xs = newArray(type, values.length, 'allocate');
  (xs as { set(values: ArrayLike<number> | ArrayLike<bigint>): void }).set(values);
  return xs;
}

function newArray<T extends TypedArray>(
  type: TypedArrayConstructor<T>,
  n: number,
  allocate: 'allocate' | 'allocateZeroed',
): T {
  const bytes = n * type.BYTES_PER_ELEMENT;
  if (heapAvailable()) {
    const block = currentHeap()[allocate](bytes);
    return new type(bufferOfNewBlock(block), payloadOffset(block), n);
  }
  return new type(standInBuffer(bytes), 0, n);
}

/**
 * A shared array of n elements of any values, for results, which are written before they are read. Zeroing 80 MB would take 10 ms.
 */
export const unfilledArray = <T extends TypedArray>(type: TypedArrayConstructor<T>, n: number): T =>
  newArray(type, n, 'allocate');

/** A shared array with the elements of another. */
export function sharedCopy<T extends TypedArray>(xs: T): T {
  const copy = unfilledArray(constructorOfType(typeOfView(xs)) as TypedArrayConstructor<T>, xs.length);
  (copy as Float64Array).set(xs as Float64Array);
  return copy;
}

/**
 * The first n elements of an array as a whole array, for results whose length is known at the end. This realm must have made `xs`, and
 * nobody may use it afterwards. The bytes beyond are freed.
 */
export function shrunk<T extends TypedArray>(xs: T, n: number): T {
  if (isStandIn(xs.buffer)) {
    const type = constructorOfType(typeOfView(xs)) as TypedArrayConstructor<T>;
    const own = newArray(type, n, 'allocate');
    (own as Float64Array).set(xs.subarray(0, n) as Float64Array);
    return own;
  }
  const bytes = n * xs.BYTES_PER_ELEMENT;
  currentHeap().shrink((referenceOf(xs) as Reference).block, bytes);
  dropBallast(xs.buffer);
  addBallast(xs.buffer, bytes);
  return xs.subarray(0, n) as T;
}

/**
 * Gives the bytes of a shared array back at once, instead of when it is collected.
 *
 * Do not use the array, or a view of it, afterwards: its bytes will belong to others. Passing it to the library again is
 * a `TypeError`; reading and writing it is not caught. If an invocation in flight was given the array, the bytes are given back after it.
 *
 * @param xs an array that `sharedArray` made, here or in another thread, in full: not a `subarray` of it
 * @throws TypeError if it is no shared array, only a part of one, or was freed before
 */
export function free(xs: TypedArray): void {
  refuseRevoked(xs, 'free: xs');
  if (ArrayBuffer.isView(xs) && isStandIn(xs.buffer)) {
    if (fateOf(xs) === GONE) throw freedError('xs of free()');
    if (xs.byteLength !== xs.buffer.byteLength) throw partial(xs, xs.buffer.byteLength);
    freeStandIn(xs.buffer);
    return;
  }
  const reference = ArrayBuffer.isView(xs) ? referenceOf(xs) : undefined;
  if (reference === undefined) {
    const what = ArrayBuffer.isView(xs) ? `not a shared array but an ordinary ${nameOf(xs)}` : nameOf(xs);
    throw new TypeError(`furcate: free: xs is ${what}; free() takes an array that sharedArray() made.`);
  }
  if (xs.byteOffset !== payloadOffset(reference.block) || xs.byteLength !== bytesOf(reference)) {
    throw partial(xs, bytesOf(reference));
  }
  if (!currentHeap().free(reference.block, reference.serial, namedBy(reference))) {
    throw new TypeError('furcate: free: xs was freed before, by another thread.');
  }
  reference.freed = true;
  dropBallast(xs.buffer);
}

const partial = (xs: TypedArray, bytes: number): TypeError =>
  new TypeError(
    `furcate: free: xs is a part (${xs.byteLength} of ${bytes} bytes) of a shared array; free() takes the whole array.`,
  );

/** Holders that may name an array, as one of `BY_NOBODY` ... `BY_ANYBODY`. */
function namedBy({ exposed, adopted, pins }: Reference): number {
  if (!exposed) return BY_NOBODY; // an array that no other realm knows is in no invocation
  if (adopted || !currentHeap().isRoot) return BY_ANYBODY;
  return pins > 0 ? BY_PINS : BY_OTHERS;
}

/**
 * Checks whether other threads see writes to this view: it is a shared array, a view of one, or on a `SharedArrayBuffer`. False for any other
 * value.
 */
export function isShared(view: ArrayBufferView): boolean {
  return ArrayBuffer.isView(view) && (isHeap(view) || isExternal(view));
}

const refused = (problem: string): TypeError => new TypeError(`furcate: sharedArray: ${problem}`);

/** The values as a list whose elements are of the right kind. */
function readValues(type: TypedArrayConstructor, values: unknown): ArrayLike<number> | ArrayLike<bigint> {
  const elementType = typeOfConstructor(type);
  const wanted = isBigIntType(elementType) ? 'bigint' : 'number';
  const needed = `${type.name} takes elements of type ${wanted}.`;
  if (ArrayBuffer.isView(values)) {
    const given = typeOfView(values);
    if (given === NO_TYPE || isBigIntType(given) !== isBigIntType(elementType)) {
      throw refused(`values is of type ${nameOf(values)}; ${needed}`);
    }
    if (fateOf(values) === GONE)
      throw refused('values is a shared array that was freed. Copy it before you call free().');
    if (isDetached(values)) {
      const lost = 'a buffer that was transferred or made shorter: it has no elements any more';
      throw refused(`values is of type ${nameOf(values)} on ${lost}.`);
    }
    return values as unknown as ArrayLike<number>;
  }
  if (typeof values !== 'object' || values === null || !(Symbol.iterator in values || 'length' in values)) {
    throw refused(`n or values is ${nameOf(values)}; it must be a number of elements, an array or an iterable.`);
  }
  const list: unknown[] = Array.isArray(values) ? values : Array.from(values as ArrayLike<unknown>);
  const wrong = list.findIndex((value) => typeof value !== wanted);
  if (wrong >= 0) throw refused(`values[${wrong}] is ${nameOf(list[wrong])}; ${needed}`);
  return list as number[];
}

/** Checks whether the memory of a view was taken away, which only a method of typed arrays tells. */
export function isDetached(view: ArrayBufferView): boolean {
  if (view.byteLength > 0) return false;
  try {
    Int8Array.prototype.keys.call(view as Int8Array);
    return false;
  } catch {
    return true;
  }
}

/** The name of a value in errors. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return `the function ${value.name || '(anonymous)'}`;
  if (typeof value === 'object') return (value.constructor as { name?: string } | undefined)?.name ?? 'an object';
  return typeof value === 'string' ? `the string ${JSON.stringify(value)}` : `${typeof value} ${String(value)}`;
}
