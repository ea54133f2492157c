/**
 * `parallelIndexOf`: where a value first occurs; the calls run on the caller, the search on every thread that computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { type AlgorithmOptions, checkArray, checkValue, readOptions, type SyncOptions } from '../call/options.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { stagedKind } from '../schedule/stages.js';
import { INDEX_OF_NS } from '../tuning.js';
import { findKernel } from './find-element.js';
import { foundIn, type SearchSpec, searchArrays, searchedIn, searchStages } from './search-job.js';

interface IndexOfSpec extends SearchSpec {
  readonly value: number | bigint;
}

const costOfFind = (xs: TypedArray): Cost => costOf(findKernel(xs), INDEX_OF_NS);

const INDEX_OF = stagedKind<IndexOfSpec>('index-of', (spec) => {
  const { xs, value } = spec;
  const find = findKernel(xs);
  return searchStages(spec, costOfFind(xs), (lo, hi) => find(xs, value, lo, hi));
});

function begin(name: string, form: Form, xs: TypedArray, value: unknown, rest: unknown): PreparedCall<number> {
  checkArray(name, 'xs', xs);
  checkValue(name, 'value', value, xs);
  const options = readOptions(name, form, rest);
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: INDEX_OF,
    elements: xs.length,
    passes: 1,
    cost: costOfFind(xs),
    copies: copiedBytes(xs),
    spec(arrays): IndexOfSpec {
      const { xs: view, words } = searchArrays(arrays, xs);
      return { xs: view, words, value, threshold: options.threshold, parallelism };
    },
    ran: searchedIn,
    result: (_, spec) => foundIn(spec),
  });
}

/**
 * Finds where a value first occurs, as `TypedArray.prototype.indexOf` does.
 *
 * @param xs any typed array; not written. One that is not shared is searched by the caller, since copying it would take
 *   longer
 * @param value a number, or a bigint for arrays of bigints; compared by `===`, so NaN is never found, and 0 finds -0
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of the least index of an equal element, or -1; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; CancellationError (`AbortError`)
 *   once `signal` is aborted
 * @remarks Cost: n comparisons at most, few beyond the first match; span n / parallelism; no memory. What is known to take less
 * than 300 us runs at once on the caller.
 * @example
 * const at = await parallelIndexOf(xs, 42);
 */
export function parallelIndexOf<T extends TypedArray>(
  xs: T,
  value: ElementOf<T>,
  options?: AlgorithmOptions,
): Promise<number> {
  return settle('parallelIndexOf', (name, form) => begin(name, form, xs, value, options));
}

/**
 * `parallelIndexOf` that returns the index itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelIndexOf`
 * @param value as for `parallelIndexOf`
 * @param options as for `parallelIndexOf`
 * @returns what the promise of `parallelIndexOf` gives
 * @throws what `parallelIndexOf` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelIndexOf`.
 * @example
 * const at = parallelIndexOfSync(xs, 42);
 */
export function parallelIndexOfSync<T extends TypedArray>(
  xs: T,
  value: ElementOf<T>,
  options?: AlgorithmOptions & SyncOptions,
): number {
  return settleSync('parallelIndexOfSync', (name, form) => begin(name, form, xs, value, options));
}
