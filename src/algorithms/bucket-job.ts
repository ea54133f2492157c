/**
 * Sorting numbers by buckets, with the WebAssembly kernels: what its tasks run; on every thread that computes.
 *
 *     plan       a sample says where buckets begin (one unit)
 *     classify   each chunk notes the bucket of each element, and counts
 *     move       each chunk moves its elements to their buckets, from xs to temp or back; and once more from the plan
 *                on for a bucket that is too large, such as one of many
 *     finish     each bucket is sorted in the cache, and ends in xs
 *
 * Every element is in one range of a list, and a range is in xs or in temp, whole: it changes sides when all of it has
 * moved, in `after`. So whenever the call ends, the caller can put everything back into xs (`gather`).
 * Chunks and buckets depend on the parallelism, the order does not: equal numbers are the same number.
 * Source: Axtmann, Witt, Ferizovic, Sanders (2017), IPS4o, for a sampled partition, noted buckets and buckets of one key;
 * theirs is in place and compares, here a table stands for the comparisons.
 */
import type { TypedArray } from '../core/memory/element-types.js';
import { isHeap } from '../core/memory/shared-array.js';
import { thread } from '../core/worker/seat.js';
import {
  BucketLayout,
  chunksFor,
  controlWords,
  DONE,
  FRAME_BUCKETS,
  FRAME_ONE_KEY,
  IN_TEMP,
  MOST_CHUNKS,
  ONE_KEY,
  PLACES_WORDS,
  RANGE_WORDS,
  SMALL,
  startBuckets,
  W_CHUNK_ELEMENTS,
  W_CHUNKS,
  W_FRAME,
  W_PLACES,
  W_RANGE,
  W_RANGES,
  W_SAMPLE,
  W_TABLE,
  W_WANTED,
  W_WIDTHS,
  WIDTH_SHIFT,
  wantedFor,
} from './bucket-control.js';
import type { ArrayType, CallArrays } from './call-arrays.js';
import { Cost } from './cost.js';
import type { KernelExports } from './kernels/kernel-exports.js';
import { inPieces } from './kernels/pieces.js';
import { kernels, pointerOf } from './kernels/wasm-kernels.js';
import { DESCENDING, kindOf } from './kernels/wasm-sort.js';
import { Grain } from './split.js';
import { type Stage, stagedKind } from './stages.js';
import { LEAVES_PER_THREAD } from './tuning.js';

export interface BucketSpec {
  readonly xs: TypedArray;
  readonly temp: TypedArray;
  /** The bucket of each element, as noted. */
  readonly ids: Uint16Array;
  readonly control: Uint32Array;
  /** For a sort of indices: the keys, which are read only, and the indices on both sides. xs is room for keys then. */
  readonly keys?: TypedArray;
  readonly indices?: Uint32Array;
  readonly indicesTemp?: Uint32Array;
  /** Larger elements first; NaN last all the same. */
  readonly descending: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Whether the kernels can sort this array, once it is in shared memory. */
export const canBucket = (xs: TypedArray, shared: boolean): boolean =>
  kindOf(xs) >= 0 && (!shared || isHeap(xs)) && kernels() !== undefined;

/** How often each element is counted as done. */
export const BUCKET_PASSES = 2;

/** The scratch arrays of a sort of so many elements, the largest first: so each call finds its places where the last one left them. */
export function bucketScratch(
  arrays: CallArrays,
  type: ArrayType,
  elements: number,
  parallelism: number,
): Pick<BucketSpec, 'temp' | 'ids' | 'control'> {
  const temp = arrays.scratch(type, elements);
  const ids = arrays.scratch(Uint16Array, elements);
  const control = arrays.scratch(Uint32Array, controlWords(elements, parallelism));
  startBuckets(control, elements, parallelism);
  return { temp, ids, control };
}

/** Puts all elements back into xs, in some order, after a call that did not come to its end. */
export function gather({ xs, temp, control, parallelism }: BucketSpec): void {
  const { ranges } = new BucketLayout(xs.length, parallelism);
  for (let range = 0; range < control[W_RANGES]; range++) {
    const [lo, count, flags] = control.subarray(ranges + range * RANGE_WORDS);
    if ((flags & IN_TEMP) === 0 || (flags & DONE) !== 0) continue;
    (xs as Float64Array).set(temp.subarray(lo, lo + count) as Float64Array, lo);
  }
}

function enumerate(indices: Uint32Array, lo: number, hi: number): void {
  for (let i = lo; i < hi; i++) indices[i] = i;
}

class BucketSort {
  readonly #control: Uint32Array;
  readonly #elements: number;
  readonly #layout: BucketLayout;
  readonly #parallelism: number;
  readonly #threshold: number;
  readonly #kernels: KernelExports;
  readonly #bits: 32 | 64;
  readonly #bytes: number;
  readonly #kind: number;
  // Addresses.
  readonly #xs: number;
  readonly #temp: number;
  readonly #ids: number;
  readonly #words: number;
  /** Where range 0 is read. */
  readonly #source: number;
  readonly #indices: Uint32Array | undefined;
  readonly #payload: number;
  readonly #payloadTemp: number;
  readonly #most: number;
  #finishing: Grain | undefined;

  constructor(spec: BucketSpec) {
    const { xs, temp, ids, control, keys, indices, indicesTemp, descending, threshold, parallelism } = spec;
    this.#control = control;
    this.#elements = xs.length;
    this.#layout = new BucketLayout(xs.length, parallelism);
    this.#parallelism = parallelism;
    this.#threshold = threshold;
    this.#kernels = kernels() as KernelExports;
    this.#bits = xs.BYTES_PER_ELEMENT === 8 ? 64 : 32;
    this.#bytes = xs.BYTES_PER_ELEMENT;
    this.#kind = kindOf(xs) + (descending ? DESCENDING : 0);
    this.#xs = pointerOf(xs);
    this.#temp = pointerOf(temp);
    this.#ids = pointerOf(ids);
    this.#words = pointerOf(control);
    this.#source = pointerOf(keys ?? xs);
    this.#indices = indices;
    this.#payload = indices === undefined ? 0 : pointerOf(indices);
    this.#payloadTemp = indicesTemp === undefined ? 0 : pointerOf(indicesTemp);
    this.#most = Math.max(SMALL, Math.ceil(xs.length / (2 * LEAVES_PER_THREAD * parallelism)));
  }

  stages(first: number, next: number | undefined): Stage[] {
    const { capacity } = this.#layout;
    const control = this.#control;
    const chunkGrain = new Grain(new Cost(), this.#elements, MOST_CHUNKS, 0, MOST_CHUNKS); // a chunk is a leaf
    const finishing = (): Grain => this.#grainOfRanges();
    return [
      { units: 1, grain: chunkGrain, run: () => this.#plan() },
      {
        get units() {
          return control[W_CHUNKS];
        },
        grain: chunkGrain,
        run: (lo, hi) => this.#each(lo, hi, (chunk) => this.#classify(chunk)),
        after: () => this.#toPlaces(),
      },
      {
        get units() {
          return control[W_CHUNKS];
        },
        grain: chunkGrain,
        run: (lo, hi) => this.#each(lo, hi, (chunk) => this.#move(chunk)),
        after: () => (this.#split() && control[W_RANGES] + this.#layout.rowWords <= capacity ? first : undefined),
      },
      {
        get units() {
          return control[W_RANGES];
        },
        get grain() {
          return finishing();
        },
        run: (lo, hi) => this.#each(lo, hi, (range) => this.#finish(range)),
        after: () => next,
      },
    ];
  }

  #each(lo: number, hi: number, run: (unit: number) => number): number {
    let elements = 0;
    for (let unit = lo; unit < hi; unit++) elements += run(unit);
    return elements;
  }

  /** Made when the ranges are known. */
  #grainOfRanges(): Grain {
    const ranges = this.#control[W_RANGES];
    this.#finishing ??= new Grain(
      new Cost(),
      Math.ceil(this.#elements / ranges),
      ranges,
      this.#threshold,
      this.#parallelism,
    );
    return this.#finishing;
  }

  #address(word: number): number {
    return this.#words + 4 * word;
  }

  /** A range, where it is, where its other side is, and the same of its indices. */
  #range(range: number) {
    const at = this.#layout.ranges + range * RANGE_WORDS;
    const [lo, count, flags] = [this.#control[at], this.#control[at + 1], this.#control[at + 2]];
    const inTemp = (flags & IN_TEMP) !== 0;
    const here = range === 0 ? this.#source : inTemp ? this.#temp : this.#xs;
    return {
      at,
      lo,
      count,
      flags,
      from: here + lo * this.#bytes,
      to: (inTemp ? this.#xs : this.#temp) + lo * this.#bytes,
      payload: (inTemp ? this.#payloadTemp : this.#payload) + 4 * lo,
      payloadTo: (inTemp ? this.#payload : this.#payloadTemp) + 4 * lo,
    };
  }

  #plan(): number {
    const { from, count } = this.#range(this.#control[W_RANGE]);
    const wanted = wantedFor(count);
    const sampleBits = Math.min(12, Math.max(8, Math.floor(Math.log2(count)) - 4));
    const chunks = chunksFor(count, this.#parallelism);
    const chunkElements = 4 * Math.ceil(count / chunks / 4);
    this.#control[W_WANTED] = wanted;
    this.#control[W_CHUNK_ELEMENTS] = chunkElements;
    this.#control[W_CHUNKS] = Math.ceil(count / chunkElements);
    const frame = this.#address(W_FRAME);
    const table = this.#address(W_TABLE);
    const widths = this.#address(W_WIDTHS);
    const sample = this.#address(W_SAMPLE);
    this.#kernels[`plan${this.#bits}`](from, count, this.#kind, wanted, sampleBits, frame, table, widths, sample);
    return 0;
  }

  /** Elements of a chunk of the range. */
  #chunk(chunk: number, count: number): [first: number, elements: number] {
    const chunkElements = this.#control[W_CHUNK_ELEMENTS];
    const first = chunk * chunkElements;
    return [first, Math.min(chunkElements, count - first)];
  }

  #classify(chunk: number): number {
    const range = this.#control[W_RANGE];
    const { lo, from, count } = this.#range(range);
    const [first, elements] = this.#chunk(chunk, count);
    if (range === 0 && this.#indices !== undefined) enumerate(this.#indices, first, first + elements);
    const row = this.#layout.counts + chunk * this.#layout.rowWords;
    this.#control.fill(0, row, row + this.#layout.rowWords);
    const [counts, frame, table] = [this.#address(row), this.#address(W_FRAME), this.#address(W_TABLE)];
    const classify = this.#kernels[`classify${this.#bits}`];
    inPieces(first, first + elements, (start, end) => {
      const ids = this.#ids + 2 * (lo + start);
      classify(from + start * this.#bytes, end - start, this.#kind, frame, table, ids, counts);
    });
    return 0;
  }

  /** Counts become places: of a bucket those of the first chunk come first. */
  #toPlaces(): void {
    const control = this.#control;
    const { counts, rowWords } = this.#layout;
    const chunks = control[W_CHUNKS];
    const buckets = control[W_FRAME + FRAME_BUCKETS];
    let place = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const at = counts + chunk * rowWords + bucket;
        const count = control[at];
        control[at] = place;
        place += count;
      }
    }
  }

  #move(chunk: number): number {
    const range = this.#control[W_RANGE];
    const { lo, from, to, count, payload, payloadTo } = this.#range(range);
    const [first, elements] = this.#chunk(chunk, count);
    const places = this.#address(this.#layout.counts + chunk * this.#layout.rowWords);
    const { [`scatter${this.#bits}` as const]: scatter, [`scatterPairs${this.#bits}` as const]: scatterPairs } =
      this.#kernels;
    inPieces(first, first + elements, (start, end) => {
      const piece = end - start;
      const ids = this.#ids + 2 * (lo + start);
      if (this.#indices === undefined) scatter(from + start * this.#bytes, piece, to, ids, places);
      else scatterPairs(from + start * this.#bytes, piece, to, ids, places, payload + 4 * start, payloadTo);
    });
    return range === 0 ? elements : 0;
  }

  /** Puts the buckets in the place of their range; true if another one is to be split. */
  #split(): boolean {
    const control = this.#control;
    const { counts, rowWords, ranges } = this.#layout;
    const { lo, count, flags, at: parent } = this.#range(control[W_RANGE]);
    const side = (flags & IN_TEMP) ^ IN_TEMP;
    const buckets = control[W_FRAME + FRAME_BUCKETS];
    const oneKey = control[W_FRAME + FRAME_ONE_KEY] | 0;
    const widths = new Uint8Array(control.buffer, control.byteOffset + 4 * W_WIDTHS, buckets);
    const lastRow = counts + (control[W_CHUNKS] - 1) * rowWords;
    let at = ranges + control[W_RANGES] * RANGE_WORDS;
    let start = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const end = control[lastRow + bucket]; // the last chunk has moved all of its elements there
      if (end === start) continue;
      control[at] = lo + start;
      control[at + 1] = end - start;
      control[at + 2] = side | (bucket === oneKey ? ONE_KEY : 0) | (widths[bucket] << WIDTH_SHIFT);
      at += RANGE_WORDS;
      start = end;
    }
    if (start !== count) throw new Error(`furcate: ${start} of ${count} elements were moved`);
    control[parent + 1] = 0;
    control[W_RANGES] = (at - ranges) / RANGE_WORDS;
    return this.#findLarge();
  }

  #findLarge(): boolean {
    const control = this.#control;
    for (let range = control[W_RANGE] + 1; range < control[W_RANGES]; range++) {
      const { count, flags } = this.#range(range);
      if (count <= this.#most || (flags & ONE_KEY) !== 0) continue;
      control[W_RANGE] = range;
      return true;
    }
    return false;
  }

  #finish(range: number): number {
    const { at, count, flags, from, to, payload, payloadTo } = this.#range(range);
    if (count === 0) return 0;
    const inTemp = flags & IN_TEMP;
    if (inTemp === 0 && (flags & ONE_KEY) !== 0) return count;
    const places = this.#address(W_PLACES + (thread.seat?.slot ?? 0) * PLACES_WORDS);
    const top = (flags & ONE_KEY) !== 0 ? 0 : flags >>> WIDTH_SHIFT;
    const { [`sort${this.#bits}` as const]: sort, [`sortPairs${this.#bits}` as const]: sortPairs } = this.#kernels;
    if (this.#indices === undefined) sort(from, to, count, inTemp, this.#kind, top, places);
    else sortPairs(from, to, count, inTemp, this.#kind, top, places, payload, payloadTo);
    this.#control[at + 2] = flags | DONE;
    return count;
  }
}

/**
 * The stages of a sort by buckets.
 *
 * @param first the index of the first of them among the job's stages
 * @param next the index of the stage to go on with after them; none by default
 */
export const bucketStages = (spec: BucketSpec, first = 0, next?: number): Stage[] =>
  new BucketSort(spec).stages(first, next);

/** How many stages those are. */
export const BUCKET_STAGES = 4;

export const BUCKET_SORT = stagedKind<BucketSpec>('sort by buckets', (spec) => bucketStages(spec));
