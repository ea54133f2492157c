/**
 * What the tasks of a search run: they look at blocks of elements until one matches; runs on every thread that computes.
 *
 * All threads share the least index found so far. Blocks after that index are skipped, and so is the rest of the block that
 * contains it. Blocks before it are searched to their end, so the first match wins, whichever thread finds a match first.
 * Errors follow the same rule, as in a loop from the left: an error of the predicate counts if no element before it matches.
 * The root knows whether one does when it has joined all lanes.
 */
import { add, compareExchange, load } from '../../core/memory/atomics.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import type { CallArrays } from '../call/call-arrays.js';
import { checkArray, readOptions } from '../call/options.js';
import { costOfPredicate, type PredicateSpec, predicateKernel, shipPredicate } from '../call/predicate.js';
import type { PreparedCall } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import type { FunctionSpec } from '../call/user-function.js';
import type { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { type Stage, type StagedKind, stagedKind } from '../schedule/stages.js';

/** Shared words: the least index found so far (unsigned), and the number of elements searched. Tasks write them atomically. */
const W_FOUND = 0;
const W_SEARCHED = 1;
const WORDS = 2;
const NOTHING_FOUND = -1;

export interface SearchSpec {
  readonly xs: TypedArray;
  readonly words: Int32Array;
  readonly threshold: number;
  readonly parallelism: number;
}

interface PredicateSearch extends SearchSpec, PredicateSpec {
  /** Whether to search for a match, or for an element that does not match. */
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

/**
 * The one stage of a search.
 *
 * @param first the index of the first match in [lo, hi), or `hi`
 */
export function searchStages(
  spec: SearchSpec & Partial<FunctionSpec>,
  cost: Cost,
  first: (lo: number, hi: number) => number,
): Stage[] {
  const { xs, words, threshold, parallelism } = spec;
  const found = (): number => load(words, W_FOUND) >>> 0;
  return [
    {
      units: xs.length,
      calls: spec.called,
      context: spec.context,
      grain: new Grain({ cost, unitElements: 1, units: xs.length, threshold, parallelism }),
      isSuperseded: (unit) => found() < unit,
      run(lo, hi) {
        const end = Math.min(hi, found());
        if (end <= lo) return 0;
        const at = first(lo, end);
        const searched = Math.min(end, at + 1) - lo;
        add(words, W_SEARCHED, searched);
        if (at < end) lower(words, at);
        return searched;
      },
    },
  ];
}

/** The array that a search asks the call for. */
export const searchArrays = (arrays: CallArrays, xs: TypedArray): Pick<SearchSpec, 'xs' | 'words'> => {
  const words = arrays.scratch(Int32Array, WORDS, NOTHING_FOUND);
  return { xs: arrays.input(xs), words };
};

/** The index found, or -1. A plain read: no task of the call runs any more. */
export const foundIn = ({ words }: SearchSpec): number =>
  words[W_FOUND] === NOTHING_FOUND ? -1 : words[W_FOUND] >>> 0;

/** How many elements were searched; the word counts from -1. */
export const searchedIn = ({ words }: SearchSpec): number => (words[W_SEARCHED] + 1) >>> 0;

const SEARCH: StagedKind<PredicateSearch> = stagedKind<PredicateSearch>('search', (spec) => {
  const kernel = predicateKernel(spec, spec.xs);
  return searchStages(spec, costOfPredicate(spec), (lo, hi) => kernel.first(lo, hi, spec.wanted));
});

/** Checks the arguments of a search by a predicate, and begins it. */
export function beginSearch<R>(
  name: string,
  form: Form,
  xs: TypedArray,
  pred: unknown,
  rest: unknown,
  wanted: boolean,
  answer: (index: number, xs: TypedArray) => R,
): PreparedCall<R> {
  checkArray(name, 'xs', xs);
  const options = readOptions(name, form, rest);
  const predicate = shipPredicate(name, pred, options);
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: SEARCH,
    elements: xs.length,
    passes: 1,
    cost: costOfPredicate(predicate),
    copies: copiedBytes(xs),
    spec(arrays): PredicateSearch {
      const { xs: view, words } = searchArrays(arrays, xs);
      const { fn, context, called, maybeComparison } = predicate; // a spread takes several us
      return {
        fn,
        context,
        called,
        maybeComparison,
        xs: view,
        words,
        wanted,
        threshold: options.threshold,
        parallelism,
      };
    },
    ran: searchedIn,
    result: (_, spec) => answer(foundIn(spec), spec.xs),
  });
}
