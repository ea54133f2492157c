/** Combines the results of a call in the tree that `parallelReduce` of plain values has on one machine. */
import { FOLD_VALUES } from '../../algorithms/tuning.js';
import { noPromise } from '../no-promise.js';

const COMBINE = 'combine of cluster.parallelReduce';

/**
 * Blocks of values are folded from left to right, then blocks of their results, and so on. The tree depends on the number of the values only.
 *
 * @throws TypeError for no values, and where `combine` returns a promise; what `combine` throws
 */
export function foldInBlocks<R>(values: readonly R[], combine: (left: R, right: R) => R): R {
  if (values.length === 0) throw new TypeError('furcate: cluster.parallelReduce of no items has no result.');
  let level = values;
  do {
    const next: R[] = [];
    for (let lo = 0; lo < level.length; lo += FOLD_VALUES)
      next.push(level.slice(lo, lo + FOLD_VALUES).reduce((left, right) => noPromise(combine(left, right), COMBINE)));
    level = next;
  } while (level.length > 1);
  return level[0] as R;
}
