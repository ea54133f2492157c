/**
 * `parallelMinMax`: the least and the greatest element in one pass; the calls run on the caller, the blocks on every
 * thread that computes.
 */

import { specialize } from '../../core/code/specialize.js';
import {
  type ElementOf,
  isBigIntType,
  TYPE_COUNT,
  type TypedArray,
  typeOfView,
} from '../../core/memory/element-types.js';
import type { Form } from '../../core/pool/call.js';
import { typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { type AlgorithmOptions, checkArray, readOptions, type SyncOptions } from '../call/options.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { copiedBytes } from '../call/staged-call.js';
import { emptyResult, namedReduction } from '../kernels/named-reductions.js';
import { reduceKernels } from '../kernels/wasm-kernels.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { MIN_MAX_BLOCK, NAMED_REDUCTION_NS } from '../tuning.js';

/** What `parallelMinMax` gives. */
export interface MinMax<T extends TypedArray> {
  readonly min: ElementOf<T>;
  readonly max: ElementOf<T>;
}

interface MinMaxWork {
  readonly xs: TypedArray;
  /** The least and the greatest element of each block. */
  readonly blocks: TypedArray;
}

/** What the cost belongs to, by the number of the element type. */
const TYPES: readonly object[] = Array.from({ length: TYPE_COUNT }, () => ({}));

const costOfMinMax = (xs: TypedArray): Cost => costOf(TYPES[typeOfView(xs)], NAMED_REDUCTION_NS);

/** Writes the least and the greatest of elements [lo, hi) to out[at] and out[at + 1]. */
type BlockLoop = (xs: ArrayLike<number>, lo: number, hi: number, out: { [i: number]: number }, at: number) => void;

/** A template, see specialize.ts, for numbers. The branch is hardly ever taken; Math sees to NaN and -0. */
const makeMinMax = (): BlockLoop =>
  function minMax(xs, lo, hi, out, at) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let i = lo;
    for (const end = hi - 1; i < end; i += 2) {
      const x = xs[i];
      const y = xs[i + 1];
      if (x > min && x < max && y > min && y < max) continue;
      min = Math.min(min, x, y);
      max = Math.max(max, x, y);
    }
    out[at] = i < hi ? Math.min(min, xs[i]) : min;
    out[at + 1] = i < hi ? Math.max(max, xs[i]) : max;
  };

/** By WebAssembly one after the other: the block is in the cache when its greatest element is looked for. */
function blockLoop(xs: TypedArray): BlockLoop {
  if (!isBigIntType(typeOfView(xs)) && reduceKernels.for('min', xs) === undefined)
    return specialize(makeMinMax, typeOfView(xs));
  const min = namedReduction('min', xs);
  const max = namedReduction('max', xs);
  return (_, lo, hi, out, at) => {
    out[at] = min.fold(lo, hi) as number;
    out[at + 1] = max.fold(lo, hi) as number;
  };
}

const MIN_MAX = elementKind<MinMaxWork>('min-max', {
  block: MIN_MAX_BLOCK,
  body({ xs, blocks }) {
    const loop = blockLoop(xs);
    const [elements, out] = [xs, blocks] as unknown as [ArrayLike<number>, { [i: number]: number }];
    return (lo, hi) => {
      for (let from = lo; from < hi; from += MIN_MAX_BLOCK) {
        loop(elements, from, Math.min(hi, from + MIN_MAX_BLOCK), out, (2 * from) / MIN_MAX_BLOCK);
      }
    };
  },
  cost: ({ xs }) => costOfMinMax(xs),
});

function begin<T extends TypedArray>(name: string, form: Form, xs: T, given: unknown): PreparedCall<MinMax<T>> {
  checkArray(name, 'xs', xs);
  return beginElements<MinMaxWork, MinMax<T>>({
    name,
    options: readOptions(name, form, given),
    kind: MIN_MAX,
    elements: xs.length,
    cost: costOfMinMax(xs),
    copies: copiedBytes(xs),
    work: (arrays) => ({
      xs: arrays.input<TypedArray>(xs),
      blocks: arrays.scratch<TypedArray>(typeOf<TypedArray>(xs), 2 * Math.ceil(xs.length / MIN_MAX_BLOCK)),
    }),
    result(_, { blocks }) {
      if (blocks.length === 2) return { min: blocks[0], max: blocks[1] } as MinMax<T>;
      const of = (op: 'min' | 'max'): number | bigint =>
        blocks.length === 0 ? emptyResult(op, xs, false) : namedReduction(op, blocks).fold(0, blocks.length);
      return { min: of('min'), max: of('max') } as MinMax<T>;
    },
  });
}

/**
 * Gives the least and the greatest element, in one pass.
 *
 * As `Math.min` and `Math.max` have it: NaN wins both, and -0 is less than 0. The result is the same at any parallelism
 * and threshold.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `{ min, max }`, bigints for arrays of bigints. Of an empty array min is Infinity and max is
 *   -Infinity, or for bigints the greatest and the least value of the type: what `parallelReduce` gives for 'min' and 'max'
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n comparisons with each of two numbers; span n / parallelism; memory for two elements in 4096 and, for an array
 * that is not shared, for its copy.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const { min, max } = await parallelMinMax(xs);
 * const counts = await parallelHistogram(xs, { bins: 100, min, max });
 */
export function parallelMinMax<T extends TypedArray>(xs: T, options?: AlgorithmOptions<never>): Promise<MinMax<T>> {
  return settle('parallelMinMax', (name, form) => begin(name, form, xs, options));
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
  options?: AlgorithmOptions<never> & SyncOptions,
): MinMax<T> {
  return settleSync('parallelMinMaxSync', (name, form) => begin(name, form, xs, options));
}
