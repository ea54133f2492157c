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

/** Checks whether the operation is exact on so many values, which are kept as doubles, or as bigints that wrap. */
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

/** All bits of the magnitudes of values [lo, hi), which are integers: none is farther from 0 than these bits and one. Four times as fast as comparisons. */
export function magnitudes(values: ArrayLike<number>, lo: number, hi: number): number {
  let bits = 0;
  if (Object.prototype.toString.call(values).startsWith('[object Uint'))
    for (let i = lo; i < hi; i++) bits |= values[i] as number;
  else for (let i = lo; i < hi; i++) bits |= (values[i] as number) ^ ((values[i] as number) >> 31);
  return bits >>> 0;
}

/** Checks whether all sums of so many values are exact. @param bits what `magnitudes` gave of their parts */
export const areExact = (bits: Uint32Array, length: number): boolean =>
  (magnitudes(bits, 0, bits.length) + 1) * length <= MAX_SUM;
