/**
 * Sorting by a comparator that orders numbers as numbers (numeric-order.ts): by buckets, as long as that gives what the
 * comparator asks for; what its tasks run, on every thread that computes.
 *
 * To `a - b` and `a < b`, -0 and 0 are equal and keep their order; in a sort by bits -0 comes first. NaN is neither less than a
 * number nor equal to it, so where it ends depends on who is compared with whom. So a first look tells whether there are zeros
 * of both signs, or NaN, and if so the comparator is called after all.
 */

import { kernels, pointerOf } from '../kernels/wasm-kernels.js';
import { unitByUnit } from '../schedule/grain.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { LEAVES_PER_THREAD } from '../tuning.js';
import { BUCKET_STAGES, type BucketSpec, bucketStages } from './bucket-job.js';
import { mergeStages, type SortSpec } from './sort-job.js';

export interface OrderedSpec extends BucketSpec, SortSpec {
  /** A word for each chunk of the first look. Plain: stages are joined before others read them. */
  readonly unordered: Uint32Array;
}

/** Chunks of the first look. */
export const lookChunks = (parallelism: number): number => LEAVES_PER_THREAD * parallelism;

// What `unordered` has of a chunk.
const ZEROS = 3; // of both signs
const NAN = 4;

function openOrdered(spec: OrderedSpec): Stage[] {
  const merging = 1 + BUCKET_STAGES;
  const merges = mergeStages(spec);
  const last = merges.length - 1;
  // Leaves and last merges count as the two passes that the buckets make.
  const counted = merges.map((stage, k) => (k === 0 || k === last ? stage : { ...stage, run: silently(stage.run) }));
  return [lookForUnordered(spec, merging), ...bucketStages(spec, 1, merging + merges.length), ...counted];
}

const silently =
  (run: Stage['run']): Stage['run'] =>
  (lo, hi, lane) => {
    run(lo, hi, lane);
    return 0;
  };

function lookForUnordered({ xs, unordered, parallelism }: OrderedSpec, merging: number): Stage {
  const isFloat = xs[Symbol.toStringTag].startsWith('Float');
  const chunks = isFloat ? lookChunks(parallelism) : 0;
  const chunkElements = Math.ceil(xs.length / Math.max(1, chunks));
  const startOf = (chunk: number): number => Math.min(xs.length, chunk * chunkElements);
  return {
    units: chunks,
    grain: unitByUnit(),
    run(lo, hi) {
      const find = xs.BYTES_PER_ELEMENT === 8 ? kernels()?.unordered64 : kernels()?.unordered32;
      for (let chunk = lo; chunk < hi; chunk++) {
        const at = pointerOf(xs) + startOf(chunk) * xs.BYTES_PER_ELEMENT;
        unordered[chunk] = find?.(at, startOf(chunk + 1) - startOf(chunk)) ?? NAN;
      }
      return 0;
    },
    after() {
      const found = unordered.subarray(0, chunks).reduce((all, bits) => all | bits, 0);
      return (found & ZEROS) === ZEROS || (found & NAN) !== 0 ? merging : undefined;
    },
  };
}

export const ORDERED_SORT = stagedKind<OrderedSpec>('sort in numeric order', openOrdered);
