/**
 * The arrays of one call, as the caller's own loops use them (local-arrays.ts) or as workers see them (shared-arrays.ts).
 *
 * An algorithm asks for its arrays by what it does with them, and gets views. When a call moves from its caller to a pool, the
 * algorithm asks again in the same order, and the new arrays hold what was written so far.
 */

import { isShared, type scratchArray, shrunk } from '../../core/engine.js';
import { constructorOfType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';

/** A constructor of this realm. */
export type ArrayType<T extends TypedArray = TypedArray> = Parameters<typeof scratchArray<T>>[0] &
  (new (
    length: number,
  ) => T);

/** The constructor for the element type of an array: never a subclass, such as `Buffer`. */
export const typeOf = <T extends TypedArray>(xs: T): ArrayType<T> =>
  constructorOfType(typeOfView(xs)) as unknown as ArrayType<T>;

/** The array itself, or for a subclass such as `Buffer`, which would slow down loops, a view of the plain class. */
export function plainView<T extends TypedArray>(xs: T): T {
  const Type = typeOf(xs);
  return Object.getPrototypeOf(xs) === Type.prototype ? xs : new Type(xs.buffer, xs.byteOffset, xs.length);
}

/** Place where an algorithm's results go. */
export interface Output<T extends TypedArray> {
  /** The user's own array (`options.into`), if one was given. */
  readonly into: T | undefined;
  /** The type of a new array, and whether it is to be shared, as the input is. */
  readonly type: ArrayType<T>;
  readonly shared: boolean;
  readonly length: number;
  /** True if the result may be shorter than `length`: then `delivered` is told its length. */
  readonly mayBeShorter?: boolean;
  /** Initial value of its elements; any values if undefined. */
  readonly initially?: number;
}

export interface CallArrays {
  /** An array that is read. */
  input<T extends TypedArray>(xs: T): T;
  /** An array for results. */
  output<T extends TypedArray>(wanted: Output<T>): T;
  /**
   * An array of the call's own, with any values unless `initially` is given. On the caller it is an ordinary array, unless
   * WebAssembly kernels need it (`onHeap`).
   */
  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number, onHeap?: boolean): T;
  /** True if one thread runs all units, from left to right. */
  readonly inOrder: boolean;
  /** Returns what the user gets for an output, or for its first `length` elements. */
  delivered<T extends TypedArray>(output: T, length?: number): T;
}

/** The first elements of an output, in an array of that length. Only arrays that are not shared are copied for it. */
export function firstOf<T extends TypedArray>(output: T, length: number): T {
  if (length === output.length) return output;
  return isShared(output) ? shrunk(output, length) : (output.slice(0, length) as T);
}
