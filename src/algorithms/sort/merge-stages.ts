/**
 * Merging sorted runs in segments that any thread can merge; runs on every thread that computes.
 *
 * The output is cut into segments of equal length. Where a segment begins in its two runs is found by rank, once, and kept in
 * shared memory. The root then makes sure that no split lies before the previous one. So even a comparator that answers at random cannot
 * make two segments take the same element: it only spoils the order.
 * Source: Odeh, Green, Mwassi, Shmueli, Birk (2012), "Merge path", with the splits made monotone.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { eachUnit, type WorkStage } from '../schedule/stages.js';
import type { Compared } from './comparator.js';
import type { MergeKernel } from './kernels/merge-kernel.js';

/** Two sorted runs, left[lo, mid) and right[from, to), and the index in the output where their merge begins. */
export interface MergedRuns {
  readonly lo: number;
  readonly mid: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
}

export interface Merge {
  readonly kernel: Pick<MergeKernel, 'rank' | 'merge'>;
  /** Arguments of the kernel's functions. */
  readonly context: unknown;
  readonly left: TypedArray;
  readonly right: TypedArray;
  readonly out: TypedArray;
  /** For each segment of the output, the index in its left run where it begins. Plain: stages are joined. */
  readonly splits: Uint32Array;
  readonly segmentElements: number;
  /** The cost of an element that is merged. */
  readonly cost: Cost;
  /** True if merged elements count as progress. */
  readonly isCounted: boolean;
  /** Actions of the root before and after it merges segments. */
  readonly before?: WorkStage['before'];
  readonly after?: WorkStage['after'];
  /** The runs that go to this place of the output; a segment has one pair of runs. */
  runsAt(at: number): MergedRuns;
}

/** Two stages: the places where segments begin, and the segments. */
export function mergeStages(spec: Compared, merge: Merge): [rank: WorkStage, merge: WorkStage] {
  const { called: calls, context, threshold, parallelism } = spec;
  const { kernel, context: given, left, right, out, splits, segmentElements, cost, runsAt, before, after } = merge;
  const { length } = out;
  const units = Math.ceil(length / segmentElements);

  function rankSegment(segment: number): number {
    const at = segment * segmentElements;
    const { lo, mid, from, to, start } = runsAt(at);
    splits[segment] = lo + kernel.rank(left, lo, mid, right, from, to, at - start, given);
    return 0;
  }

  /**
   * Makes sure that each split follows the one before it: between them lie at most a segment's elements of the left run, and the
   * rest of the output has room for what is left of that run. With a consistent comparator all this is so anyway.
   */
  function orderSplits(): void {
    for (let segment = 1; segment < units; segment++) {
      const at = segment * segmentElements;
      const { lo, mid, from, to, start } = runsAt(at);
      if (at === start) continue;
      const rest = start + (mid - lo) + (to - from) - at;
      const before = splits[segment - 1];
      const least = Math.max(before, mid - rest);
      splits[segment] = Math.min(Math.max(splits[segment], least), mid, before + segmentElements);
    }
  }

  function mergeSegment(segment: number): number {
    const at = segment * segmentElements;
    const { lo, mid, from, to, start } = runsAt(at);
    const next = Math.min(at + segmentElements, length);
    const i = splits[segment];
    const iEnd = next === start + (mid - lo) + (to - from) ? mid : splits[segment + 1];
    const j = from + (at - start) - (i - lo);
    const jEnd = from + (next - start) - (iEnd - lo);
    kernel.merge(left, i, iEnd, right, j, jEnd, out, at, given);
    return merge.isCounted ? next - at : 0;
  }

  const ranking = new Grain({ cost: new Cost(), unitElements: 1, units, threshold: 0, parallelism });
  const merging = new Grain({ cost, unitElements: segmentElements, units, threshold, parallelism });
  return [
    { calls, context, units, grain: ranking, run: eachUnit(rankSegment), after: orderSplits },
    { calls, context, units, grain: merging, before, run: eachUnit(mergeSegment), after },
  ];
}
