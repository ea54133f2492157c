import fc from 'fast-check';
import { expect, describe as suite, test } from 'vitest';
import { heapStats } from '../../../../src/core/memory/heap.js';
import {
  describe,
  free,
  sharedArray,
  type TypedArray,
  type TypedArrayConstructor,
  viewAt,
} from '../../../../src/core/memory/shared-array.js';

const TYPES = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

type Ordinary = new (values: readonly unknown[]) => TypedArray;

function valuesFor(type: (typeof TYPES)[number]): fc.Arbitrary<(number | bigint)[]> {
  const isBig = type === BigInt64Array || type === BigUint64Array;
  const value: fc.Arbitrary<number | bigint> = isBig ? fc.bigInt() : fc.double();
  return fc.array(value, { maxLength: 300, size: 'max' });
}

suite.each(TYPES.map((type) => [type.name, type] as const))('a shared %s', (_, type) => {
  const Shared = type as unknown as TypedArrayConstructor;

  test('converts values as the ordinary constructor does, is aligned, and crosses whole or in part', () => {
    fc.assert(
      fc.property(valuesFor(type), fc.nat(), fc.nat(), (values, a, b) => {
        const expected = new (type as unknown as Ordinary)(values);
        const xs = sharedArray(Shared, values as number[]);
        expect(xs).toEqual(expected);
        expect(xs.byteOffset % 16).toBe(0);

        const [lo, hi] = [a % (xs.length + 1), b % (xs.length + 1)].sort((p, q) => p - q) as [number, number];
        const part = xs.subarray(lo, hi);
        const at = describe(part);
        expect(at).toBeDefined();
        if (at === undefined) return;
        const back = viewAt(at.type, at.block, at.byteOffset, at.length);
        expect(back).toBeInstanceOf(type);
        expect(back).toEqual(expected.subarray(lo, hi));
        free(xs);
      }),
      { numRuns: 50 },
    );
  });

  test('keeps its values whatever is made and freed beside it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200), fc.boolean()), { maxLength: 40 }), (steps) => {
        const { blocks } = heapStats();
        const kept: TypedArray[] = [];
        steps.forEach(([n, isFreed], i) => {
          const xs = sharedArray(Shared, n);
          expect((xs as Uint8Array).every((x: number | bigint) => Number(x) === 0)).toBe(true);
          (xs as { fill(value: unknown): void }).fill(type.name.startsWith('Big') ? BigInt(i + 1) : i + 1);
          kept.push(xs);
          if (isFreed) free(kept.splice(i % kept.length, 1)[0] as TypedArray);
        });
        const firsts = kept.map((xs) => new Set(xs as Uint8Array).size);
        expect(firsts.every((distinct) => distinct <= 1)).toBe(true);
        const marks = kept.filter((xs) => xs.length > 0).map((xs) => Number(xs[0]));
        expect(new Set(marks).size).toBe(marks.length);
        for (const xs of kept) free(xs);
        expect(heapStats().blocks).toBe(blocks);
      }),
      { numRuns: 30 },
    );
  });
});
