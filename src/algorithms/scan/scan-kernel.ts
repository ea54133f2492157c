/**
 * Blocks of a scan: what each adds up to, and the scan of each from what comes before it; runs on every thread that computes.
 *
 * `carries[b]` is what precedes block b. What block b adds up to is in `carries[b + 1]` first, until the operation makes the carry of
 * it and of `carries[b]`. Named operations whose result does not depend on their association are marked `exact`: there the
 * end of one block is the carry of the next, and one pass does.
 *
 * The loops run four blocks side by side. Each is a chain in which one addition waits for the other, four cycles each, and
 * four chains do not wait for each other.
 */

import { specialize, typesTag } from '../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { emptyResult, namedKernel } from '../kernels/named-reductions.js';
import type { NamedReduction } from '../kernels/operators.js';
import { NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';
import { type BlockScan, namedScan as blockScan } from './named-scans.js';

/** Blocks [lo, hi) of an array. */
export interface ScanKernel {
  /** Whether `carries[hi]` may be taken from `scan` in place of `reduce`. */
  readonly exact: boolean;
  /** Writes what blocks add up to; of the last one there is nobody to ask. */
  reduce(lo: number, hi: number): void;
  /** Makes the carries of blocks (lo, hi] of what the blocks before each add up to. */
  carryOn(lo: number, hi: number): void;
  /** Scans each block from its carry; returns what the last one ends with. */
  scan(lo: number, hi: number): number | bigint;
  /** Scans all from the carry of the first; returns what the last one ends with. */
  scanThrough(lo: number, hi: number): number | bigint;
}

export interface ScanArrays {
  readonly xs: TypedArray;
  readonly out: TypedArray;
  /** One for each block. */
  readonly carries: Float64Array | BigInt64Array | BigUint64Array;
  /** Elements in a block. */
  readonly block: number;
  /** Whether an element's own value is left out of its result. */
  readonly exclusive: boolean;
}

export type ScanOperator = (a: unknown, b: unknown, context: unknown) => unknown;

const CARRY_BYTES = 8;

type Elements = ArrayLike<unknown>;
type Result = { [i: number]: unknown };

/** A template, see specialize.ts. Elements [lo, hi), which begin with block b. */
const makeReduceBlocks = (op: ScanOperator) =>
  function reduceBlocks(
    xs: Elements,
    lo: number,
    hi: number,
    block: number,
    totals: Result,
    b: number,
    context: unknown,
  ): void {
    let i = lo;
    for (; i + 4 * block <= hi; i += 4 * block, b += 4) {
      let a0 = xs[i];
      let a1 = xs[i + block];
      let a2 = xs[i + 2 * block];
      let a3 = xs[i + 3 * block];
      for (let j = i + 1; j < i + block; j++) {
        a0 = op(a0, xs[j], context);
        a1 = op(a1, xs[j + block], context);
        a2 = op(a2, xs[j + 2 * block], context);
        a3 = op(a3, xs[j + 3 * block], context);
      }
      totals[b] = a0;
      totals[b + 1] = a1;
      totals[b + 2] = a2;
      totals[b + 3] = a3;
    }
    for (; i < hi; i += block, b++) {
      let a = xs[i];
      const end = Math.min(hi, i + block);
      for (let j = i + 1; j < end; j++) a = op(a, xs[j], context);
      totals[b] = a;
    }
  };

/** A template, see specialize.ts. */
const makeCarryOn = (op: ScanOperator) =>
  function carryOn(carries: Result, lo: number, hi: number, context: unknown): void {
    for (let b = lo; b < hi; b++) carries[b + 1] = op(carries[b], carries[b + 1], context);
  };

/** Which of the two an element's result is: what comes before it, or that with its own value. */
type Pick = (before: unknown, after: unknown) => unknown;
const after: Pick = (_before, after) => after;
const before: Pick = (before) => before;

/** A template, see specialize.ts. Reads an element before it writes its result, which may be in its place. */
const makeScanBlocks = (op: ScanOperator, pick: Pick) =>
  function scanBlocks(
    xs: Elements,
    out: Result,
    lo: number,
    hi: number,
    block: number,
    carries: Elements,
    b: number,
    context: unknown,
  ): unknown {
    let i = lo;
    let a = carries[b];
    for (; i + 4 * block <= hi; i += 4 * block, b += 4) {
      let a0 = carries[b];
      let a1 = carries[b + 1];
      let a2 = carries[b + 2];
      let a3 = carries[b + 3];
      for (let j = i; j < i + block; j++) {
        const n0 = op(a0, xs[j], context);
        const n1 = op(a1, xs[j + block], context);
        const n2 = op(a2, xs[j + 2 * block], context);
        const n3 = op(a3, xs[j + 3 * block], context);
        out[j] = pick(a0, n0);
        out[j + block] = pick(a1, n1);
        out[j + 2 * block] = pick(a2, n2);
        out[j + 3 * block] = pick(a3, n3);
        a0 = n0;
        a1 = n1;
        a2 = n2;
        a3 = n3;
      }
      a = a3;
    }
    for (; i < hi; i += block, b++) {
      a = carries[b];
      const end = Math.min(hi, i + block);
      let j = i;
      // Four at a time, as in map.ts, but one after the other: `out` may be `xs`.
      for (const last = end - 3; j < last; j += 4) {
        const n0 = op(a, xs[j], context);
        out[j] = pick(a, n0);
        const n1 = op(n0, xs[j + 1], context);
        out[j + 1] = pick(n0, n1);
        const n2 = op(n1, xs[j + 2], context);
        out[j + 2] = pick(n1, n2);
        a = op(n2, xs[j + 3], context);
        out[j + 3] = pick(n2, a);
      }
      for (; j < end; j++) {
        const n = op(a, xs[j], context);
        out[j] = pick(a, n);
        a = n;
      }
    }
    return a;
  };

/** The loops of an operation, whatever it is. */
class LoopKernel implements ScanKernel {
  readonly exact: boolean;
  readonly #arrays: ScanArrays;
  readonly #op: ScanOperator;
  readonly #context: unknown;
  readonly #tag: number;

  constructor(arrays: ScanArrays, op: ScanOperator, context: unknown, exact: boolean) {
    this.#arrays = arrays;
    this.#op = op;
    this.#context = context;
    this.exact = exact;
    this.#tag = typesTag(arrays.xs, arrays.out);
  }

  reduce(lo: number, hi: number): void {
    if (lo >= hi) return;
    const { xs, carries, block } = this.#arrays;
    const loop = specialize(makeReduceBlocks, this.#tag, this.#op);
    const end = Math.min(xs.length, hi * block);
    loop(xs as unknown as Elements, lo * block, end, block, carries as unknown as Result, lo + 1, this.#context);
  }

  carryOn(lo: number, hi: number): void {
    if (lo < hi) specialize(makeCarryOn, this.#tag, this.#op)(this.#arrays.carries as Result, lo, hi, this.#context);
  }

  scan(lo: number, hi: number): number | bigint {
    return this.#scan(lo, hi, this.#arrays.block);
  }

  scanThrough(lo: number, hi: number): number | bigint {
    return this.#scan(lo, hi, (hi - lo) * this.#arrays.block);
  }

  #scan(lo: number, hi: number, stretch: number): number | bigint {
    const { xs, out, carries, block, exclusive } = this.#arrays;
    const loop = specialize(makeScanBlocks, this.#tag, this.#op, exclusive ? before : after);
    const [from, to] = [xs, out] as unknown as [Elements, Result];
    const end = Math.min(xs.length, hi * block);
    const held = carries as unknown as Elements;
    return loop(from, to, lo * block, end, stretch, held, lo, this.#context) as number | bigint;
  }
}

/** A named operation: totals come from the kernels of reductions, scans from those of named-scans.ts, where these keep to the type. */
class NamedKernel extends LoopKernel {
  readonly #arrays: ScanArrays;
  readonly #name: NamedReduction;
  readonly #reducesByLoop: boolean;
  readonly #blocks: BlockScan | undefined;

  constructor(arrays: ScanArrays, name: NamedReduction, op: ScanOperator, exact: boolean, identity: number | bigint) {
    super(arrays, op, undefined, exact);
    this.#arrays = arrays;
    this.#name = name;
    this.#reducesByLoop = name === 'product' && exact;
    this.#blocks = hasBlockScan(arrays, exact, identity) ? blockScan(name, arrays.xs, arrays.out) : undefined;
  }

  override reduce(lo: number, hi: number): void {
    if (this.#reducesByLoop) {
      super.reduce(lo, hi);
      return;
    }
    if (lo >= hi) return;
    const { xs, carries, block } = this.#arrays;
    const { source, kernel, four } = namedKernel(this.#name, xs, typeOfView(xs));
    let b = lo;
    const at = four === undefined || lo + 4 > hi ? NOT_IN_HEAP : pointerOf(carries);
    if (four !== undefined && at !== NOT_IN_HEAP) {
      for (; b + 4 <= hi && (b + 4) * block <= xs.length; b += 4) {
        four(source, b * block, block, at + (b + 1) * CARRY_BYTES);
      }
    }
    for (; b < hi; b++) {
      carries[b + 1] = kernel(source, b * block, Math.min(xs.length, (b + 1) * block)) as never;
    }
  }

  override scan(lo: number, hi: number): number | bigint {
    if (this.#blocks === undefined) return super.scan(lo, hi);
    const { xs, carries, block, exclusive } = this.#arrays;
    const { source, target, kernel, four } = this.#blocks;
    let carry: number | bigint = 0;
    let b = lo;
    const at = four === undefined || lo + 4 > hi ? NOT_IN_HEAP : pointerOf(carries);
    if (four !== undefined && at !== NOT_IN_HEAP) {
      for (; b + 4 <= hi && (b + 4) * block <= xs.length; b += 4) {
        carry = four(source, b * block, block, target, at + b * CARRY_BYTES, exclusive);
      }
    }
    for (; b < hi; b++) {
      carry = kernel(source, b * block, Math.min(xs.length, (b + 1) * block), target, carries[b], exclusive);
    }
    return carry;
  }

  override scanThrough(lo: number, hi: number): number | bigint {
    if (this.#blocks === undefined) return super.scanThrough(lo, hi);
    const { xs, carries, block, exclusive } = this.#arrays;
    const { source, target, kernel } = this.#blocks;
    return kernel(source, lo * block, Math.min(xs.length, hi * block), target, carries[lo], exclusive);
  }
}

/**
 * Whether named-scans.ts serves: results of the type of xs, and where they are integers a first carry within 32 bits. It
 * decides about the association of floats, so nothing but types may be asked there.
 */
function hasBlockScan({ xs, out }: ScanArrays, exact: boolean, identity: number | bigint): boolean {
  if (typeOfView(xs) !== typeOfView(out)) return false;
  if (!isInteger(xs)) return true;
  if (!exact || xs[Symbol.toStringTag] === 'Uint8ClampedArray') return false;
  const isUnsigned = xs[Symbol.toStringTag] === 'Uint32Array';
  return typeof identity === 'bigint' || identity === (isUnsigned ? identity >>> 0 : identity | 0);
}

type Numeric = (a: number, b: number) => number;
type Big = (a: bigint, b: bigint) => bigint;
type Operators<F> = Readonly<Record<NamedReduction, F>>;

const NUMBERS: Operators<Numeric> = {
  sum: (a, b) => a + b,
  product: (a, b) => a * b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** Of integers into integers: exact modulo 2^32, which is what stores keep at most. */
const INTEGERS: Operators<Numeric> = {
  ...NUMBERS,
  sum: (a, b) => (a + b) | 0,
  product: (a, b) => Math.imul(a, b),
};

const UNSIGNED: Operators<Numeric> = {
  ...NUMBERS,
  and: (a, b) => (a & b) >>> 0,
  or: (a, b) => (a | b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
};

const BIGINTS: Operators<Big> = {
  sum: (a, b) => BigInt.asIntN(64, a + b),
  product: (a, b) => BigInt.asIntN(64, a * b),
  min: (a, b) => (b < a ? b : a),
  max: (a, b) => (b > a ? b : a),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const UNSIGNED_BIGINTS: Operators<Big> = {
  ...BIGINTS,
  sum: (a, b) => BigInt.asUintN(64, a + b),
  product: (a, b) => BigInt.asUintN(64, a * b),
};

const isInteger = (xs: TypedArray): boolean => !xs[Symbol.toStringTag].startsWith('Float');

/** The operation of that name for these arrays, and whether its association makes no difference. */
export function namedOperator(
  name: NamedReduction,
  xs: TypedArray,
  out: TypedArray,
  identity: number | bigint,
): { operator: ScanOperator; exact: boolean } {
  const asOperator = (operator: Numeric | Big, exact: boolean): { operator: ScanOperator; exact: boolean } => ({
    operator: operator as unknown as ScanOperator,
    exact,
  });
  if (isBigIntType(typeOfView(xs))) {
    const isUnsigned = xs[Symbol.toStringTag] === 'BigUint64Array';
    return asOperator((isUnsigned ? UNSIGNED_BIGINTS : BIGINTS)[name], true);
  }
  if (name !== 'sum' && name !== 'product') {
    return asOperator((xs[Symbol.toStringTag] === 'Uint32Array' ? UNSIGNED : NUMBERS)[name], true);
  }
  const wraps = isInteger(xs) && isInteger(out) && out[Symbol.toStringTag] !== 'Uint8ClampedArray';
  return wraps && Number.isSafeInteger(identity) ? asOperator(INTEGERS[name], true) : asOperator(NUMBERS[name], false);
}

/**
 * What changes no element of the array: where a scan by name begins that is given no identity. An exclusive scan shows it,
 * as its first element: there a sum begins with 0, which -0 is in the others, so as to keep an element -0.
 */
export function neutralElement(name: NamedReduction, xs: TypedArray, exclusive: boolean): number | bigint {
  const isNumber = !isBigIntType(typeOfView(xs));
  if (name === 'sum' && isNumber && !isInteger(xs) && !exclusive) return -0;
  if (!isNumber || !isInteger(xs) || (name !== 'min' && name !== 'max')) return emptyResult(name, xs, false);
  const bits = 8 * xs.BYTES_PER_ELEMENT;
  const isUnsigned = xs[Symbol.toStringTag].startsWith('Uint');
  if (name === 'max') return isUnsigned ? 0 : -(2 ** (bits - 1));
  return isUnsigned ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
}

/** The kernel of a function. */
export const functionScan = (arrays: ScanArrays, op: ScanOperator, context: unknown): ScanKernel =>
  new LoopKernel(arrays, op, context, false);

/** The kernel of a named operation. */
export const namedScan = (
  arrays: ScanArrays,
  name: NamedReduction,
  operator: ScanOperator,
  exact: boolean,
  identity: number | bigint,
): ScanKernel => new NamedKernel(arrays, name, operator, exact, identity);
