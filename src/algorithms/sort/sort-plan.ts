/**
 * How a sort is cut into leaves, and how many levels of merging follow; runs on every thread that computes.
 *
 *     leaf      |__|__|__|__|__|__|__|_|   sorted in place, in xs
 *     level 1   |_____|_____|_____|____|   merged from xs to temp
 *     level 2   |___________|__________|   merged from temp to xs
 *
 * The number of levels is even, so that the last one ends in xs; a level with one run left is a copy. Each level writes
 * its output in segments that any thread can merge, once it is known where in the two runs a segment begins.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { COMPARE_LEAVES, MIN_SORT_LEAF, SEGMENTS_PER_LEAF } from '../tuning.js';

export interface SortPlan {
  readonly leafElements: number;
  readonly leaves: number;
  readonly levels: number;
  readonly segmentElements: number;
  readonly segments: number;
}

function planOf(length: number, wantedLeaves: number): SortPlan {
  const leafElements = MIN_SORT_LEAF * Math.max(1, Math.ceil(length / wantedLeaves / MIN_SORT_LEAF));
  const leaves = Math.ceil(length / leafElements);
  const depth = Math.ceil(Math.log2(Math.max(1, leaves)));
  const segmentElements = leafElements / SEGMENTS_PER_LEAF;
  return {
    leafElements,
    leaves,
    levels: depth + (depth % 2),
    segmentElements,
    segments: Math.ceil(length / segmentElements),
  };
}

/**
 * With a comparator: by the length alone, so that even an inconsistent comparator gives the same order at any
 * parallelism.
 */
export function comparePlan(length: number): SortPlan {
  return planOf(length, COMPARE_LEAVES);
}

/** By numbers: few and large leaves, since a radix sort is cheaper than merging; the order does not depend on it. */
export function numericPlan(xs: TypedArray, parallelism: number): SortPlan {
  return indexPlan(xs.length, parallelism);
}

/** Of indices by numbers, whatever the size of these. */
export function indexPlan(length: number, parallelism: number): SortPlan {
  let leaves = 1;
  if (parallelism > 1) while (leaves < 2 * parallelism) leaves *= 4;
  return planOf(length, leaves);
}
