/** Typed arrays of all element types, with awkward values and in awkward places, for properties. */
import fc from 'fast-check';
import { sharedArray, type TypedArray, type TypedArrayConstructor } from '../../src/core/memory/shared-array.js';

type Constructor = TypedArrayConstructor & (new (values: number | ArrayLike<never>) => TypedArray);

export const NUMBER_TYPES = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
] as unknown as readonly Constructor[];

export const BIGINT_TYPES = [BigInt64Array, BigUint64Array] as unknown as readonly Constructor[];

export const ALL_TYPES: readonly Constructor[] = [...NUMBER_TYPES, ...BIGINT_TYPES];

const AWKWARD_NUMBERS = [
  0,
  -0,
  1,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  2 ** 31,
  -(2 ** 31),
  2 ** 32 - 1,
  1 + Number.EPSILON,
  2 ** -149,
];

const awkwardNumber = fc.oneof(
  fc.constantFrom(...AWKWARD_NUMBERS),
  fc.double(),
  fc.integer(),
  fc.integer({ min: -9, max: 9 }),
);
const awkwardBigInt = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 32n, 2n ** 32n - 1n, -(2n ** 32n)),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.bigInt({ min: -9n, max: 9n }),
);

const isBig = (Type: Constructor): boolean => BIGINT_TYPES.includes(Type);

/** The element types with those weighted up that have most ways to go wrong. */
export const MOSTLY_FLOATS: readonly Constructor[] = [
  ...ALL_TYPES,
  ...(Array(5).fill([Float64Array, Float32Array]).flat() as Constructor[]),
];

/** Many integers from 0 to `below` - 1, drawn by a seed: the library's own arrays are short unless told otherwise. */
export const manyIntegers = (maxLength: number, below: number): fc.Arbitrary<number[]> =>
  fc.tuple(fc.integer({ min: 0, max: maxLength }), fc.integer()).map(([length, seed]) => {
    const random = bits(seed);
    return Array.from({ length }, () => random() % below);
  });

/** A generator of 32-bit numbers. */
export function bits(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

/** Where an array lies: shared or not, and how far into its buffer (in elements). */
export interface Place {
  readonly shared: boolean;
  readonly offset: number;
}

/** The same values, as a view into a larger array. */
export function place<T extends TypedArray>(values: T, { shared, offset }: Place): T {
  const Type = values.constructor as unknown as Constructor;
  const length = values.length + offset + 1;
  const around = (shared ? sharedArray(Type, length) : new Type(length)) as Float64Array;
  around.set(values as Float64Array, offset);
  return around.subarray(offset, offset + values.length) as TypedArray as T;
}

export const somePlace: fc.Arbitrary<Place> = fc.record({
  shared: fc.boolean(),
  offset: fc.integer({ min: 0, max: 5 }),
});

export interface Values {
  readonly Type: Constructor;
  /** In an array of their own, not shared. */
  readonly values: TypedArray;
}

/**
 * Arrays of some of the types: short ones drawn value by value, longer ones repeated from few values and shuffled, so
 * that a few thousand elements cost little to make and have many duplicates.
 */
export function someValues(types: readonly Constructor[], maxLength = 3000): fc.Arbitrary<Values> {
  return fc.constantFrom(...types).chain((Type) => {
    const value = (isBig(Type) ? awkwardBigInt : awkwardNumber) as fc.Arbitrary<number>;
    const short = fc.array(value, { maxLength: 40 });
    const long = fc
      .tuple(fc.array(value, { minLength: 1, maxLength: 300 }), fc.integer({ min: 0, max: maxLength }), fc.integer())
      .map(([pool, length, seed]) => {
        const random = bits(seed);
        return Array.from({ length }, () => pool[random() % pool.length]);
      });
    return fc.oneof(short, long).map((list) => ({ Type, values: from(Type, list) }));
  });
}

function from(Type: Constructor, list: readonly number[]): TypedArray {
  return new Type(list as unknown as ArrayLike<never>);
}

/** Where two lists differ first, as text that shows both; undefined if they are the same, -0 and 0 told apart. */
export function difference(actual: ArrayLike<unknown>, expected: ArrayLike<unknown>): string | undefined {
  if (actual.length !== expected.length) return `length ${actual.length}, expected ${expected.length}`;
  for (let i = 0; i < actual.length; i++) {
    if (!Object.is(actual[i], expected[i])) return `[${i}]: ${show(actual[i])}, expected ${show(expected[i])}`;
  }
  return undefined;
}

const show = (value: unknown): string => (Object.is(value, -0) ? '-0' : String(value));
