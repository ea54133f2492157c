/** Plain data with what is awkward to encode in it: views that are parts of their buffers, -0, NaN, sparse and short arrays. */
import fc from 'fast-check';
import { sharedArray, type TypedArray } from '../../src/core/memory/shared-array.js';
import { ALL_TYPES, somePlace, someValues } from './array-values.js';
import { guard } from './guards.js';

const numbers = fc.oneof(fc.constantFrom(0, -0, 1, -1, Number.NaN, 2 ** 31, 2 ** 32, -(2 ** 31), 0.5), fc.double());

/** A part of an ordinary buffer, with an offset and an end, between guards. */
const ownParts: fc.Arbitrary<TypedArray> = fc
  .tuple(someValues(ALL_TYPES, 200), somePlace)
  .map(([{ Type, values }, { offset, behind = 1 }]) => {
    const around = new Type(offset + values.length + behind) as Float64Array;
    around.set(values as Float64Array, offset);
    return guard(around.subarray(offset, offset + values.length), around);
  });

const dataViews: fc.Arbitrary<DataView> = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(20), fc.nat(20))
  .map(([bytes, from, length]) => {
    const at = Math.min(from, bytes.length);
    return new DataView(bytes.buffer, at, Math.min(length, bytes.length - at));
  });

const scalars = fc.oneof(numbers, fc.constantFrom(undefined, null, true, false, '', '\ud800', 5n, -(2n ** 64n)));

const structures = (leaf: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.array(numbers, { maxLength: 30 }), // those that may cross as numbers
    fc.array(leaf, { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'length', 'data'), leaf, { noNullPrototype: true }),
    fc.array(fc.tuple(scalars, leaf), { maxLength: 3 }).map((entries) => new Map(entries)),
  );

/** What a task may return, or an error carry. */
export const awkwardData: fc.Arbitrary<unknown> = fc.oneof(
  scalars,
  ownParts,
  dataViews,
  structures(fc.oneof(scalars, ownParts, dataViews)),
);

/** Parts of shared arrays, which stay shared. */
export const sharedParts: fc.Arbitrary<TypedArray> = fc
  .tuple(fc.constantFrom(...ALL_TYPES), fc.nat(40), somePlace)
  .map(([Type, length, { offset, behind = 1 }]) =>
    (sharedArray(Type, offset + length + behind) as TypedArray).subarray(offset, offset + length),
  );
