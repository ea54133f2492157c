/** The loop that counts elements into the bins that a function names; runs on every thread that computes. */

type BinOf = (x: unknown, i: number, context: unknown) => unknown;

/** Counts elements [lo, hi) into a table with a count for each bin, no more and no less. */
export type BinLoop = (
  xs: ArrayLike<unknown>,
  lo: number,
  hi: number,
  table: Uint32Array,
  bins: number,
  context: unknown,
) => void;

/** Says what is wrong with a bin: throws. */
export type Refuse = (bin: unknown, i: number, bins: number) => never;

/**
 * A template, see specialize.ts. A number that is no bin has no count: asking for that is half as expensive as comparing the bin. The
 * count is read after the call: the function may run other leaves, which count into the same table.
 */
export const makeBinLoop = (binOf: BinOf, refuse: Refuse): BinLoop =>
  function binLoop(xs, lo, hi, table, bins, context) {
    for (let i = lo; i < hi; i++) {
      const bin = binOf(xs[i], i, context);
      const count = table[bin as number];
      if (typeof bin !== 'number' || count === undefined) refuse(bin, i, bins);
      table[bin as number] = count + 1;
    }
  };
