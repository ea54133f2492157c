import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Elements, makeMergeKernel, makeOrderBy } from '../../../src/algorithms/sort/kernels/merge-kernel.js';
import { elementKernel } from '../../../src/algorithms/sort/kernels/orders.js';
import { sortNumbers } from '../../../src/algorithms/sort/sort-here.js';
import type { TypedArray } from '../../../src/core/memory/shared-array.js';
import { difference, MOSTLY_FLOATS, place, someValues } from '../../helpers/array-values.js';
import { longArray } from '../../helpers/long-arrays.js';

describe('sortNumbers', () => {
  test('orders arrays of every type as the built-in sort does, whatever their bits are', () => {
    fc.assert(
      fc.property(longArray(MOSTLY_FLOATS), fc.integer({ min: 0, max: 5 }), ({ xs }, offset) => {
        const expected = xs.slice().sort();
        const actual = place(xs, { shared: true, offset });
        sortNumbers(actual);
        expect(difference(actual, expected)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  test('keeps the bits of bigints that would be NaN as floats', () => {
    const xs = new BigUint64Array(2000).map((_, i) => 0x7ff0000000000001n + BigInt((i * 7919) % 2000));
    const expected = xs.slice().sort();
    sortNumbers(xs);
    expect(difference(xs, expected)).toBeUndefined();
  });
});

describe('the merge kernel', () => {
  const { after, first } = makeOrderBy(
    ((a: number, b: number) => Math.floor(a) - Math.floor(b)) as never,
    (answer) => answer,
  );
  const kernel = makeMergeKernel(after, first);
  const run = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }).map((keys) => keys.sort((a, b) => a - b));

  /** Two sorted runs whose elements carry their place behind the point. */
  const tagged = (left: number[], right: number[]): Float64Array =>
    Float64Array.from([...left, ...right].map((key, i) => key + i / 1024));

  test('merges two runs stably, in parts that rank cuts anywhere', () => {
    fc.assert(
      fc.property(run, run, fc.array(fc.nat(), { maxLength: 5 }), (left, right, cuts) => {
        const src = tagged(left, right);
        const [mid, hi] = [left.length, src.length];
        const bounds = [0, ...cuts.map((cut) => cut % (hi + 1)).sort((a, b) => a - b), hi];
        const ranks = bounds.map((count) => kernel.rank(src, 0, mid, src, mid, hi, count, undefined));
        const out = new Float64Array(hi);
        for (let k = 0; k + 1 < bounds.length; k++) {
          const [i, iEnd] = [ranks[k], ranks[k + 1]];
          const [j, jEnd] = [mid + bounds[k] - i, mid + bounds[k + 1] - iEnd];
          kernel.merge(src, i, iEnd, src, j, jEnd, out, bounds[k], undefined);
        }
        expect(difference(out, src.slice().sort())).toBeUndefined();
      }),
    );
  });

  test('sorts to either of its two arrays', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 300 }), fc.boolean(), (keys, toB) => {
        const a = tagged(keys, []);
        const b = new Float64Array(a.length);
        const expected = a.slice().sort();
        kernel.sort(a, b, 0, a.length, toB, undefined);
        expect(difference(toB ? b : a, expected)).toBeUndefined();
      }),
    );
  });

  test('merges numbers in the order of the built-in sort', () => {
    fc.assert(
      fc.property(
        someValues(MOSTLY_FLOATS, 300),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ values }, fraction) => {
          const mid = Math.floor(fraction * values.length);
          const src: TypedArray = values.slice();
          src.subarray(0, mid).sort();
          src.subarray(mid).sort();
          const out = values.slice() as unknown as Elements;
          elementKernel(values).merge(src as never, 0, mid, src as never, mid, src.length, out, 0, undefined);
          expect(difference(out as ArrayLike<unknown>, values.slice().sort())).toBeUndefined();
        },
      ),
    );
  });
});
