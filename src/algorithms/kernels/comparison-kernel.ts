/**
 * The loops of searching, counting and filtering by a comparison with a constant; runs on every thread that computes.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { type Bounds, boundsOf, canCompare, collectWithin, countWithin } from './bounds.js';
import { inPieces } from './pieces.js';
import { CallingKernel, type Predicate, type PredicateKernel } from './predicate-kernel.js';

/** `===` and `==` are the same between numbers, as `!==` and `!=` are; between number and bigint they are not. */
export type ComparisonOp = '<' | '<=' | '>' | '>=' | '===' | '!==' | '==' | '!=';

/** `x op constant`. */
export interface Comparison {
  readonly op: ComparisonOp;
  readonly constant: number | bigint;
}

type Compare = (x: number, i: number, constant: number) => boolean;

const COMPARE: Readonly<Record<ComparisonOp, Compare>> = {
  '<': (x, _, constant) => x < constant,
  '<=': (x, _, constant) => x <= constant,
  '>': (x, _, constant) => x > constant,
  '>=': (x, _, constant) => x >= constant,
  '===': (x, _, constant) => x === constant,
  '!==': (x, _, constant) => x !== constant,
  // biome-ignore lint/suspicious/noDoubleEquals: what the user wrote; between bigints and numbers it is not ===
  '==': (x, _, constant) => x == constant,
  // biome-ignore lint/suspicious/noDoubleEquals: as above
  '!=': (x, _, constant) => x != constant,
};

/** Compares many elements at once, in WebAssembly; finding the first is left to the loops, which stop there. */
class ComparingKernel implements PredicateKernel {
  readonly isComparison = true;
  readonly #calling: CallingKernel;
  readonly #xs: TypedArray;
  readonly #bounds: Bounds;
  readonly #others: Bounds;

  constructor(xs: TypedArray, calling: CallingKernel, bounds: Bounds) {
    this.#calling = calling;
    this.#xs = xs;
    this.#bounds = bounds;
    this.#others = { ...bounds, outside: !bounds.outside };
  }

  first(lo: number, hi: number, wanted: boolean): number {
    return this.#calling.first(lo, hi, wanted);
  }

  count(lo: number, hi: number): number {
    return sumOfPieces(lo, hi, (from, to) => countWithin(this.#xs, from, to, this.#bounds));
  }

  compact(lo: number, hi: number, out: TypedArray, at: number): number {
    return sumOfPieces(lo, hi, (from, to, found) =>
      collectWithin(this.#xs, from, to, this.#bounds, out, at + found, to - from),
    );
  }

  collect(lo: number, hi: number, wanted: boolean, out: TypedArray, at: number, limit: number): number {
    const bounds = wanted ? this.#bounds : this.#others;
    return sumOfPieces(lo, hi, (from, to, found) =>
      collectWithin(this.#xs, from, to, bounds, out, at + found, limit - found),
    );
  }

  part(lo: number, hi: number, out: TypedArray, at: number, rest: TypedArray, restAt: number): number {
    return sumOfPieces(lo, hi, (from, to, found) => {
      collectWithin(this.#xs, from, to, this.#others, rest, restAt + (from - lo) - found, to - from);
      return collectWithin(this.#xs, from, to, this.#bounds, out, at + found, to - from);
    });
  }
}

/** Adds up what the pieces of [lo, hi) give. */
function sumOfPieces(lo: number, hi: number, run: (lo: number, hi: number, sum: number) => number): number {
  let sum = 0;
  inPieces(lo, hi, (from, to) => {
    sum += run(from, to, sum);
  });
  return sum;
}

/** Kernels for a comparison with a constant: in WebAssembly where there are some for the type, and xs is on the heap. */
export function comparisonKernel(xs: TypedArray, comparison: Comparison): PredicateKernel {
  const { op, constant } = comparison;
  const sign = op === '===' ? '==' : op === '!==' ? '!=' : op;
  const bounds = typeof constant === 'number' && canCompare(xs) ? boundsOf(xs, sign, constant) : undefined;
  const calling = new CallingKernel(xs, COMPARE[op] as unknown as Predicate, constant, '', true);
  return bounds === undefined ? calling : new ComparingKernel(xs, calling, bounds);
}
