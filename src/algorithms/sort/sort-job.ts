/**
 * What the tasks of a sort run: leaves, then levels of merging; runs on every thread that computes.
 *
 * One task, the root, goes through the phases; within a phase the units are independent: leaves, then for each level the
 * places where output segments begin in their two runs, then the segments. A place is searched for once and kept in
 * shared memory, and made to follow the one before it. So even a comparator that answers at random cannot make two
 * segments take the same element: it only spoils the order.
 *
 * What there is of the input when something throws: leaves are sorted aside and put into xs when they are done, so xs is
 * whole until a merge writes to it; then temp is, which `W_WHOLE_IS_TEMP` says, and the caller copies it back.
 * Source: merging by rank, Odeh, Green, Mwassi, Shmueli, Birk (2012), "Merge path", with the splits made monotone.
 */

import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { specialize } from '../../core/code/specialize.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { typeOf } from '../call/call-arrays.js';
import { withoutBranches } from '../patterns/recognise.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { Spare } from '../schedule/spare.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { type IndexOrder, keyOrder } from './kernels/key-order.js';
import { type MergeKernel, makeAfterOf, makeMergeKernel } from './kernels/merge-kernel.js';
import { numericKernel, sortNumbers } from './kernels/numeric-sort.js';
import { sortIndices } from './kernels/radix-order.js';
import type { SortPlan } from './sort-plan.js';

export interface SortSpec {
  /** What is sorted: the elements, or for an argsort the indices of `keys`. */
  readonly xs: TypedArray;
  readonly keys?: TypedArray;
  readonly temp: TypedArray;
  /** `W_WHOLE_IS_TEMP`, then for each segment the index in its left run where it begins. */
  readonly words: Uint32Array;
  readonly plan: SortPlan;
  readonly compare: ShippedFunction | undefined;
  /** What errors call the algorithm. */
  readonly called: string;
  readonly context: ShippedContext | undefined;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Written by the root task, read by the caller once nothing runs any more: 1 while xs is being overwritten from temp. */
export const W_WHOLE_IS_TEMP = 0;
const W_SPLITS = 1;

/** How many words the spec needs. */
export const sortWords = (plan: SortPlan): number => W_SPLITS + plan.segments;

/** How often each element is counted as done. */
export const sortPasses = (plan: SortPlan): number => 1 + plan.levels;

type Compare = (a: unknown, b: unknown, context: unknown) => unknown;

/** Merging in the order of a comparator. */
export function compareKernel(compare: Compare, xs: TypedArray): MergeKernel {
  const tag = xs[Symbol.toStringTag];
  return specialize(makeMergeKernel, tag, specialize(makeAfterOf, tag, withoutBranches(compare)));
}

/** What a merge of one level joins: runs [lo, mid) and [mid, hi). */
interface Pair {
  readonly lo: number;
  readonly mid: number;
  readonly hi: number;
}

class SortState {
  readonly #spec: SortSpec;
  readonly #indexOrder: IndexOrder | undefined;
  readonly #kernel: MergeKernel;
  readonly #context: unknown;
  readonly #grains: readonly [leaves: Grain, ranks: Grain, segments: Grain];
  readonly #spare: Spare<TypedArray>;

  constructor(spec: SortSpec) {
    const { xs, keys, plan, compare, context, threshold, parallelism } = spec;
    this.#spec = spec;
    const order = compare === undefined ? undefined : (compiled(compare) as Compare);
    const userContext = context === undefined ? undefined : openContext(context);
    this.#indexOrder = keys === undefined ? undefined : keyOrder(keys, order, userContext);
    this.#kernel = this.#indexOrder?.kernel ?? (order === undefined ? numericKernel(xs) : compareKernel(order, xs));
    this.#context = this.#indexOrder === undefined ? userContext : this.#indexOrder.context;
    this.#spare = new Spare(() => new (typeOf(xs))(2 * plan.leafElements));
    this.#grains = [
      new Grain({ cost: new Cost(), unitElements: plan.leafElements, units: plan.leaves, threshold, parallelism }),
      new Grain({ cost: new Cost(), unitElements: 1, units: plan.segments, threshold: 0, parallelism }),
      new Grain({ cost: new Cost(), unitElements: plan.segmentElements, units: plan.segments, threshold, parallelism }),
    ];
  }

  /** The leaves, then for each level the places where its segments begin, and the segments. */
  get stages(): Stage[] {
    const { plan, words } = this.#spec;
    const [leaves, ranks, segments] = this.#grains;
    const stages = [this.#stage(plan.leaves, leaves, (lo, hi) => this.#sortLeaves(lo, hi))];
    for (let level = 1; level <= plan.levels; level++) {
      const isIntoXs = level % 2 === 0;
      stages.push(
        this.#stage(plan.segments, ranks, (lo, hi) => this.#rankSegments(level, lo, hi)),
        {
          ...this.#stage(plan.segments, segments, (lo, hi) => this.#mergeSegments(level, lo, hi)),
          before: () => {
            this.#orderSplits(level);
            if (isIntoXs) words[W_WHOLE_IS_TEMP] = 1; // plain: read after the job has settled
          },
          after: () => {
            words[W_WHOLE_IS_TEMP] = 0; // plain: as above
          },
        },
      );
    }
    return stages;
  }

  #stage(units: number, grain: Grain, run: Stage['run']): Stage {
    const { compare, called, context } = this.#spec;
    return { units, grain, run, ...(compare === undefined ? {} : { calls: `the comparator of ${called}`, context }) };
  }

  #sortLeaves(lo: number, hi: number): number {
    const { xs, temp, keys, plan, compare } = this.#spec;
    const { leafElements } = plan;
    for (let leaf = lo; leaf < hi; leaf++) {
      const from = leaf * leafElements;
      const part = xs.subarray(from, from + leafElements);
      if (keys !== undefined) {
        const scratch = temp.subarray(from, from + leafElements) as Uint32Array;
        sortIndices(keys, this.#indexOrder as IndexOrder, from, part as Uint32Array, scratch);
        continue;
      }
      if (compare === undefined) sortNumbers(part, temp.subarray(from, from + leafElements));
      else this.#sortAside(part);
    }
    return Math.min(hi * leafElements, xs.length) - lo * leafElements;
  }

  /** Sorts in this realm's own memory, so that a comparator that throws leaves the part as it was. */
  #sortAside(part: TypedArray): void {
    const { leafElements } = this.#spec.plan;
    this.#spare.with((spare) => sortAside(this.#kernel, part, spare, leafElements, this.#context));
  }

  #pair(level: number, at: number): Pair {
    const run = this.#spec.plan.leafElements * 2 ** (level - 1);
    const lo = Math.floor(at / (2 * run)) * 2 * run;
    const { length } = this.#spec.xs;
    return { lo, mid: Math.min(lo + run, length), hi: Math.min(lo + 2 * run, length) };
  }

  /** What a level merges from. */
  #source(level: number): TypedArray {
    return level % 2 === 1 ? this.#spec.xs : this.#spec.temp;
  }

  #rankSegments(level: number, lo: number, hi: number): number {
    const { words, plan } = this.#spec;
    const source = this.#source(level);
    for (let segment = lo; segment < hi; segment++) {
      const at = segment * plan.segmentElements;
      const pair = this.#pair(level, at);
      words[W_SPLITS + segment] =
        pair.lo + this.#kernel.rank(source, pair.lo, pair.mid, source, pair.mid, pair.hi, at - pair.lo, this.#context);
    }
    return 0;
  }

  /**
   * Makes each split follow the one before. With a consistent comparator they do; with another one, a segment could
   * otherwise begin before its predecessor ends, in one of the runs.
   */
  #orderSplits(level: number): void {
    const { words, plan } = this.#spec;
    for (let segment = 1; segment < plan.segments; segment++) {
      const at = segment * plan.segmentElements;
      const { lo, mid, hi } = this.#pair(level, at);
      if (at === lo) continue;
      const before = words[W_SPLITS + segment - 1];
      words[W_SPLITS + segment] = splitAfter(before, words[W_SPLITS + segment], plan.segmentElements, mid, hi - at);
    }
  }

  #mergeSegments(level: number, lo: number, hi: number): number {
    const { xs, temp, words, plan } = this.#spec;
    const source = this.#source(level);
    const out = source === xs ? temp : xs;
    const { segmentElements } = plan;
    for (let segment = lo; segment < hi; segment++) {
      const at = segment * segmentElements;
      const end = Math.min(at + segmentElements, xs.length);
      const pair = this.#pair(level, at);
      const left = words[W_SPLITS + segment]; // plain: written in an earlier phase, which was joined
      const leftEnd = end === pair.hi ? pair.mid : words[W_SPLITS + segment + 1];
      const right = pair.mid + (at - pair.lo) - (left - pair.lo);
      const rightEnd = pair.mid + (end - pair.lo) - (leftEnd - pair.lo);
      this.#kernel.merge(source, left, leftEnd, source, right, rightEnd, out, at, this.#context);
    }
    return Math.min(hi * segmentElements, xs.length) - lo * segmentElements;
  }
}

/**
 * A split made to follow the one before it: between them lie at most a segment's elements of the left run, and what is
 * left of the output has room for what is left of that run.
 */
export function splitAfter(before: number, found: number, segmentElements: number, mid: number, left: number): number {
  const least = Math.max(before, mid - left);
  const most = Math.min(mid, before + segmentElements);
  return Math.min(Math.max(found, least), most);
}

/** Sorts `part` in `spare`, which has room for it at 0 and at `half`, and puts it back when done. */
export function sortAside(
  kernel: MergeKernel,
  part: TypedArray,
  spare: TypedArray,
  half: number,
  context: unknown,
): void {
  const a = spare.subarray(0, part.length);
  const b = spare.subarray(half, half + part.length);
  (a as Float64Array).set(part as Float64Array);
  kernel.sort(a as never, b as never, 0, part.length, false, context);
  (part as Float64Array).set(a as Float64Array);
}

export const mergeStages = (spec: SortSpec): Stage[] => new SortState(spec).stages;

export const SORT = stagedKind<SortSpec>('sort', mergeStages);
