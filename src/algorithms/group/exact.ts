/** Operations that give the same bits in whatever order values are combined; runs on every thread that computes. */
import type { ShippedFunction } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { NamedReduction } from '../kernels/operators.js';
import type { Identity } from './fold-kernel.js';

export const NEVER = 0;
export const ALWAYS = 1;
/** If the values are not too large. */
export const BY_VALUES = 2;

/** Sums of so much are exact as doubles. */
const MAX_SUM = 2 ** 53;

/** Whether the operation is exact on so many values, which are kept as doubles, or as bigints that wrap. */
export function exactnessOf(
  op: NamedReduction | ShippedFunction | undefined,
  values: TypedArray,
  length: number,
  identity: Identity,
): typeof NEVER | typeof ALWAYS | typeof BY_VALUES {
  if (typeof op !== 'string') return NEVER;
  if (isBigIntType(typeOfView(values))) return ALWAYS;
  if (op === 'product') return NEVER;
  if (op !== 'sum') return ALWAYS;
  const hasIdentity = identity !== undefined && identity[0] !== 0;
  if (hasIdentity || (values[Symbol.toStringTag] as string).startsWith('Float')) return NEVER;
  return 2 ** (8 * values.BYTES_PER_ELEMENT) * length <= MAX_SUM ? ALWAYS : BY_VALUES;
}

/** The greatest distance from 0 of values [lo, hi), which are integers. */
export function greatest(values: ArrayLike<number>, lo: number, hi: number): number {
  let [least, most] = [0, 0];
  for (let i = lo; i < hi; i++) {
    const value = values[i] as number;
    if (value > most) most = value;
    if (value < least) least = value;
  }
  return Math.max(most, -least);
}

/** Whether all sums of so many values are exact. @param bounds what `greatest` gave of their parts */
export const areExact = (bounds: ArrayLike<number>, length: number): boolean =>
  greatest(bounds, 0, bounds.length) * length <= MAX_SUM;
