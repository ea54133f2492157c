/**
 * Values for a function that does nothing but read properties of them; runs on the calling thread.
 *
 * On the caller such a function gets the caller's own objects. Two things are looked at in each: the prototype, because a worker would have to know its class,
 * and a getter of a class is code; and whether what is read is primitive, because anything else would be converted, by code too. Properties that the function does
 * not name do not matter to it, so they are not looked at: a loop over all of them took 30 ns for an object of three, and the function itself takes 3. For the
 * same reason they do not travel to workers, so that a value means the same everywhere.
 */
import { specialize } from '../../core/engine.js';

type Reader = (...args: never[]) => unknown;
type FlatnessCheck = (values: readonly unknown[], lo: number, hi: number) => boolean;

/** A template, see specialize.ts. The property is read first: V8 then knows the shape, and with it the prototype, which takes 10 ns otherwise. */
const makeFlatnessCheck = (_: Reader, property: string): FlatnessCheck =>
  function isFlat(values, lo, hi) {
    for (let k = lo; k < hi; k++) {
      const value = values[k];
      if (typeof value !== 'object' || value === null) {
        if (typeof value !== 'function' && typeof value !== 'symbol') continue;
        return false;
      }
      const read = (value as Readonly<Record<string, unknown>>)[property];
      if (typeof read === 'object' ? read !== null : typeof read === 'function' || typeof read === 'symbol')
        return false;
      if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    }
    return true;
  };

/**
 * Checks whether a function may have values [lo, hi) themselves: all are primitive, or plain objects of which it reads what is
 * primitive.
 */
export type LendingCheck = FlatnessCheck;

/** @param properties those that are all that the function reads of a value */
export function lendingCheck(fn: Reader, properties: readonly string[]): LendingCheck {
  const checks = properties.map((property) => specialize(makeFlatnessCheck, '', fn, property as never));
  return (values, lo, hi) => {
    try {
      for (const isFlat of checks) if (!isFlat(values, lo, hi)) return false;
      return checks.length > 0;
    } catch {
      return false; // code of a value's own, or a proxy that was revoked: who copies it says where
    }
  };
}

/**
 * Returns what the function can see of these values: of plain objects these properties; everything if that is not known.
 */
export const seen = (values: readonly unknown[], properties: readonly string[] | undefined): readonly unknown[] =>
  properties === undefined ? values : values.map((value) => seenOf(value, properties));

function seenOf(value: unknown, properties: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  try {
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const part: Record<string, unknown> = {};
    for (const property of properties) part[property] = (value as Readonly<Record<string, unknown>>)[property];
    return part;
  } catch {
    return value;
  }
}
