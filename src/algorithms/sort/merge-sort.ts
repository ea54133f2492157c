/**
 * A merge sort of elements, or of the indices of keys: leaves, then levels of merging; runs on every thread that computes.
 *
 *     leaf      |__|__|__|__|__|__|__|_|   sorted in place, in xs
 *     level 1   |_____|_____|_____|____|   merged from xs to temp
 *     level 2   |___________|__________|   merged from temp to xs
 *
 * The number of levels is even, so that the last one ends in xs; a level with one run left is a copy. Each level writes
 * its output in segments.
 *
 * When something throws, one of the two arrays has all elements. A leaf is sorted in a buffer and copied to xs when it is done, so xs
 * has all elements until a merge writes to it. From then on temp has them, and a word says so: then the caller copies temp back.
 */
import { compiled } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { typeOf } from '../call/call-arrays.js';
import { contextOf } from '../call/user-function.js';
import { BufferCache } from '../schedule/buffer-cache.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { eachUnit, type WorkStage } from '../schedule/stages.js';
import { COMPARE_LEAVES, MIN_SORT_LEAF, SEGMENTS_PER_LEAF } from '../tuning.js';
import type { Compared } from './comparator.js';
import type { Compare, MergeKernel } from './kernels/merge-kernel.js';
import { orderOf } from './kernels/orders.js';
import { mergeStages } from './merge-stages.js';

/**
 * With a comparator the plan follows from the length alone, so that even an inconsistent comparator gives the same order at any
 * parallelism. Numbers are cut into few and large leaves; their order does not depend on it.
 */
function planOf(length: number, isCompared: boolean, parallelism: number) {
  let wanted = isCompared ? COMPARE_LEAVES : 1;
  if (!isCompared && parallelism > 1) while (wanted < 2 * parallelism) wanted *= 4;
  const leafElements = MIN_SORT_LEAF * Math.max(1, Math.ceil(length / wanted / MIN_SORT_LEAF));
  const leaves = Math.ceil(length / leafElements);
  const depth = Math.ceil(Math.log2(Math.max(1, leaves)));
  const segmentElements = leafElements / SEGMENTS_PER_LEAF;
  return { leafElements, leaves, levels: depth + (depth % 2), segmentElements };
}

/** Data of a sort, and its order. */
export interface Sorted extends Compared {
  /** Array that is sorted: the elements, or for an argsort the indices of `keys`. */
  readonly xs: TypedArray;
  readonly keys: TypedArray | undefined;
  /** Room for as many as `xs`. */
  readonly temp: TypedArray;
  /** Of a merge sort: `W_WHOLE_IN_TEMP`, then for each segment the index in its left run where it begins. */
  readonly words: Uint32Array;
}

/** 1 while xs is being overwritten from temp. Plain: written by the root task, read by the caller once nothing runs any more. */
const W_WHOLE_IN_TEMP = 0;
const W_SPLITS = 1;

/** Number of words that a merge sort needs; the first one is 0 at first. */
export const mergeWords = (length: number, isCompared: boolean, parallelism: number): number =>
  W_SPLITS + Math.ceil(length / planOf(length, isCompared, parallelism).segmentElements);

/** Leaves all elements in xs, after a call that did not come to its end. */
export function restoreMerged({ xs, temp, words }: Sorted): void {
  if (words[W_WHOLE_IN_TEMP] === 1) (xs as Float64Array).set(temp as Float64Array);
}

/** Sorts a range in a buffer that has room for two of them, and puts it back when done: a comparator that throws leaves it as it was. */
export function sortAside(kernel: MergeKernel, range: TypedArray, buffer: TypedArray, context: unknown): void {
  const { length } = range;
  const a = buffer.subarray(0, length);
  const b = buffer.subarray(length, 2 * length);
  (a as Float64Array).set(range as Float64Array);
  kernel.sort(a as never, b as never, 0, length, false, context);
  (range as Float64Array).set(a as Float64Array);
}

/** The stages. The leaves count as progress, unless the stages are a fallback, and so does the last level. */
export function mergeSortStages(spec: Sorted, isFallback: boolean): WorkStage[] {
  const { xs, keys, temp, words, compare, context: shipped, called, threshold, parallelism } = spec;
  const { length } = xs;
  const { leafElements, leaves, levels, segmentElements } = planOf(length, compare !== undefined, parallelism);
  const [kernel, context] = orderOf(xs, keys, compare && (compiled(compare) as Compare), contextOf(spec));
  const buffers = new BufferCache(() => new (typeOf(xs))(2 * leafElements));
  const passes = isFallback ? 0 : levels === 0 ? 2 : 1;
  const sortLeaf = (leaf: number): number => {
    const from = leaf * leafElements;
    const range = xs.subarray(from, from + leafElements);
    if (keys !== undefined) for (let i = 0; i < range.length; i++) range[i] = from + i;
    if (keys === undefined && compare === undefined) range.sort();
    else {
      const buffer = buffers.take();
      sortAside(kernel, range, buffer, context);
      buffers.give(buffer);
    }
    return passes * range.length;
  };
  const grain = new Grain({ cost: new Cost(), unitElements: leafElements, units: leaves, threshold, parallelism });
  const stages: WorkStage[] = [{ calls: called, context: shipped, units: leaves, grain, run: eachUnit(sortLeaf) }];
  const [cost, splits] = [new Cost(), words.subarray(W_SPLITS)];
  for (let level = 1; level <= levels; level++) {
    const isIntoXs = level % 2 === 0;
    const [source, out] = isIntoXs ? [temp, xs] : [xs, temp];
    const run = leafElements * 2 ** (level - 1);
    const runsAt = (at: number) => {
      const lo = Math.floor(at / (2 * run)) * 2 * run;
      const mid = Math.min(lo + run, length);
      return { lo, mid, from: mid, to: Math.min(lo + 2 * run, length), start: lo };
    };
    stages.push(
      ...mergeStages(spec, {
        kernel,
        context,
        left: source,
        right: source,
        out,
        splits,
        segmentElements,
        cost,
        isCounted: level === levels,
        runsAt,
        before() {
          words[W_WHOLE_IN_TEMP] = Number(isIntoXs);
        },
        after() {
          words[W_WHOLE_IN_TEMP] = 0;
        },
      }),
    );
  }
  return stages;
}
