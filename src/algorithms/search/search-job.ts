/**
 * Tasks of a search: they look at blocks of elements until one matches; runs on every thread that computes.
 *
 * All threads share the least index found so far. Blocks after that index are skipped, and so is the rest of the block that
 * contains it. Blocks before it are searched to their end, so the first match wins, whichever thread finds a match first.
 * Errors follow the same rule, as in a loop from the left: an error of the predicate counts if no element before it matches.
 * The root knows whether one does when it has joined all lanes.
 */

import type { Callee } from '../../core/engine.js';
import { add, compareExchange, load } from '../../core/memory/atomics.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import type { Start } from '../call/algorithm.js';
import { typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { checkArray, checkCounted, checkValue, readOptions } from '../call/options.js';
import { costOfPredicate, type PredicateSpec, predicateKernel, shipPredicate } from '../call/predicate.js';
import { copiedBytes } from '../call/staged-call.js';
import { addressOf, filterKernels } from '../kernels/wasm-kernels.js';
import { type Cost, costsByType } from '../schedule/cost.js';
import { INDEX_OF_NS } from '../tuning.js';

/** Shared words: the least index found so far (unsigned), and the number of elements searched. Tasks write them atomically. */
const W_FOUND = 0;
const W_SEARCHED = 1;
const WORDS = 2;
const NOTHING_FOUND = -1;

interface SearchWork {
  readonly xs: TypedArray;
  readonly words: Int32Array;
  /** The value that is sought, or undefined and a predicate. */
  readonly value: number | bigint | undefined;
  readonly predicate: PredicateSpec | undefined;
  /** True if an element is sought that matches the predicate, false for one that does not. */
  readonly wanted: boolean;
}

/** Lowers the first word to `index`, unless it is lower already. Other threads may lower it at the same time. */
export function lower(words: Int32Array, index: number): void {
  let seen = load(words, W_FOUND);
  while (index < seen >>> 0) {
    const held = compareExchange(words, W_FOUND, seen, index | 0);
    if (held === seen) return;
    seen = held;
  }
}

type Find = (lo: number, hi: number) => number;

/**
 * Gives the index of the first element in [lo, hi) that equals a value, or `hi`, as `indexOf` has it: 0 finds -0, NaN nothing. By
 * WebAssembly where the array is on the shared heap, on which the built-in takes a third longer.
 */
export function finder(xs: TypedArray, value: number | bigint): Find {
  const find = filterKernels.for('find', xs);
  if (find === undefined) {
    return (lo, hi) => {
      const at = (xs as Float64Array).subarray(lo, hi).indexOf(value as number);
      return at < 0 ? hi : lo + at;
    };
  }
  const probe = new (typeOf<TypedArray>(xs))(1);
  probe[0] = value as number;
  if (probe[0] !== value) return (_, hi) => hi; // no value of the type; NaN
  return (lo, hi) => lo + find(addressOf(xs, lo), hi - lo, value);
}

const costOfFind = costsByType(INDEX_OF_NS);

const costOfSearch = ({ xs, predicate }: Pick<SearchWork, 'xs' | 'predicate'>): Cost =>
  predicate === undefined ? costOfFind(xs) : costOfPredicate(predicate);

/** Gives the index of the first element in [lo, hi) that is sought, or `hi`. */
function firstOf({ xs, value, predicate, wanted }: SearchWork): Find {
  if (predicate === undefined) return finder(xs, value as number);
  const kernel = predicateKernel(predicate, xs);
  return (lo, hi) => kernel.first(lo, hi, wanted);
}

const foundIn = (words: Int32Array): number => load(words, W_FOUND) >>> 0;

const SEARCH = elementKind<SearchWork>('search', {
  body(work) {
    const { words } = work;
    const first = firstOf(work);
    return (lo, hi) => {
      const end = Math.min(hi, foundIn(words));
      if (end <= lo) return 0;
      const at = first(lo, end);
      const searched = Math.min(end, at + 1) - lo;
      add(words, W_SEARCHED, searched);
      if (at < end) lower(words, at);
      return searched;
    };
  },
  cost: costOfSearch,
  isSuperseded: ({ words }, i) => foundIn(words) < i,
});

/** Target of a search: an element that matches a predicate or that does not, as `wanted` says, or a value. */
export type Sought = { readonly pred: unknown; readonly wanted: boolean } | { readonly value: unknown };

/**
 * Begins searches: checks the arguments of a call, and prepares it.
 *
 * @param soughtBy what is sought, by the second argument of the call
 * @param answer makes the result from the index of the first element that is sought, which is -1 if there is none
 */
export const searching =
  <R>(soughtBy: (argument: unknown) => Sought, answer: (index: number, xs: TypedArray) => R) =>
  (callee: Callee, xs: TypedArray, argument: unknown, given: unknown): Start<R> =>
    beginSearch(callee, xs, soughtBy(argument), given, answer);

function beginSearch<R>(
  callee: Callee,
  xs: TypedArray,
  sought: Sought,
  given: unknown,
  answer: (index: number, xs: TypedArray) => R,
): Start<R> {
  checkArray(callee.name, 'xs', xs);
  checkCounted(callee.name, 'xs has', xs.length);
  if ('value' in sought) checkValue(callee.name, 'value', sought.value, xs);
  const options = readOptions(callee, given);
  const value = 'value' in sought ? (sought.value as number | bigint) : undefined;
  const predicate = 'pred' in sought ? shipPredicate(callee, sought.pred, options) : undefined;
  return beginElements<SearchWork, R>({
    callee,
    options,
    kind: SEARCH,
    elements: xs.length,
    user: predicate,
    cost: costOfSearch({ xs, predicate }),
    copies: copiedBytes(xs),
    work: (arrays) => ({
      words: arrays.scratch(Int32Array, WORDS, NOTHING_FOUND),
      xs: arrays.input(xs),
      value,
      predicate,
      wanted: 'value' in sought || sought.wanted,
    }),
    // Plain reads: no task of the call runs any more. The number of elements searched counts from -1.
    ran: ({ words }) => (words[W_SEARCHED] + 1) >>> 0,
    result: (_, { xs: view, words }) => answer(words[W_FOUND] === NOTHING_FOUND ? -1 : words[W_FOUND] >>> 0, view),
  });
}
