/**
 * `parallelFilter` and `parallelPartition`: the elements that match, and those that do not, in order; the calls run on the caller, the
 * stages (lookback.ts) on every thread that computes.
 *
 * The predicate is called once for each element: the matches of a unit are written to a staging array, from where the unit begins, and moved
 * to their final places afterwards.
 *
 *     xs        a B c | D E f | g h I        capitals match
 *     staging   B . . | D E . | I . .
 *     carries   0       1       3       4    after 0, 1, 2 and 1, what each unit comes to
 *     matching  B D E I
 *
 * The caller alone goes from left to right and writes matches to their final places. A pool that takes over goes on from there.
 *
 * Rejected: a buffer for each thread instead of the staging array (it complicates errors in later units, and units that start while a predicate
 * waits); a mask of outcomes (every element is read twice); WebAssembly for predicates that are recognised as comparisons, which reads each unit
 * twice and needs no staging (100 filters of 4e6 float64 at P=2 took the same processor time, 2.4 s, and those that keep 2 % took 1.07 times as
 * much; partitions took 0.87).
 */

import { type Callee, isShared, type NotAPromise, type OnlyScoped } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import {
  type AlgorithmOptions,
  checkArray,
  checkArrayOrValues,
  checkCounted,
  checkIndices,
  readOptions,
  type SyncOptions,
  type WithIndices,
  type WithoutIndices,
} from '../call/options.js';
import {
  type AsyncValueFunction,
  isPlainValues,
  type OnlyPlain,
  type PlainOptions,
  type PlainValues,
  withValues,
} from '../call/plain-values.js';
import {
  callingKernel,
  costOfPredicate,
  type Predicate,
  type PredicateSpec,
  shipPredicate,
} from '../call/predicate.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import type { Keeps } from '../kernels/predicate-kernel.js';
import { Cost } from '../schedule/cost.js';
import { blockElements, type Cut, cutInto } from '../schedule/cut.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { type Chain, chainControl, chainedStages, noteDone } from '../schedule/lookback.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import { MOVE_NS_PER_BYTE } from '../tuning.js';
import { moveElements } from './move-elements.js';

interface FilterSpec extends PredicateSpec, ShareOptions {
  readonly xs: TypedArray;
  /** Get the elements that match and, for a partition, those that do not. */
  readonly outs: readonly TypedArray[];
  /** An array for each of `outs` in a pool, and none on the caller. */
  readonly staging: readonly TypedArray[];
  /** Matches before each block, known for the first block of a unit. The last word is the number of all matches. */
  readonly carries: Uint32Array;
  /** Of the chain. */
  readonly control: Int32Array;
  readonly inOrder: boolean;
  readonly keeps: Keeps;
}

const cutOf = (length: number, sharing: ShareOptions): Cut => cutInto(blockElements(length, true), length, sharing);

function openFilter(spec: FilterSpec): WorkStage[] {
  const { xs, outs, staging, carries, control, inOrder, keeps, context, called, threshold, parallelism } = spec;
  const kernel = callingKernel(spec, xs, keeps);
  const { length } = xs;
  const { block, blocks, unitBlocks, unit, units } = cutOf(length, spec);
  const user = { calls: called, context };
  const grain = new Grain({ cost: costOfPredicate(spec), unitElements: unit, units, threshold, parallelism });
  const startOf = (atBlock: number): number => Math.min(length, atBlock * block);
  /** Writes the elements of [from, to) that match to one array and, for a partition, the others to another one. */
  const write = (from: number, to: number, [out, rest]: typeof outs, at: number, restAt: number): number =>
    rest === undefined ? kernel.compact(from, to, out, at) : kernel.partition(from, to, out, at, rest, restAt);

  if (inOrder) {
    const run = (lo: number, hi: number): number => {
      const [first, end] = [lo * unitBlocks, Math.min(blocks, hi * unitBlocks)];
      const [from, to] = [startOf(first), startOf(end)];
      const at = carries[first];
      carries[end] = at + write(from, to, outs, at, from - at);
      noteDone(control, end);
      return 2 * (to - from);
    };
    return [{ calls: called, context, units, grain, run }];
  }

  /** Moves `count` elements of a unit that begins at `from` into an array of `outs`. */
  const give = (from: number, side: number, at: number, count: number): void =>
    moveElements(staging[side], from, count, outs[side], at);
  const chain: Chain = {
    blocks,
    unitBlocks,
    control,
    mayFail: true,
    elements: (lo, hi) => startOf(hi) - startOf(lo),
    look(lo, hi) {
      const [from, to] = [startOf(lo), startOf(hi)];
      // Matches of this unit alone, until the carry of the units before it is added.
      carries[hi] = write(from, to, staging, from, from);
    },
    carryOn(lo, hi) {
      carries[hi] += carries[lo];
    },
    finish(lo, hi) {
      const [from, to] = [startOf(lo), startOf(hi)];
      const at = carries[lo];
      const matches = carries[hi] - at;
      give(from, 0, at, matches);
      if (outs.length > 1) give(from, 1, from - at, to - from - matches);
    },
  };
  const cost = new Cost(MOVE_NS_PER_BYTE * xs.BYTES_PER_ELEMENT, length);
  return chainedStages(chain, user, grain, new Grain({ cost, unitElements: unit, units, threshold, parallelism }));
}

const FILTER = stagedKind<FilterSpec>('filter', openFilter);

/** Begins a call that gives the elements that match and, with two `sides`, those that do not. */
function begin<R>(
  callee: Callee,
  xs: TypedArray,
  pred: unknown,
  given: unknown,
  sides: 1 | 2,
  answer: (outputs: TypedArray[]) => unknown,
): Start<R> {
  checkCounted(callee.name, 'xs has', xs.length);
  const options = readOptions(callee, given, ['indices']);
  const keeps: Keeps = checkIndices(callee.name, options) ? 'indices' : 'elements';
  const { length } = xs;
  const predicate = shipPredicate(callee, pred, options);
  const { threshold, parallelism } = options;
  const { blocks } = cutOf(length, options);
  const shared = isShared(xs);
  const type: ArrayType = keeps === 'indices' ? Uint32Array : typeOf<TypedArray>(xs);
  const forEachSide = (make: () => TypedArray): TypedArray[] => (sides === 1 ? [make()] : [make(), make()]);
  return beginStaged({
    callee,
    options,
    kind: FILTER,
    elements: length,
    passes: 2,
    cost: costOfPredicate(predicate),
    copies: copiedBytes(xs),
    spec: (arrays): FilterSpec => ({
      fn: predicate.fn,
      context: predicate.context,
      called: predicate.called,
      maybeComparison: predicate.maybeComparison,
      xs: arrays.input(xs),
      outs: forEachSide(() => arrays.output({ into: undefined, type, shared, length, mayBeShorter: true })),
      carries: arrays.scratch(Uint32Array, blocks + 1, 0),
      control: chainControl(arrays, blocks),
      // Last, since a caller has none to hand over.
      staging: arrays.inOrder ? [] : forEachSide(() => arrays.scratch(type, length)),
      inOrder: arrays.inOrder,
      keeps,
      threshold,
      parallelism,
    }),
    result(arrays, { outs, carries }) {
      const matches = carries[blocks]; // plain: nothing of the call runs any more
      return answer(outs.map((out, side) => arrays.delivered(out, side === 0 ? matches : length - matches))) as R;
    },
  });
}

const filter = new Algorithm('parallelFilter', (callee, xs: TypedArray, pred: unknown, given: unknown) => {
  checkArrayOrValues(callee, xs);
  return begin<TypedArray>(callee, xs, pred, given, 1, ([matching]) => matching);
});

const partition = new Algorithm('parallelPartition', (callee, xs: TypedArray, pred: unknown, given: unknown) => {
  checkArray(callee.name, 'xs', xs);
  return begin<TypedArray[]>(callee, xs, pred, given, 2, (outputs) => outputs);
});

/**
 * Keeps those of some plain values for which a predicate holds: objects, strings, buffers.
 *
 * @param values as for `parallelMap` of plain values
 * @param pred as `fn` of `parallelMap` of plain values; a value is kept if the result, or what it promises, is truthy
 * @param options as for `parallelMap` of plain values, without `transfer`
 * @returns a promise of an array with the values that are kept, in order: the very values, no clones. Of the type that `pred` tells them to have, if it
 *   is a type guard
 * @throws what `parallelMap` of plain values rejects with
 * @remarks Cost: that of `parallelMap` of plain values.
 * @example
 * const adults = await parallelFilter(people, ({ age }) => age >= 18);
 */
export function parallelFilter<T, S extends T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  pred: (value: T, i: number, context: C) => value is S,
  options?: PlainOptions<C>,
  ...only: OnlyPlain<X>
): Promise<S[]>;
export function parallelFilter<T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  pred: (value: T, i: number, context: C) => unknown,
  options?: PlainOptions<C>,
  ...only: OnlyPlain<X>
): Promise<T[]>;
export function parallelFilter<T, C = undefined, F = unknown>(
  values: PlainValues<T>,
  pred: F & AsyncValueFunction<T, C, unknown>,
  options?: PlainOptions<C>,
  ...only: OnlyScoped<F>
): Promise<T[]>;
/**
 * Puts the elements for which a predicate holds into a new array, in order, as `TypedArray.prototype.filter` does.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `indices` (whether to give the indices of matches, in a Uint32Array, instead of the matches), and `pool`,
 *   `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array of the type of xs, shared if xs is, exactly as long as there are matches; the same at
 *   any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for a promise; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls and two moves of each match; time n / parallelism; memory for two arrays of the size of xs meanwhile, of
 * which only what the matches take is touched, and for a copy of xs if it is not shared. A comparison with a constant, such as
 * `(x) => x < 0.5` or `(x, i, { least }) => x >= least`, is not called but known by its text: two passes at the speed of memory,
 * and one array. What is known to take less than 300 us runs at once on the caller, with one array.
 * Source: Blelloch (1990), "Prefix sums and their applications": counts of blocks, their prefix sums, moves.
 * @example
 * const positive = await parallelFilter(xs, (x) => x > 0);
 * const where = await parallelFilter(xs, (x) => x > 0, { indices: true });
 */
export function parallelFilter<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options: AlgorithmOptions<C> & WithIndices,
): Promise<Uint32Array>;
export function parallelFilter<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & WithoutIndices,
): Promise<T>;
export function parallelFilter(xs: unknown, pred: unknown, options?: unknown): Promise<unknown> {
  if (isPlainValues(xs))
    return withValues(options, (part) => part.filterValues(filter.callees.promise, xs, pred, options));
  return filter.promise(xs as TypedArray, pred, options);
}

/**
 * `parallelFilter` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelFilter`
 * @param pred as for `parallelFilter`
 * @param options as for `parallelFilter`
 * @returns what the promise of `parallelFilter` gives
 * @throws what `parallelFilter` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFilter`.
 * @example
 * const positive = parallelFilterSync(xs, (x) => x > 0);
 */
export function parallelFilterSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options: AlgorithmOptions<C> & SyncOptions & WithIndices,
): Uint32Array;
export function parallelFilterSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions & WithoutIndices,
): T;
export function parallelFilterSync(xs: TypedArray, pred: unknown, options?: unknown): unknown {
  return filter.sync(xs, pred, options);
}

/**
 * Puts the elements for which a predicate holds into one new array and all others into another, each in order.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `indices` (whether to give indices of elements, in two Uint32Arrays, instead of the elements), and `pool`,
 *   `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `[matching, others]`, new arrays of the type of xs, shared if xs is, of exactly the lengths that
 *   they need; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for a promise; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls and two moves of each element; time n / parallelism; memory for four arrays of the size of xs meanwhile,
 * of which half is touched, and for a copy of xs if it is not shared. What is known to take less than 300 us runs at once
 * on the caller, with two arrays; so does a comparison with a constant.
 * @example
 * const [positive, others] = await parallelPartition(xs, (x) => x > 0);
 */
export function parallelPartition<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options: AlgorithmOptions<C> & WithIndices,
): Promise<[matching: Uint32Array, others: Uint32Array]>;
export function parallelPartition<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & WithoutIndices,
): Promise<[matching: T, others: T]>;
export function parallelPartition(xs: TypedArray, pred: unknown, options?: unknown): Promise<unknown> {
  return partition.promise(xs, pred, options);
}

/**
 * `parallelPartition` that returns the arrays themselves. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param xs as for `parallelPartition`
 * @param pred as for `parallelPartition`
 * @param options as for `parallelPartition`
 * @returns what the promise of `parallelPartition` gives
 * @throws what `parallelPartition` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelPartition`.
 * @example
 * const [positive, others] = parallelPartitionSync(xs, (x) => x > 0);
 */
export function parallelPartitionSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options: AlgorithmOptions<C> & SyncOptions & WithIndices,
): [matching: Uint32Array, others: Uint32Array];
export function parallelPartitionSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions & WithoutIndices,
): [matching: T, others: T];
export function parallelPartitionSync(xs: TypedArray, pred: unknown, options?: unknown): unknown {
  return partition.sync(xs, pred, options);
}
