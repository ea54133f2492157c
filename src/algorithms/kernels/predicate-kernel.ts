/**
 * The loops of searching, counting and filtering by a predicate that is called; runs on every thread that computes.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { shown } from '../shown.js';

/** All of them take elements [lo, hi). */
export interface PredicateKernel {
  /** Whether it is a comparison: asking twice does no harm, and it cannot fail. */
  readonly isComparison: boolean;
  /** How many match. */
  count(lo: number, hi: number): number;
  /** The index of the first match, or of the first that does not match; `hi` if there is none. */
  first(lo: number, hi: number, wanted: boolean): number;
  /**
   * Puts those that match into `out` from `at` on, in order; returns how many. Beyond them it may write anything, up to
   * `at + hi - lo`.
   */
  compact(lo: number, hi: number, out: TypedArray, at: number): number;
  /** Puts those that match, or those that do not, into `out` from `at` on: up to `limit`, and nothing beyond them. */
  collect(lo: number, hi: number, wanted: boolean, out: TypedArray, at: number, limit: number): number;
  /** As `compact`, and the others into `rest` from `restAt` on. */
  part(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number;
}

export type Predicate = (x: unknown, i: number, context: unknown) => unknown;
type Refuse = (called: string, answer: unknown, i: number) => never;
type Elements = ArrayLike<unknown>;
type Result = { [i: number]: unknown };

const notBoolean: Refuse = (called, answer, i) => {
  throw new TypeError(
    `furcate: ${called} must return true or false, but it returned ${shown(answer)} for element ${i}. Make it a comparison, or write !!(...) around it.`,
  );
};

// Templates, see specialize.ts. `answer !== !!answer` costs nothing where V8 knows the answer for a boolean: 1.5 ns an element; with
// `answer !== true && answer !== false`, or `answer ? 1 : 0` in the place of `+match`, it branches: 2.7 and 6. Four at a
// time, as in map.ts: searching 100,000 for what is not there takes 87 us, one by one 162.

const makeCount = (pred: Predicate, refuse: Refuse) =>
  function count(xs: Elements, lo: number, hi: number, context: unknown, called: string): number {
    let n = 0;
    let i = lo;
    for (const last = hi - 3; i < last; i += 4) {
      const a = pred(xs[i], i, context);
      if (a !== !!a) refuse(called, a, i);
      const b = pred(xs[i + 1], i + 1, context);
      if (b !== !!b) refuse(called, b, i + 1);
      const c = pred(xs[i + 2], i + 2, context);
      if (c !== !!c) refuse(called, c, i + 2);
      const d = pred(xs[i + 3], i + 3, context);
      if (d !== !!d) refuse(called, d, i + 3);
      n += +!!a + +!!b + +!!c + +!!d;
    }
    for (; i < hi; i++) {
      const answer = pred(xs[i], i, context);
      if (answer !== !!answer) refuse(called, answer, i);
      n += +!!answer;
    }
    return n;
  };

// Two loops: one that functions told which answer is wanted would take a quarter more.

const makeFirst = (pred: Predicate, refuse: Refuse) =>
  function first(xs: Elements, lo: number, hi: number, context: unknown, called: string): number {
    let i = lo;
    for (const last = hi - 3; i < last; i += 4) {
      const a = pred(xs[i], i, context);
      if (a === true) return i;
      if (a !== false) refuse(called, a, i);
      const b = pred(xs[i + 1], i + 1, context);
      if (b === true) return i + 1;
      if (b !== false) refuse(called, b, i + 1);
      const c = pred(xs[i + 2], i + 2, context);
      if (c === true) return i + 2;
      if (c !== false) refuse(called, c, i + 2);
      const d = pred(xs[i + 3], i + 3, context);
      if (d === true) return i + 3;
      if (d !== false) refuse(called, d, i + 3);
    }
    for (; i < hi; i++) {
      const answer = pred(xs[i], i, context);
      if (answer === true) return i;
      if (answer !== false) refuse(called, answer, i);
    }
    return hi;
  };

const makeFirstNot = (pred: Predicate, refuse: Refuse) =>
  function firstNot(xs: Elements, lo: number, hi: number, context: unknown, called: string): number {
    let i = lo;
    for (const last = hi - 3; i < last; i += 4) {
      const a = pred(xs[i], i, context);
      if (a === false) return i;
      if (a !== true) refuse(called, a, i);
      const b = pred(xs[i + 1], i + 1, context);
      if (b === false) return i + 1;
      if (b !== true) refuse(called, b, i + 1);
      const c = pred(xs[i + 2], i + 2, context);
      if (c === false) return i + 2;
      if (c !== true) refuse(called, c, i + 2);
      const d = pred(xs[i + 3], i + 3, context);
      if (d === false) return i + 3;
      if (d !== true) refuse(called, d, i + 3);
    }
    for (; i < hi; i++) {
      const answer = pred(xs[i], i, context);
      if (answer === false) return i;
      if (answer !== true) refuse(called, answer, i);
    }
    return hi;
  };

const makeCompact = (pred: Predicate, refuse: Refuse) =>
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
    for (const last = hi - 3; i < last; i += 4) {
      const x = xs[i];
      const a = pred(x, i, context);
      if (a !== !!a) refuse(called, a, i);
      out[k] = x;
      k += +!!a;
      const y = xs[i + 1];
      const b = pred(y, i + 1, context);
      if (b !== !!b) refuse(called, b, i + 1);
      out[k] = y;
      k += +!!b;
      const z = xs[i + 2];
      const c = pred(z, i + 2, context);
      if (c !== !!c) refuse(called, c, i + 2);
      out[k] = z;
      k += +!!c;
      const w = xs[i + 3];
      const d = pred(w, i + 3, context);
      if (d !== !!d) refuse(called, d, i + 3);
      out[k] = w;
      k += +!!d;
    }
    for (; i < hi; i++) {
      const x = xs[i];
      const answer = pred(x, i, context);
      if (answer !== !!answer) refuse(called, answer, i);
      out[k] = x;
      k += +!!answer;
    }
    return k - at;
  };

const makeCollect = (pred: Predicate) =>
  function collect(
    xs: Elements,
    lo: number,
    hi: number,
    context: unknown,
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
      k += +(!!pred(x, i, context) === wanted);
    }
    return k - at;
  };

const makePart = (pred: Predicate, refuse: Refuse) =>
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
      const answer = pred(x, i, context);
      const match = !!answer;
      if (answer !== match) refuse(called, answer, i);
      out[k] = x;
      rest[r] = x;
      k += +match;
      r += +!match;
    }
    return k - at;
  };

/** Calls the predicate, in loops that nobody else shares. */
export class CallingKernel implements PredicateKernel {
  readonly isComparison: boolean;
  readonly #xs: Elements;
  readonly #tag: number;
  readonly #pred: Predicate;
  readonly #context: unknown;
  readonly #called: string;

  constructor(xs: TypedArray, pred: Predicate, context: unknown, called: string, isComparison = false) {
    this.isComparison = isComparison;
    this.#xs = xs as unknown as Elements;
    this.#tag = typesTag(xs);
    this.#pred = pred;
    this.#context = context;
    this.#called = called;
  }

  count(lo: number, hi: number): number {
    const loop = specialize(makeCount, this.#tag, this.#pred, notBoolean);
    return loop(this.#xs, lo, hi, this.#context, this.#called);
  }

  first(lo: number, hi: number, wanted: boolean): number {
    const loop = specialize(wanted ? makeFirst : makeFirstNot, this.#tag, this.#pred, notBoolean);
    return loop(this.#xs, lo, hi, this.#context, this.#called);
  }

  compact(lo: number, hi: number, out: TypedArray, at: number): number {
    const loop = specialize(makeCompact, this.#tag, this.#pred, notBoolean);
    return loop(this.#xs, lo, hi, this.#context, this.#called, out as unknown as Result, at);
  }

  collect(lo: number, hi: number, wanted: boolean, out: TypedArray, at: number, limit: number): number {
    const loop = specialize(makeCollect, this.#tag, this.#pred);
    return loop(this.#xs, lo, hi, this.#context, wanted, out as unknown as Result, at, limit);
  }

  part(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number {
    const loop = specialize(makePart, this.#tag, this.#pred, notBoolean);
    const [to, others] = [out, rest] as unknown as [Result, Result];
    return loop(this.#xs, lo, hi, this.#context, this.#called, to, at, others, restAt);
  }
}
