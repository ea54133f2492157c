/**
 * What a kernel of a named reduction is, in TypeScript and in WebAssembly; runs on every thread that computes.
 */

/** What a kernel reads: elements, or the address of the first one. */
export type Source = ArrayLike<number> | number;

/** `kernel(source, lo, hi)` folds elements [lo, hi), at least one. The kernel is the same function each time. */
export interface BlockFold {
  readonly source: Source;
  readonly kernel: (source: Source, lo: number, hi: number) => number | bigint;
  /**
   * Four blocks of n elements, a multiple of 8, from element lo on: each as `kernel` folds it, and what they come to as two
   * pairs. Their values go to the address `totals`, if it is not 0. Where there is none, `kernel` four times is as good.
   */
  readonly four?: ((source: Source, lo: number, n: number, totals: number) => number) | undefined;
  /** The same of sixteen, as four times four; where there is `four`. */
  readonly sixteen?: ((source: Source, lo: number, n: number) => number) | undefined;
}
