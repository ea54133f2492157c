/**
 * The control array of a sort by buckets: what its stages tell each other; runs on every thread that computes.
 *
 *     header | frame | table | widths | sample | places, for each thread | counts, a row a chunk | ranges
 *
 * The kernels' parts are described in kernels/wasm/bucket-kernels.ts.
 */
import { SORT_COUNTERS } from './kernels/wasm-sort.js';
import { LEAVES_PER_THREAD, SORT_BUCKET_ELEMENTS } from './tuning.js';

// Words of the control array. All are plain: stages are joined before others read them.
export const W_RANGES = 0;
/** The range that is being partitioned, and how. */
export const W_RANGE = 1;
export const W_CHUNK_ELEMENTS = 2;
export const W_CHUNKS = 3;
export const W_WANTED = 4;
/** The kernels' frame: see wasm/bucket-kernels.ts. */
export const W_FRAME = 8;
export const FRAME_BUCKETS = 5;
export const FRAME_ONE_KEY = 6;
export const W_TABLE = 16;
const TABLE_WORDS = 4096;
export const W_WIDTHS = W_TABLE + TABLE_WORDS;
const WIDTHS_WORDS = 2048;
export const W_SAMPLE = W_WIDTHS + WIDTHS_WORDS;
const SAMPLE_WORDS = 2 * 2 * 4096 + 2048;
export const W_PLACES = W_SAMPLE + SAMPLE_WORDS;
/** Of each thread, since all sort buckets at once. */
export const PLACES_WORDS = SORT_COUNTERS;

const MOST_WANTED = 2048;
export const MOST_CHUNKS = 64;
/** Ranges up to this are not partitioned again (elements). */
export const SMALL = 65_536;

// A range: where it begins, its elements, what is known of it.
export const RANGE_WORDS = 3;
export const IN_TEMP = 1;
export const ONE_KEY = 2;
export const DONE = 4;
export const WIDTH_SHIFT = 8;

/** Where the parts of the control array are that depend on the call. */
export class BucketLayout {
  readonly rowWords: number;
  readonly counts: number;
  readonly ranges: number;
  readonly capacity: number;
  readonly words: number;

  constructor(elements: number, parallelism: number) {
    this.rowWords = 3 * wantedFor(elements) + 8;
    this.counts = W_PLACES + (parallelism + 1) * PLACES_WORDS;
    this.ranges = this.counts + chunksFor(elements, parallelism) * this.rowWords;
    this.capacity = 8 * this.rowWords;
    this.words = this.ranges + this.capacity * RANGE_WORDS;
  }
}

/** A power of two, so that a bucket has about `SORT_BUCKET_ELEMENTS`. */
export function wantedFor(elements: number): number {
  return Math.min(MOST_WANTED, Math.max(16, 2 ** Math.floor(Math.log2(elements / SORT_BUCKET_ELEMENTS))));
}

export const chunksFor = (elements: number, parallelism: number): number =>
  Math.max(1, Math.min(MOST_CHUNKS, LEAVES_PER_THREAD * parallelism, Math.ceil(elements / 4096)));

/** How many words the control array has. */
export const controlWords = (elements: number, parallelism: number): number =>
  new BucketLayout(elements, parallelism).words;

/** Makes all elements one range. */
export function startBuckets(control: Uint32Array, elements: number, parallelism: number): void {
  const { ranges } = new BucketLayout(elements, parallelism);
  control[W_RANGES] = 1;
  control[W_RANGE] = 0;
  control.set([0, elements, 0], ranges);
}
