/**
 * How a merge sort is cut into leaves, and how many levels of merging follow; runs on every thread that computes.
 *
 *     leaf      |__|__|__|__|__|__|__|_|   sorted in place, in xs
 *     level 1   |_____|_____|_____|____|   merged from xs to temp
 *     level 2   |___________|__________|   merged from temp to xs
 *
 * The number of levels is even, so that the last one ends in xs; a level with one run left is a copy. Each level writes
 * its output in segments.
 */
import { COMPARE_LEAVES, MIN_SORT_LEAF, SEGMENTS_PER_LEAF } from '../tuning.js';

export interface SortPlan {
  readonly leafElements: number;
  readonly leaves: number;
  readonly levels: number;
  readonly segmentElements: number;
  readonly segments: number;
}

/**
 * With a comparator the plan follows from the length alone, so that even an inconsistent comparator gives the same order at any
 * parallelism. Numbers are cut into few and large leaves; their order does not depend on it.
 */
export function planOf(length: number, isCompared: boolean, parallelism: number): SortPlan {
  let wanted = isCompared ? COMPARE_LEAVES : 1;
  if (!isCompared && parallelism > 1) while (wanted < 2 * parallelism) wanted *= 4;
  const leafElements = MIN_SORT_LEAF * Math.max(1, Math.ceil(length / wanted / MIN_SORT_LEAF));
  const leaves = Math.ceil(length / leafElements);
  const depth = Math.ceil(Math.log2(Math.max(1, leaves)));
  const segmentElements = leafElements / SEGMENTS_PER_LEAF;
  const segments = Math.ceil(length / segmentElements);
  return { leafElements, leaves, levels: depth + (depth % 2), segmentElements, segments };
}
