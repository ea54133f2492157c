/**
 * Values folded by group, from left to right; runs on every thread that computes.
 */
import { compiled, type ShippedFunction, specialize } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { BIGINTS, type NamedReduction, NUMBERS, UNSIGNED } from '../kernels/operators.js';
import { refusePromise } from '../returned-promise.js';
import { shown } from '../shown.js';

/** Two values combined. */
export type Op = (a: unknown, b: unknown, context: unknown) => unknown;

export type FoldedValues = { [i: number]: unknown; readonly length: number };

/** Value with which the fold of a group begins, in a box; undefined for the group's first value. */
export type Identity = readonly [unknown] | undefined;

/** A template, see specialize.ts. `refuse` throws for a result that cannot be kept. */
const makeFoldKernel = (op: Op, refuse: (value: unknown) => never) => {
  function combine(a: unknown, b: unknown, context: unknown): unknown {
    const result = op(a, b, context);
    if (typeof result !== typeof a) refuse(result);
    return result;
  }

  return {
    /**
     * Folds values [lo, hi) into the accumulators of their groups: acc[lo + ids[i - lo]] for values[i]. The ids of new groups
     * ascend from 0.
     */
    fold(
      ids: Int32Array,
      values: FoldedValues,
      lo: number,
      hi: number,
      acc: FoldedValues,
      identity: Identity,
      context: unknown,
    ) {
      let seen = 0;
      for (let i = lo; i < hi; i++) {
        const id = ids[i - lo];
        const at = lo + id;
        if (id < seen) {
          acc[at] = combine(acc[at], values[i], context);
        } else {
          seen++;
          acc[at] = identity === undefined ? values[i] : combine(identity[0], values[i], context);
        }
      }
    },
    /** Folds the accumulators of these entries into those of the first entry with the same key. */
    foldFirst(entries: Uint32Array, first: Uint32Array, acc: FoldedValues, identity: Identity, context: unknown) {
      for (let k = 0; k < entries.length; k++) {
        const e = entries[k];
        const to = first[e];
        if (to !== e) acc[to] = combine(acc[to], acc[e], context);
        else if (identity !== undefined) acc[e] = combine(identity[0], acc[e], context);
      }
    },
  };
};

function refuse(value: unknown): never {
  refusePromise(value);
  throw new TypeError(
    `furcate: parallelReduceByKey: op must return a number, or a bigint for values that are bigints, but it returned ${shown(value)}.`,
  );
}

/** The function that combines values of an array's type. */
export function opOn(values: TypedArray, op: NamedReduction | ShippedFunction): Op {
  if (typeof op !== 'string') return compiled(op) as Op;
  const isUnsigned = (values[Symbol.toStringTag] as string).startsWith('Uint');
  return (isBigIntType(typeOfView(values)) ? BIGINTS : isUnsigned ? UNSIGNED : NUMBERS)[op] as Op;
}

/** The kernel that folds values of an array's type by a function or a named operation. */
export const foldKernel = (op: NamedReduction | ShippedFunction, values: TypedArray) =>
  specialize(makeFoldKernel, values[Symbol.toStringTag], opOn(values, op), refuse);
