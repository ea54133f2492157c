/** Types of the numbers in shared containers, and the options of all of them. */
import { type Check, mustBe, numberOf, readOptions } from '../../core/options.js';
import { show } from '../../core/show.js';

/** Arrays by the names of the types of numbers. */
export const ARRAYS = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** The name of a type of numbers. */
export type NumberType = keyof typeof ARRAYS;
/** The name of a type of numbers that shared tables hold. */
export type WideNumberType = 'i32' | 'u32' | 'f64';
/** The array of such numbers. */
export type ArrayOfType<T extends NumberType> = InstanceType<(typeof ARRAYS)[T]>;

/** Types by their numbers: a string that has travelled is compared letter by letter. */
export const WIDE: readonly WideNumberType[] = ['i32', 'u32', 'f64'];
export const U32 = 1;
export const F64 = 2;

/** The numbers of each type, as errors say it. */
const NUMBERS: Readonly<Record<WideNumberType, string>> = {
  i32: 'an integer from -(2^31) to 2^31 - 1',
  u32: 'an integer from 0 to 2^32 - 1',
  f64: 'a number',
};

/** @param what 'a key' */
export function notOfType(what: string, type: WideNumberType, value: unknown): Error {
  const Kind = typeof value === 'number' ? RangeError : TypeError;
  return new Kind(`furcate: ${what} must be ${NUMBERS[type]}; it was ${show(value)}.`);
}

function checkName(what: string, type: unknown, names: readonly string[]): void {
  if (names.includes(type as string)) return;
  throw new TypeError(
    `furcate: ${what} must be one of ${names.map((name) => `'${name}'`).join(', ')}; it was ${show(type)}.`,
  );
}

/** @throws TypeError for what is no name of such a type */
export const checkNumberType = (what: string, type: unknown): void => checkName(what, type, Object.keys(ARRAYS));

/** @throws TypeError for what is no name of such a type */
export const checkWideType = (what: string, type: unknown): void => checkName(what, type, WIDE);

/** Capacity of a container, in numbers, if its maker does not say so. */
const DEFAULT_SIZE = 2 ** 20;
const MAX_SIZE = 2 ** 28;

/** Options of shared containers. */
export interface SharedSizeOptions {
  /**
   * Least capacity, in numbers: 1,048,576 by default, at most 2^28. Memory is reserved for so many, but most of it is not used before
   * there are so many.
   */
  readonly maxSize?: number | undefined;
}

const SIZE = {
  maxSize: numberOf((n) => Number.isInteger(n) && n > 0 && n <= MAX_SIZE, `an integer from 1 to ${MAX_SIZE}`),
};

/** The checked options of a call. */
export function readSizeOptions<S extends Readonly<Record<string, Check>>>(
  call: string,
  options: unknown,
  more: S,
): { readonly maxSize: number } & { readonly [Name in keyof S]?: ReturnType<S[Name]> } {
  const given = readOptions(options, call, { ...SIZE, ...more }, { prefix: `${call}: options.` });
  return { ...given, maxSize: (given.maxSize as number | undefined) ?? DEFAULT_SIZE } as never;
}

export { mustBe };
