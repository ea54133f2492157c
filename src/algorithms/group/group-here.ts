/**
 * Grouping of one block at once on the caller, for arrays so short that a call in stages would cost more than the work;
 * runs on the calling thread.
 *
 * Entries are put into buffers that stay, so only what the user gets is allocated.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared, unfilledArray } from '../../core/memory/shared-array.js';
import { type ArrayType, plainView, typeOf } from '../call/call-arrays.js';
import type { Checked } from '../call/options.js';
import { isKnownShort } from '../call/staged-call.js';
import type { Cost } from '../schedule/cost.js';
import { MIN_GROUP_BLOCK } from '../tuning.js';
import type { FoldKernel, Identity } from './fold-kernel.js';
import { Grouping, MIN_TABLE_BITS } from './group-job.js';
import { groupKernel, type KeyWords, keyWords } from './group-kernel.js';

/** Whether a grouping of so many elements is one block, and known to be short. */
export const isGroupedHere = (options: Checked, length: number, cost: Cost): boolean =>
  length === 0 || (length <= MIN_GROUP_BLOCK && isKnownShort(options, length, cost));

interface Buffer {
  readonly array: TypedArray;
  readonly words: KeyWords;
}

const buffers = new Map<string, Buffer>();

/** A buffer of one block; taken, since an operation may group something else meanwhile. */
function takeBuffer(xs: TypedArray): Buffer {
  const name = xs[Symbol.toStringTag];
  const spare = buffers.get(name);
  if (spare !== undefined) {
    buffers.delete(name);
    return spare;
  }
  const array = new (typeOf(xs))(MIN_GROUP_BLOCK);
  return { array, words: keyWords(array) };
}

function putBack(buffer: Buffer): void {
  buffers.set(buffer.array[Symbol.toStringTag], buffer);
}

/** The first elements of a buffer, in an array of the caller's. */
function copyOf(array: TypedArray, length: number, shared: boolean): TypedArray {
  if (!shared) return array.slice(0, length);
  const copy = unfilledArray(typeOf(array), length);
  (copy as Float64Array).set(array.subarray(0, length) as Float64Array);
  return copy;
}

/** The distinct keys. */
export function uniqueHere(keys: TypedArray): TypedArray {
  const buffer = takeBuffer(keys);
  const grouping = new Grouping(groupKernel(keys, 'unique'), buffer.words, 0, MIN_TABLE_BITS);
  grouping.put(keyWords(plainView(keys)), 0, keys.length, undefined);
  putBack(buffer);
  return copyOf(buffer.array, grouping.seen, isShared(keys));
}

const ids = new Int32Array(MIN_GROUP_BLOCK);
let idsAreFree = true;

/** The distinct keys, and what their values were folded to; these go into arrays of `type`. */
export function reduceHere(
  keys: TypedArray,
  values: TypedArray,
  type: ArrayType,
  kernel: FoldKernel,
  identity: Identity,
  context: unknown,
): { keys: TypedArray; values: TypedArray } {
  const buffer = takeBuffer(keys);
  const grouping = new Grouping(groupKernel(keys, 'reduce'), buffer.words, 0, MIN_TABLE_BITS);
  const own = idsAreFree ? ids : new Int32Array(keys.length);
  const wereFree = idsAreFree;
  idsAreFree = false;
  try {
    grouping.put(keyWords(plainView(keys)), 0, keys.length, own);
    const distinct = copyOf(buffer.array, grouping.seen, isShared(keys));
    putBack(buffer);
    const shared = isShared(values);
    const folded = shared ? unfilledArray(type, grouping.seen) : new type(grouping.seen);
    kernel.fold(own, plainView(values) as never, 0, keys.length, folded as never, 0, 0, identity, context);
    return { keys: distinct, values: folded };
  } finally {
    if (wereFree) idsAreFree = true;
  }
}
