/**
 * `parallelCount`: how many elements match; the calls run on the caller, the loops on every thread that computes.
 */
import type { Callee, NotAPromise } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { addCount, COUNT_WORDS, readCount } from '../../core/memory/wide-count.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { type AlgorithmOptions, checkArray, readOptions, type SyncOptions } from '../call/options.js';
import {
  costOfPredicate,
  type Predicate,
  type PredicateSpec,
  predicateKernel,
  shipPredicate,
} from '../call/predicate.js';
import { copiedBytes } from '../call/staged-call.js';

interface CountWork {
  readonly xs: TypedArray;
  readonly predicate: PredicateSpec;
  /** To which threads add atomically what they have counted. */
  readonly words: Int32Array;
}

const COUNT = elementKind<CountWork>('count', {
  body({ xs, predicate, words }) {
    const kernel = predicateKernel(predicate, xs);
    return (lo, hi) => addCount(words, 0, kernel.count(lo, hi));
  },
  cost: ({ predicate }) => costOfPredicate(predicate),
});

function begin(callee: Callee, xs: TypedArray, pred: unknown, given: unknown): Start<number> {
  checkArray(callee.name, 'xs', xs);
  const options = readOptions(callee, given);
  const predicate = shipPredicate(callee, pred, options);
  return beginElements<CountWork, number>({
    callee,
    options,
    kind: COUNT,
    elements: xs.length,
    user: predicate,
    cost: costOfPredicate(predicate),
    copies: copiedBytes(xs),
    work: (arrays) => ({ xs: arrays.input(xs), predicate, words: arrays.scratch(Int32Array, COUNT_WORDS, 0) }),
    result: (_, { words }) => readCount(words, 0),
  });
}

const count = new Algorithm('parallelCount', begin);

/**
 * Counts the elements for which a predicate holds.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element, synchronous; an
 *   element matches if the result is truthy. It travels as source text: what it needs besides its arguments goes through
 *   `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of how many elements match; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for a promise; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls; time n / parallelism; no memory but a copy of xs if it is not shared.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const cheap = await parallelCount(prices, (x) => x < 10);
 */
export function parallelCount<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C>,
): Promise<number> {
  return count.promise(xs, pred, options);
}

/**
 * `parallelCount` that returns the count itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelCount`
 * @param pred as for `parallelCount`
 * @param options as for `parallelCount`
 * @returns what the promise of `parallelCount` gives
 * @throws what `parallelCount` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelCount`.
 * @example
 * const cheap = parallelCountSync(prices, (x) => x < 10);
 */
export function parallelCountSync<T extends TypedArray, C = undefined, R = NotAPromise>(
  xs: T,
  pred: Predicate<ElementOf<T>, C, R>,
  options?: AlgorithmOptions<C> & SyncOptions,
): number {
  return count.sync(xs, pred, options);
}
