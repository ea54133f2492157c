/**
 * What the tasks of filtering run, with the stages of chained-stages.ts; runs on every thread that computes.
 *
 * A comparison is asked twice: those that match are counted, and then collected at once into their places, while the cache
 * holds the unit. A function is asked once: those that match are compacted where the unit begins in the staging array, and
 * moved from there.
 *
 *     xs        a B c | D E f | g h I        capitals match
 *     staging   B . . | D E . | I . .
 *     totals    1       2       1
 *     carries   0       1       3            and 4 in all
 *     out       B D E I
 *
 * On the caller, which goes from left to right, all is compacted right where it belongs. A pool that takes over goes on from
 * there.
 * Rejected: the staging array for comparisons too (33 ms for 1e7 float64 at P=2, of which a half was moving), a buffer for each
 * thread instead of it (an error in a later unit, or a unit taken while a predicate waits, has to be thought of), a mask of
 * outcomes (all elements are read twice).
 */
import type { TypedArray } from '../core/memory/element-types.js';
import { isShared } from '../core/memory/shared-array.js';
import { type Form, parallelismOf } from '../core/pool/call.js';
import { type CallArrays, typeOf } from './call-arrays.js';
import { type Chain, chainControl, chainedStages, noteDone } from './chained-stages.js';
import { Cost } from './cost.js';
import { moveElements } from './kernels/move-elements.js';
import { comparisonBy, type PredicateKernel, predicateKernel } from './kernels/predicate-kernel.js';
import { checkArray, readOptions } from './options.js';
import { costOfPredicate, shipPredicate } from './predicate.js';
import { blockElements } from './reduce-job.js';
import type { Begun } from './settle.js';
import { type Cut, cutInto, Grain } from './split.js';
import { beginStaged, copiedBytes } from './staged-call.js';
import { type Stage, stagedKind } from './stages.js';
import { MOVE_NS_PER_BYTE } from './tuning.js';
import type { FunctionSpec } from './user-function.js';

/** Where elements of one outcome go. */
interface Side {
  readonly out: TypedArray;
  readonly staging: TypedArray;
  /** At the first block of a unit: how many of its elements go here, and how many of all before it; the last word: in all. */
  readonly totals: Uint32Array;
  readonly carries: Uint32Array;
}

interface FilterSpec extends FunctionSpec {
  readonly xs: TypedArray;
  readonly matching: Side;
  /** For a partition: the elements that do not match. */
  readonly others: Side | undefined;
  /** Of the chain. */
  readonly control: Int32Array;
  readonly inOrder: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

const cutOf = (length: number, threshold: number, parallelism: number): Cut =>
  cutInto(blockElements(length, true), length, threshold, parallelism);

/** The one stage of a caller: all goes where it belongs. */
function inOrderStage(
  { matching, others, control }: FilterSpec,
  stage: { readonly units: number; readonly calls: string; readonly grain: Grain },
  kernel: PredicateKernel,
  { block, blocks, unitBlocks }: Cut,
): Stage {
  return {
    units: stage.units,
    calls: stage.calls,
    grain: stage.grain,
    run(lo, hi) {
      const first = lo * unitBlocks;
      const end = Math.min(blocks, hi * unitBlocks);
      const from = first * block;
      const to = Math.min(matching.out.length, end * block);
      const at = matching.carries[first];
      const matches =
        others === undefined
          ? kernel.compact(from, to, matching.out, at)
          : kernel.part(from, to, matching.out, at, others.out, from - at);
      matching.carries[end] = at + matches;
      if (others !== undefined) others.carries[end] = to - at - matches;
      noteDone(control, end);
      return 2 * (to - from);
    },
  };
}

function openFilter(spec: FilterSpec): Stage[] {
  const { xs, matching, others, control, inOrder, called, threshold, parallelism } = spec;
  const kernel = predicateKernel(spec, xs);
  const { length } = xs;
  const cut = cutOf(length, threshold, parallelism);
  const { block, blocks, unitBlocks, unit, units } = cut;
  const asking = { units, calls: called, grain: new Grain(costOfPredicate(spec), unit, units, threshold, parallelism) };
  if (inOrder) return [inOrderStage(spec, asking, kernel, cut)];
  const sides = others === undefined ? [matching] : [matching, others];
  const { isComparison } = kernel;
  const chain: Chain = {
    blocks,
    unitBlocks,
    control,
    mayFail: !isComparison,
    elements: (lo, hi) => Math.min(length, hi * block) - lo * block,
    look(lo, hi) {
      const [from, to] = [lo * block, Math.min(length, hi * block)];
      let matches: number;
      if (isComparison) matches = kernel.count(from, to);
      else if (others === undefined) matches = kernel.compact(from, to, matching.staging, from);
      else matches = kernel.part(from, to, matching.staging, from, others.staging, from);
      matching.totals[lo] = matches;
      if (others !== undefined) others.totals[lo] = to - from - matches;
    },
    carryOn(lo, hi) {
      for (const { carries, totals } of sides) carries[hi] = carries[lo] + totals[lo];
    },
    finish(lo, hi) {
      const [from, to] = [lo * block, Math.min(length, hi * block)];
      for (const side of sides) {
        const { out, staging, carries, totals } = side;
        if (isComparison) kernel.collect(from, to, side === matching, out, carries[lo], totals[lo]);
        else moveElements(staging, from, totals[lo], out, carries[lo]);
      }
    },
  };
  const move = new Cost(MOVE_NS_PER_BYTE * xs.BYTES_PER_ELEMENT);
  move.measuredElements = length;
  return chainedStages(chain, called, asking.grain, new Grain(move, unit, units, threshold, parallelism));
}

const FILTER = stagedKind<FilterSpec>('filter', openFilter);

/** What a filter gives: the elements that match, and for a partition those that do not. */
export interface Filtered<T extends TypedArray> {
  readonly matching: T;
  readonly others: T | undefined;
}

/** Checks the arguments of a filter or a partition, and begins it. */
export function beginFilter<T extends TypedArray, R>(
  name: string,
  form: Form,
  xs: T,
  pred: unknown,
  rest: unknown,
  wantsOthers: boolean,
  answer: (filtered: Filtered<T>) => R,
): Begun<R, number> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, form, rest);
  const { fn, context, called } = shipPredicate(name, pred, options);
  const parallelism = parallelismOf(options.call.pool);
  const { length } = xs;
  const { blocks } = cutOf(length, options.threshold, parallelism);
  const isComparison = comparisonBy({ fn, context }) !== undefined;
  const side = (arrays: CallArrays): Side => {
    const out = arrays.output<TypedArray>({ into: undefined, type: typeOf(xs), shared: isShared(xs), length });
    return {
      out,
      staging: arrays.scratch(typeOf<TypedArray>(xs), arrays.inOrder || isComparison ? 0 : length),
      totals: arrays.scratch(Uint32Array, arrays.inOrder ? 0 : blocks),
      carries: arrays.scratch(Uint32Array, blocks + 1, 0),
    };
  };
  /** Plain: nothing of the call runs any more. */
  const delivered = (arrays: CallArrays, { out, carries }: Side): T => arrays.delivered(out, carries[blocks]) as T;
  return beginStaged({
    name,
    options,
    kind: FILTER,
    elements: length,
    passes: 2,
    cost: costOfPredicate({ fn, context, called }),
    copies: copiedBytes(xs),
    spec: (arrays): FilterSpec => ({
      fn,
      context,
      called,
      xs: arrays.input(xs),
      matching: side(arrays),
      others: wantsOthers ? side(arrays) : undefined,
      control: chainControl(arrays, blocks),
      inOrder: arrays.inOrder,
      threshold: options.threshold,
      parallelism,
    }),
    result: (arrays, { matching, others }) =>
      answer({ matching: delivered(arrays, matching), others: others && delivered(arrays, others) }),
  });
}
