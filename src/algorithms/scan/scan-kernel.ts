/**
 * Blocks of a scan: the total of each block, and the scan of each block from its carry; runs on every thread that computes.
 *
 * `carries[b]`, the carry of block b, combines everything before the block. At first `carries[b + 1]` holds the total of block b; then the operation combines it with
 * `carries[b]` to the carry of block b + 1. Named operations whose result does not depend on their association are marked `exact`: the
 * end of one block is the carry of the next, and one pass suffices.
 *
 * The loops run four blocks side by side. Each block is a chain of operations that wait for each other, four cycles each, and four
 * chains do not wait for each other.
 *
 * Named operations of floats into their own type are associated in groups of four from the beginning of the block: x0, x0.x1,
 * (x0.x1).x2 and (x0.x1).(x2.x3), each then combined with the carry, as carry . group. The last elements, fewer than four, follow
 * one by one. That order makes one dependent operation in four elements, and vectors can follow it. Integers are added and
 * multiplied modulo 2^32, bigints modulo 2^64.
 */

import { specialize, typesTag } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { type BlockFold, emptyResult, namedReduction } from '../kernels/named-reductions.js';
import { INT64, type NamedReduction, NUMBERS, UINT64, UNSIGNED, WORDS } from '../kernels/operators.js';
import { addressOf, type Kernel, NOT_IN_HEAP, pointerOf, scanKernels } from '../kernels/wasm-kernels.js';
import { refusePromise } from '../returned-promise.js';

type Carry = number | bigint;

export interface ScanArrays {
  readonly xs: TypedArray;
  readonly out: TypedArray;
  /** One for each block. */
  readonly carries: Float64Array | BigInt64Array | BigUint64Array;
  /** Elements in a block. */
  readonly block: number;
  /** True if an element's own value is left out of its result. */
  readonly exclusive: boolean;
}

/** As `Operator`: operators of bigints have this type too. */
export type ScanOperator = (a: number, b: number, context?: unknown) => number;

/** An operation, for some arrays. */
export interface ScanOperation {
  readonly operator: ScanOperator;
  /** Its name, if it has one. */
  readonly name: NamedReduction | undefined;
  /** True if its association makes no difference. */
  readonly exact: boolean;
  /** True if results are words: sums and products modulo 2^32. */
  readonly inWords: boolean;
}

const CARRY_BYTES = 8;

/** The arrays as loops see them. */
type LoopArrays = { readonly [A in 'xs' | 'out' | 'carries']: { [i: number]: number } };

/** Runs over elements [lo, hi), which are cut into blocks of so many elements; b is the number of the first block. */
type BlockLoop = (arrays: LoopArrays, lo: number, hi: number, block: number, b: number, context: unknown) => number;

/** Called for an object that an operation has returned: throws if it is a promise. */
type Refuse = (value: unknown) => void;

type ReduceLoop = ReturnType<typeof makeReduceBlocks>;
type CarryLoop = ReturnType<typeof makeCarryOn>;

/**
 * A template, see specialize.ts. Puts the total of block b where the carry of the block after it goes. `refuse` looks for promises in one of
 * the chains, and so at the first result.
 */
const makeReduceBlocks = (op: ScanOperator, refuse: Refuse) =>
  function reduceBlocks(
    { xs, carries }: LoopArrays,
    lo: number,
    hi: number,
    block: number,
    b: number,
    context: unknown,
  ) {
    let i = lo;
    for (; i + 4 * block <= hi; i += 4 * block, b += 4) {
      let a0 = xs[i];
      let a1 = xs[i + block];
      let a2 = xs[i + 2 * block];
      let a3 = xs[i + 3 * block];
      for (let j = i + 1; j < i + block; j++) {
        a0 = op(a0, xs[j], context);
        if (typeof a0 === 'object') refuse(a0);
        a1 = op(a1, xs[j + block], context);
        a2 = op(a2, xs[j + 2 * block], context);
        a3 = op(a3, xs[j + 3 * block], context);
      }
      carries[b + 1] = a0;
      carries[b + 2] = a1;
      carries[b + 3] = a2;
      carries[b + 4] = a3;
    }
    for (; i < hi; i += block, b++) {
      let a = xs[i];
      const end = Math.min(hi, i + block);
      for (let j = i + 1; j < end; j++) {
        a = op(a, xs[j], context);
        if (typeof a === 'object') refuse(a);
      }
      carries[b + 1] = a;
    }
  };

/** A template, see specialize.ts. */
const makeCarryOn = (op: ScanOperator) =>
  function carryOn({ carries }: LoopArrays, lo: number, hi: number, context: unknown): void {
    for (let b = lo; b < hi; b++) carries[b + 1] = op(carries[b], carries[b + 1], context);
  };

/** Chooses which of two values is the result of an element: the prefix before it, or the prefix with its own value. */
type Pick = (before: number, after: number) => number;
const after: Pick = (_before, after) => after;
const before: Pick = (before) => before;

/** A carry as the loop keeps it: as a word where results are words, since V8 adds words in one cycle, and doubles modulo 2^32 in fifteen. */
type Keep = (carry: number) => number;
const asItIs: Keep = (carry) => carry;
const asWord: Keep = (carry) => carry | 0;

/** A template, see specialize.ts. Reads an element before it writes its result, which may be in its place. */
const makeScanBlocks = (op: ScanOperator, pick: Pick, keep: Keep, refuse: Refuse): BlockLoop =>
  function scanBlocks({ xs, out, carries }, lo, hi, block, b, context) {
    let i = lo;
    let a = keep(carries[b]);
    for (; i + 4 * block <= hi; i += 4 * block, b += 4) {
      let a0 = keep(carries[b]);
      let a1 = keep(carries[b + 1]);
      let a2 = keep(carries[b + 2]);
      let a3 = keep(carries[b + 3]);
      for (let j = i; j < i + block; j++) {
        const n0 = op(a0, xs[j], context);
        if (typeof n0 === 'object') refuse(n0);
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
      a = keep(carries[b]);
      const end = Math.min(hi, i + block);
      let j = i;
      // Four at a time, as in loops/element-loop.ts, but one after the other: `out` may be `xs`.
      for (const last = end - 3; j < last; j += 4) {
        const n0 = op(a, xs[j], context);
        if (typeof n0 === 'object') refuse(n0);
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
        if (typeof n === 'object') refuse(n);
        out[j] = pick(a, n);
        a = n;
      }
    }
    return a;
  };

/** A template, see specialize.ts: scans blocks of floats one after the other, in groups of four elements. */
const makeScanGroups = (op: ScanOperator, pick: Pick): BlockLoop =>
  function scanGroups({ xs, out, carries }, lo, hi, block, b) {
    let carry = carries[b];
    for (let first = lo; first < hi; first += block, b++) {
      carry = carries[b];
      const end = Math.min(hi, first + block);
      let i = first;
      for (; i < end - 3; i += 4) {
        const x0 = xs[i];
        const x01 = op(x0, xs[i + 1]);
        const x2 = xs[i + 2];
        const x0123 = op(x01, op(x2, xs[i + 3]));
        const one = op(carry, x0);
        const two = op(carry, x01);
        const three = op(carry, op(x01, x2));
        const four = op(carry, x0123);
        out[i] = pick(carry, one);
        out[i + 1] = pick(one, two);
        out[i + 2] = pick(two, three);
        out[i + 3] = pick(three, four);
        carry = four;
      }
      for (; i < end; i++) {
        const next = op(carry, xs[i]);
        out[i] = pick(carry, next);
        carry = next;
      }
    }
    return carry;
  };

const isInteger = (xs: TypedArray): boolean => !xs[Symbol.toStringTag].startsWith('Float');
const isOf = (xs: TypedArray, name: string): boolean => xs[Symbol.toStringTag] === name;

/**
 * Blocks [lo, hi) of an array, scanned by an operation. A thread makes one for each call, and finds each loop once: a call has hundreds
 * of units, and in a program's first calls V8 still interprets what runs for each of them.
 */
export class ScanKernel {
  readonly #arrays: ScanArrays;
  readonly #numbers: LoopArrays;
  readonly #operation: ScanOperation;
  readonly #context: unknown;
  readonly #tag: number;
  /** The WebAssembly kernels that scan a block and four blocks, if there are any. */
  readonly #wasm: Kernel | undefined;
  readonly #wasmFour: Kernel | undefined;
  /** The reduction of a block by a named operation. */
  #named: BlockFold | undefined;
  #reduceBlocks: ReduceLoop | undefined;
  #carryOn: CarryLoop | undefined;
  #scanBlocks: BlockLoop | undefined;

  constructor(arrays: ScanArrays, operation: ScanOperation, context: unknown) {
    this.#arrays = arrays;
    this.#numbers = arrays as unknown as LoopArrays;
    this.#operation = operation;
    this.#context = context;
    this.#tag = typesTag(arrays.xs, arrays.out);
    this.#wasm = wasmScan(arrays, operation);
    this.#wasmFour = this.#wasm && operation.name === 'sum' ? scanKernels.for('sumFour', arrays.xs) : undefined;
  }

  /** Writes the totals of blocks. The total of the last block of all is not needed. */
  reduce(lo: number, hi: number): void {
    if (lo >= hi) return;
    const { xs, carries, block } = this.#arrays;
    const { name, exact, operator } = this.#operation;
    if (name === undefined || (name === 'product' && exact)) {
      this.#reduceBlocks ??= specialize(makeReduceBlocks, this.#tag, operator, refusePromise);
      const loop = this.#reduceBlocks;
      loop(this.#numbers, lo * block, this.#endOf(hi), block, lo, this.#context);
      return;
    }
    this.#named ??= namedReduction(name, xs);
    const { fold, four } = this.#named;
    let b = lo;
    if (four !== undefined) b = this.#inFours(lo, hi, (first, to) => four(first * block, block, to + CARRY_BYTES));
    for (; b < hi; b++) carries[b + 1] = fold(b * block, this.#endOf(b + 1)) as never;
  }

  /** Makes the carries of blocks (lo, hi] from the totals of the blocks before them. */
  carryOn(lo: number, hi: number): void {
    if (lo >= hi) return;
    this.#carryOn ??= specialize(makeCarryOn, this.#tag, this.#operation.operator);
    const loop = this.#carryOn;
    loop(this.#numbers, lo, hi, this.#context);
  }

  /** Scans each block from its carry; returns what the last one ends with. */
  scan(lo: number, hi: number): Carry {
    const { xs, out, block, exclusive } = this.#arrays;
    if (this.#wasm === undefined) return this.#scanByLoop(lo, hi, block);
    let carry: Carry = 0;
    let b = lo;
    const four = this.#wasmFour;
    if (four !== undefined) {
      b = this.#inFours(lo, hi, (first, address) => {
        carry = four(addressOf(xs, first * block), block, addressOf(out, first * block), address, exclusive ? 1 : 0);
      });
    }
    for (; b < hi; b++) carry = this.#scanByWasm(this.#wasm, b, b + 1);
    return carry;
  }

  /** Scans all blocks from the carry of the first; returns what the last one ends with. */
  scanThrough(lo: number, hi: number): Carry {
    if (this.#wasm !== undefined) return this.#scanByWasm(this.#wasm, lo, hi);
    return this.#scanByLoop(lo, hi, (hi - lo) * this.#arrays.block);
  }

  #scanByWasm(kernel: Kernel, lo: number, hi: number): Carry {
    const { xs, out, carries, block, exclusive } = this.#arrays;
    const from = lo * block;
    const n = this.#endOf(hi) - from;
    const end: Carry = kernel(addressOf(xs, from), n, addressOf(out, from), carries[lo], exclusive ? 1 : 0);
    return isOf(xs, 'BigUint64Array') ? BigInt.asUintN(64, end as unknown as bigint) : end;
  }

  #scanByLoop(lo: number, hi: number, stretch: number): Carry {
    this.#scanBlocks ??= this.#loopForScans();
    const loop = this.#scanBlocks;
    return loop(this.#numbers, lo * this.#arrays.block, this.#endOf(hi), stretch, lo, this.#context);
  }

  #loopForScans(): BlockLoop {
    const { xs, out, exclusive } = this.#arrays;
    const { name, operator, inWords } = this.#operation;
    const pick = exclusive ? before : after;
    return name !== undefined && !isInteger(xs) && typeOfView(xs) === typeOfView(out)
      ? specialize(makeScanGroups, this.#tag, operator, pick)
      : specialize(makeScanBlocks, this.#tag, operator, pick, inWords ? asWord : asItIs, refusePromise);
  }

  #endOf(hi: number): number {
    return Math.min(this.#arrays.xs.length, hi * this.#arrays.block);
  }

  /**
   * Runs a kernel of four blocks, as long as four whole ones are left of blocks [b, hi). It gets the address of the first carry.
   * @returns the block to go on from, one by one
   */
  #inFours(b: number, hi: number, run: (b: number, carries: number) => void): number {
    const { xs, carries, block } = this.#arrays;
    const at = b + 4 > hi ? NOT_IN_HEAP : pointerOf(carries);
    if (at !== NOT_IN_HEAP) for (; b + 4 <= hi && (b + 4) * block <= xs.length; b += 4) run(b, at + b * CARRY_BYTES);
    return b;
  }
}

/**
 * The WebAssembly kernel of a named operation into results of the type of xs, or undefined. The first carry of integers must be within
 * 32 bits, and the kernels do not clamp.
 */
function wasmScan({ xs, out, carries }: ScanArrays, { name, exact }: ScanOperation): Kernel | undefined {
  if (name === undefined || typeOfView(xs) !== typeOfView(out) || isOf(xs, 'Uint8ClampedArray')) return undefined;
  const [first] = carries;
  if (isInteger(xs) && typeof first === 'number') {
    const isWord = first === (isOf(xs, 'Uint32Array') ? first >>> 0 : first | 0);
    if (!exact || !isWord) return undefined;
  }
  return pointerOf(out) === NOT_IN_HEAP ? undefined : scanKernels.for(name, xs);
}

/** The operation of that name for these arrays. */
export function namedOperation(name: NamedReduction, xs: TypedArray, out: TypedArray, identity: Carry): ScanOperation {
  const isSum = name === 'sum' || name === 'product';
  const wraps = isSum && isInteger(xs) && isInteger(out) && !isOf(out, 'Uint8ClampedArray');
  const inWords = wraps && Number.isSafeInteger(identity);
  const isBig = isBigIntType(typeOfView(xs));
  let operators = isOf(xs, 'Uint32Array') ? UNSIGNED : NUMBERS;
  if (isBig) operators = isOf(xs, 'BigUint64Array') ? UINT64 : INT64;
  else if (inWords) operators = WORDS;
  return { operator: operators[name], name, exact: isBig || inWords || !isSum, inWords };
}

/**
 * The value that changes no element of the array. A scan by name begins with it, if no identity is given. An inclusive sum of floats
 * begins with -0, which keeps an element -0; an exclusive one begins with 0, since the first result shows it.
 */
export function neutralElement(name: NamedReduction, xs: TypedArray, exclusive: boolean): Carry {
  if (isBigIntType(typeOfView(xs))) return emptyResult(name, xs, false);
  if (!isInteger(xs)) return name === 'sum' && !exclusive ? -0 : emptyResult(name, xs, false);
  if (name !== 'min' && name !== 'max') return emptyResult(name, xs, false);
  const values = 2 ** (8 * xs.BYTES_PER_ELEMENT);
  const least = xs[Symbol.toStringTag].startsWith('Uint') ? 0 : -values / 2;
  return name === 'max' ? least : least + values - 1;
}
