/**
 * What the WebAssembly modules export (wasm/), as types; no code.
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
  Record<`sumFour${Float}`, (p: number, n: number, totals: number) => number> &
  Record<`sumSixteen${Float}`, FoldNumbers> &
  Record<'sumLower64' | 'sumUpperI64' | 'sumUpperU64', FoldNumbers>;

/** From address `src` to address `dst`, from a carry on; gives the next carry. */
type ScanNumbers = (src: number, n: number, dst: number, carry: number, exclusive: number) => number;
type ScanBigInts = (src: number, n: number, dst: number, carry: bigint, exclusive: number) => bigint;

type ScanKernels = Record<
  `scanFourSums${Float}`,
  (src: number, n: number, dst: number, carries: number, exclusive: number) => number
> &
  Record<`scan${'Sum' | 'Product' | 'Min' | 'Max'}${Float}`, ScanNumbers> &
  Record<`scan${'Min' | 'Max'}${Integer}`, ScanNumbers> &
  Record<`scan${'Min' | 'Max'}${Big}`, ScanBigInts> &
  Record<`scan${'Sum' | 'Product' | 'And' | 'Or' | 'Xor'}${Narrow | '32'}`, ScanNumbers> &
  Record<`scan${'Sum' | 'Product' | 'And' | 'Or' | 'Xor'}64`, ScanBigInts>;

type Wide = 'I32' | 'U32' | Float;

type FilterKernels = Record<'copy', (dst: number, src: number, bytes: number) => void> &
  Record<'fill8' | 'fill16' | 'fill32' | 'fillF32' | 'fillF64', (p: number, n: number, x: number) => void> &
  Record<'find8' | 'find16' | 'find32' | 'findF32' | 'findF64', (p: number, n: number, x: number) => number> &
  Record<'find64', (p: number, n: number, x: bigint) => number> &
  Record<'fill64', (p: number, n: number, x: bigint) => void> &
  Record<`count${Wide}`, (p: number, n: number, least: number, most: number) => number> &
  Record<
    `collect${Wide}`,
    (p: number, n: number, least: number, most: number, outside: number, dst: number, limit: number) => number
  >;

/** `table` is an address; `Many` has one counter a bin, the others four. */
type HistogramKernels = Record<
  `shiftHistogram${'' | 'Many'}${Integer}`,
  (p: number, n: number, min: number, shift: number, table: number) => void
> &
  Record<
    `histogram${'' | 'Many'}${Integer | Float}`,
    (p: number, n: number, min: number, max: number, bins: number, table: number) => void
  > &
  Record<
    `exactHistogram${'' | 'Many'}${Integer}`,
    (
      p: number,
      n: number,
      min: number,
      range: number,
      factor: number,
      shift: number,
      bins: number,
      table: number,
    ) => void
  >;

type Bits = '32' | '64';

/** Where the parts of a bucket are, and where they go. */
type Gather = (from: number, ends: number, stride: number, rows: number, to: number) => void;

/**
 * See wasm/bucket-kernels.ts and wasm/range-kernels.ts. `kind` is of elements; `plan`, `ids`, `counts`, `places` and `p`, of a payload,
 * are addresses. Kernels without a payload ignore its addresses.
 */
type SortKernels = Record<`unordered${Bits}`, (p: number, n: number) => number> &
  Record<`plan${Bits}`, (from: number, n: number, kind: number, wanted: number, plan: number) => void> &
  Record<
    `classify${Bits}`,
    (from: number, n: number, kind: number, plan: number, ids: number, counts: number) => void
  > &
  Record<
    `scatter${'' | 'Pairs'}${Bits}`,
    (from: number, n: number, to: number, ids: number, places: number, p: number, pTo: number) => void
  > &
  Record<'openPlaces', (counts: number, buckets: number, first: number, to: number, bytes: number) => void> &
  Record<
    'turnPlaces',
    (from: number, rows: number, rowBytes: number, columns: number, to: number, starts: number) => void
  > &
  Record<`gather${Bits}`, Gather> &
  Record<`isOneKey${Bits}`, (p: number, n: number, kind: number) => number> &
  Record<
    `sort${'' | 'Pairs'}${Bits}`,
    (
      n: number,
      source: number,
      target: number,
      out: number,
      kind: number,
      top: number,
      places: number,
      p: number,
      pTarget: number,
      pOut: number,
    ) => void
  > &
  Record<
    `merge${'I32' | 'U32' | Big | Float}`,
    (a: number, aElements: number, b: number, bElements: number, out: number) => void
  >;

export type KernelExports = Readonly<ReduceKernels & ScanKernels & FilterKernels & HistogramKernels & SortKernels>;
