/**
 * The loops of searching, counting and filtering by a predicate that is called; runs on every thread that computes.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { shown } from '../shown.js';

/** All of them take elements [lo, hi). */
export interface PredicateKernel {
  /** Whether the predicate is a comparison: asking twice does no harm, and it cannot fail. */
  readonly isComparison: boolean;
  /** How many match. */
  count(lo: number, hi: number): number;
  /** The index of the first element that matches, or of the first that does not match; `hi` if there is none. */
  first(lo: number, hi: number, wanted: boolean): number;
  /**
   * Puts those that match into `out` from `at` on, in order; returns how many. Beyond them it may write anything, up to
   * `at + hi - lo`.
   */
  compact(lo: number, hi: number, out: TypedArray, at: number): number;
  /** Puts those that match, or those that do not, into `out` from `at` on, in order: at most `limit`. Beyond `limit` it writes nothing. */
  collect(lo: number, hi: number, wanted: boolean, out: TypedArray, at: number, limit: number): number;
  /** As `compact`, and puts the others into `rest` from `restAt` on. */
  part(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number;
}

export type Predicate = (x: unknown, i: number, context: unknown) => unknown;
/** The predicate, with its answer checked. */
type Ask = (x: unknown, i: number, context: unknown, called: string) => boolean;
type Elements = ArrayLike<unknown>;
type Result = { [i: number]: unknown };

function notBoolean(called: string, answer: unknown, i: number): never {
  throw new TypeError(
    `furcate: ${called} must return true or false, but it returned ${shown(answer)} for element ${i}. Make it a comparison, or write !!(...) around it.`,
  );
}

// Templates, see specialize.ts. They ask four at a time, as in loops/element-loop.ts: searching 100,000 elements in vain takes 87 us, one by one 162.

/**
 * `answer !== match` costs nothing where V8 knows that the answer is a boolean: 1.5 ns an element. Comparing it with true and with
 * false, or counting by `match ? 1 : 0` instead of `+match`, makes branches: 2.7 and 6 ns.
 */
const makeAsk = (pred: Predicate, refuse: typeof notBoolean): Ask =>
  function ask(x, i, context, called) {
    const answer = pred(x, i, context);
    const match = !!answer;
    if (answer !== match) refuse(called, answer, i);
    return match;
  };

const makeCount = (ask: Ask) =>
  function count(xs: Elements, lo: number, hi: number, context: unknown, called: string): number {
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
  };

/** `wanted` is a function, so that V8 inlines the answer: as an argument it would take a quarter more time. */
const makeFirst = (ask: Ask, wanted: () => boolean) =>
  function first(xs: Elements, lo: number, hi: number, context: unknown, called: string): number {
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

const makeCompact = (ask: Ask) =>
  function compact(
    xs: Elements,
    lo: number,
    hi: number,
    context: unknown,
    called: string,
    out: Result,
    at: number,
  ): number {
    let k = at;
    let i = lo;
    for (const odd = lo + ((hi - lo) & 3); i < odd; i++) {
      const x = xs[i];
      const match = +ask(x, i, context, called);
      out[k] = x;
      k += match;
    }
    for (; i < hi; i += 4) {
      const x = xs[i];
      const a = +ask(x, i, context, called);
      out[k] = x;
      k += a;
      const y = xs[i + 1];
      const b = +ask(y, i + 1, context, called);
      out[k] = y;
      k += b;
      const z = xs[i + 2];
      const c = +ask(z, i + 2, context, called);
      out[k] = z;
      k += c;
      const w = xs[i + 3];
      const d = +ask(w, i + 3, context, called);
      out[k] = w;
      k += d;
    }
    return k - at;
  };

const makeCollect = (ask: Ask) =>
  function collect(
    xs: Elements,
    lo: number,
    hi: number,
    context: unknown,
    called: string,
    wanted: boolean,
    out: Result,
    at: number,
    limit: number,
  ): number {
    const end = at + limit;
    let k = at;
    for (let i = lo; i < hi && k < end; i++) {
      const x = xs[i];
      out[k] = x;
      k += +(ask(x, i, context, called) === wanted);
    }
    return k - at;
  };

const makePart = (ask: Ask) =>
  function part(
    xs: Elements,
    lo: number,
    hi: number,
    context: unknown,
    called: string,
    out: Result,
    at: number,
    rest: Result,
    restAt: number,
  ): number {
    let k = at;
    let r = restAt;
    for (let i = lo; i < hi; i++) {
      const x = xs[i];
      const match = ask(x, i, context, called);
      out[k] = x;
      rest[r] = x;
      k += +match;
      r += +!match;
    }
    return k - at;
  };

const yes = (): boolean => true;
const no = (): boolean => false;

/** Calls the predicate, in loops of its own. */
export class CallingKernel implements PredicateKernel {
  readonly isComparison: boolean;
  readonly #xs: Elements;
  readonly #tag: number;
  readonly #ask: Ask;
  readonly #context: unknown;
  readonly #called: string;

  constructor(xs: TypedArray, pred: Predicate, context: unknown, called: string, isComparison = false) {
    this.isComparison = isComparison;
    this.#xs = xs as unknown as Elements;
    this.#tag = typesTag(xs);
    this.#ask = specialize(makeAsk, this.#tag, pred, notBoolean);
    this.#context = context;
    this.#called = called;
  }

  count(lo: number, hi: number): number {
    const loop = specialize(makeCount, this.#tag, this.#ask);
    return loop(this.#xs, lo, hi, this.#context, this.#called);
  }

  first(lo: number, hi: number, wanted: boolean): number {
    const loop = specialize(makeFirst, this.#tag, this.#ask, wanted ? yes : no);
    return loop(this.#xs, lo, hi, this.#context, this.#called);
  }

  compact(lo: number, hi: number, out: TypedArray, at: number): number {
    const loop = specialize(makeCompact, this.#tag, this.#ask);
    return loop(this.#xs, lo, hi, this.#context, this.#called, out as Result, at);
  }

  collect(lo: number, hi: number, wanted: boolean, out: TypedArray, at: number, limit: number): number {
    const loop = specialize(makeCollect, this.#tag, this.#ask);
    return loop(this.#xs, lo, hi, this.#context, this.#called, wanted, out as Result, at, limit);
  }

  part(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number {
    const loop = specialize(makePart, this.#tag, this.#ask);
    return loop(this.#xs, lo, hi, this.#context, this.#called, out as Result, at, rest as Result, restAt);
  }
}
