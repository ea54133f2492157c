/** Checks arrays for results, `options.into`; runs on the calling thread. */

import { isHeap, isShared } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { checkArray } from './options.js';

/** Checks an array for results. */
export function checkResult(name: string, into: unknown, length: number): asserts into is TypedArray {
  checkArray(name, 'options.into', into);
  if (into.length === length) return;
  throw new RangeError(
    `furcate: ${name}: options.into has ${into.length} elements, and the result has ${length}. Pass an array of that length, or a subarray of one.`,
  );
}

/**
 * Checks an array for results, one for each element of `xs`.
 *
 * @param length elements that it must have
 */
export function checkInto(name: string, into: unknown, length: number, xs: TypedArray): asserts into is TypedArray {
  checkResult(name, into, length);
  if (isBigIntType(typeOfView(into)) !== isBigIntType(typeOfView(xs))) {
    throw new TypeError(
      `furcate: ${name}: options.into is a ${into[Symbol.toStringTag]}, and xs a ${xs[Symbol.toStringTag]}: numbers and bigints do not mix. Pass an array of the same kind.`,
    );
  }
  if (into.byteOffset === xs.byteOffset && into.BYTES_PER_ELEMENT === xs.BYTES_PER_ELEMENT) return;
  if (!overlap(into, xs)) return;
  throw new TypeError(
    `furcate: ${name}: options.into overlaps xs, so results would be written over elements that are still to be read. Pass xs itself, or an array apart from it.`,
  );
}

/**
 * Checks whether two views share bytes. Their buffer objects may differ: every shared array has its own one over the
 * heap.
 */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const first = Math.max(a.byteOffset, b.byteOffset);
  if (first >= Math.min(a.byteOffset + a.byteLength, b.byteOffset + b.byteLength)) return false;
  if (a.buffer === b.buffer) return true;
  return isShared(a) && isShared(b) && isHeap(a) === isHeap(b) && (isHeap(a) || isOneByte(a, b, first));
}

/**
 * Checks whether two views have the same byte at an offset. A `SharedArrayBuffer` that was cloned or posted is another object
 * over the same memory, and only a write can tell. The byte is restored before this returns.
 */
function isOneByte(a: ArrayBufferView, b: ArrayBufferView, byteOffset: number): boolean {
  const one = new Uint8Array(a.buffer, byteOffset, 1);
  const other = new Uint8Array(b.buffer, byteOffset, 1);
  const was = one[0] as number;
  if (other[0] !== was) return false;
  one[0] = was ^ 1;
  const isOne = other[0] !== was;
  one[0] = was;
  return isOne;
}
