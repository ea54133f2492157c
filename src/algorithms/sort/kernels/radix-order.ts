/**
 * Indices sorted by the bits of their keys, least significant digit first: a stable radix sort of (key, index) pairs;
 * runs on every thread that computes.
 *
 * Keys become unsigned words as in radix-sort.ts, NaN the largest. 64-bit keys are sorted by their upper words, then
 * runs of equal upper words by the order itself; where more than a quarter of the elements are in such runs, the lower
 * words are sorted first. Nothing in here calls user code.
 */
import type { TypedArray } from '../../../core/memory/element-types.js';
import { RADIX_ELEMENTS } from '../../tuning.js';
import type { IndexOrder } from './key-order.js';

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
const DIGIT_MASK = BUCKETS - 1;
const NAN_KEY = 0xffffffff;

const counts = new Uint32Array(3 * BUCKETS);

/** Fills `indices` with the indices from `from` on, sorted stably; `temp` has the same length. */
export function sortIndices(
  keys: TypedArray,
  order: IndexOrder,
  from: number,
  indices: Uint32Array,
  temp: Uint32Array,
): void {
  const n = indices.length;
  for (let i = 0; i < n; i++) indices[i] = from + i;
  const name: string = keys[Symbol.toStringTag];
  if (!order.isNumeric || n < RADIX_ELEMENTS || name === 'Float16Array') {
    order.kernel.sort(indices, temp, 0, n, false, order.context);
    return;
  }
  const words = new Uint32Array(n);
  const spare = new Uint32Array(n);
  if (keys.BYTES_PER_ELEMENT < 8) {
    readNarrow(keys, from, words);
    sortPairs(words, indices, spare, temp);
    return;
  }
  const pairs = new Uint32Array(keys.buffer, keys.byteOffset + 8 * from, 2 * n);
  readUpper(pairs, name, words);
  const sorted = sortPairs(words, indices, spare, temp);
  if (elementsInRuns(sorted) <= n / 4) {
    sortRuns(sorted, indices, temp, order);
    return;
  }
  for (let i = 0; i < n; i++) indices[i] = from + i;
  readLower(pairs, name, words);
  sortPairs(words, indices, spare, temp);
  const upper = new Uint32Array(n);
  readUpper(pairs, name, upper);
  for (let i = 0; i < n; i++) words[i] = upper[indices[i] - from];
  sortPairs(words, indices, spare, temp);
}

/** Keys of up to 32 bits. */
function readNarrow(keys: TypedArray, from: number, words: Uint32Array): void {
  const n = words.length;
  if (keys[Symbol.toStringTag] === 'Float32Array') {
    const raw = new Int32Array(keys.buffer, keys.byteOffset + 4 * from, n);
    for (let i = 0; i < n; i++) {
      const word = raw[i];
      words[i] = (word & 0x7fffffff) > 0x7f800000 ? NAN_KEY : word ^ ((word >> 31) | 0x80000000);
    }
    return;
  }
  const flip = keys[Symbol.toStringTag].startsWith('Int') ? 0x80000000 : 0;
  const part = keys.subarray(from, from + n) as Int32Array;
  for (let i = 0; i < n; i++) words[i] = part[i] ^ flip;
}

function readUpper(pairs: Uint32Array, name: string, words: Uint32Array): void {
  const n = words.length;
  if (name !== 'Float64Array') {
    const flip = name === 'BigInt64Array' ? 0x80000000 : 0;
    for (let i = 0; i < n; i++) words[i] = pairs[2 * i + 1] ^ flip;
    return;
  }
  for (let i = 0; i < n; i++) {
    const word = pairs[2 * i + 1] | 0;
    words[i] = isNaNPair(word, pairs[2 * i]) ? NAN_KEY : word ^ ((word >> 31) | 0x80000000);
  }
}

function readLower(pairs: Uint32Array, name: string, words: Uint32Array): void {
  const n = words.length;
  if (name !== 'Float64Array') {
    for (let i = 0; i < n; i++) words[i] = pairs[2 * i];
    return;
  }
  for (let i = 0; i < n; i++) {
    const upper = pairs[2 * i + 1] | 0;
    words[i] = isNaNPair(upper, pairs[2 * i]) ? 0 : pairs[2 * i] ^ (upper >> 31);
  }
}

/** All NaN are one key, so that they keep their order. */
function isNaNPair(upper: number, lower: number): boolean {
  const magnitude = upper & 0x7fffffff;
  return magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && lower !== 0);
}

/**
 * Sorts words and their indices, stably, in three passes at most.
 *
 * @returns the sorted words, in one of the two arrays for them; the indices end in `indices`
 */
function sortPairs(words: Uint32Array, indices: Uint32Array, spare: Uint32Array, temp: Uint32Array): Uint32Array {
  const n = words.length;
  counts.fill(0);
  for (let i = 0; i < n; i++) {
    const word = words[i];
    counts[word & DIGIT_MASK]++;
    counts[BUCKETS + ((word >>> DIGIT_BITS) & DIGIT_MASK)]++;
    counts[2 * BUCKETS + (word >>> (2 * DIGIT_BITS))]++;
  }
  let from = indices;
  let to = temp;
  for (let digit = 0; digit < 3; digit++) {
    const base = digit * BUCKETS;
    const shift = digit * DIGIT_BITS;
    if (counts[base + ((words[0] >>> shift) & DIGIT_MASK)] === n) continue; // all share the digit
    let sum = 0;
    for (let d = base; d < base + BUCKETS; d++) {
      const count = counts[d];
      counts[d] = sum;
      sum += count;
    }
    for (let i = 0; i < n; i++) {
      const word = words[i];
      const at = counts[base + ((word >>> shift) & DIGIT_MASK)]++;
      spare[at] = word;
      to[at] = from[i];
    }
    [from, to] = [to, from];
    [words, spare] = [spare, words];
  }
  if (from !== indices) indices.set(from);
  return words;
}

function elementsInRuns(sorted: Uint32Array): number {
  let elements = 0;
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) elements++;
  return elements;
}

function sortRuns(sorted: Uint32Array, indices: Uint32Array, temp: Uint32Array, { kernel, context }: IndexOrder): void {
  const n = sorted.length;
  for (let lo = 0; lo < n; ) {
    let hi = lo + 1;
    while (hi < n && sorted[hi] === sorted[lo]) hi++;
    if (hi - lo > 1) kernel.sort(indices, temp, lo, hi, false, context);
    lo = hi;
  }
}
