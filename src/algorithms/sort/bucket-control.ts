/**
 * The control array of a sort by buckets: what its stages tell each other; runs on every thread that computes.
 *
 *     header | frame | table | widths | sample | counters, for each thread | places, a row a chunk | ends, a row a bucket |
 *     starts and leftovers, a word a bucket | ranges
 *
 * The kernels' parts are described in kernels/wasm/bucket-kernels.ts.
 */

import { APART_WORDS, LEAVES_PER_THREAD, SORT_BUCKET_ELEMENTS, SORT_WINDOW_BYTES } from '../tuning.js';
import { SORT_COUNTERS } from './kernels/wasm-sort.js';

// Words of the control array. All are plain: stages are joined before others read them.
/** The range that is being partitioned, and how. */
export const W_LO = 0;
export const W_COUNT = 1;
/** How many ranges were partitioned before. */
export const W_ROUND = 2;
export const W_CHUNK_ELEMENTS = 3;
export const W_CHUNKS = 4;
/** 1 while the range is being overwritten from temp, where it is whole. */
export const W_WHOLE_IN_TEMP = 5;
/** Ranges that are left over. */
export const W_RANGES = 6;
/** The kernels' frame: see wasm/bucket-kernels.ts. */
export const W_FRAME = 8;
export const FRAME_BUCKETS = 5;
export const W_TABLE = 16;
const TABLE_WORDS = 4096;
export const W_WIDTHS = W_TABLE + TABLE_WORDS;
const WIDTHS_WORDS = 2048;
export const W_SAMPLE = W_WIDTHS + WIDTHS_WORDS;
const SAMPLE_WORDS = 2 * 2 * 4096 + 2048;
export const W_COUNTERS = W_SAMPLE + SAMPLE_WORDS;
/** Of each thread, since all sort buckets at once; and the bounds of a range that is one part. */
export const COUNTER_WORDS = SORT_COUNTERS + 8 + APART_WORDS;
export const C_PART = SORT_COUNTERS;

const MOST_WANTED = 2048;
const MOST_CHUNKS = 256;
/** Fewest elements of a chunk, if there are several. */
const LEAST_CHUNK = 4096;
/** Ranges up to this are not partitioned again (elements). */
const SMALL = 65_536;
/** So many ranges are partitioned at most; what is too large then is sorted as it is. */
export const MOST_ROUNDS = 256;

/** A range that is left over: where it begins, its elements. */
export const RANGE_WORDS = 2;

/** Chunks of which each has its copy in the cache, and enough of them for all threads. */
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

/** The sizes and places of all that depend on the call. */
export class BucketLayout {
  readonly rowWords: number;
  /** Rows that say where a chunk, then where each of its buckets begins; after moving, ends. */
  readonly places: number;
  /** The same in columns: where chunks begin, then for each bucket where its part of each chunk ends. */
  readonly ends: number;
  readonly starts: number;
  readonly leftovers: number;
  readonly ranges: number;
  readonly words: number;
  /** Most elements in a chunk. */
  readonly chunkElements: number;
  /** Most elements in a bucket that is sorted at once: a thread has room for two of them. */
  readonly nearElements: number;
  /** Most elements in a range that is sorted alone. */
  readonly most: number;
  readonly #bytes: number;
  readonly #parallelism: number;

  constructor(elements: number, bytes: number, parallelism: number) {
    this.#bytes = bytes;
    this.#parallelism = parallelism;
    this.chunkElements = chunkElementsFor(elements, bytes, parallelism);
    this.nearElements = Math.min(elements, Math.ceil(8 * Math.max(SORT_BUCKET_ELEMENTS, elements / MOST_WANTED)));
    this.most = Math.max(SMALL, Math.ceil(elements / (2 * LEAVES_PER_THREAD * parallelism)));
    this.rowWords = 3 * wantedFor(elements) + 8;
    const rows = chunksFor(elements, bytes, parallelism);
    this.places = W_COUNTERS + (parallelism + 1) * COUNTER_WORDS;
    this.ends = this.places + rows * this.rowWords;
    this.starts = this.ends + rows * this.rowWords;
    this.leftovers = this.starts + this.rowWords;
    this.ranges = this.leftovers + this.rowWords;
    this.words = this.ranges + RANGE_WORDS * (Math.ceil(elements / this.nearElements) + 1);
  }

  /** Elements in a chunk of a range of so many: never more than in one of all, nor more chunks. */
  chunkOf(elements: number): number {
    return Math.min(this.chunkElements, chunkElementsFor(elements, this.#bytes, this.#parallelism));
  }
}
