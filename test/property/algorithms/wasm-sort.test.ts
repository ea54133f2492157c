import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { kernelsUsable, pointerOf, resetKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { elementKernel } from '../../../src/algorithms/sort/kernels/orders.js';
import { mergeNumbers } from '../../../src/algorithms/sort/kernels/wasm-sort.js';
import { sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, difference, place, someValues } from '../../helpers/array-values.js';
import { longArray } from '../../helpers/long-arrays.js';
import { sortInPlace, sortParts } from '../../helpers/range-sort.js';

beforeEach(() => {
  resetKernels();
  expect(kernelsUsable()).toBe(true);
});

const WIDE = ALL_TYPES.filter((Type) => Type.BYTES_PER_ELEMENT >= 4);
const wide = [...WIDE, ...Array(3).fill([Float64Array, Float32Array]).flat()] as typeof ALL_TYPES;
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

/** Where parts of n elements end, some of them empty. */
const endsOf = (n: number, cuts: readonly number[]): number[] =>
  [...cuts.map((cut) => cut % (n + 1)), n].sort((a, b) => a - b);

describe('sorting a bucket', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 40 });

  test('orders elements as the built-in sort does, whatever their bits are, in place and from parts', () => {
    fc.assert(
      fc.property(longArray(wide, 1024), fc.integer({ min: 0, max: 5 }), cuts, ({ xs }, offset, cuts) => {
        const expected = xs.slice().sort();
        const keys = place(xs, { shared: true, offset });
        expect(difference(sortParts(keys, undefined, endsOf(xs.length, cuts)).keys, expected)).toBeUndefined();
        expect(difference(keys, xs)).toBeUndefined();
        expect(difference(sortInPlace(keys, undefined).keys, expected)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  test('gives the stable order of the keys to what moves along', () => {
    fc.assert(
      fc.property(longArray(wide, 1024), fc.integer({ min: 0, max: 5 }), cuts, ({ xs }, offset, cuts) => {
        const keys = place(xs, { shared: true, offset });
        const indices = sharedArray(
          Uint32Array,
          Array.from({ length: xs.length }, (_, i) => i),
        );
        const expected = stableOrder(xs);
        for (const sorted of [sortParts(keys, indices, endsOf(xs.length, cuts)), sortInPlace(keys, indices)]) {
          expect(difference(sorted.indices as Uint32Array, expected)).toBeUndefined();
          expect(difference(sorted.keys, xs.slice().sort())).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Places in sorted order; of equal elements the first one comes first. */
function stableOrder(xs: TypedArray): number[] {
  const ranks = new Map<unknown, number>();
  let rank = 0;
  for (const x of xs.slice().sort() as Float64Array) {
    const key = Object.is(x, -0) ? 'minus zero' : x;
    if (!ranks.has(key)) ranks.set(key, rank++);
  }
  const rankAt = Array.from(xs as Float64Array, (x) => ranks.get(Object.is(x, -0) ? 'minus zero' : x) as number);
  return rankAt.map((_, i) => i).sort((a, b) => rankAt[a] - rankAt[b] || a - b);
}

describe('mergeNumbers', () => {
  test('merges as the scalar version does and touches nothing else', () => {
    fc.assert(
      fc.property(
        someValues(wide, 400),
        fraction,
        fc.integer({ min: 0, max: 5 }),
        fc.boolean(),
        ({ values, Type }, at, offset, disjoint) => {
          const n = values.length;
          const mid = Math.floor(at * n);
          const filler = (BIGINT_TYPES.includes(Type) ? 7n : 7) as never;
          if (disjoint) values.sort();
          values.subarray(0, mid).sort();
          values.subarray(mid).sort();
          const src = place(values, { shared: true, offset });
          expect(pointerOf(src)).not.toBe(-1);
          for (const [i, iEnd, j, jEnd] of [
            [0, mid, mid, n],
            [mid, n, 0, mid],
            [Math.floor(mid / 2), mid, mid, n],
          ]) {
            const out = place(new Type(n + 2).fill(filler) as TypedArray, { shared: true, offset });
            const expected = new Type(n + 2).fill(filler) as TypedArray;
            mergeNumbers(src, i, iEnd, src, j, jEnd, out, 1);
            elementKernel(values).merge(
              values as never,
              i,
              iEnd,
              values as never,
              j,
              jEnd,
              expected as never,
              1,
              undefined,
            );
            expect(difference(out, expected)).toBeUndefined();
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('puts NaNs last, those with a sign too', () => {
    for (const [Type, Word, minusNaN] of [
      [Float64Array, BigUint64Array, 0xfff8000000000000n],
      [Float32Array, Uint32Array, 0xffc00000],
    ] as const) {
      const src = sharedArray(Type as typeof Float64Array, 60);
      const words = new (Word as typeof Uint32Array)(src.buffer, src.byteOffset, 60);
      src.set(Array.from({ length: 60 }, (_, i) => (i % 30) - 20));
      src[0] = src[30] = Number.NEGATIVE_INFINITY;
      for (const i of [27, 28, 29, 58, 59]) words[i] = minusNaN as number;
      const out = sharedArray(Type as typeof Float64Array, 60);
      mergeNumbers(src, 0, 30, src, 30, 60, out, 0);
      expect(difference(out, src.slice().sort())).toBeUndefined();
    }
  });
});
