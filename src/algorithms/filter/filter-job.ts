/**
 * What the tasks of a filter run, with the stages of lookback.ts; runs on every thread that computes.
 *
 * If the predicate is a comparison, each unit is read twice while it is in the cache: the first pass counts the matches, the second
 * writes them to their final places. A function must be called only once for each element: its matches are written to a
 * staging array, from where the unit begins, and moved to their final places afterwards.
 *
 *     xs        a B c | D E f | g h I        capitals match
 *     staging   B . . | D E . | I . .
 *     carries   0       1       3       4    after 0, 1, 2 and 1, what each unit comes to
 *     matching  B D E I
 *
 * The caller alone goes from left to right and writes matches to their final places. A pool that takes over goes on from there.
 *
 * Rejected: a staging array for comparisons too (33 ms for 1e7 float64 at P=2, half of it for moving); a buffer for each thread
 * instead of the staging array (it complicates errors in later units, and units that start while a predicate waits); a mask of
 * outcomes (every element is read twice).
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { type CallArrays, typeOf } from '../call/call-arrays.js';
import { checkArray, readOptions } from '../call/options.js';
import {
  comparisonOfSpec,
  costOfPredicate,
  type PredicateSpec,
  predicateKernel,
  shipPredicate,
} from '../call/predicate.js';
import type { PreparedCall } from '../call/settle.js';
import { beginStaged } from '../call/staged-call.js';
import type { PredicateKernel } from '../kernels/predicate-kernel.js';
import { Cost } from '../schedule/cost.js';
import { blockElements, type Cut, cutInto } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { type Chain, chainControl, chainedStages, noteDone } from '../schedule/lookback.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { MOVE_NS_PER_BYTE } from '../tuning.js';
import { moveElements } from './move-elements.js';

interface FilterSpec extends PredicateSpec {
  readonly xs: TypedArray;
  readonly matching: TypedArray;
  /** For a partition: the elements that do not match. */
  readonly others: TypedArray | undefined;
  /** For each of them, where a pool calls a function. */
  readonly staging: readonly TypedArray[];
  /** Matches before each block, known for the first block of a unit. The last word is the number of all matches. */
  readonly carries: Uint32Array;
  /** Of the chain. */
  readonly control: Int32Array;
  readonly inOrder: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

const cutOf = (length: number, threshold: number, parallelism: number): Cut =>
  cutInto(blockElements(length, true), length, threshold, parallelism);

/** The one stage of a call that the caller does alone. It writes matches to their final places. */
function inOrderStage(
  { xs, matching, others, carries, control }: FilterSpec,
  stage: Omit<Stage, 'run'>,
  kernel: PredicateKernel,
  { block, blocks, unitBlocks }: Cut,
): Stage {
  return {
    ...stage,
    run(lo, hi) {
      const first = lo * unitBlocks;
      const end = Math.min(blocks, hi * unitBlocks);
      const from = first * block;
      const to = Math.min(xs.length, end * block);
      const at = carries[first];
      const matches =
        others === undefined
          ? kernel.compact(from, to, matching, at)
          : kernel.part(from, to, matching, at, others, from - at);
      carries[end] = at + matches;
      noteDone(control, end);
      return 2 * (to - from);
    },
  };
}

function openFilter(spec: FilterSpec): Stage[] {
  const { xs, matching, others, staging, carries, control, inOrder, called, threshold, parallelism } = spec;
  const kernel = predicateKernel(spec, xs);
  const { length } = xs;
  const cut = cutOf(length, threshold, parallelism);
  const { block, blocks, unitBlocks, unit, units } = cut;
  const grain = new Grain({ cost: costOfPredicate(spec), unitElements: unit, units, threshold, parallelism });
  const asking = { units, calls: called, context: spec.context, grain };
  if (inOrder) return [inOrderStage(spec, asking, kernel, cut)];
  const { isComparison } = kernel;
  /** Moves or collects the elements of [from, to) that belong into `out`. */
  const give = (from: number, to: number, side: number, out: TypedArray, at: number, count: number): void => {
    if (isComparison) kernel.collect(from, to, out === matching, out, at, count);
    else moveElements(staging[side], from, count, out, at);
  };
  const chain: Chain = {
    blocks,
    unitBlocks,
    control,
    mayFail: !isComparison,
    elements: (lo, hi) => Math.min(length, hi * block) - lo * block,
    look(lo, hi) {
      const from = lo * block;
      const to = Math.min(length, hi * block);
      // Matches of this unit alone, until the carry of the units before it is added.
      if (isComparison) carries[hi] = kernel.count(from, to);
      else if (others === undefined) carries[hi] = kernel.compact(from, to, staging[0], from);
      else carries[hi] = kernel.part(from, to, staging[0], from, staging[1], from);
    },
    carryOn(lo, hi) {
      carries[hi] += carries[lo];
    },
    finish(lo, hi) {
      const from = lo * block;
      const to = Math.min(length, hi * block);
      const at = carries[lo];
      const matches = carries[hi] - at;
      give(from, to, 0, matching, at, matches);
      if (others !== undefined) give(from, to, 1, others, from - at, to - from - matches);
    },
  };
  const move = new Cost(MOVE_NS_PER_BYTE * xs.BYTES_PER_ELEMENT);
  move.measuredElements = length;
  return chainedStages(
    chain,
    { calls: called, context: spec.context },
    asking.grain,
    new Grain({ cost: move, unitElements: unit, units, threshold, parallelism }),
  );
}

const FILTER = stagedKind<FilterSpec>('filter', openFilter);

/**
 * Checks the arguments of a filter or a partition, and begins it.
 *
 * @param answer makes the result from the elements that match and, for a partition, those that do not
 */
export function beginFilter<T extends TypedArray, R>(
  name: string,
  form: Form,
  xs: T,
  pred: unknown,
  rest: unknown,
  wantsOthers: boolean,
  answer: (matching: T, others: T | undefined) => R,
): PreparedCall<R> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, form, rest);
  const predicate = shipPredicate(name, pred, options);
  const parallelism = parallelismOf(options.call.pool);
  const { length } = xs;
  const { blocks } = cutOf(length, options.threshold, parallelism);
  const isComparison = comparisonOfSpec(predicate) !== undefined;
  const shared = isShared(xs);
  const type = typeOf<TypedArray>(xs);
  const output = (arrays: CallArrays): TypedArray =>
    arrays.output({ into: undefined, type, shared, length, mayBeShorter: true });
  const stagingIn = (arrays: CallArrays): TypedArray[] => {
    if (arrays.inOrder || isComparison) return [];
    return [arrays.scratch(type, length), ...(wantsOthers ? [arrays.scratch(type, length)] : [])];
  };
  return beginStaged({
    name,
    options,
    kind: FILTER,
    elements: length,
    passes: 2,
    cost: costOfPredicate(predicate),
    copies: shared ? 0 : xs.byteLength,
    spec: (arrays): FilterSpec => ({
      fn: predicate.fn,
      context: predicate.context,
      called: predicate.called,
      maybeComparison: predicate.maybeComparison,
      xs: arrays.input(xs),
      matching: output(arrays),
      others: wantsOthers ? output(arrays) : undefined,
      carries: arrays.scratch(Uint32Array, blocks + 1, 0),
      control: chainControl(arrays, blocks),
      staging: stagingIn(arrays), // last, since a caller has none to hand over
      inOrder: arrays.inOrder,
      threshold: options.threshold,
      parallelism,
    }),
    result(arrays, { matching, others, carries }) {
      const matches = carries[blocks]; // plain: nothing of the call runs any more
      return answer(
        arrays.delivered(matching as T, matches),
        others && arrays.delivered(others as T, length - matches),
      );
    },
  });
}
