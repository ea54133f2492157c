/**
 * `parallelMerge`: two sorted arrays as one; the calls run on the caller, segments of the output on every thread that
 * computes.
 *
 * Where segments begin follows from the lengths alone. Unsorted inputs and inconsistent comparators still give a permutation of
 * all elements: see merge-stages.ts.
 */
import { type Callee, compiled, isShared, type ShippedFunction } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { plainView, typeOf } from '../call/call-arrays.js';
import { checkResult, overlap } from '../call/into.js';
import { LocalArrays } from '../call/local-arrays.js';
import { type AlgorithmOptions, checkArray, checkCounted, type SyncOptions } from '../call/options.js';
import { beginStaged, copiedBytes, isKnownShort, needsPool } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import { type Cost, costOf, costsByType } from '../schedule/cost.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import { explaining } from '../schedule/user-piece.js';
import {
  CALLER_COMPARE_ELEMENTS,
  MERGE_NS,
  MERGE_SEGMENTS,
  MIN_COMPARED_SEGMENT,
  MIN_MERGE_SEGMENT,
} from '../tuning.js';
import { type Compared, type CompareRest, readCompare } from './comparator.js';
import type { Compare } from './kernels/merge-kernel.js';
import { elementKernel } from './kernels/orders.js';
import { mergeNumbers } from './kernels/wasm-sort.js';
import { type Merge, mergeStages } from './merge-stages.js';

export interface MergeOptions<T extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** Array for the result, of the same type, of the length of both inputs together, apart from them. */
  into?: T | undefined;
}

type Into<T extends TypedArray> = Pick<MergeOptions<T>, 'into'>;

interface MergeSpec extends Compared {
  readonly a: TypedArray;
  readonly b: TypedArray;
  readonly out: TypedArray;
  /** For each segment of the output, how many elements of `a` come before it. */
  readonly splits: Uint32Array;
}

const costOfNumbers = costsByType(MERGE_NS);

const costOfMerge = (compare: ShippedFunction | undefined, a: TypedArray): Cost =>
  compare === undefined ? costOfNumbers(a) : costOf(compiled(compare));

function segmentElementsOf(length: number, isCompared: boolean): number {
  if (isCompared && length <= CALLER_COMPARE_ELEMENTS) return CALLER_COMPARE_ELEMENTS;
  let elements = isCompared ? MIN_COMPARED_SEGMENT : MIN_MERGE_SEGMENT;
  while (elements * MERGE_SEGMENTS < length) elements *= 2;
  return elements;
}

function kernelOf(compare: ShippedFunction | undefined, a: TypedArray): Merge['kernel'] {
  if (compare !== undefined) return elementKernel(a, compiled(compare) as Compare);
  return { rank: elementKernel(a).rank, merge: mergeNumbers as never };
}

function openMerge(spec: MergeSpec): WorkStage[] {
  const { a, b, out, splits, compare } = spec;
  const runs = { lo: 0, mid: a.length, from: 0, to: b.length, start: 0 };
  const [rank, merge] = mergeStages(spec, {
    kernel: kernelOf(compare, a),
    context: contextOf(spec),
    left: a,
    right: b,
    out,
    splits,
    segmentElements: segmentElementsOf(out.length, compare !== undefined),
    cost: costOfMerge(compare, a),
    isCounted: true,
    runsAt: () => runs,
  });
  if (splits.length > 1) return [rank, merge];
  splits.fill(0);
  return [merge];
}

const MERGE = stagedKind<MergeSpec>('merge', openMerge);

function checkMergeInto(name: string, into: unknown, a: TypedArray, b: TypedArray): asserts into is TypedArray {
  checkResult(name, into, a.length + b.length);
  checkSameType(name, 'options.into', into, a);
  if (!overlap(into, a) && !overlap(into, b)) return;
  throw new TypeError(
    `furcate: ${name}: options.into overlaps a or b, so results would be written over elements that are still to be read. Pass an array apart from both.`,
  );
}

function checkSameType(name: string, argument: string, xs: TypedArray, a: TypedArray): void {
  const given: string = xs[Symbol.toStringTag];
  const wanted: string = a[Symbol.toStringTag];
  if (given === wanted) return;
  throw new TypeError(
    `furcate: ${name}: ${argument} is a ${given}, and a is a ${wanted}. Pass arrays of one type: ${wanted}.from(${argument}).`,
  );
}

function begin(callee: Callee, a: TypedArray, b: TypedArray, rest: readonly unknown[]): Start<TypedArray> {
  const { name } = callee;
  checkArray(name, 'a', a);
  checkArray(name, 'b', b);
  checkCounted(name, 'a and b together have', a.length + b.length);
  checkSameType(name, 'b', b, a);
  const ordering = readCompare(callee, rest, ['into']);
  const { options, compare, context, called, threshold, parallelism } = ordering;
  const into = options.given.into as TypedArray | undefined;
  if (into !== undefined) checkMergeInto(name, into, a, b);
  const length = a.length + b.length;
  const segmentElements = segmentElementsOf(length, compare !== undefined);
  const wanted = { into, type: typeOf<TypedArray>(a), shared: isShared(a) || isShared(b), length };
  const cost = costOfMerge(compare, a);
  // Without stages a merge of 40 elements takes 2 us instead of 9.
  if (length <= segmentElements && isKnownShort(options, length, cost) && !needsPool(ordering, options)) {
    return () => {
      const out = new LocalArrays().output<TypedArray>(wanted);
      const [x, y] = [plainView<TypedArray>(a), plainView<TypedArray>(b)];
      const { merge } = kernelOf(compare, a);
      const given = contextOf(ordering);
      explaining({ calls: called, context }, () => merge(x, 0, x.length, y, 0, y.length, out, 0, given));
      options.call.onProgress?.(length, length);
      return { job: undefined, result: () => into ?? out };
    };
  }
  return beginStaged({
    callee,
    options,
    kind: MERGE,
    elements: length,
    cost,
    copies: copiedBytes(a, b, into) + (into === undefined && !wanted.shared ? length * a.BYTES_PER_ELEMENT : 0),
    spec(arrays): MergeSpec {
      const [x, y] = [arrays.input<TypedArray>(a), arrays.input<TypedArray>(b)];
      const out = arrays.output<TypedArray>(wanted);
      const splits = arrays.scratch(Uint32Array, Math.ceil(length / segmentElements));
      return { a: x, b: y, out, splits, compare, context, called, threshold, parallelism };
    },
    result: (arrays, { out }) => into ?? arrays.delivered(out),
  });
}

const merge = new Algorithm('parallelMerge', begin);

/**
 * Merges two sorted arrays into one.
 *
 * The order is that of `parallelSort`, with and without a comparator. Of equal elements those of `a` come first, and each
 * input keeps its own order. The result is the same at any parallelism and threshold. Inputs that are not sorted so
 * are not noticed: the result then holds the elements of both, each once, in some order.
 *
 * @param a any typed array; not written
 * @param b of the same type; not written
 * @param compare called as `compare(x, y, context)`, as by `parallelSort`
 * @param options `into` (an array of the same type for the result), and `pool`, `threshold` (elements in a leaf),
 *   `context`, `signal`, `onProgress(done, total)` in elements of the result
 * @returns a promise of `into`, or else of a new array of that type, shared if `a` or `b` is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `compare` threw;
 *   CancellationError (`AbortError`) once `signal` is aborted. A shared `into` is half written then, a and b are whole
 * @remarks Cost: n comparisons and moves, n being the length of both; time n / parallelism + log n; memory for the result and,
 * for arrays that are not shared, for copies, which are made only if the work is worth five of them. What is known to
 * take less than 300 us runs at once on the caller.
 * Source: Odeh, Green, Mwassi, Shmueli, Birk (2012), "Merge path", with the splits made monotone.
 * @example
 * const all = await parallelMerge(await parallelSort(xs), await parallelSort(ys));
 */
export function parallelMerge<T extends TypedArray, C = undefined>(
  a: T,
  b: T,
  ...rest: CompareRest<T, C, Into<T>>
): Promise<T> {
  return merge.promise(a, b, rest) as Promise<T>;
}

/**
 * `parallelMerge` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param a as for `parallelMerge`
 * @param b as for `parallelMerge`
 * @param compare as for `parallelMerge`
 * @param options as for `parallelMerge`
 * @returns what the promise of `parallelMerge` gives
 * @throws what `parallelMerge` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelMerge`.
 * @example
 * parallelMergeSync(a, b, (x, y) => y - x, { into: descending });
 */
export function parallelMergeSync<T extends TypedArray, C = undefined>(
  a: T,
  b: T,
  ...rest: CompareRest<T, C, Into<T> & SyncOptions>
): T {
  return merge.sync(a, b, rest) as T;
}
