/**
 * Sorting, merging and finding runs of numbers by WebAssembly, for arrays on the shared heap; runs on every thread that computes.
 * Order and twins: numeric-sort.ts. Digits, keys and the insertion pass: radix-sort.ts.
 *
 * A pass is cut into calls of some thousand elements: V8 runs a kernel's first calls in code that it made quickly, and
 * cannot exchange the code of a call that is running.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { RADIX_ELEMENTS } from '../tuning.js';
import type { KernelExports } from './kernel-exports.js';
import type { Elements } from './merge-kernel.js';
import { moveNaNsLast, numericKernel, runTwin } from './numeric-sort.js';
import { kernels, NOT_IN_HEAP, pointerOf } from './wasm-kernels.js';

/** Counters of one digit. */
const BUCKETS = 2048;

/** Elements of the `Uint32Array` of counters that a sort needs; their values do not matter. */
export const SORT_COUNTERS = 6 * BUCKETS;

/** Elements in one call of a kernel. */
const CALL_ELEMENTS = 16_384;

/** Insertion may move each element so far on average (elements) before it gives up. */
const MOVES_PER_ELEMENT = 8;

const [UNSIGNED, SIGNED, FLOAT] = [0, 1, 2];

/** The least upper word, or float32, that is not finite; its sign aside. */
const INFINITE_WORD = { 8: 0x7ff00000, 4: 0x7f800000 } as const;

type Suffix = 'I32' | 'U32' | 'I64' | 'U64' | 'F32' | 'F64';

const SUFFIXES: Readonly<Record<string, Suffix>> = {
  Int32Array: 'I32',
  Uint32Array: 'U32',
  Float32Array: 'F32',
  Float64Array: 'F64',
  BigInt64Array: 'I64',
  BigUint64Array: 'U64',
};

const KINDS = { I32: SIGNED, U32: UNSIGNED, I64: SIGNED, U64: UNSIGNED, F32: FLOAT, F64: FLOAT } as const;

/** What moves through the passes of one sort: addresses of elements, and of the payload if there is one. */
interface Passes {
  readonly all: KernelExports;
  readonly n: number;
  readonly size: 4 | 8;
  readonly kind: number;
  readonly counts: number;
  from: number;
  to: number;
  /** 0 for none. */
  withFrom: number;
  withTo: number;
}

/**
 * Sorts in place. `scratch` has the same type and length, `counters` `SORT_COUNTERS` elements, and all three are on the shared heap.
 * @returns whether it did: not without WebAssembly, for short arrays, and for elements of other than 4 or 8 bytes
 */
export function sortInHeap(xs: TypedArray, scratch: TypedArray, counters: Uint32Array): boolean {
  const passes = passesOf(xs, scratch, counters);
  if (passes === undefined) return false;
  if (runLength(xs, 0, xs.length, false) === xs.length) return true;
  if (runLength(xs, 0, xs.length, true) === xs.length) {
    xs.reverse();
    return true;
  }
  const isFloat64 = passes.kind === FLOAT && passes.size === 8;
  let n = xs.length;
  const most = countDigits(passes, isFloat64);
  if (passes.kind === FLOAT && most >= INFINITE_WORD[passes.size]) {
    n = moveNaNsLast(xs as Float64Array);
    if (n < xs.length) return n < 2 || sortInHeap(xs.subarray(0, n), scratch.subarray(0, n), counters) || sorted(xs, n);
  }
  const start = passes.from;
  if (!isFloat64) {
    scatterDigits(passes, passes.size === 8 ? [0, 11, 22, 32, 43, 54] : [0, 11, 22]);
    bring(xs, scratch, passes.from !== start);
    return true;
  }
  scatterDigits(passes, [32, 43, 54]);
  if (passes.all.insertF64(passes.from, n, start, MOVES_PER_ELEMENT * n) !== 0) return true;
  passes.from = start;
  passes.to = pointerOf(scratch);
  countDigits(passes, false);
  scatterDigits(passes, [0, 11, 22, 32, 43, 54]);
  bring(xs, scratch, passes.from !== start);
  return true;
}

/**
 * Sorts keys in place, and with them the elements of `index`: stable, NaN last. NaNs may come out with other bits. As
 * `sortInHeap`, with scratch space for both.
 */
export function sortWithIndexInHeap(
  keys: TypedArray,
  keysScratch: TypedArray,
  index: Uint32Array,
  indexScratch: Uint32Array,
  counters: Uint32Array,
): boolean {
  const passes = passesOf(keys, keysScratch, counters);
  if (passes === undefined) return false;
  passes.withFrom = pointerOf(index);
  passes.withTo = pointerOf(indexScratch);
  if (passes.withFrom === NOT_IN_HEAP || passes.withTo === NOT_IN_HEAP) return false;
  const { from: start, n, kind, size } = passes;
  if (runLength(keys, 0, n, false) === n) return true;
  const isFloat64 = kind === FLOAT && size === 8;
  const most = countDigits(passes, isFloat64);
  if (kind === FLOAT && most >= INFINITE_WORD[size] && unsignNaNs(keys)) countDigits(passes, isFloat64);
  const bringBoth = (): void => {
    bring(keys, keysScratch, passes.from !== start);
    bring(index, indexScratch, passes.from !== start);
  };
  if (!isFloat64) {
    scatterDigits(passes, size === 8 ? [0, 11, 22, 32, 43, 54] : [0, 11, 22]);
    bringBoth();
    return true;
  }
  scatterDigits(passes, [32, 43, 54]);
  const isDone = passes.all.insertWithF64(passes.from, passes.withFrom, n, MOVES_PER_ELEMENT * n) !== 0;
  if (!isDone) {
    // What was inserted so far kept equal keys in their order, so the passes may begin with it.
    countDigits(passes, false);
    scatterDigits(passes, [0, 11, 22, 32, 43, 54]);
  }
  bringBoth();
  return true;
}

/** Merges the sorted src[i, iEnd) and src[j, jEnd) to out[k, ...), which lies apart: as `numericKernel(src).merge`. */
export function mergeNumbers(
  src: TypedArray,
  i: number,
  iEnd: number,
  j: number,
  jEnd: number,
  out: TypedArray,
  k: number,
): void {
  const suffix = SUFFIXES[src[Symbol.toStringTag]];
  const from = suffix === undefined ? NOT_IN_HEAP : pointerOf(src);
  const to = from === NOT_IN_HEAP ? NOT_IN_HEAP : pointerOf(out);
  if (to === NOT_IN_HEAP) {
    numericKernel(src).merge(src as unknown as Elements, i, iEnd, j, jEnd, out as unknown as Elements, k, undefined);
    return;
  }
  const size = src.BYTES_PER_ELEMENT;
  const merge = (kernels() as KernelExports)[`merge${suffix}`];
  merge(from + i * size, iEnd - i, from + j * size, jEnd - j, to + k * size);
}

/** How many of the elements [lo, hi) are in order from `lo` on, or in reverse order; equal ones are in either. */
export function runLength(xs: TypedArray, lo: number, hi: number, reversed: boolean): number {
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  const pointer = suffix === undefined ? NOT_IN_HEAP : pointerOf(xs);
  if (pointer === NOT_IN_HEAP) return runTwin(xs, lo, hi, reversed);
  const run = (kernels() as KernelExports)[`run${suffix}`];
  return run(pointer + lo * xs.BYTES_PER_ELEMENT, hi - lo, reversed ? 1 : 0) >>> 0;
}

function passesOf(xs: TypedArray, scratch: TypedArray, counters: Uint32Array): Passes | undefined {
  const suffix = SUFFIXES[xs[Symbol.toStringTag]];
  if (suffix === undefined || xs.length < RADIX_ELEMENTS) return undefined;
  const [from, to, counts] = [pointerOf(xs), pointerOf(scratch), pointerOf(counters)];
  if (from === NOT_IN_HEAP || to === NOT_IN_HEAP || counts === NOT_IN_HEAP) return undefined;
  const size = xs.BYTES_PER_ELEMENT as 4 | 8;
  const all = kernels() as KernelExports;
  return { all, n: xs.length, size, kind: KINDS[suffix], counts, from, to, withFrom: 0, withTo: 0 };
}

/** Counts all digits, or those of the upper words; gives the greatest (upper) word without its sign, for floats of one size. */
function countDigits({ all, n, size, kind, counts, from }: Passes, upperOnly: boolean): number {
  all.fill32(counts, SORT_COUNTERS, 0);
  let count = all.countDigits32;
  if (size === 8) count = upperOnly ? all.countDigitsUpper64 : all.countDigits64;
  const at = upperOnly ? counts + 3 * BUCKETS * 4 : counts;
  let most = 0;
  for (let i = 0; i < n; i += CALL_ELEMENTS) {
    most = Math.max(most, count(from + i * size, Math.min(CALL_ELEMENTS, n - i), at, kind));
  }
  return most;
}

/** Scatters by the digits that begin at these bits, except where all elements share one. Swaps `from` and `to` with each pass. */
function scatterDigits(passes: Passes, shifts: readonly number[]): void {
  const { all, n, size, kind, counts } = passes;
  for (const shift of shifts) {
    const digit = Math.floor(shift / 32) * 3 + Math.floor((shift % 32) / 11);
    const starts = counts + digit * BUCKETS * 4;
    if (all.startsOfDigit(starts, n) !== 0) continue;
    const { from, to, withFrom, withTo } = passes;
    for (let i = 0; i < n; i += CALL_ELEMENTS) {
      const part = Math.min(CALL_ELEMENTS, n - i);
      const src = from + i * size;
      if (withFrom === 0) (size === 8 ? all.scatter64 : all.scatter32)(src, part, to, starts, shift, kind);
      else {
        const scatter = size === 8 ? all.scatterWith64 : all.scatterWith32;
        scatter(src, withFrom + i * 4, part, to, withTo, starts, shift, kind);
      }
    }
    passes.from = to;
    passes.to = from;
    passes.withFrom = withTo;
    passes.withTo = withFrom;
  }
}

function bring(xs: TypedArray, scratch: TypedArray, isInScratch: boolean): void {
  if (isInScratch) xs.set(scratch as never);
}

/** Few others than NaN: what is too short for a radix sort. */
function sorted(xs: TypedArray, n: number): true {
  xs.subarray(0, n).sort();
  return true;
}

/** Gives NaNs the bits that order behind Infinity; whether there were any. */
function unsignNaNs(keys: TypedArray): boolean {
  let found = false;
  const floats = keys as Float64Array;
  const upper = new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4);
  const words = keys.BYTES_PER_ELEMENT / 4;
  for (let i = 0; i < floats.length; i++) {
    if (!Number.isNaN(floats[i])) continue;
    upper[(i + 1) * words - 1] = words === 2 ? 0x7ff80000 : 0x7fc00000;
    if (words === 2) upper[2 * i] = 0;
    found = true;
  }
  return found;
}
