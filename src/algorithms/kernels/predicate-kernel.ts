/**
 * The loops of searching, counting and filtering by a predicate that is called; runs on every thread that computes.
 */

import { specialize, typesTag } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { refusePromise } from '../returned-promise.js';

/** Counts and finds elements of [lo, hi) by a predicate. */
export interface PredicateKernel {
  /** Counts the elements that match. */
  count(lo: number, hi: number): number;
  /** The index of the first element that matches, or of the first that does not match; `hi` if there is none. */
  first(lo: number, hi: number, wanted: boolean): number;
}

export type PredicateFunction = (x: unknown, i: number, context: unknown) => unknown;
type Result = { [i: number]: unknown };

/** The elements, the context of the predicate, and what errors call the predicate. */
interface PredicateInput {
  readonly xs: ArrayLike<unknown>;
  readonly context: unknown;
  readonly called: string;
}

/** Part of a match that goes to the output: the element, or its index. */
export type Keeps = 'elements' | 'indices';

/** Gives what is kept of an element. V8 inlines it. */
type Kept = (x: unknown, i: number) => unknown;
const KEPT: Readonly<Record<Keeps, Kept>> = { elements: (x) => x, indices: (_, i) => i };

/**
 * A template, see specialize.ts: all loops of one predicate but `first`. Counting and compacting go four at a time, as in
 * loops/element-loop.ts.
 */
const makeLoops = (pred: PredicateFunction, kept: Kept, refuse: typeof refusePromise) => {
  /**
   * Asks the predicate: a truthy answer matches. A promise always is, so each answer that is no boolean is looked at. `answer !== match`
   * costs nothing where V8 knows that the answer is a boolean: 1.5 ns an element. Comparing it with true and with false, or counting by
   * `match ? 1 : 0` instead of `+match`, makes branches: 2.7 and 6 ns.
   */
  function ask(x: unknown, i: number, context: unknown, called: string): boolean {
    const answer = pred(x, i, context);
    const match = !!answer;
    if (answer !== match) refuse(answer, called);
    return match;
  }

  /** Puts what is kept of element i to out[k]; gives 1 if it matches, else 0. */
  function put(xs: ArrayLike<unknown>, i: number, context: unknown, called: string, out: Result, k: number): number {
    const x = xs[i];
    const match = +ask(x, i, context, called);
    out[k] = kept(x, i);
    return match;
  }

  function count({ xs, context, called }: PredicateInput, lo: number, hi: number): number {
    let n = 0;
    let i = lo;
    for (const odd = lo + ((hi - lo) & 3); i < odd; i++) n += +ask(xs[i], i, context, called);
    for (; i < hi; i += 4) {
      n += +ask(xs[i], i, context, called);
      n += +ask(xs[i + 1], i + 1, context, called);
      n += +ask(xs[i + 2], i + 2, context, called);
      n += +ask(xs[i + 3], i + 3, context, called);
    }
    return n;
  }

  function compact({ xs, context, called }: PredicateInput, lo: number, hi: number, out: Result, at: number): number {
    let k = at;
    let i = lo;
    for (const odd = lo + ((hi - lo) & 3); i < odd; i++) k += put(xs, i, context, called, out, k);
    for (; i < hi; i += 4) {
      k += put(xs, i, context, called, out, k);
      k += put(xs, i + 1, context, called, out, k);
      k += put(xs, i + 2, context, called, out, k);
      k += put(xs, i + 3, context, called, out, k);
    }
    return k - at;
  }

  function partition(
    asked: PredicateInput,
    lo: number,
    hi: number,
    out: Result,
    at: number,
    rest: Result,
    restAt: number,
  ): number {
    const { xs, context, called } = asked;
    let k = at;
    let r = restAt;
    for (let i = lo; i < hi; i++) {
      const x = xs[i];
      const match = ask(x, i, context, called);
      const y = kept(x, i);
      out[k] = y;
      rest[r] = y;
      k += +match;
      r += +!match;
    }
    return k - at;
  }

  return { ask, count, compact, partition };
};

type Loops = ReturnType<typeof makeLoops>;

/**
 * A template. `wanted` is a function, so that V8 inlines the answer: as an argument it would take a quarter more time. Searching
 * 100,000 elements in vain takes 87 us, one by one 162.
 */
const makeFirst = (ask: Loops['ask'], wanted: () => boolean) =>
  function first({ xs, context, called }: PredicateInput, lo: number, hi: number): number {
    let i = lo;
    for (const last = hi - 3; i < last; i += 4) {
      if (ask(xs[i], i, context, called) === wanted()) return i;
      if (ask(xs[i + 1], i + 1, context, called) === wanted()) return i + 1;
      if (ask(xs[i + 2], i + 2, context, called) === wanted()) return i + 2;
      if (ask(xs[i + 3], i + 3, context, called) === wanted()) return i + 3;
    }
    for (; i < hi; i++) if (ask(xs[i], i, context, called) === wanted()) return i;
    return hi;
  };

const yes = (): boolean => true;
const no = (): boolean => false;

/** Calls the predicate, in loops of its own. */
export class CallingKernel implements PredicateKernel {
  readonly #tag: number;
  readonly #asked: PredicateInput;
  readonly #loops: Loops;

  /** @param keeps what compacting and partitioning write */
  constructor(xs: TypedArray, pred: PredicateFunction, context: unknown, called: string, keeps: Keeps = 'elements') {
    this.#tag = typesTag(xs);
    this.#asked = { xs: xs as ArrayLike<unknown>, context, called };
    this.#loops = specialize(makeLoops, this.#tag, pred, KEPT[keeps], refusePromise);
  }

  count(lo: number, hi: number): number {
    return this.#loops.count(this.#asked, lo, hi);
  }

  first(lo: number, hi: number, wanted: boolean): number {
    return specialize(makeFirst, this.#tag, this.#loops.ask, wanted ? yes : no)(this.#asked, lo, hi);
  }

  /**
   * Puts what it keeps of those that match into `out` from `at` on, in order; returns how many. Beyond them it may write anything, up to
   * `at + hi - lo`.
   */
  compact(lo: number, hi: number, out: TypedArray, at: number): number {
    return this.#loops.compact(this.#asked, lo, hi, out as Result, at);
  }

  /** As `compact`, and puts the others into `rest` from `restAt` on. */
  partition(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number {
    return this.#loops.partition(this.#asked, lo, hi, out as Result, at, rest as Result, restAt);
  }
}
