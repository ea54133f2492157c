/**
 * Sorting numbers by buckets, with the WebAssembly kernels: what its tasks run; on every thread that computes.
 *
 *     plan       a sample says where buckets begin (one unit)
 *     partition  each chunk, which fits into the cache, is put in the order of its buckets, from xs to temp
 *     finish     each bucket is collected from all chunks, sorted in the cache, and written to xs
 *     rest       buckets that are too large for that were only collected: they are sorted alone
 *
 * The largest of these go back to the plan first, one by one, so that all threads take part. While xs is being overwritten,
 * temp is left as it is, whole: so whenever the call ends, the caller can put everything back into xs (`restore`).
 * Chunks and buckets depend on the parallelism, the order does not: equal numbers are the same number.
 * Source: Axtmann, Witt, Ferizovic, Sanders (2017), IPS4o, for a sampled partition and noted buckets; theirs is in place
 * and compares, here a table stands for the comparisons.
 */

import type { TypedArray } from '../../core/memory/element-types.js';
import { isHeap } from '../../core/memory/shared-array.js';
import { thread } from '../../core/worker/worker-slot.js';
import type { ArrayType, CallArrays } from '../call/call-arrays.js';
import { inPieces } from '../kernels/pieces.js';
import { kernels, pointerOf } from '../kernels/wasm-kernels.js';
import { Cost } from '../schedule/cost.js';
import { Grain, unitByUnit } from '../schedule/grain.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import {
  BucketLayout,
  C_PART,
  COUNTER_WORDS,
  FRAME_BUCKETS,
  MOST_ROUNDS,
  RANGE_WORDS,
  W_CHUNK_ELEMENTS,
  W_CHUNKS,
  W_COUNT,
  W_COUNTERS,
  W_FRAME,
  W_LO,
  W_RANGES,
  W_ROUND,
  W_SAMPLE,
  W_TABLE,
  W_WHOLE_IN_TEMP,
  W_WIDTHS,
  wantedFor,
} from './bucket-control.js';
import { bucketKernels, type Route } from './bucket-kernels.js';
import { DESCENDING, kindOf } from './kernels/wasm-sort.js';

export interface BucketSpec {
  readonly xs: TypedArray;
  readonly temp: TypedArray;
  /** Room of each thread: for the noted buckets of a chunk, and for two copies of a bucket. */
  readonly ids: Uint16Array;
  readonly near: TypedArray;
  readonly control: Uint32Array;
  /** For a sort of indices: the keys, which are read only, and the indices, as there are elements. xs is room for keys then. */
  readonly keys?: TypedArray;
  readonly indices?: Uint32Array;
  readonly indicesTemp?: Uint32Array;
  readonly indicesNear?: Uint32Array;
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

/** How many elements the rooms of all threads have together for copies of buckets. */
export const nearElements = (layout: BucketLayout, parallelism: number): number =>
  2 * (parallelism + 1) * layout.nearElements;

/** The scratch arrays of a sort of so many elements, the largest first: so each call finds its places where the last one left them. */
export function bucketScratch(
  arrays: CallArrays,
  type: ArrayType,
  elements: number,
  parallelism: number,
): Pick<BucketSpec, 'temp' | 'ids' | 'near' | 'control'> {
  const layout = new BucketLayout(elements, type.BYTES_PER_ELEMENT, parallelism);
  const temp = arrays.scratch(type, elements);
  const near = arrays.scratch(type, nearElements(layout, parallelism));
  const ids = arrays.scratch(Uint16Array, (parallelism + 1) * layout.chunkElements);
  const control = arrays.scratch(Uint32Array, layout.words);
  control.fill(0, 0, W_FRAME);
  control[W_COUNT] = elements;
  return { temp, ids, near, control };
}

/** Room for copies of the indices of buckets. */
export function indicesNear(arrays: CallArrays, type: ArrayType, elements: number, parallelism: number): Uint32Array {
  const layout = new BucketLayout(elements, type.BYTES_PER_ELEMENT, parallelism);
  return arrays.scratch(Uint32Array, nearElements(layout, parallelism));
}

/** Puts all elements back into xs, in some order, after a call that did not come to its end. */
export function restore({ xs, temp, control }: BucketSpec): void {
  if (control[W_WHOLE_IN_TEMP] === 0) return;
  const [lo, count] = [control[W_LO], control[W_COUNT]];
  (xs as Float64Array).set(temp.subarray(lo, lo + count) as Float64Array, lo);
}

function enumerate(indices: Uint32Array, lo: number, hi: number): void {
  for (let i = lo; i < hi; i++) indices[i] = i;
}

/** Addresses: of all elements, or of all indices. */
interface Sides {
  readonly here: number;
  readonly temp: number;
  /** Rooms of the thread. */
  readonly near: number;
  readonly far: number;
}

class BucketSort {
  readonly #spec: BucketSpec;
  readonly #control: Uint32Array;
  readonly #layout: BucketLayout;
  readonly #kernels: ReturnType<typeof bucketKernels>;
  readonly #bytes: number;
  readonly #kind: number;
  readonly #words: number;
  readonly #ids: number;
  readonly #counters: number;
  readonly #keys: Sides;
  readonly #indices: Sides | undefined;
  #finishing: Grain | undefined;

  constructor(spec: BucketSpec) {
    const { xs, temp, ids, near, control, indices, indicesTemp, indicesNear, descending, parallelism } = spec;
    const slot = thread.own?.slot ?? 0;
    const bytes = xs.BYTES_PER_ELEMENT;
    const layout = new BucketLayout(xs.length, bytes, parallelism);
    const sides = (here: TypedArray, temp: TypedArray, near: TypedArray): Sides => {
      const room = layout.nearElements * near.BYTES_PER_ELEMENT;
      const rooms = pointerOf(near) + 2 * slot * room;
      return { here: pointerOf(here), temp: pointerOf(temp), near: rooms, far: rooms + room };
    };
    this.#spec = spec;
    this.#control = control;
    this.#layout = layout;
    this.#bytes = bytes;
    this.#kind = kindOf(xs) + (descending ? DESCENDING : 0);
    this.#words = pointerOf(control);
    this.#ids = pointerOf(ids) + 2 * slot * layout.chunkElements;
    this.#counters = W_COUNTERS + slot * COUNTER_WORDS;
    this.#keys = sides(xs, temp, near);
    this.#indices = indices && sides(indices, indicesTemp as Uint32Array, indicesNear as Uint32Array);
    this.#kernels = bucketKernels({
      bits: bytes === 8 ? 64 : 32,
      kind: this.#kind,
      counters: this.#address(this.#counters),
    });
  }

  stages(first: number, next: number | undefined): Stage[] {
    const control = this.#control;
    const eachAlone = unitByUnit();
    const finishing = (): Grain => this.#grainOfBuckets();
    return [
      { units: 1, grain: eachAlone, run: () => this.#plan() },
      {
        get units() {
          return control[W_CHUNKS];
        },
        grain: eachAlone,
        run: (lo, hi) => this.#each(lo, hi, (chunk) => this.#partition(chunk)),
        after: () => this.#toBuckets(),
      },
      {
        get units() {
          return control[W_FRAME + FRAME_BUCKETS];
        },
        get grain() {
          return finishing();
        },
        run: (lo, hi) => this.#each(lo, hi, (bucket) => this.#finish(bucket)),
        after: () => (this.#collectRanges() ? first : undefined),
      },
      {
        get units() {
          return control[W_RANGES];
        },
        grain: eachAlone,
        run: (lo, hi) => this.#each(lo, hi, (range) => this.#sortRange(range)),
        after: () => next,
      },
    ];
  }

  #each(lo: number, hi: number, run: (unit: number) => number): number {
    let elements = 0;
    for (let unit = lo; unit < hi; unit++) elements += run(unit);
    return elements;
  }

  /** Made when the buckets are known. */
  #grainOfBuckets(): Grain {
    const buckets = this.#control[W_FRAME + FRAME_BUCKETS];
    const { xs, threshold, parallelism } = this.#spec;
    this.#finishing ??= new Grain({
      cost: new Cost(),
      unitElements: Math.ceil(xs.length / buckets),
      units: buckets,
      threshold,
      parallelism,
    });
    return this.#finishing;
  }

  #address(word: number): number {
    return this.#words + 4 * word;
  }

  /** Where the range is read that is being partitioned. */
  #source(): number {
    const { keys } = this.#spec;
    const here = this.#control[W_ROUND] === 0 && keys !== undefined ? pointerOf(keys) : this.#keys.here;
    return here + this.#control[W_LO] * this.#bytes;
  }

  #plan(): number {
    const count = this.#control[W_COUNT];
    const sampleBits = Math.min(12, Math.max(8, Math.floor(Math.log2(count)) - 4));
    const chunkElements = this.#layout.chunkOf(count);
    this.#control[W_CHUNK_ELEMENTS] = chunkElements;
    this.#control[W_CHUNKS] = Math.ceil(count / chunkElements);
    this.#kernels.plan({
      from: this.#source(),
      count,
      wanted: wantedFor(count),
      sampleBits,
      frame: this.#address(W_FRAME),
      table: this.#address(W_TABLE),
      widths: this.#address(W_WIDTHS),
      sample: this.#address(W_SAMPLE),
    });
    return 0;
  }

  #partition(chunk: number): number {
    const control = this.#control;
    const [start, size] = [control[W_LO], control[W_CHUNK_ELEMENTS]];
    const isFirst = control[W_ROUND] === 0;
    const first = chunk * size;
    const elements = Math.min(size, control[W_COUNT] - first);
    const indices = this.#indices;
    if (isFirst && indices !== undefined) {
      enumerate(this.#spec.indices as Uint32Array, first, first + elements);
    }
    const { classify, openPlaces, scatter, scatterPairs } = this.#kernels;
    const { places, rowWords } = this.#layout;
    const buckets = control[W_FRAME + FRAME_BUCKETS];
    const row = places + chunk * rowWords;
    control[row] = start + first;
    control.fill(0, row + 1, row + 1 + buckets);
    const counts = this.#address(row + 1);
    const [frame, table] = [this.#address(W_FRAME), this.#address(W_TABLE)];
    const from = this.#source() + first * this.#bytes;
    const { temp } = this.#keys;
    inPieces(0, elements, (lo, hi) => {
      classify(from + lo * this.#bytes, hi - lo, this.#kind, frame, table, this.#ids + 2 * lo, counts);
    });
    openPlaces(counts, buckets, start + first, temp + (start + first) * this.#bytes, elements * this.#bytes);
    inPieces(0, elements, (lo, hi) => {
      const [at, ids] = [from + lo * this.#bytes, this.#ids + 2 * lo];
      if (indices === undefined) scatter(at, hi - lo, temp, ids, counts);
      else scatterPairs(at, hi - lo, temp, ids, counts, indices.here + 4 * (start + first + lo), indices.temp);
    });
    return isFirst ? elements : 0;
  }

  /** What chunks have of buckets becomes what buckets have of chunks. */
  #toBuckets(): void {
    const control = this.#control;
    const { places, ends, starts, leftovers, rowWords } = this.#layout;
    const [chunks, buckets] = [control[W_CHUNKS], control[W_FRAME + FRAME_BUCKETS]];
    const { turnPlaces } = this.#kernels;
    turnPlaces(this.#address(places), chunks, 4 * rowWords, buckets + 1, this.#address(ends), this.#address(starts));
    const moved = control[starts + buckets];
    if (moved !== control[W_COUNT]) throw new Error(`furcate: ${moved} of ${control[W_COUNT]} elements were moved`);
    control.fill(0, leftovers, leftovers + buckets);
    control[W_WHOLE_IN_TEMP] = 1;
  }

  #finish(bucket: number): number {
    const control = this.#control;
    const layout = this.#layout;
    const start = control[layout.starts + bucket];
    const count = control[layout.starts + bucket + 1] - start;
    if (count === 0) return 0;
    const chunks = control[W_CHUNKS];
    const ends = this.#address(layout.ends + (bucket + 1) * chunks);
    const width = (control[W_WIDTHS + (bucket >>> 2)] >>> (8 * (bucket & 3))) & 0xff;
    const at = control[W_LO] + start;
    const parts = { ends, chunks, count };
    const { temp, near, far, here } = this.#keys;
    const out = here + at * this.#bytes;
    const pairs = this.#pairsOf(at);
    if (count > layout.nearElements || width === 0) {
      const differ = this.#kernels.gather(parts, temp, out, pairs);
      control[layout.leftovers + bucket] = differ;
      return differ === 0 ? count : 0;
    }
    // Of a sort of indices nobody wants the keys in order.
    this.#kernels.sort(parts, width, { from: temp, near, far, out: pairs === undefined ? out : near }, pairs);
    return count;
  }

  /** The way of indices that go to places from `at` on. */
  #pairsOf(at: number): Route | undefined {
    if (this.#indices === undefined) return undefined;
    const { temp, near, far, here } = this.#indices;
    return { from: temp, near, far, out: here + 4 * at };
  }

  /** Notes buckets that are not sorted yet; true if one of them is to be partitioned next. */
  #collectRanges(): boolean {
    const control = this.#control;
    const { starts, leftovers, ranges, most } = this.#layout;
    const buckets = control[W_FRAME + FRAME_BUCKETS];
    control[W_WHOLE_IN_TEMP] = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      if (control[leftovers + bucket] === 0) continue;
      const start = control[starts + bucket];
      const at = ranges + RANGE_WORDS * control[W_RANGES]++;
      control[at] = control[W_LO] + start;
      control[at + 1] = control[starts + bucket + 1] - start;
    }
    if (control[W_ROUND] === MOST_ROUNDS) return false;
    for (let range = control[W_RANGES] - 1; range >= 0; range--) {
      const at = ranges + RANGE_WORDS * range;
      const [lo, count] = [control[at], control[at + 1]];
      if (count <= most) continue;
      const last = ranges + RANGE_WORDS * --control[W_RANGES];
      control.copyWithin(at, last, last + RANGE_WORDS);
      control[W_LO] = lo;
      control[W_COUNT] = count;
      control[W_ROUND]++;
      return true;
    }
    return false;
  }

  /** Sorts a range in xs, with its room in temp. */
  #sortRange(range: number): number {
    const control = this.#control;
    const word = this.#layout.ranges + RANGE_WORDS * range;
    const [lo, count] = [control[word], control[word + 1]];
    const part = this.#counters + C_PART;
    control[part] = 0;
    control[part + 1] = count;
    const parts = { ends: this.#address(part + 1), chunks: 1, count };
    /** In place, with room in temp. */
    const within = ({ here, temp }: Sides, bytes: number): Route => {
      const from = here + lo * bytes;
      return { from, near: from, far: temp + lo * bytes, out: from };
    };
    const pairs = this.#indices && within(this.#indices, 4);
    this.#kernels.sort(parts, 8 * this.#bytes, within(this.#keys, this.#bytes), pairs);
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
