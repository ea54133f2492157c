/**
 * `parallelMinMax`: the least and the greatest element in one pass; the calls run on the caller, the blocks on every
 * thread that computes.
 */

import type { ElementOf } from '../../core/memory/element-types.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { typeOf } from '../call/call-arrays.js';
import { type AlgorithmOptions, checkArray, readOptions, type SyncOptions } from '../call/options.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { emptyResult } from '../kernels/named-reductions.js';
import { wasmReduction } from '../kernels/wasm-reductions.js';
import { costOf } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { MIN_MAX_BLOCK, NAMED_REDUCTION_NS } from '../tuning.js';
import { minMaxKernel, numbersOf } from './min-max-kernel.js';

/** What `parallelMinMax` gives. */
export interface MinMax<T extends TypedArray> {
  readonly min: ElementOf<T>;
  readonly max: ElementOf<T>;
}

interface MinMaxSpec {
  readonly xs: TypedArray;
  /** The least and the greatest element of each block. */
  readonly blocks: TypedArray;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Writes the least and the greatest of elements [lo, hi) to blocks[at] and blocks[at + 1]. */
type BlockKernel = (lo: number, hi: number, at: number) => void;

/** In WebAssembly by one kernel after the other: a block is in the cache by then. */
function blockKernel(xs: TypedArray, blocks: TypedArray): BlockKernel {
  const type = typeOfView(xs);
  const least = wasmReduction('min', xs, type);
  const greatest = wasmReduction('max', xs, type);
  if (least !== undefined && greatest !== undefined) {
    return (lo, hi, at) => {
      blocks[at] = least.kernel(least.source, lo, hi) as never;
      blocks[at + 1] = greatest.kernel(greatest.source, lo, hi) as never;
    };
  }
  const kernel = minMaxKernel(xs);
  const [numbers, out] = [numbersOf(xs), numbersOf(blocks) as Float64Array];
  return (lo, hi, at) => kernel(numbers, lo, hi, out, at);
}

function openMinMax({ xs, blocks, threshold, parallelism }: MinMaxSpec): Stage[] {
  const kernel = blockKernel(xs, blocks);
  const { length } = xs;
  const units = Math.ceil(length / MIN_MAX_BLOCK);
  return [
    {
      units,
      grain: new Grain({
        cost: costOf(minMaxKernel(xs), NAMED_REDUCTION_NS),
        unitElements: MIN_MAX_BLOCK,
        units,
        threshold,
        parallelism,
      }),
      run(lo, hi) {
        for (let block = lo; block < hi; block++) {
          const from = block * MIN_MAX_BLOCK;
          kernel(from, Math.min(length, from + MIN_MAX_BLOCK), 2 * block);
        }
        return Math.min(length, hi * MIN_MAX_BLOCK) - lo * MIN_MAX_BLOCK;
      },
    },
  ];
}

const MIN_MAX = stagedKind<MinMaxSpec>('min-max', openMinMax);

/** Of the blocks' least and greatest elements, those of all: a block more, which has both kinds in it. */
function combined<T extends TypedArray>(xs: T, blocks: TypedArray): MinMax<T> {
  if (blocks.length === 0) {
    return { min: emptyResult('min', xs, false), max: emptyResult('max', xs, false) } as MinMax<T>;
  }
  if (blocks.length > 2) {
    const numbers = numbersOf(blocks);
    minMaxKernel(blocks)(numbers, 0, blocks.length, numbers as Float64Array, 0);
  }
  return { min: blocks[0], max: blocks[1] } as MinMax<T>;
}

function begin<T extends TypedArray>(name: string, form: Form, xs: T, given: unknown): PreparedCall<MinMax<T>> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, form, given);
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: MIN_MAX,
    elements: xs.length,
    passes: 1,
    cost: costOf(minMaxKernel(xs), NAMED_REDUCTION_NS),
    copies: copiedBytes(xs),
    spec: (arrays): MinMaxSpec => ({
      xs: arrays.input<TypedArray>(xs),
      blocks: arrays.scratch<TypedArray>(typeOf<TypedArray>(xs), 2 * Math.ceil(xs.length / MIN_MAX_BLOCK)),
      threshold: options.threshold,
      parallelism,
    }),
    result: (_, { blocks }) => combined(xs, blocks),
  });
}

/**
 * Gives the least and the greatest element, in one pass.
 *
 * As `Math.min` and `Math.max` have it: NaN wins both, and -0 is less than 0. The result is the same at any parallelism
 * and threshold.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `{ min, max }`, bigints for arrays of bigints. Of an empty array min is Infinity and max is
 *   -Infinity, or for bigints the greatest and the least value of the type: what `parallelReduce` gives for 'min' and 'max'
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError
 *   (`AbortError`) once `signal` is aborted
 * @remarks Cost: n comparisons with each of two numbers; span n / parallelism; memory for two elements in 4096 and, for an array
 * that is not shared, for its copy. What is known to take less than 300 us runs at once on the caller.
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
