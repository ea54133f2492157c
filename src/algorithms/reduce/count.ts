/**
 * `parallelCount`: how many elements match; the calls run on the caller, the loops on every thread that computes.
 */
import { add } from '../../core/memory/atomics.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { type AlgorithmOptions, checkArray, readOptions, type SyncOptions } from '../call/options.js';
import {
  costOfPredicate,
  type Predicate,
  type PredicateSpec,
  predicateKernel,
  shipPredicate,
} from '../call/predicate.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { Grain } from '../schedule/grain.js';
import { type Stage, stagedKind } from '../schedule/stages.js';

interface CountSpec extends PredicateSpec {
  readonly xs: TypedArray;
  /** One word, to which tasks add atomically what they have counted. */
  readonly words: Int32Array;
  readonly threshold: number;
  readonly parallelism: number;
}

function openCount(spec: CountSpec): Stage[] {
  const { xs, words, threshold, parallelism } = spec;
  const kernel = predicateKernel(spec, xs);
  return [
    {
      units: xs.length,
      calls: spec.called,
      context: spec.context,
      grain: new Grain({ cost: costOfPredicate(spec), unitElements: 1, units: xs.length, threshold, parallelism }),
      run(lo, hi) {
        add(words, 0, kernel.count(lo, hi));
        return hi - lo;
      },
    },
  ];
}

const COUNT = stagedKind<CountSpec>('count', openCount);

function begin(name: string, form: Form, xs: TypedArray, pred: unknown, rest: unknown): PreparedCall<number> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, form, rest);
  const predicate = shipPredicate(name, pred, options);
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: COUNT,
    elements: xs.length,
    passes: 1,
    cost: costOfPredicate(predicate),
    copies: copiedBytes(xs),
    spec: (arrays): CountSpec => ({
      fn: predicate.fn,
      context: predicate.context,
      called: predicate.called,
      maybeComparison: predicate.maybeComparison,
      xs: arrays.input(xs),
      words: arrays.scratch(Int32Array, 1, 0),
      threshold: options.threshold,
      parallelism,
    }),
    result: (_, { words }) => words[0] >>> 0, // plain: nothing of the call runs any more
  });
}

/**
 * Counts the elements for which a predicate holds.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param pred called as `pred(x, i, context)`, in any order and on any thread, once an element; it must return true or
 *   false. It travels as source text: what it needs besides its arguments goes through `context`, unless it is a `forkable`
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of how many elements match; the same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `pred` threw at the lowest
 *   failing index, or a TypeError for an answer that is no boolean; CancellationError (`AbortError`) once `signal` is
 *   aborted
 * @remarks Cost: n calls; span n / parallelism; no memory but a copy of xs if it is not shared. What is known to take less than
 * 300 us runs at once on the caller.
 * @example
 * const cheap = await parallelCount(prices, (x) => x < 10);
 */
export function parallelCount<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C>,
): Promise<number> {
  return settle('parallelCount', (name, form) => begin(name, form, xs, pred, options));
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
export function parallelCountSync<T extends TypedArray, C = undefined>(
  xs: T,
  pred: Predicate<ElementOf<T>, C>,
  options?: AlgorithmOptions<C> & SyncOptions,
): number {
  return settleSync('parallelCountSync', (name, form) => begin(name, form, xs, pred, options));
}
