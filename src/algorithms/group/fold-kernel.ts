/**
 * Values folded by group, from left to right; runs on every thread that computes.
 */

/** Two values combined. */
export type Op = (a: unknown, b: unknown, context: unknown) => unknown;

type Values = { [i: number]: unknown; readonly length: number };

/** What a group's fold begins with, in a box; undefined for its first value. */
export type Identity = readonly [unknown] | undefined;

export interface FoldKernel {
  /**
   * Folds values [lo, hi) into the accumulators of their groups: acc[base + ids[i - lo]] for values[i]. A group whose id
   * is that of the next new one, `seen`, begins.
   *
   * @returns how many groups there are now
   */
  fold(
    ids: Int32Array,
    values: Values,
    lo: number,
    hi: number,
    acc: Values,
    base: number,
    seen: number,
    identity: Identity,
    context: unknown,
  ): number;
  /** Folds the accumulators of entries order[lo, hi) into those of the first entry with the same key. */
  foldFirst(
    order: Uint32Array,
    first: Uint32Array,
    lo: number,
    hi: number,
    acc: Values,
    identity: Identity,
    context: unknown,
  ): void;
}

/** A template, see specialize.ts. `isValue` says whether a result can be kept, and `refuse` throws. */
export const makeFoldKernel = (
  op: Op,
  isValue: (value: unknown) => boolean,
  refuse: (value: unknown) => never,
): FoldKernel => {
  function combine(a: unknown, b: unknown, context: unknown): unknown {
    const result = op(a, b, context);
    if (!isValue(result)) refuse(result);
    return result;
  }

  return {
    fold(ids, values, lo, hi, acc, base, seen, identity, context) {
      for (let i = lo; i < hi; i++) {
        const id = ids[i - lo];
        const at = base + id;
        if (id < seen) {
          acc[at] = combine(acc[at], values[i], context);
        } else {
          seen++;
          acc[at] = identity === undefined ? values[i] : combine(identity[0], values[i], context);
        }
      }
      return seen;
    },
    foldFirst(order, first, lo, hi, acc, identity, context) {
      for (let k = lo; k < hi; k++) {
        const e = order[k];
        const to = first[e];
        if (to !== e) acc[to] = combine(acc[to], acc[e], context);
        else if (identity !== undefined) acc[e] = combine(identity[0], acc[e], context);
      }
    },
  };
};
