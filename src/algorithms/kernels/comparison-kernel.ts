/**
 * The loops of searching and counting by a comparison with a constant; runs on every thread that computes.
 *
 * WebAssembly sees every comparison as a pair of closed bounds within the element type. `x < c` means from the least value to the
 * last one before c; `x != c` means outside of [c, c]. So one kernel a type serves all comparisons, and a constant that the type
 * cannot hold (2.5 for integers, 0.1 for float32) is compared exactly.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { inPieces } from './pieces.js';
import type { PredicateKernel } from './predicate-kernel.js';
import { addressOf, filterKernels } from './wasm-kernels.js';

/** `===` and `==` are the same between numbers, as `!==` and `!=` are; between number and bigint they are not. */
export type ComparisonOp = '<' | '<=' | '>' | '>=' | '===' | '!==' | '==' | '!=';

/** `x op constant`. */
export interface Comparison {
  readonly op: ComparisonOp;
  readonly constant: number | bigint;
}

/** The values of an element type. */
interface TypeRange {
  readonly least: number;
  readonly most: number;
  /** The greatest value of the type that is no greater than x. */
  readonly down: (x: number) => number;
  /** The value before x, which is a value of the type. */
  readonly before: (x: number) => number;
}

const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);
const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);

/** The next value below x, which is not NaN; NaN if there is none. Neighbours of one sign have neighbouring bits. */
function doubleBefore(x: number): number {
  if (x === 0) return -Number.MIN_VALUE;
  double[0] = x;
  doubleBits[0] += x > 0 ? -1n : 1n;
  return double[0];
}

function singleBefore(x: number): number {
  if (x === 0) return -(2 ** -149);
  single[0] = x;
  singleBits[0] += x > 0 ? -1 : 1;
  return single[0];
}

function singleDown(x: number): number {
  const rounded = Math.fround(x);
  return rounded > x ? singleBefore(rounded) : rounded;
}

const integers = { down: Math.floor, before: (x: number) => x - 1 };
const floats = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/** The types that WebAssembly compares. */
const RANGES: Readonly<Record<string, TypeRange>> = {
  Int32Array: { least: -(2 ** 31), most: 2 ** 31 - 1, ...integers },
  Uint32Array: { least: 0, most: 2 ** 32 - 1, ...integers },
  Float32Array: { ...floats, down: singleDown, before: singleBefore },
  Float64Array: { ...floats, down: (x) => x, before: doubleBefore },
};

/** The bounds, both included, that a comparison means; the first is greater than the second if no value is within. */
function boundsOf({ least, most, down, before }: TypeRange, op: ComparisonOp, c: number): readonly [number, number] {
  const atMost = down(c);
  const atLeast = -down(-c);
  let [from, to] = [atLeast, atMost];
  if (op === '<' || op === '<=') {
    from = least;
    if (op === '<' && atMost === c) to = before(c);
  } else if (op === '>' || op === '>=') {
    to = most;
    if (op === '>' && atLeast === c) from = -before(-c);
  }
  from = Math.max(from, least);
  to = Math.min(to, most);
  return from <= to ? [from, to] : [most, least]; // no value at all if c is NaN
}

/** The kernel for a comparison with a constant: by WebAssembly for types that it compares on the heap, or else `calling`. */
export function comparisonKernel(
  calling: PredicateKernel,
  xs: TypedArray,
  { op, constant }: Comparison,
): PredicateKernel {
  const range = RANGES[xs[Symbol.toStringTag]];
  if (range === undefined || typeof constant !== 'number') return calling;
  const countKernel = filterKernels.for('count', xs);
  if (countKernel === undefined) return calling;
  const [least, most] = boundsOf(range, op, constant);
  /** True if the elements that are not within the bounds match. */
  const outside = op === '!=' || op === '!==';

  return {
    first: (lo, hi, wanted) => calling.first(lo, hi, wanted), // it stops at the first match, which kernels do not
    count(lo, hi) {
      const within = inPieces(lo, hi, (from, to) => countKernel(addressOf(xs, from), to - from, least, most) >>> 0);
      return outside ? hi - lo - within : within;
    },
  };
}
