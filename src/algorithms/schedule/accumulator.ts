/**
 * Value with which a block of a reduction begins; runs on every thread that computes.
 *
 * An operation may change its first argument and return it. So that argument is an object that nobody else has: neither the user's module
 * or context, which `map` may have taken it from, nor another element, for which `map` may have returned the same object.
 */
import { cloneOfValue, copyData, openData } from '../../core/engine.js';

/** Initial value of a reduction, as data that travels to every thread. */
export interface ShippedIdentity {
  readonly data: unknown;
  /** Of the classes in it. */
  readonly codes: readonly number[];
}

/** Makes an identity ready to travel. @throws NotShareableError for what cannot be cloned */
export function shipIdentity(name: string, identity: unknown): ShippedIdentity {
  const called = `${name}: identity`;
  return copyData(
    cloneOfValue(identity, () => called),
    called,
  );
}

/** A value that its block may change. What cannot be cloned stays as it is: it cannot leave its thread either, and that error names it. */
export function accumulator(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  try {
    return cloneOfValue(value, String);
  } catch {
    return value;
  }
}

/** The identity as the accumulator of the first block. */
export const startOf = ({ data }: ShippedIdentity): unknown =>
  typeof data === 'object' && data !== null ? accumulator(openData(data)) : data;
