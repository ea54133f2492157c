/** Shared containers hold what Map, Set and Array hold, and their order follows from what is in them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharedBag, sharedMap, sharedSet, sharedStruct } from '../../../src/algorithms/containers/index.js';
import { isShared } from '../../../src/core/memory/shared-array.js';

const TYPES = ['u32', 'i32', 'f64'] as const;
type Type = (typeof TYPES)[number];

const SPECIAL: Readonly<Record<Type, readonly number[]>> = {
  u32: [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 2],
  i32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  f64: [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 2 ** 53, 0.1],
};
const anyOf: Readonly<Record<Type, fc.Arbitrary<number>>> = {
  u32: fc.oneof(fc.constantFrom(...SPECIAL.u32), fc.nat(40), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  i32: fc.oneof(fc.constantFrom(...SPECIAL.i32), fc.integer({ min: -20, max: 20 }), fc.integer()),
  f64: fc.oneof(fc.constantFrom(...SPECIAL.f64), fc.nat(40), fc.double()),
};
/** As the type stores sums. */
const wrapped = (type: Type, x: number): number => (type === 'u32' ? x >>> 0 : type === 'i32' ? x | 0 : x);
const UNCHANGING = { sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY } as const;
const COMBINED = {
  sum: (a: number, b: number) => a + b,
  min: Math.min,
  max: Math.max,
} as const;

describe.each(TYPES)('with keys of type %s', (type) => {
  test('a set holds what a Set holds, and says of each number once that it is new', () => {
    fc.assert(
      fc.property(fc.array(anyOf[type], { maxLength: 300 }), (xs) => {
        const [own, expected] = [sharedSet(type, { maxSize: 300 }), new Set<number>()];
        for (const x of xs) {
          expect(own.has(x)).toBe(expected.has(x));
          expect(own.add(x)).toBe(!expected.has(x));
          expected.add(x);
        }
        expect(own.size).toBe(expected.size);
        expect(new Set(own.keys())).toEqual(expected);
        expect(isShared(own.keys())).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test.each(TYPES)('a map to %s holds what a Map holds', (valueType) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyOf[type], anyOf[valueType]), { maxLength: 200 }),
        fc.constantFrom('sum', 'min', 'max'),
        (entries, combine) => {
          const [own, expected] = [sharedMap(type, valueType, { combine, maxSize: 200 }), new Map<number, number>()];
          for (const [key, value] of entries) {
            const before = expected.get(key);
            own.add(key, value);
            expected.set(key, wrapped(valueType, COMBINED[combine](before ?? UNCHANGING[combine], value)));
            expect(own.get(key)).toBe(expected.get(key));
          }
          const { keys, values } = own.entries();
          expect(own.size).toBe(expected.size);
          expect(new Map([...keys].map((key, k) => [key, values[k]]))).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('the order does not depend on that in which keys came, nor on the room that there is', () => {
    const count = 3_000;
    const keys = Array.from({ length: count }, (_, i) => (type === 'f64' ? i / 8 : Math.imul(i, 0x01000193)));
    const all = keys.map((key) => (type === 'u32' ? key >>> 0 : key));
    const orders = [all, [...all].reverse(), [...all].sort((a, b) => ((a * 7) % 11) - ((b * 7) % 11))];
    const [first, ...others] = orders.flatMap((order) =>
      [count, 1_000_000].map((maxSize) => {
        const own = sharedSet(type, { maxSize });
        for (const key of order) own.add(key);
        return own.keys();
      }),
    );
    expect(new Set(first)).toEqual(new Set(all));
    for (const other of others) expect(other).toEqual(first);
  });

  test('a table takes as many keys as it was made for, and refuses more when it is full', () => {
    for (const maxSize of [1, 500, 513, 5_000]) {
      const own = sharedSet(type, { maxSize });
      for (let key = 0; key < maxSize; key++) own.add(key);
      expect(own.size).toBe(maxSize);
      expect(() => {
        for (let key = 0; key < 100_000; key++) own.add(key);
      }).toThrow(new RegExp(`it has room for ${maxSize} keys. Make it with a greater maxSize`));
      own.clear();
      expect([own.size, own.has(0), own.has(1), own.keys().length]).toEqual([0, false, false, 0]);
      for (let key = 0; key < maxSize; key++) expect(own.add(key)).toBe(true);
    }
  });

  test('refuses what is no number of the type', () => {
    const own = sharedMap(type, type, { combine: 'sum', maxSize: 10 });
    const wrong = type === 'f64' ? ['1', undefined, 1n] : [0.5, 2 ** 32, '1', undefined, Number.NaN];
    for (const x of wrong) expect(() => own.add(x as number)).toThrow(/^furcate: a key of this shared table must be/);
    for (const x of wrong.filter((x) => x !== undefined))
      expect(() => own.add(1, x as number)).toThrow(/^furcate: a value of this shared map must be/);
  });
});

test('a map that was emptied begins anew', () => {
  const own = sharedMap('u32', 'u32', { combine: 'min', maxSize: 2_000 });
  for (let key = 0; key < 2_000; key++) own.add(key, 1);
  own.clear();
  own.add(3, 7);
  expect(own.get(3)).toBe(7);
  expect(own.get(4)).toBeUndefined();
  expect(own.size).toBe(1);
});

describe('a bag', () => {
  test('holds what was put into it, in ascending order', () => {
    fc.assert(
      fc.property(fc.array(anyOf.f64, { maxLength: 2_000 }), (xs) => {
        const own = sharedBag('f64', { maxSize: 2_000 });
        for (const x of xs) own.add(x);
        expect(own.size).toBe(xs.length);
        expect(own.sorted()).toEqual(Float64Array.from(xs).sort());
        own.clear();
        expect(own.size).toBe(0);
        own.add(5);
        expect([...own.unsorted()]).toEqual([5]);
      }),
      { numRuns: 30 },
    );
  });

  test('refuses more when it is full', () => {
    const own = sharedBag('u8', { maxSize: 10 });
    expect(() => {
      for (let k = 0; k < 100_000; k++) own.add(k & 255);
    }).toThrow(/it has room for 10 numbers. Make it with a greater maxSize/);
    expect(own.size).toBeGreaterThanOrEqual(10);
  });

  test('has all of its room, however many bags a thread fills by turns', () => {
    const bags = Array.from({ length: 1_100 }, () => sharedBag('u8', { maxSize: 10 }));
    for (let x = 0; x < 100; x++) for (const bag of bags) bag.add(x);
    for (const bag of bags) expect(bag.size).toBe(100);
    for (const bag of bags) bag.clear();
    for (let x = 0; x < 3; x++) for (const bag of bags) bag.add(x);
    for (const bag of bags) expect([...bag.unsorted()]).toEqual([0, 1, 2]);
  });
});

test('a refused value leaves no key in a map', () => {
  const own = sharedMap('u32', 'u32', { combine: 'sum', maxSize: 10 });
  expect(() => own.add(7, 0.5)).toThrow(
    /^furcate: a value of this shared map must be an integer from 0 to 2\^32 - 1; it was 0.5/,
  );
  expect(own.has(7)).toBe(false);
  expect(own.size).toBe(0);
});

test('a structure has an array for each field', () => {
  const points = sharedStruct({ x: 'f64', id: 'u32', tag: 'i8' }, 5);
  expect(points).toEqual({ x: new Float64Array(5), id: new Uint32Array(5), tag: new Int8Array(5) });
  expect(Object.values(points).every(isShared)).toBe(true);
});

test.each([
  [() => sharedSet('u64' as never), /^furcate: sharedSet: type must be one of 'i32', 'u32', 'f64'; it was 'u64'/],
  [() => sharedSet('u32', { maxSize: 0 }), /^furcate: sharedSet: options.maxSize must be an integer from 1/],
  [() => sharedSet('u32').add(3n as never), /must be an integer from 0 to 2\^32 - 1; it was 3n\./],
  [() => sharedSet('u32', { size: 9 } as never), /^furcate: sharedSet has no option 'size'. It has: maxSize/],
  [() => sharedMap('u32', 'u32', {} as never), /^furcate: sharedMap: options.combine is missing/],
  [() => sharedMap('u32', 'u8' as never, { combine: 'sum' }), /^furcate: sharedMap: value must be one of/],
  [() => sharedMap('u32', 'u32', { combine: 'mean' as never }), /options.combine must be 'sum', 'min' or 'max'/],
  [() => sharedBag('bigint' as never), /^furcate: sharedBag: type must be one of 'i8'/],
  [() => sharedStruct({ x: 'f63' as never }, 1), /^furcate: sharedStruct: the type of x must be one of/],
  [() => sharedStruct(['f64'] as never, 1), /^furcate: sharedStruct: fields must be an object/],
  [() => sharedStruct({ x: 'f64' }, -1), /^furcate: sharedStruct: n must be an integer >= 0/],
])('refuses bad arguments, %#', (call, message) => {
  expect(call).toThrow(message);
});
