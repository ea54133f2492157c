/**
 * What the tasks of filtering run: every element is asked once and put where its block begins; then the blocks move
 * together; runs on every thread that computes.
 *
 *     xs        a B c | D E f | g h I        capitals match
 *     staging   B . . | D E . | I . .        stage 1: each run of blocks compacted, from where it begins
 *     counts    1       2       1            prefix sums before stage 2: 0 1 3, and 4 in all
 *     out       B D E I                      stage 2: moved to where the sums say
 *
 * A stretch of blocks that one thread runs in one go is compacted as one block, all counted for the first. On the caller,
 * which goes from left to right, the staging array is the result, compacted as if all were one block. A pool that takes
 * over goes on from there.
 * Rejected: a mask of outcomes instead of the staging array (the second pass reads all elements again, and one by one).
 */
import type { TypedArray } from '../core/memory/element-types.js';
import { isShared } from '../core/memory/shared-array.js';
import { type Form, parallelismOf } from '../core/pool/call.js';
import { type CallArrays, typeOf } from './call-arrays.js';
import { Cost } from './cost.js';
import { type PredicateKernel, predicateKernel } from './kernels/predicate-kernel.js';
import { checkArray, readOptions } from './options.js';
import { costOfPredicate, shipPredicate } from './predicate.js';
import { blockElements } from './reduce-job.js';
import type { Begun } from './settle.js';
import { Grain } from './split.js';
import { beginStaged, copiedBytes } from './staged-call.js';
import { type Stage, stagedKind } from './stages.js';
import { MOVE_NS_PER_BYTE } from './tuning.js';
import type { FunctionSpec } from './user-function.js';

/** Where elements of one outcome go: in stage 1, and in the end. */
interface Side {
  readonly staging: TypedArray;
  readonly out: TypedArray;
  /** Zeros; then for the first block of a stretch how many it has; then how many precede each block, and in all. */
  readonly counts: Uint32Array;
}

interface FilterSpec extends FunctionSpec {
  readonly xs: TypedArray;
  readonly matching: Side;
  /** For a partition: the elements that do not match. */
  readonly others: Side | undefined;
  readonly inOrder: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Turns counts into how many precede each block; the last word becomes the total. */
function addUp({ counts }: Side): void {
  let sum = 0;
  for (let b = 0; b < counts.length; b++) {
    const count = counts[b];
    counts[b] = sum;
    sum += count;
  }
}

/** Moves blocks [lo, hi) to their places. */
function moveBlocks({ staging, out, counts }: Side, block: number, lo: number, hi: number): void {
  for (let b = lo; b < hi; b++) {
    const from = b * block;
    const to = counts[b];
    const end = from + counts[b + 1] - to;
    if (end === from) continue;
    (out as Float64Array).set(staging.subarray(from, end) as Float64Array, to);
  }
}

/** The one stage of a caller: all goes where it belongs. The first count, and only one there, says how far that is. */
function inOrderStages(
  { matching, others }: FilterSpec,
  stage: Stage,
  kernel: PredicateKernel,
  block: number,
): Stage[] {
  return [
    {
      ...stage,
      run(lo, hi) {
        const from = lo * block;
        const to = Math.min(matching.out.length, hi * block);
        const at = matching.counts[0];
        if (others === undefined) matching.counts[0] = at + kernel.compact(from, to, matching.out, at);
        else {
          const matches = kernel.part(from, to, matching.out, at, others.out, from - at);
          matching.counts[0] = at + matches;
          others.counts[0] = to - at - matches;
        }
        return to - from;
      },
    },
  ];
}

function openFilter(spec: FilterSpec): Stage[] {
  const { xs, matching, others, inOrder, called, threshold, parallelism } = spec;
  const kernel = predicateKernel(spec, xs);
  const { length } = xs;
  const block = blockElements(length, true);
  const blocks = Math.ceil(length / block);
  const asking: Stage = {
    units: blocks,
    calls: called,
    grain: new Grain(costOfPredicate(spec), block, blocks, threshold, parallelism),
    run(lo, hi) {
      const from = lo * block;
      const to = Math.min(length, hi * block);
      const matches =
        others === undefined
          ? kernel.compact(from, to, matching.staging, from)
          : kernel.part(from, to, matching.staging, from, others.staging, from);
      matching.counts[lo] = matches; // plain: read in the next stage
      if (others !== undefined) others.counts[lo] = to - from - matches;
      return to - from;
    },
  };
  if (inOrder) return inOrderStages(spec, asking, kernel, block);
  const move = new Cost(MOVE_NS_PER_BYTE * xs.BYTES_PER_ELEMENT);
  move.measuredElements = length;
  return [
    asking,
    {
      units: blocks,
      grain: new Grain(move, block, blocks, threshold, parallelism),
      before() {
        addUp(matching);
        if (others !== undefined) addUp(others);
      },
      run(lo, hi) {
        moveBlocks(matching, block, lo, hi);
        if (others !== undefined) moveBlocks(others, block, lo, hi);
        return 0;
      },
    },
  ];
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
  const blocks = Math.ceil(length / blockElements(length, true));
  const side = (arrays: CallArrays): Side => {
    const out = arrays.output<TypedArray>({ into: undefined, type: typeOf(xs), shared: isShared(xs), length });
    const counts = arrays.scratch(Uint32Array, arrays.inOrder ? 1 : blocks + 1, 0);
    return { out, staging: arrays.staging(out), counts };
  };
  /** Plain: nothing of the call runs any more. */
  const delivered = (arrays: CallArrays, { out, counts }: Side): T =>
    arrays.delivered(out, counts[counts.length - 1]) as T;
  return beginStaged({
    name,
    options,
    kind: FILTER,
    elements: length,
    passes: 1,
    cost: costOfPredicate({ fn, context, called }),
    copies: copiedBytes(xs),
    spec: (arrays): FilterSpec => ({
      fn,
      context,
      called,
      xs: arrays.input(xs),
      matching: side(arrays),
      others: wantsOthers ? side(arrays) : undefined,
      inOrder: arrays.inOrder,
      threshold: options.threshold,
      parallelism,
    }),
    result: (arrays, { matching, others }) =>
      answer({ matching: delivered(arrays, matching), others: others && delivered(arrays, others) }),
  });
}
