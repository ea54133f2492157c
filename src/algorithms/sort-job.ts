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

import { builtin } from '../core/code/registry.js';
import {
  compiled,
  explainReferenceError,
  openContext,
  type ShippedContext,
  type ShippedFunction,
} from '../core/code/source.js';
import { constructorOfType, type TypedArray, typeOfView } from '../core/memory/element-types.js';
import { type Fork, type Forkable, fork } from '../core/task/function-task.js';
import { addProgress, jobKind, jobState } from '../core/worker/job.js';
import { Cost } from './cost.js';
import { fresh } from './fresh.js';
import { type MergeKernel, makeAfterOf, makeMergeKernel } from './kernels/merge-kernel.js';
import { numericKernel, sortNumbers } from './kernels/numeric-sort.js';
import type { SortPlan } from './sort-plan.js';
import { Grain, splitRange } from './split.js';

export interface SortSpec {
  readonly xs: TypedArray;
  readonly temp: TypedArray;
  /** `W_WHOLE_IS_TEMP`, then for each segment the index in its left run where it begins. */
  readonly words: Uint32Array;
  readonly plan: SortPlan;
  readonly compare: ShippedFunction | undefined;
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

/** The phases: 0 for the leaves, then for level l the phases 2 l - 1 (where segments begin) and 2 l (the segments). */
const LEAVES = 0;
const isRanking = (phase: number): boolean => phase % 2 === 1;
const levelOf = (phase: number): number => Math.ceil(phase / 2);

type Compare = (a: unknown, b: unknown, context: unknown) => unknown;

/** Merging in the order of a comparator. */
export function compareKernel(compare: Compare, xs: TypedArray): MergeKernel {
  const tag = xs[Symbol.toStringTag];
  return fresh(makeMergeKernel, tag, fresh(makeAfterOf, tag, compare));
}

/** What a merge of one level joins: runs [lo, mid) and [mid, hi). */
interface Pair {
  readonly lo: number;
  readonly mid: number;
  readonly hi: number;
}

class SortState {
  readonly #spec: SortSpec;
  readonly #kernel: MergeKernel;
  readonly #context: unknown;
  readonly #grains: readonly [leaves: Grain, ranks: Grain, segments: Grain];
  #spare: TypedArray | undefined;

  constructor(spec: SortSpec) {
    const { xs, plan, compare, context, threshold, parallelism } = spec;
    this.#spec = spec;
    this.#kernel = compare === undefined ? numericKernel(xs) : compareKernel(compiled(compare) as Compare, xs);
    this.#context = context === undefined ? undefined : openContext(context);
    this.#grains = [
      new Grain(new Cost(), plan.leafElements, plan.leaves, threshold, parallelism),
      new Grain(new Cost(), 1, plan.segments, 0, parallelism),
      new Grain(new Cost(), plan.segmentElements, plan.segments, threshold, parallelism),
    ];
  }

  get plan(): SortPlan {
    return this.#spec.plan;
  }

  grain(phase: number): Grain {
    return this.#grains[phase === LEAVES ? 0 : isRanking(phase) ? 1 : 2];
  }

  units(phase: number): number {
    return phase === LEAVES ? this.plan.leaves : this.plan.segments;
  }

  /** Runs units [lo, hi) of a phase; returns how many elements that advanced. */
  run(phase: number, lo: number, hi: number): number {
    try {
      if (phase === LEAVES) return this.#sortLeaves(lo, hi);
      if (isRanking(phase)) return this.#rankSegments(levelOf(phase), lo, hi);
      return this.#mergeSegments(levelOf(phase), lo, hi);
    } catch (error) {
      throw this.#spec.compare === undefined ? error : explainReferenceError(error, 'the comparator of parallelSort');
    }
  }

  /** The root, before a phase. */
  beforePhase(phase: number): void {
    if (phase === LEAVES || isRanking(phase)) return;
    this.#orderSplits(levelOf(phase));
    if (levelOf(phase) % 2 === 0) this.#spec.words[W_WHOLE_IS_TEMP] = 1; // plain: read after the job has settled
  }

  /** The root, after a phase. */
  afterPhase(phase: number): void {
    if (phase !== LEAVES && !isRanking(phase)) this.#spec.words[W_WHOLE_IS_TEMP] = 0; // plain: as above
  }

  #sortLeaves(lo: number, hi: number): number {
    const { xs, temp, plan, compare } = this.#spec;
    const { leafElements } = plan;
    for (let leaf = lo; leaf < hi; leaf++) {
      const from = leaf * leafElements;
      const part = xs.subarray(from, from + leafElements);
      if (compare === undefined) sortNumbers(part, temp.subarray(from, from + leafElements));
      else this.#sortAside(part);
    }
    return Math.min(hi * leafElements, xs.length) - lo * leafElements;
  }

  /** Sorts in this realm's own memory, so that a comparator that throws leaves the part as it was. */
  #sortAside(part: TypedArray): void {
    const { leafElements } = this.plan;
    const spare = this.#spare ?? newArray(part, 2 * leafElements);
    this.#spare = undefined; // the comparator may wait for other tasks, and thereby sort another leaf meanwhile
    sortAside(this.#kernel, part, spare, leafElements, this.#context);
    this.#spare = spare;
  }

  #pair(level: number, at: number): Pair {
    const run = this.plan.leafElements * 2 ** (level - 1);
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
        pair.lo + this.#kernel.rank(source, pair.lo, pair.mid, pair.hi, at - pair.lo, this.#context);
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
      const previous = words[W_SPLITS + segment - 1];
      const least = Math.max(previous, mid - (hi - at)); // the right run is no longer than that
      const most = Math.min(mid, previous + plan.segmentElements);
      words[W_SPLITS + segment] = Math.min(Math.max(words[W_SPLITS + segment], least), most);
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
      this.#kernel.merge(source as never, left, leftEnd, right, rightEnd, out as never, at, this.#context);
    }
    return Math.min(hi * segmentElements, xs.length) - lo * segmentElements;
  }
}

/** An array of the same type, not shared. */
export function newArray<T extends TypedArray>(xs: T, length: number): T {
  return new (constructorOfType(typeOfView(xs)) as unknown as new (length: number) => T)(length);
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

export const SORT = jobKind<SortSpec, SortState>('sort', (spec) => new SortState(spec));

/** Runs units [lo, hi) of one phase. */
const phaseTask: Forkable<[job: number, lo: number, hi: number, phase: number], number> = builtin(
  'sort phase',
  (job: number, lo: number, hi: number, phase: number): number => {
    const state = jobState(SORT, job);
    const forkPart = (from: number, to: number): Fork<number> => fork(phaseTask, job, from, to, phase);
    const block = (from: number, to: number): void => {
      const elements = state.run(phase, from, to);
      if (elements !== 0) addProgress(job, elements);
    };
    return splitRange(lo, hi, state.grain(phase), forkPart, block, () => {});
  },
);

/** Runs all phases, one after the other. */
export const sortTask: Forkable<[job: number, lo: number, hi: number], number> = builtin(
  'sort',
  (job: number): number => {
    const state = jobState(SORT, job);
    for (let phase = LEAVES; phase <= 2 * state.plan.levels; phase++) {
      state.beforePhase(phase);
      phaseTask(job, 0, state.units(phase), phase);
      state.afterPhase(phase);
    }
    return 0;
  },
);
