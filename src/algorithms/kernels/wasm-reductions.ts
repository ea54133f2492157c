/**
 * The named reductions by WebAssembly, for arrays on the shared heap; runs on every thread that computes.
 * Their meaning, and their twins, are in named-reductions.ts.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import type { BlockFold } from './block-fold.js';
import type { KernelExports } from './kernel-exports.js';
import type { NamedReduction } from './operators.js';
import { kernels, NOT_IN_HEAP, pointerOf } from './wasm-kernels.js';

type PointerFold = (p: number, lo: number, hi: number) => number | bigint;
type Fold = (p: number, n: number) => number | bigint;

/** Element types in the order of element-types.ts, as the kernels' names end. */
const SUFFIXES = ['I8', 'U8', 'U8', 'I16', 'U16', 'I32', 'U32', 'F32', 'F64', 'I64', 'U64'];

/** Made once, so that what was measured of a kernel can be remembered. */
const made = new Map<string, PointerFold>();
let madeFor: KernelExports | undefined;

/** The kernel of that name and type; `undefined` where the twin has to serve. */
export function wasmReduction(op: NamedReduction, xs: TypedArray, type: number): BlockFold | undefined {
  const source = pointerOf(xs);
  if (source === NOT_IN_HEAP) return undefined;
  const all = kernels() as KernelExports;
  const kernel = kernelOf(all, op, type);
  if (kernel === undefined) return undefined;
  return {
    source,
    kernel: kernel as BlockFold['kernel'],
    ...(op === 'sum' ? nodesOf(all, SUFFIXES[type]) : undefined),
  };
}

function nodesOf(all: KernelExports, suffix: string): Pick<BlockFold, 'four' | 'sixteen'> | undefined {
  if (suffix !== 'F32' && suffix !== 'F64') return undefined;
  const size = suffix === 'F64' ? 8 : 4;
  const four = all[`sumFour${suffix}`];
  const sixteen = all[`sumSixteen${suffix}`];
  return {
    four: (p, lo, n, totals) => four((p as number) + lo * size, n, totals),
    sixteen: (p, lo, n) => sixteen((p as number) + lo * size, n) as number,
  };
}

function kernelOf(all: KernelExports, op: NamedReduction, type: number): PointerFold | undefined {
  if (madeFor !== all) made.clear();
  madeFor = all;
  const name = `${op} ${type}`;
  let kernel = made.get(name);
  if (kernel === undefined) {
    kernel = makeKernel(all, op, SUFFIXES[type]);
    if (kernel !== undefined) made.set(name, kernel);
  }
  return kernel;
}

function makeKernel(all: KernelExports, op: NamedReduction, suffix: string | undefined): PointerFold | undefined {
  if (suffix === undefined) return undefined; // Float16Array
  const exported = all as unknown as Readonly<Record<string, Fold | undefined>>;
  const shift = Math.log2(Number(suffix.slice(1)) / 8);
  if (op === 'sum' && shift === 3 && suffix !== 'F64') {
    const lower = all.sumLower64;
    const upper = suffix === 'I64' ? all.sumUpperI64 : all.sumUpperU64;
    return (p, lo, hi) => BigInt(upper(p + lo * 8, hi - lo)) * 4294967296n + BigInt(lower(p + lo * 8, hi - lo));
  }
  const isBitwise = op === 'and' || op === 'or' || op === 'xor';
  if (isBitwise && suffix.startsWith('F')) return undefined;
  const fold = exported[op + (isBitwise && shift >= 2 ? suffix.slice(1) : suffix)];
  if (fold === undefined) return undefined; // the product of bigints
  const size = 2 ** shift;
  // A bigint comes back as signed, whatever the kernel's type.
  if (suffix === 'U64') return (p, lo, hi) => BigInt.asUintN(64, fold(p + lo * size, hi - lo) as bigint);
  // So does an uint32.
  if (suffix === 'U32' && !isBitwise) return (p, lo, hi) => unsigned(fold(p + lo * size, hi - lo) as number);
  return (p, lo, hi) => fold(p + lo * size, hi - lo);
}

/** Sums and products are doubles already, and not negative; minima and maxima come as int32. */
const unsigned = (x: number): number => (x < 0 ? x + 4294967296 : x);
