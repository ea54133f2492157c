/**
 * Sorting by a comparator that orders numbers as numbers (numeric-order.ts): by buckets, as long as that gives what the
 * comparator asks for; what its tasks run, on every thread that computes.
 *
 * To `a - b` and `a < b`, -0 and 0 are equal and keep their order; in a sort by bits -0 comes first. So a first look tells
 * whether there are zeros of both signs, and if so the comparator is called after all. NaN, which no order has a place for,
 * comes last.
 */

import { kernels, pointerOf } from '../kernels/wasm-kernels.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/split.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { LEAVES_PER_THREAD } from '../tuning.js';
import { BUCKET_STAGES, type BucketSpec, bucketStages } from './bucket-job.js';
import { mergeStages, type SortSpec } from './sort-job.js';

export interface OrderedSpec extends BucketSpec, SortSpec {
  /** A word for each chunk of the first look. Plain: stages are joined before others read them. */
  readonly zeros: Uint32Array;
}

/** Chunks of the first look. */
export const zeroChunks = (parallelism: number): number => LEAVES_PER_THREAD * parallelism;

const BOTH_SIGNS = 3;

function openOrdered(spec: OrderedSpec): Stage[] {
  const merging = 1 + BUCKET_STAGES;
  const merges = mergeStages(spec);
  const last = merges.length - 1;
  // Leaves and last merges count as the two passes that the buckets make.
  const counted = merges.map((stage, k) => (k === 0 || k === last ? stage : { ...stage, run: silently(stage.run) }));
  return [lookForZeros(spec, merging), ...bucketStages(spec, 1, merging + merges.length), ...counted];
}

const silently =
  (run: Stage['run']): Stage['run'] =>
  (lo, hi, lane) => {
    run(lo, hi, lane);
    return 0;
  };

function lookForZeros({ xs, zeros, parallelism }: OrderedSpec, merging: number): Stage {
  const isFloat = xs[Symbol.toStringTag].startsWith('Float');
  const chunks = isFloat ? zeroChunks(parallelism) : 0;
  const chunkElements = Math.ceil(xs.length / Math.max(1, chunks));
  const startOf = (chunk: number): number => Math.min(xs.length, chunk * chunkElements);
  return {
    units: chunks,
    grain: new Grain(new Cost(), chunkElements, chunks, 0, chunks),
    run(lo, hi) {
      const find = xs.BYTES_PER_ELEMENT === 8 ? kernels()?.zeros64 : kernels()?.zeros32;
      for (let chunk = lo; chunk < hi; chunk++) {
        const at = pointerOf(xs) + startOf(chunk) * xs.BYTES_PER_ELEMENT;
        zeros[chunk] = find?.(at, startOf(chunk + 1) - startOf(chunk)) ?? BOTH_SIGNS;
      }
      return 0;
    },
    after() {
      const found = zeros.subarray(0, chunks).reduce((all, bits) => all | bits, 0);
      return found === BOTH_SIGNS ? merging : undefined;
    },
  };
}

export const ORDERED_SORT = stagedKind<OrderedSpec>('sort in numeric order', openOrdered);
