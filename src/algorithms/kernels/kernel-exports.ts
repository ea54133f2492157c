/**
 * What the WebAssembly module exports (wasm/kernels.ts), as types; no code.
 *
 * Addresses are byte offsets in the shared heap (`pointerOf`), lengths are elements.
 */

/** Of `n` elements, at least one, from address `p` on. */
type FoldNumbers = (p: number, n: number) => number;
type FoldBigInts = (p: number, n: number) => bigint;

type Narrow = 'I8' | 'U8' | 'I16' | 'U16';
type Integer = Narrow | 'I32' | 'U32';
type Float = 'F32' | 'F64';
type Big = 'I64' | 'U64';

type ReduceKernels = Record<`${'sum' | 'product' | 'min' | 'max'}${Integer | Float}`, FoldNumbers> &
  Record<`${'min' | 'max'}${Big}`, FoldBigInts> &
  Record<`${'and' | 'or' | 'xor'}${Narrow | '32'}`, FoldNumbers> &
  Record<`${'and' | 'or' | 'xor'}64`, FoldBigInts> &
  Record<'sumLower64' | 'sumUpperI64' | 'sumUpperU64', FoldNumbers>;

export type KernelExports = Readonly<ReduceKernels>;
