/**
 * Blocks of the named scans ('sum', 'min', ...) over one element type; runs on every thread that computes.
 *
 * A kernel writes the prefixes of elements [lo, hi) to the same places of another array (or of the same one), from a carry
 * on, and gives the carry of the next block.
 *
 * - *Floats* are combined as doubles, from the beginning of the block in groups of four: x0, x0.x1, (x0.x1).x2 and
 *   (x0.x1).(x2.x3), each then combined with the carry, as carry . group; the last one is the next carry. The last elements, fewer
 *   than four, follow one by one. Fixed by `lo` and `hi` alone, and a chain of one operation in four elements.
 * - *Integers* of up to 32 bits are added and multiplied modulo 2^32, bigints modulo 2^64: what is stored is what the
 *   exact result would store. The carry is an int32, or for 'min' and 'max' of Uint32Array an uint32: a first
 *   carry that is not has to go to the twin.
 * - *Uint8ClampedArray* clamps what is stored; the carry of a sum or product is a double that it does not clamp.
 */

import { specialize } from '../../core/code/specialize.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { Source } from '../kernels/block-fold.js';
import type { KernelExports } from '../kernels/kernel-exports.js';
import type { NamedReduction } from '../kernels/operators.js';
import { kernels, NOT_IN_HEAP, pointerOf } from '../kernels/wasm-kernels.js';

type Out = { [i: number]: number };
type Numbers = ArrayLike<number>;
type Kernel = (xs: Numbers, lo: number, hi: number, out: Out, carry: number, exclusive: boolean) => number;
type Carry = number | bigint;

/** `kernel(source, lo, hi, target, carry, exclusive)` gives the next carry. */
export interface BlockScan {
  readonly source: Source;
  readonly target: Source;
  readonly kernel: (source: Source, lo: number, hi: number, target: Source, carry: Carry, exclusive: boolean) => Carry;
  /**
   * Four blocks of n elements, a multiple of 4, from element lo on, each as `kernel` scans it from its carry; the four carries,
   * doubles, are at the address `carries`. Gives what the last ends with.
   */
  readonly four?:
    | ((source: Source, lo: number, n: number, target: Source, carries: number, exclusive: boolean) => Carry)
    | undefined;
}

// Templates, see specialize.ts.

const add = (a: number, b: number): number => a + b;
const multiply = (a: number, b: number): number => a * b;
const least = (a: number, b: number): number => Math.min(a, b);
const greatest = (a: number, b: number): number => Math.max(a, b);
const addWords = (a: number, b: number): number => (a + b) | 0;
const multiplyWords = (a: number, b: number): number => Math.imul(a, b);
const and = (a: number, b: number): number => a & b;
const or = (a: number, b: number): number => a | b;
const xor = (a: number, b: number): number => a ^ b;
const lesserBig = (a: number, b: number): number => (b < a ? b : a);
const greaterBig = (a: number, b: number): number => (b > a ? b : a);

const makeGroupScan = (op: (a: number, b: number) => number): Kernel =>
  function groupScan(xs, lo, hi, out, carry, exclusive) {
    let c = carry;
    let i = lo;
    for (const end = hi - 3; i < end; i += 4) {
      const a = xs[i];
      const x = xs[i + 2];
      const b = op(a, xs[i + 1]);
      const d = op(b, op(x, xs[i + 3]));
      const first = op(c, a);
      const second = op(c, b);
      const third = op(c, op(b, x));
      if (exclusive) {
        out[i] = c;
        out[i + 1] = first;
        out[i + 2] = second;
        out[i + 3] = third;
        c = op(c, d);
      } else {
        out[i] = first;
        out[i + 1] = second;
        out[i + 2] = third;
        c = op(c, d);
        out[i + 3] = c;
      }
    }
    for (; i < hi; i++) {
      const next = op(c, xs[i]);
      out[i] = exclusive ? c : next;
      c = next;
    }
    return c;
  };

const makePlainScan = (op: (a: number, b: number) => number): Kernel =>
  function plainScan(xs, lo, hi, out, carry, exclusive) {
    for (let i = lo; i < hi; i++) {
      const next = op(carry, xs[i]);
      out[i] = exclusive ? carry : next;
      carry = next;
    }
    return carry;
  };

/** The same modulo 2^32: a carry that is known to be an integer is added in one cycle instead of fifteen. */
const makeWordScan = (op: (a: number, b: number) => number): Kernel =>
  function wordScan(xs, lo, hi, out, carry, exclusive) {
    let c = carry | 0;
    for (let i = lo; i < hi; i++) {
      const next = op(c, xs[i]) | 0;
      out[i] = exclusive ? c : next;
      c = next;
    }
    return c;
  };

/** Reading back what was stored keeps the carry within 64 bits. */
const makeBigScan = (op: (a: number, b: number) => number, wrap: (x: number) => number): Kernel =>
  function bigScan(xs, lo, hi, out, carry, exclusive) {
    for (let i = lo; i < hi; i++) {
      const next = wrap(op(carry, xs[i]));
      out[i] = exclusive ? carry : next;
      carry = next;
    }
    return carry;
  };

const toInt64 = ((x: bigint) => BigInt.asIntN(64, x)) as unknown as (x: number) => number;
const toUint64 = ((x: bigint) => BigInt.asUintN(64, x)) as unknown as (x: number) => number;

const FLOAT_OPS = { sum: add, product: multiply, min: least, max: greatest, and, or, xor };
const INTEGER_OPS = { ...FLOAT_OPS, sum: addWords, product: multiplyWords };
const BIGINT_OPS = { ...FLOAT_OPS, min: lesserBig, max: greaterBig };

const isFloat = (xs: TypedArray): boolean => xs[Symbol.toStringTag].startsWith('Float');
const isClamped = (xs: TypedArray): boolean => xs[Symbol.toStringTag] === 'Uint8ClampedArray';
const wrapOf = (xs: TypedArray) => (xs[Symbol.toStringTag] === 'BigUint64Array' ? toUint64 : toInt64);

/**
 * The scan of that name over `xs` into `out`, of the same type and length: WebAssembly where both are on the shared heap, else its
 * twin. Both write the same bits.
 */
export function namedScan(op: NamedReduction, xs: TypedArray, out: TypedArray): BlockScan {
  return wasmScan(op, xs, out) ?? namedScanTwin(op, xs, out);
}

/** The same in TypeScript. */
export function namedScanTwin(op: NamedReduction, xs: TypedArray, out: TypedArray): BlockScan {
  const type = typeOfView(xs);
  const kernel = isBigIntType(type)
    ? specialize(makeBigScan, type, BIGINT_OPS[op], wrapOf(xs))
    : isFloat(xs)
      ? specialize(makeGroupScan, type, FLOAT_OPS[op])
      : isClamped(xs) || op === 'min' || op === 'max'
        ? specialize(makePlainScan, type, FLOAT_OPS[op])
        : specialize(makeWordScan, type, INTEGER_OPS[op]);
  return { source: xs as never, target: out as never, kernel: kernel as unknown as BlockScan['kernel'] };
}

type PointerScan = (src: number, n: number, dst: number, carry: Carry, exclusive: boolean) => Carry;

/** In the order of element-types.ts; kernels do not clamp. */
const SUFFIXES = ['I8', 'U8', undefined, 'I16', 'U16', 'I32', 'U32', 'F32', 'F64', 'I64', 'U64'];

type Made = Pick<BlockScan, 'kernel' | 'four'>;

/** By the operation, then by the number of the type: putting a name together takes longer than a short scan. */
const made = new Map<NamedReduction, (Made | undefined)[]>();
let madeFor: KernelExports | undefined;

function wasmScan(op: NamedReduction, xs: TypedArray, out: TypedArray): BlockScan | undefined {
  const type = typeOfView(xs);
  const suffix = SUFFIXES[type];
  if (suffix === undefined || typeOfView(out) !== type) return undefined;
  const source = pointerOf(xs);
  const target = pointerOf(out);
  if (source === NOT_IN_HEAP || target === NOT_IN_HEAP) return undefined;
  const all = kernels() as KernelExports;
  if (madeFor !== all) made.clear();
  madeFor = all;
  let ofOp = made.get(op);
  if (ofOp === undefined) {
    ofOp = [];
    made.set(op, ofOp);
  }
  let known = ofOp[type];
  if (known === undefined) {
    const kernel = makeWasmScan(all, op, suffix, xs);
    if (kernel === undefined) return undefined;
    known = { kernel, four: op === 'sum' ? fourOf(all, suffix) : undefined };
    ofOp[type] = known;
  }
  return { source, target, kernel: known.kernel, four: known.four };
}

function fourOf(all: KernelExports, suffix: string): BlockScan['four'] {
  if (suffix !== 'F32' && suffix !== 'F64') return undefined;
  const size = suffix === 'F64' ? 8 : 4;
  const scan = all[`scanFourSums${suffix}`];
  return (source, lo, n, target, carries, exclusive) =>
    scan((source as number) + lo * size, n, (target as number) + lo * size, carries, exclusive ? 1 : 0);
}

function makeWasmScan(
  all: KernelExports,
  op: NamedReduction,
  suffix: string,
  xs: TypedArray,
): BlockScan['kernel'] | undefined {
  const exported = all as unknown as Readonly<Record<string, PointerScan | undefined>>;
  const name = `scan${op[0].toUpperCase()}${op.slice(1)}`;
  const scan = exported[name + suffix] ?? exported[name + suffix.slice(1)];
  if (scan === undefined || (isFloat(xs) && exported[name + suffix] === undefined)) return undefined; // bits of floats
  const size = xs.BYTES_PER_ELEMENT;
  const run = (source: Source, lo: number, hi: number, target: Source, carry: Carry, exclusive: boolean): Carry =>
    scan((source as number) + lo * size, hi - lo, (target as number) + lo * size, carry, exclusive);
  if (suffix === 'U64') return (...args) => BigInt.asUintN(64, run(...args) as bigint);
  if (suffix === 'U32' && (op === 'min' || op === 'max')) return (...args) => (run(...args) as number) >>> 0;
  return run;
}
