/** The loop that counts elements into the bins that a function names; runs on every thread that computes. */

type BinOf = (x: unknown, i: number, context: unknown) => unknown;

/** Counts elements [lo, hi) into table[base + bin]. */
export type BinLoop = (
  xs: ArrayLike<unknown>,
  lo: number,
  hi: number,
  table: Uint32Array,
  base: number,
  bins: number,
  context: unknown,
) => void;

/** Says what is wrong with a bin: throws. */
export type Refuse = (bin: unknown, i: number, bins: number) => never;

/** A maker, see fresh.ts. The bin is taken first: the function may run other leaves, which count into other tables. */
export const makeBinLoop = (binOf: BinOf, refuse: Refuse): BinLoop =>
  function binLoop(xs, lo, hi, table, base, bins, context) {
    for (let i = lo; i < hi; i++) {
      const bin = binOf(xs[i], i, context);
      if (typeof bin !== 'number' || bin >>> 0 !== bin || bin >= bins) refuse(bin, i, bins);
      table[base + (bin as number)]++;
    }
  };
