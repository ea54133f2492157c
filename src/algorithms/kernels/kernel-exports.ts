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

/** From address `src` to address `dst`, from a carry on; gives the next carry. */
type ScanNumbers = (src: number, n: number, dst: number, carry: number, exclusive: number) => number;
type ScanBigInts = (src: number, n: number, dst: number, carry: bigint, exclusive: number) => bigint;

type ScanKernels = Record<`scan${'Sum' | 'Product' | 'Min' | 'Max'}${Float}`, ScanNumbers> &
  Record<`scan${'Min' | 'Max'}${Integer}`, ScanNumbers> &
  Record<`scan${'Min' | 'Max'}${Big}`, ScanBigInts> &
  Record<`scan${'Sum' | 'Product' | 'And' | 'Or' | 'Xor'}${Narrow | '32'}`, ScanNumbers> &
  Record<`scan${'Sum' | 'Product' | 'And' | 'Or' | 'Xor'}64`, ScanBigInts>;

type Wide = 'I32' | 'U32' | Float;

type FilterKernels = Record<
  'fill8' | 'fill16' | 'fill32' | 'fillF32' | 'fillF64',
  (p: number, n: number, x: number) => void
> &
  Record<'fill64', (p: number, n: number, x: bigint) => void> &
  Record<`count${Wide}`, (p: number, n: number, least: number, most: number) => number> &
  Record<
    `collect${Wide}`,
    (p: number, n: number, least: number, most: number, outside: number, dst: number, limit: number) => number
  >;

/** `tables` is an address, `stride` the bytes between tables. */
type HistogramKernels = Record<
  `shiftHistogram${Integer}`,
  (p: number, n: number, min: number, shift: number, tables: number, stride: number) => void
> &
  Record<
    `histogram${Integer | Float}`,
    (p: number, n: number, min: number, max: number, bins: number, tables: number, stride: number) => void
  > &
  Record<
    `exactHistogram${Integer}`,
    (
      p: number,
      n: number,
      min: number,
      range: number,
      factor: number,
      shift: number,
      bins: number,
      tables: number,
      stride: number,
    ) => void
  >;

/** `kind` is 0 for unsigned, 1 for signed elements, 2 for floats; `shift` is where the digit begins. */
type Count = (p: number, n: number, counts: number, kind: number) => number;
type Scatter = (src: number, n: number, dst: number, counts: number, shift: number, kind: number) => void;
type ScatterWith = (
  src: number,
  withSrc: number,
  n: number,
  dst: number,
  withDst: number,
  counts: number,
  shift: number,
  kind: number,
) => void;

type SortKernels = Record<'countDigits32' | 'countDigitsUpper64' | 'countDigits64', Count> &
  Record<'startsOfDigit', (counts: number, n: number) => number> &
  Record<'scatter32' | 'scatter64', Scatter> &
  Record<'scatterWith32' | 'scatterWith64', ScatterWith> &
  Record<'insertF64', (src: number, n: number, dst: number, moves: number) => number> &
  Record<'insertWithF64', (keys: number, withKeys: number, n: number, moves: number) => number> &
  Record<
    `merge${'I32' | 'U32' | Big | Float}`,
    (a: number, aElements: number, b: number, bElements: number, out: number) => void
  > &
  Record<`run${'I32' | 'U32' | Big | Float}`, (p: number, n: number, reversed: number) => number>;

export type KernelExports = Readonly<ReduceKernels & ScanKernels & FilterKernels & HistogramKernels & SortKernels>;
