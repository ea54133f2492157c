/**
 * Sorting numbers by buckets, with the WebAssembly kernels: what its tasks run; on every thread that computes.
 *
 *     plan       takes a sample, which says where buckets begin (one unit)
 *     partition  each chunk, which fits into the cache, is put in the order of its buckets, from `here` to `temp`. Where there is
 *                a comparator, this also finds floats that it orders otherwise than their bits do
 *     finish     each bucket is gathered from all chunks, sorted in the cache, and written to `here`
 *     rest       buckets that are too large for the cache were only gathered: they are sorted alone
 *
 * The largest of these buckets are planned and partitioned again before the rest, one by one, so that all threads take part.
 * While `here` is being overwritten, nobody writes to `temp`. So the caller can put everything back if the call fails (`restore`).
 * Each lane has buffers of its own.
 * Chunks and buckets depend on the parallelism. The order does not, because equal numbers are the same number.
 * Source: Axtmann, Witt, Ferizovic, Sanders (2017), IPS4o, for a sampled partition and noted buckets; theirs is in place
 * and compares, here a table stands for the comparisons.
 */

import { add, or } from '../../core/memory/atomics.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import type { CallArrays } from '../call/call-arrays.js';
import { inPieces } from '../kernels/pieces.js';
import { pointerOf, sortKernels } from '../kernels/wasm-kernels.js';
import { Cost } from '../schedule/cost.js';
import { Grain, unitByUnit } from '../schedule/grain.js';
import { eachUnit, type WorkStage } from '../schedule/stages.js';
import * as W from './bucket-control.js';
import { DESCENDING, keySuffix, kindOf, pairSuffix } from './kernels/wasm-sort.js';
import type { Sorted } from './merge-sort.js';

/** Of a sort, `keys` are the elements themselves; of an argsort the indices move along with them. */
export interface BucketSpec {
  /** The keys as they are given, of a type that the kernels sort. */
  readonly keys: TypedArray;
  /** The given keys themselves, or room for as many. */
  readonly here: TypedArray;
  readonly temp: TypedArray;
  /** Larger elements first; NaN last all the same. */
  readonly descending: boolean;
  readonly control: Uint32Array;
}

export function controlFor(arrays: CallArrays, keys: TypedArray, parallelism: number, isArgsort: boolean): Uint32Array {
  const { words } = W.layoutOf(keys.length, keys.BYTES_PER_ELEMENT, parallelism, isArgsort);
  const control = arrays.scratch(Uint32Array, words).fill(0, 0, W.PLAN);
  control[W.COUNT] = keys.length;
  return control;
}

/** Puts all elements back, in some order, after a call that did not come to its end. */
export function restore({ here, temp, control }: BucketSpec): void {
  if (control[W.WHOLE_IN_TEMP] === 0) return;
  const [lo, count] = [control[W.LO], control[W.COUNT]];
  (here as Float64Array).set(temp.subarray(lo, lo + count) as Float64Array, lo);
}

// What the kernel finds among floats, as bits: zeros of both signs, and NaN.
const ZEROS = 3;
const NAN = 4;

/**
 * The stages of a sort by buckets.
 *
 * @param fallback stages that sort by calling the comparator. They run instead of the buckets where the order of bits is not the
 *   comparator's: `a - b` and `a < b` take -0 for 0, so zeros keep their order, and where NaN ends depends on who is compared with whom
 */
export function bucketStages(spec: BucketSpec, sorted: Sorted, fallback: readonly WorkStage[]): WorkStage[] {
  const { keys, here, temp, control } = spec;
  const { threshold, parallelism } = sorted;
  const order = sorted.keys === undefined ? undefined : (sorted.xs as Uint32Array);
  const bytes = keys.BYTES_PER_ELEMENT;
  const layout = W.layoutOf(keys.length, bytes, parallelism, order !== undefined);
  const { places, ends, starts, ranges, rowWords, bufferElements, chunkElements } = layout;
  const kind = kindOf(keys) + (spec.descending ? DESCENDING : 0);
  const looks = fallback.length > 0 && keys[Symbol.toStringTag].startsWith('Float');
  const header = new Int32Array(control.buffer, control.byteOffset, W.PLAN);
  const words = pointerOf(control);
  const address = (word: number): number => words + 4 * word;

  const wasm = sortKernels.exports();
  const bits = keySuffix(keys);
  const pairs = pairSuffix(keys, order);
  const { openPlaces, turnPlaces, gatherU32: gatherOrder } = wasm;
  const [gather, isOneKey, classify] = [wasm[`gather${bits}`], wasm[`isOneKey${bits}`], wasm[`classify${bits}`]];
  const [scatter, sort] = [wasm[`scatter${pairs}`], wasm[`sort${pairs}`]];

  // Addresses. A sort without indices has 0 for those of indices, which its kernels do not read.
  const [keysAt, hereAt, tempAt] = [keys, here, temp].map(pointerOf);
  const [orderAt, orderTempAt] = order === undefined ? [0, 0] : [order, sorted.temp].map(pointerOf);
  const idsOf = (lane: number): number => address(layout.ids) + lane * 2 * chunkElements;
  const countersOf = (lane: number): number => address(W.COUNTERS + lane * W.COUNTER_WORDS);

  /** Address at which the range that is being partitioned is read. */
  const rangeAt = (): number => (control[W.ROUND] === 0 ? keysAt : hereAt) + control[W.LO] * bytes;

  function plan(): number {
    const count = control[W.COUNT];
    control[W.CHUNK_ELEMENTS] = layout.chunkOf(count);
    control[W.CHUNKS] = Math.ceil(count / control[W.CHUNK_ELEMENTS]);
    wasm[`plan${bits}`](rangeAt(), count, kind, W.wantedFor(count), address(W.PLAN));
    return 0;
  }

  function partition(chunk: number, lane: number): number {
    const isFirst = control[W.ROUND] === 0;
    const first = chunk * control[W.CHUNK_ELEMENTS];
    const elements = Math.min(control[W.CHUNK_ELEMENTS], control[W.COUNT] - first);
    const start = control[W.LO] + first;
    const buckets = control[W.BUCKETS];
    const row = places + chunk * rowWords;
    control[row] = start;
    control.fill(0, row + 1, row + 1 + buckets);
    const counts = address(row + 1);
    const idsAt = idsOf(lane);
    const from = rangeAt() + first * bytes;
    if (isFirst && order !== undefined) for (let i = first; i < first + elements; i++) order[i] = i;
    inPieces(0, elements, (lo, hi) => {
      if (isFirst && looks) or(header, W.FOUND, wasm[`unordered${bits}`](from + lo * bytes, hi - lo));
      classify(from + lo * bytes, hi - lo, kind, address(W.PLAN), idsAt + 2 * lo, counts);
    });
    openPlaces(counts, buckets, start, tempAt + start * bytes, elements * bytes);
    inPieces(0, elements, (lo, hi) => {
      const orderFrom = orderAt + 4 * (start + lo);
      scatter(from + lo * bytes, hi - lo, tempAt, idsAt + 2 * lo, counts, orderFrom, orderTempAt);
    });
    return isFirst ? elements : 0;
  }

  /** Turns the places by chunk into places by bucket; or goes on with the fallback. */
  function toBuckets(): number | undefined {
    const found = control[W.FOUND];
    if ((found & ZEROS) === ZEROS || (found & NAN) !== 0) return stages.length - fallback.length;
    const buckets = control[W.BUCKETS];
    turnPlaces(address(places), control[W.CHUNKS], 4 * rowWords, buckets + 1, address(ends), address(starts));
    const moved = control[starts + buckets];
    if (moved !== control[W.COUNT]) throw new Error(`furcate: ${moved} of ${control[W.COUNT]} elements were moved`);
    control[W.WHOLE_IN_TEMP] = 1;
    return undefined;
  }

  function finish(bucket: number, lane: number): number {
    const start = control[starts + bucket];
    const count = control[starts + bucket + 1] - start;
    if (count === 0) return 0;
    const chunks = control[W.CHUNKS];
    const bucketEnds = address(ends + (bucket + 1) * chunks);
    const width = (control[W.WIDTHS + (bucket >>> 2)] >>> (8 * (bucket & 3))) & 0xff;
    const out = hereAt + (control[W.LO] + start) * bytes;
    const orderOut = orderAt + 4 * (control[W.LO] + start);
    const isGatheredOnly = count > bufferElements || width === 0;
    const source = address(layout.buffers) + lane * 2 * bufferElements * bytes;
    const orderSource = address(layout.orderBuffers) + lane * 8 * bufferElements;
    gather(tempAt, bucketEnds, 4 * chunks, chunks, isGatheredOnly ? out : source);
    if (order !== undefined) {
      gatherOrder(orderTempAt, bucketEnds, 4 * chunks, chunks, isGatheredOnly ? orderOut : orderSource);
    }
    if (!isGatheredOnly) {
      // Nobody reads the sorted keys of an argsort.
      const keysOut = order === undefined ? out : source;
      const [target, orderTarget] = [source + bufferElements * bytes, orderSource + 4 * bufferElements];
      sort(count, source, target, keysOut, kind, width, countersOf(lane), orderSource, orderTarget, orderOut);
      return count;
    }
    if (width === 0 || isOneKey(out, count, kind)) return count;
    const range = add(header, W.RANGES, 1);
    control.set([control[W.LO] + start, count], ranges + W.RANGE_WORDS * range);
    return 0;
  }

  /** Start of a range that is left over, and its elements. */
  function rangeOf(range: number): [lo: number, count: number] {
    const word = ranges + W.RANGE_WORDS * range;
    return [control[word], control[word + 1]];
  }

  /** Takes a range that is to be partitioned next from those that are left over; returns whether there is one. */
  function takeLarge(): boolean {
    control[W.WHOLE_IN_TEMP] = 0;
    if (control[W.ROUND] === W.MOST_ROUNDS) return false;
    for (let range = control[W.RANGES] - 1; range >= 0; range--) {
      const [lo, count] = rangeOf(range);
      if (count <= layout.most) continue;
      control.set(rangeOf(--control[W.RANGES]), ranges + W.RANGE_WORDS * range);
      control[W.LO] = lo;
      control[W.COUNT] = count;
      control[W.ROUND]++;
      return true;
    }
    return false;
  }

  /** Sorts a range in place, with the same range of `temp` as a buffer. */
  function sortRange(range: number, lane: number): number {
    const [lo, count] = rangeOf(range);
    const [from, orderFrom] = [hereAt + lo * bytes, orderAt + 4 * lo];
    const [to, orderTo] = [tempAt + lo * bytes, orderTempAt + 4 * lo];
    sort(count, from, to, from, kind, 8 * bytes, countersOf(lane), orderFrom, orderTo, orderFrom);
    return count;
  }

  /** A stage whose number of units is a word of the control array. */
  const stageOf = (
    word: number,
    grain: Grain,
    unit: Parameters<typeof eachUnit>[0],
    after: WorkStage['after'],
  ): WorkStage => ({
    get units() {
      return control[word];
    },
    grain,
    byLane: true,
    run: eachUnit(unit),
    after,
  });

  const buckets = W.wantedFor(keys.length); // about
  const unitElements = Math.ceil(keys.length / buckets);
  const finishing = new Grain({ cost: new Cost(), unitElements, units: buckets, threshold, parallelism });
  const stages: WorkStage[] = [
    { units: 1, grain: unitByUnit(), run: plan },
    stageOf(W.CHUNKS, unitByUnit(), partition, toBuckets),
    stageOf(W.BUCKETS, finishing, finish, () => (takeLarge() ? 0 : undefined)),
    stageOf(W.RANGES, unitByUnit(), sortRange, () => stages.length),
    ...fallback,
  ];
  return stages;
}
