/**
 * Typed arrays of all element types, of awkward lengths, with awkward values and in awkward places: the one generator of the
 * properties of algorithms and codec. What else is awkward there is in awkward-data.ts.
 */
import fc from 'fast-check';
import { sharedArray, type TypedArray, type TypedArrayConstructor } from '../../src/core/memory/shared-array.js';
import { guard, strayWrite } from './guards.js';
import { haveSameBytes } from './same-bytes.js';

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
  1 + Number.EPSILON,
  2 ** -149, // the least float32
  -(2 ** -149),
  2 ** -1022, // the least double that is no denormal
  2 ** 128 - 2 ** 104, // the greatest float32
  // The extremes of the integer types, and what wraps or clamps.
  ...[8, 16, 32].flatMap((bits) => [2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 2 ** bits - 1, 2 ** bits]),
  2 ** 53,
  0.5,
  1.5, // Uint8ClampedArray rounds both to even
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

/** Lengths at which blocks, units, leaves and kernels begin to be others; each is tried with its neighbours. */
const BOUNDARIES = [
  ...[4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
  ...[1, 2, 3, 4, 5, 8, 16, 32, 64].map((blocks) => 4096 * blocks),
];

/** Lengths up to a greatest one: around the boundaries of blocks, units and kernels as often as anywhere. */
export function awkwardLength(maxLength: number, minLength = 0): fc.Arbitrary<number> {
  const near = BOUNDARIES.flatMap((length) => [length - 1, length, length + 1]).filter(
    (length) => length >= minLength && length <= maxLength,
  );
  const any = fc.integer({ min: minLength, max: maxLength });
  return near.length === 0 ? any : fc.oneof(any, fc.constantFrom(...near));
}

/** Where an array lies: shared or not, and how many elements of its buffer lie before and behind it. */
export interface Place {
  readonly shared: boolean;
  readonly offset: number;
  /** One if it does not say. */
  readonly behind?: number;
}

/** The same values, as a view into a larger array, whose other elements are guards: `difference` looks at them as well. */
export function place<T extends TypedArray>(values: T, { shared, offset, behind = 1 }: Place): T {
  const Type = values.constructor as unknown as Constructor;
  const length = offset + values.length + behind;
  const around = (shared ? sharedArray(Type, length) : new Type(length)) as Float64Array;
  const xs = guard(around.subarray(offset, offset + values.length), around) as TypedArray as T;
  copyElements(values, xs);
  return xs;
}

/** By bits: `set` may change the payload of a NaN. */
function copyElements(from: TypedArray, to: TypedArray): void {
  const bytes = (xs: TypedArray): Uint8Array => new Uint8Array(xs.buffer, xs.byteOffset, xs.byteLength);
  bytes(to).set(bytes(from));
}

export const somePlace: fc.Arbitrary<Place> = fc.record({
  shared: fc.boolean(),
  offset: fc.integer({ min: 0, max: 5 }),
  behind: fc.constantFrom(0, 1, 2, 17),
});

export interface Values {
  readonly Type: Constructor;
  /** In an array of their own, not shared. */
  readonly values: TypedArray;
}

/**
 * Arrays of some of the types: short ones drawn value by value, longer ones repeated from few values and shuffled, so
 * that a few thousand elements cost little to make and have many duplicates. Of some arrays zeros are the least or the greatest
 * elements.
 */
export function someValues(types: readonly Constructor[], maxLength = 3000): fc.Arbitrary<Values> {
  return fc.constantFrom(...types).chain((Type) => {
    const value = (isBig(Type) ? awkwardBigInt : awkwardNumber) as fc.Arbitrary<number>;
    const short = fc.array(value, { maxLength: 40 });
    const long = fc
      .tuple(fc.array(value, { minLength: 1, maxLength: 300 }), awkwardLength(maxLength), fc.integer())
      .map(([pool, length, seed]) => {
        const random = bits(seed);
        return Array.from({ length }, () => pool[random() % pool.length]);
      });
    const side = isBig(Type) ? fc.constant(0) : fc.constantFrom(0, 0, 0, 1, -1);
    return fc
      .tuple(fc.oneof(short, long), side)
      .map(([list, side]) => ({ Type, values: from(Type, side === 0 ? list : oneSided(list, side)) }));
  });
}

/**
 * The values on one side of zero; zeros of both signs instead of the others, and of NaN. So the zeros are the first in order, or the
 * last.
 */
const oneSided = (list: readonly number[], side: number): number[] =>
  list.map((x, i) => (side * x > 0 ? x : i % 3 === 0 ? -0 : 0));

function from(Type: Constructor, list: readonly number[]): TypedArray {
  const xs = new Type(list as unknown as ArrayLike<never>);
  varyNaNs(xs);
  return xs;
}

/** Gives each NaN bits of its own: quiet ones of both signs, with payloads. */
function varyNaNs(xs: TypedArray): void {
  if (xs[Symbol.toStringTag].slice(0, 5) !== 'Float') return;
  const wordsEach = xs.BYTES_PER_ELEMENT / 4;
  const words = new Uint32Array(xs.buffer, xs.byteOffset, xs.length * wordsEach);
  const quiet = wordsEach === 1 ? 0x7fc00000 : 0x7ff80000;
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isNaN(xs[i])) continue;
    const top = i * wordsEach + wordsEach - 1; // little-endian, as all platforms are that run this
    words[top] = quiet | ((i % 2) << 31) | (Math.imul(i, 0x9e3779b1) >>> 14);
    if (wordsEach === 2) words[top - 1] = Math.imul(i, 0x85ebca6b);
  }
}

/**
 * Where two lists differ first, as text that shows both, -0 and 0 told apart; or what was written beside the actual one, if
 * `place` made it; undefined if they are the same.
 */
export function difference(actual: ArrayLike<unknown>, expected: ArrayLike<unknown>): string | undefined {
  if (actual.length !== expected.length) return `length ${actual.length}, expected ${expected.length}`;
  if (haveSameBytes(actual, expected)) return strayWrite(actual); // a look at each element takes many times as long
  for (let i = 0; i < actual.length; i++) {
    if (!Object.is(actual[i], expected[i])) return `[${i}]: ${show(actual[i])}, expected ${show(expected[i])}`;
  }
  return strayWrite(actual);
}

const show = (value: unknown): string => (Object.is(value, -0) ? '-0' : String(value));
