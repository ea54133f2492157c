/**
 * Counting and collecting the elements that compare with a constant in some way; runs on every thread that computes.
 *
 * Every comparison is a pair of closed bounds within the element type: `x < c` means from the least value to the last one before
 * c, `x != c` means outside of [c, c]. So one kernel a type serves all six, and ranges; and a constant that the type
 * cannot hold (2.5 for integers, 0.1 for float32) is compared exactly.
 */

import { specialize } from '../../core/code/specialize.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { KernelExports } from './kernel-exports.js';
import { kernels, NOT_IN_HEAP, pointerOf } from './wasm-kernels.js';

export type Comparison = '<' | '<=' | '>' | '>=' | '==' | '!=';

/** The elements from `least` to `most`, both included, or all others (NaN too). */
export interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly outside: boolean;
}

/** The types that have bounds of their own: the others are compared by their twins as they are. */
interface Range {
  readonly least: number;
  readonly most: number;
  /** The greatest value of the type that is no greater than x; x is a number. */
  readonly down: (x: number) => number;
}

const words = new Uint32Array(2);
const double = new Float64Array(words.buffer);
const single = new Float32Array(words.buffer);

/** The next double below x. */
function before64(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return x;
  if (x === 0) return -Number.MIN_VALUE;
  double[0] = x;
  if (x > 0) {
    if (words[0]-- === 0) words[1]--;
  } else if (++words[0] === 2 ** 32) words[1]++;
  return double[0];
}

/** The next float32 below x, which is one. */
function before32(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return x;
  if (x === 0) return -(2 ** -149);
  single[0] = x;
  words[0] += x > 0 ? -1 : 1;
  return single[0];
}

function downTo32(x: number): number {
  const rounded = Math.fround(x);
  return rounded > x ? before32(rounded) : rounded;
}

function integers(least: number, most: number): Range {
  return { least, most, down: Math.floor };
}

const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

const RANGES: Readonly<Record<string, Range>> = {
  Int8Array: integers(-128, 127),
  Uint8Array: integers(0, 255),
  Uint8ClampedArray: integers(0, 255),
  Int16Array: integers(-32_768, 32_767),
  Uint16Array: integers(0, 65_535),
  Int32Array: integers(-(2 ** 31), 2 ** 31 - 1),
  Uint32Array: integers(0, 2 ** 32 - 1),
  Float32Array: { least: NEGATIVE_INFINITY, most: POSITIVE_INFINITY, down: downTo32 },
  Float64Array: { least: NEGATIVE_INFINITY, most: POSITIVE_INFINITY, down: (x) => x },
};

/** No element: bounds in the wrong order. */
const nothing = (range: Range, outside: boolean): Bounds => ({ least: range.most, most: range.least, outside });

/** The bounds that `x op c` means for elements of `xs`; `undefined` for types that have none (bigints, Float16Array). */
export function boundsOf(xs: TypedArray, op: Comparison, c: number): Bounds | undefined {
  const range = RANGES[xs[Symbol.toStringTag]];
  if (range === undefined) return undefined;
  const outside = op === '!=';
  if (Number.isNaN(c)) return nothing(range, outside);
  const atMost = range.down(c);
  const before =
    atMost < c ? atMost : isInteger(range) ? c - 1 : range === RANGES.Float32Array ? before32(c) : before64(c);
  const atLeast = -range.down(-c);
  const after =
    atLeast > c ? atLeast : isInteger(range) ? c + 1 : -(range === RANGES.Float32Array ? before32(-c) : before64(-c));
  switch (op) {
    case '<':
      return c === NEGATIVE_INFINITY ? nothing(range, false) : clamp(range, range.least, before, false);
    case '<=':
      return clamp(range, range.least, atMost, false);
    case '>':
      return c === POSITIVE_INFINITY ? nothing(range, false) : clamp(range, after, range.most, false);
    case '>=':
      return clamp(range, atLeast, range.most, false);
    default:
      return clamp(range, atLeast, atMost, outside);
  }
}

const isInteger = (range: Range): boolean => range.down === Math.floor;

function clamp(range: Range, least: number, most: number, outside: boolean): Bounds {
  if (least > range.most || most < range.least || least > most) return nothing(range, outside);
  return { least: Math.max(least, range.least), most: Math.min(most, range.most), outside };
}

type Numbers = ArrayLike<number>;

// Templates, see specialize.ts.

const makeCount = () =>
  function count(xs: Numbers, lo: number, hi: number, least: number, most: number): number {
    let found = 0;
    for (let i = lo; i < hi; i++) {
      const x = xs[i];
      if (x >= least && x <= most) found++;
    }
    return found;
  };

const makeCollect = () =>
  function collect(
    xs: Numbers,
    lo: number,
    hi: number,
    { least, most, outside }: Bounds,
    out: { [i: number]: number },
    at: number,
    limit: number,
  ): number {
    const end = at + limit;
    let k = at;
    for (let i = lo; i < hi && k < end; i++) {
      const x = xs[i];
      if ((x >= least && x <= most) !== outside) out[k++] = x;
    }
    return k - at;
  };

const SUFFIXES: Readonly<Record<string, 'I32' | 'U32' | 'F32' | 'F64'>> = {
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float32Array: 'F32',
  Float64Array: 'F64',
};

/** Whether the functions below compare elements of this array in WebAssembly. */
export const canCompare = (xs: TypedArray): boolean =>
  xs[Symbol.toStringTag] in SUFFIXES && pointerOf(xs) !== NOT_IN_HEAP;

/** How many of the elements [lo, hi) are within the bounds (or outside, if they say so). */
export function countWithin(xs: TypedArray, lo: number, hi: number, bounds: Bounds): number {
  if (hi <= lo) return 0;
  const { least, most, outside } = bounds;
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  const pointer = suffix === undefined ? NOT_IN_HEAP : pointerOf(xs);
  let found: number;
  if (pointer === NOT_IN_HEAP) {
    const count = specialize(makeCount, String(typeOfView(xs)));
    found = count(xs as unknown as Numbers, lo, hi, least, most);
  } else {
    const all = kernels() as KernelExports;
    found = all[`count${suffix}`](pointer + lo * xs.BYTES_PER_ELEMENT, hi - lo, least, most) >>> 0;
  }
  return outside ? hi - lo - found : found;
}

/**
 * Writes those of the elements [lo, hi) that are within the bounds, in their order, to `out` from place `at` on: no more than
 * `limit`, and nothing behind the last of them. `out` has the same type and lies apart, or is `xs` with `at <= lo`.
 * @returns how many were written
 */
export function collectWithin(
  xs: TypedArray,
  lo: number,
  hi: number,
  bounds: Bounds,
  out: TypedArray,
  at: number,
  limit: number,
): number {
  if (hi <= lo || limit <= 0) return 0;
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  const source = suffix === undefined ? NOT_IN_HEAP : pointerOf(xs);
  const target = source === NOT_IN_HEAP || typeOfView(out) !== typeOfView(xs) ? NOT_IN_HEAP : pointerOf(out);
  if (target === NOT_IN_HEAP) {
    const collect = specialize(makeCollect, `${typeOfView(xs)} ${typeOfView(out)}`);
    return collect(xs as unknown as Numbers, lo, hi, bounds, out as never, at, limit);
  }
  const size = xs.BYTES_PER_ELEMENT;
  const collect = (kernels() as KernelExports)[`collect${suffix}`];
  const { least, most, outside } = bounds;
  return (
    collect(source + lo * size, hi - lo, least, most, outside ? 1 : 0, target + at * size, Math.min(limit, hi - lo)) >>>
    0
  );
}
