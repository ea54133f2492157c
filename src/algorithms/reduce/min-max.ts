/**
 * `parallelMinMax`: the least and the greatest element in one pass; the calls run on the caller, the blocks on every
 * thread that computes.
 */
import { type Callee, specialize } from '../../core/engine.js';
import { type ElementOf, isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import {
  type AlgorithmOptions,
  checkArray,
  checkIndices,
  readOptions,
  type SyncOptions,
  type WithIndices,
  type WithoutIndices,
} from '../call/options.js';
import { copiedBytes } from '../call/staged-call.js';
import { emptyResult, namedReduction } from '../kernels/named-reductions.js';
import { reduceKernels } from '../kernels/wasm-kernels.js';
import { costsByType } from '../schedule/cost.js';
import { MIN_MAX_BLOCK, NAMED_REDUCTION_NS } from '../tuning.js';

/** Result of `parallelMinMax`. */
export interface MinMax<T extends TypedArray> {
  readonly min: ElementOf<T>;
  readonly max: ElementOf<T>;
}

/** Result of `parallelMinMax` with `{ indices: true }`: also where those elements are first, -1 in an empty array. */
export interface IndexedMinMax<T extends TypedArray> extends MinMax<T> {
  readonly minIndex: number;
  readonly maxIndex: number;
}

/** `blocks`: the least and the greatest element of each block. */
type MinMaxWork = Readonly<Record<'xs' | 'blocks', TypedArray>>;

const costOfMinMax = costsByType(NAMED_REDUCTION_NS);

/** Writes the least and the greatest of elements [lo, hi), at least one, to out[at] and out[at + 1]. */
type MinMaxLoop = (xs: Float64Array, lo: number, hi: number, out: Float64Array, at: number) => void;

/** A template, see specialize.ts, for numbers. Nearly all pairs end at the branch; Math sees to NaN and -0. */
const makeMinMax = (): MinMaxLoop =>
  function minMax(xs, lo, hi, out, at) {
    let min = xs[lo];
    let max = min;
    for (let i = lo + ((hi - lo) & 1); i < hi; i += 2) {
      const x = xs[i];
      const y = xs[i + 1];
      if (x > min && x < max && y > min && y < max) continue;
      min = Math.min(min, x, y);
      max = Math.max(max, x, y);
    }
    out[at] = min;
    out[at + 1] = max;
  };

/** By WebAssembly one after the other: the block is in the cache when its greatest element is looked for. */
function blockLoop(xs: TypedArray): MinMaxLoop {
  const type = typeOfView(xs);
  if (!isBigIntType(type) && reduceKernels.for('min', xs) === undefined) return specialize(makeMinMax, type);
  const [min, max] = [namedReduction('min', xs), namedReduction('max', xs)];
  return (_, lo, hi, out, at) => out.set([min.fold(lo, hi) as number, max.fold(lo, hi) as number], at);
}

const MIN_MAX = elementKind<MinMaxWork>('min-max', {
  block: MIN_MAX_BLOCK,
  body({ xs, blocks }) {
    const loop = blockLoop(xs);
    return (lo, hi) => loop(xs as Float64Array, lo, hi, blocks as Float64Array, (2 * lo) / MIN_MAX_BLOCK);
  },
  cost: ({ xs }) => costOfMinMax(xs),
});

/** The extremes of the blocks, which may be none. */
function minMaxOf(xs: TypedArray, blocks: Float64Array): { min: unknown; max: unknown } {
  if (xs.length === 0) return { min: emptyResult('min', xs, false), max: emptyResult('max', xs, false) };
  if (blocks.length === 2) return { min: blocks[0], max: blocks[1] };
  const ends = new (typeOf(blocks))(2);
  blockLoop(blocks)(blocks, 0, blocks.length, ends, 0);
  return { min: ends[0], max: ends[1] };
}

/**
 * Finds the first place of an extreme: in the first block that has it at `side`. NaN equals itself here, and -0 is not 0.
 */
function firstIndexOf(extreme: unknown, xs: TypedArray, blocks: Float64Array, side: 0 | 1): number {
  let block = 0;
  while (2 * block < blocks.length && !Object.is(blocks[2 * block + side], extreme)) block++;
  for (let i = block * MIN_MAX_BLOCK; i < xs.length; i++) if (Object.is(xs[i], extreme)) return i;
  return -1;
}

function begin(callee: Callee, xs: TypedArray, given: unknown): Start<MinMax<TypedArray>> {
  checkArray(callee.name, 'xs', xs);
  const options = readOptions(callee, given, ['indices']);
  const withIndices = checkIndices(callee.name, options);
  return beginElements({
    callee,
    options,
    kind: MIN_MAX,
    elements: xs.length,
    cost: costOfMinMax(xs),
    copies: copiedBytes(xs),
    work: (arrays) => ({
      xs: arrays.input<TypedArray>(xs),
      blocks: arrays.scratch<TypedArray>(typeOf(xs), 2 * Math.ceil(xs.length / MIN_MAX_BLOCK)),
    }),
    result(_, work) {
      const blocks = work.blocks as Float64Array;
      const ends = minMaxOf(xs, blocks) as MinMax<TypedArray>;
      if (!withIndices) return ends;
      const minIndex = firstIndexOf(ends.min, work.xs, blocks, 0);
      return { ...ends, minIndex, maxIndex: firstIndexOf(ends.max, work.xs, blocks, 1) };
    },
  });
}

const minMax = new Algorithm('parallelMinMax', begin);

/**
 * Gives the least and the greatest element, in one pass.
 *
 * As `Math.min` and `Math.max` have it: NaN wins both, and -0 is less than 0. The result is the same at any parallelism
 * and threshold.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param options `indices`, and `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `{ min, max }`, bigints for arrays of bigints; with `{ indices: true }` also `minIndex` and
 *   `maxIndex`, where each of them is first, -1 of an empty array. Of an empty array min is Infinity and max is
 *   -Infinity, or for bigints the greatest and the least value of the type: what `parallelReduce` gives for 'min' and 'max'
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n comparisons with each of two numbers; time n / parallelism; memory for two elements in 4096 and, for an array
 * that is not shared, for its copy.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const { min, max } = await parallelMinMax(xs);
 * const counts = await parallelHistogram(xs, { bins: 100, min, max });
 * const { maxIndex } = await parallelMinMax(xs, { indices: true });
 */
export function parallelMinMax<T extends TypedArray>(
  xs: T,
  options: AlgorithmOptions<never> & WithIndices,
): Promise<IndexedMinMax<T>>;
export function parallelMinMax<T extends TypedArray>(
  xs: T,
  options?: AlgorithmOptions<never> & WithoutIndices,
): Promise<MinMax<T>>;
export function parallelMinMax(xs: TypedArray, options?: unknown): Promise<unknown> {
  return minMax.promise(xs, options);
}

/**
 * `parallelMinMax` that returns the two elements themselves. Inside a task it forks on the worker that calls it;
 * elsewhere the caller works too, and blocks.
 *
 * @param xs as for `parallelMinMax`
 * @param options as for `parallelMinMax`
 * @returns what the promise of `parallelMinMax` gives
 * @throws what `parallelMinMax` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelMinMax`.
 * @example
 * const { min, max } = parallelMinMaxSync(xs);
 */
export function parallelMinMaxSync<T extends TypedArray>(
  xs: T,
  options: AlgorithmOptions<never> & SyncOptions & WithIndices,
): IndexedMinMax<T>;
export function parallelMinMaxSync<T extends TypedArray>(
  xs: T,
  options?: AlgorithmOptions<never> & SyncOptions & WithoutIndices,
): MinMax<T>;
export function parallelMinMaxSync(xs: TypedArray, options?: unknown): unknown {
  return minMax.sync(xs, options);
}
