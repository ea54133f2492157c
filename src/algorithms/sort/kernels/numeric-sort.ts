/**
 * Sorting numbers in the order of `TypedArray.prototype.sort`: -0 before 0, NaN last; runs on every thread that computes.
 *
 * Elements of one or two bytes are counted, larger ones sorted by radix, and short leaves by the built-in sort.
 */

import { specialize } from '../../../core/code/specialize.js';
import type { TypedArray } from '../../../core/memory/element-types.js';
import { RADIX_ELEMENTS } from '../../tuning.js';
import { type Elements, type MergeKernel, makeMergeKernel } from './merge-kernel.js';
import { FLOAT, radixSort32, radixSortBigInts, radixSortFloat64, SIGNED, UNSIGNED } from './radix-sort.js';

/** A template, see specialize.ts. */
const makeIntegerAfter = () =>
  function after(a: unknown, b: unknown): boolean {
    return (a as number) > (b as number);
  };

/** A template, see specialize.ts. */
const makeFloatAfter = () =>
  function after(left: unknown, right: unknown): boolean {
    const a = left as number;
    const b = right as number;
    if (a < b) return false;
    if (a > b) return true;
    if (a === b) return a === 0 && 1 / a > 1 / b;
    return Number.isNaN(a) && !Number.isNaN(b);
  };

/** Merging in that order; of a type's own, since arrays of one type only should meet in its loops. */
export function numericKernel(xs: TypedArray): MergeKernel {
  return specialize(makeMergeKernel, xs[Symbol.toStringTag], afterOf(xs));
}

/** Whether `a` comes after `b` in that order. */
export function afterOf(xs: TypedArray): (a: unknown, b: unknown) => boolean {
  const name = xs[Symbol.toStringTag];
  return specialize(name.startsWith('Float') ? makeFloatAfter : makeIntegerAfter, name);
}

/** Sorts in place. `scratch` has the same type and length. */
export function sortNumbers(xs: TypedArray, scratch: TypedArray): void {
  if (isSorted(xs)) return;
  if (xs.length < RADIX_ELEMENTS) {
    xs.sort();
    return;
  }
  switch (xs[Symbol.toStringTag]) {
    case 'Int8Array':
      countingSort(xs, -(2 ** 7));
      return;
    case 'Int16Array':
      countingSort(xs, -(2 ** 15));
      return;
    case 'Uint8Array':
    case 'Uint8ClampedArray':
    case 'Uint16Array':
      countingSort(xs, 0);
      return;
    case 'Int32Array':
      radixSort32(asWords(xs), asWords(scratch), SIGNED);
      return;
    case 'Uint32Array':
      radixSort32(asWords(xs), asWords(scratch), UNSIGNED);
      return;
    case 'BigInt64Array':
      radixSortBigInts(xs as BigInt64Array, scratch as BigInt64Array, SIGNED);
      return;
    case 'BigUint64Array':
      radixSortBigInts(xs as BigUint64Array, scratch as BigUint64Array, UNSIGNED);
      return;
    case 'Float32Array': {
      const n = moveNaNsLast(xs as Float32Array);
      radixSort32(asWords(xs).subarray(0, n), asWords(scratch).subarray(0, n), FLOAT);
      return;
    }
    case 'Float64Array': {
      const n = moveNaNsLast(xs as Float64Array);
      radixSortFloat64((xs as Float64Array).subarray(0, n), (scratch as Float64Array).subarray(0, n));
      return;
    }
    default:
      xs.sort(); // Float16Array
  }
}

const asWords = (xs: TypedArray): Uint32Array => new Uint32Array(xs.buffer, xs.byteOffset, xs.length);

/** Stops at the first pair out of order, the second pair of a random array. Zeros count as out of order: -0 and 0. */
function isSorted(xs: Elements): boolean {
  const n = xs.length;
  for (let i = 1; i < n; i++) {
    const a = xs[i - 1] as number;
    const b = xs[i] as number;
    // biome-ignore lint/suspicious/noDoubleEquals: 0n == 0, and both kinds of element come here
    if (!(a < b || (a === b && a != 0))) return false;
  }
  return true;
}

/** Swaps NaN to the end; returns how many others there are. A negative NaN would come first by its bits. */
function moveNaNsLast(xs: Float32Array | Float64Array): number {
  let n = xs.length;
  let i = 0;
  while (i < n) {
    const x = xs[i];
    if (!Number.isNaN(x)) {
      i++;
      continue;
    }
    n--;
    xs[i] = xs[n];
    xs[n] = x;
  }
  return n;
}

/** Sorts elements of one or two bytes in place; `least` is the least value of their type. */
function countingSort(xs: TypedArray, least: number): void {
  const small = xs as Uint16Array;
  const values = 1 << (8 * small.BYTES_PER_ELEMENT);
  const counts = new Uint32Array(values);
  const n = small.length;
  for (let i = 0; i < n; i++) counts[small[i] - least]++;
  let start = 0;
  for (let v = 0; v < values; v++) {
    if (counts[v] === 0) continue;
    small.fill(v + least, start, start + counts[v]);
    start += counts[v];
  }
}
