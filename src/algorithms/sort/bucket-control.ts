/**
 * The control array of a sort by buckets: what its stages tell each other; runs on every thread that computes.
 *
 *     header | plan | counters, for each lane | places, a row a chunk | ends, a row a bucket |
 *     starts, a word a bucket | ranges that are left over | buffers, two for each lane |
 *     of an argsort: buffers for indices | ids: for each lane, the buckets of the elements of a chunk, two bytes each
 *
 * All words but `RANGES` and `FOUND` are plain: stages are joined before others read them. The plan is described in
 * kernels/wasm/bucket-kernels.ts.
 */

import { APART_WORDS, LEAVES_PER_THREAD, SORT_BUCKET_ELEMENTS, SORT_WINDOW_BYTES } from '../tuning.js';
import { SORT_COUNTERS } from './kernels/wasm-sort.js';

/** The range that is being partitioned, and how. */
export const LO = 0;
export const COUNT = 1;
/** Number of ranges that were partitioned before. */
export const ROUND = 2;
export const CHUNK_ELEMENTS = 3;
export const CHUNKS = 4;
/** 1 while the range is being overwritten from temp, where it is whole. */
export const WHOLE_IN_TEMP = 5;
/** Number of ranges that are left over. Threads that add one raise it atomically. */
export const RANGES = 6;
/** Flags of what there is among floats, as the kernel `unordered` tells it. Threads add to it atomically. */
export const FOUND = 7;
export const PLAN = 8;
/** A word of the plan's frame. */
export const BUCKETS = PLAN + 5;
const FRAME_WORDS = 8;
const TABLE_WORDS = 4096;
export const WIDTHS = PLAN + FRAME_WORDS + TABLE_WORDS;
const WIDTHS_WORDS = 2048;
const SAMPLE_WORDS = 2 * 2 * 4096 + 2048;
export const COUNTERS = WIDTHS + WIDTHS_WORDS + SAMPLE_WORDS;
/** Each lane has its own counters, since all lanes sort buckets at once. */
export const COUNTER_WORDS = SORT_COUNTERS + APART_WORDS;

const MOST_WANTED = 2048;
const MOST_CHUNKS = 256;
/** Fewest elements of a chunk, if there are several. */
const LEAST_CHUNK = 4096;
/** Ranges up to this are not partitioned again (elements). */
const SMALL = 65_536;
/** Most ranges that are partitioned. What is too large then is sorted as it is. */
export const MOST_ROUNDS = 256;

/** A range that is left over: where it begins, and its elements. */
export const RANGE_WORDS = 2;

/** Number of chunks: each fits into the cache with its copy, and there are enough for all threads. */
function chunksFor(elements: number, bytes: number, parallelism: number): number {
  const fair = Math.min(LEAVES_PER_THREAD * parallelism, Math.ceil(elements / LEAST_CHUNK));
  const cached = Math.ceil((elements * bytes) / SORT_WINDOW_BYTES);
  return Math.max(1, Math.min(MOST_CHUNKS, Math.max(fair, cached)));
}

const chunkElementsFor = (elements: number, bytes: number, parallelism: number): number =>
  4 * Math.ceil(elements / chunksFor(elements, bytes, parallelism) / 4);

/** A power of two, so that a bucket has about `SORT_BUCKET_ELEMENTS`. */
export function wantedFor(elements: number): number {
  return Math.min(MOST_WANTED, Math.max(16, 2 ** Math.floor(Math.log2(elements / SORT_BUCKET_ELEMENTS))));
}

/** Sizes, and places in the control array, that follow from the length of the array, the bytes of an element and the parallelism. */
export function layoutOf(elements: number, bytes: number, parallelism: number, isArgsort: boolean) {
  const rowWords = 3 * wantedFor(elements) + 8;
  const rows = chunksFor(elements, bytes, parallelism);
  const chunkElements = chunkElementsFor(elements, bytes, parallelism);
  const bufferElements = Math.min(elements, Math.ceil(8 * Math.max(SORT_BUCKET_ELEMENTS, elements / MOST_WANTED)));
  const places = COUNTERS + parallelism * COUNTER_WORDS;
  const ends = places + rows * rowWords;
  const starts = ends + rows * rowWords;
  const ranges = starts + rowWords;
  const buffers = 16 * Math.ceil((ranges + RANGE_WORDS * (Math.ceil(elements / bufferElements) + 1)) / 16);
  const orderBuffers = buffers + (2 * parallelism * bufferElements * bytes) / 4;
  const ids = orderBuffers + (isArgsort ? 2 * parallelism * bufferElements : 0);
  return {
    rowWords,
    /** A row for each chunk: where the chunk begins, then where each of its buckets begins. After the elements were moved, where it ends. */
    places,
    /** The same in columns: where chunks begin, then for each bucket where its part of each chunk ends. */
    ends,
    starts,
    ranges,
    /** For a bucket: the source and the target of a pass. */
    buffers,
    orderBuffers,
    ids,
    words: ids + (parallelism * chunkElements) / 2,
    /** Most elements in a chunk. */
    chunkElements,
    /** Elements in a chunk of a range. There are never more of them, nor more chunks, than for the whole array. */
    chunkOf: (count: number): number => Math.min(chunkElements, chunkElementsFor(count, bytes, parallelism)),
    /** Most elements in a bucket that is sorted at once. */
    bufferElements,
    /** Most elements in a range that is sorted by one thread. */
    most: Math.max(SMALL, Math.ceil(elements / (2 * LEAVES_PER_THREAD * parallelism))),
  };
}
