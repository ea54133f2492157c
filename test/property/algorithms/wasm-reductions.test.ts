import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { namedReduction } from '../../../src/algorithms/kernels/named-reductions.js';
import { BITWISE, NAMED_REDUCTIONS } from '../../../src/algorithms/kernels/operators.js';
import { kernelsUsable, reduceKernels, resetKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, bits, difference, place, someValues } from '../../helpers/array-values.js';

beforeEach(() => {
  resetKernels();
  expect(kernelsUsable()).toBe(true);
});

const isFloat = (Type: { name: string }): boolean => Type.name.startsWith('Float');

describe.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))('reductions of %s in WebAssembly', (_, Type) => {
  const ops = NAMED_REDUCTIONS.filter((op) => !isFloat(Type) || !BITWISE.includes(op));

  test.each(ops)('%s: give what the scalar version gives, bit for bit', (op) => {
    fc.assert(
      fc.property(
        someValues([Type], 300),
        fc.integer({ min: 0, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ values }, offset, from, to) => {
          fc.pre(values.length > 0);
          const lo = Math.min(values.length - 1, Math.floor(from * values.length));
          const hi = lo + 1 + Math.floor(to * (values.length - lo - 1));
          const xs = place(values, { shared: true, offset });
          // A sum of bigints has a kernel for each half.
          const isScalar = op === 'product' ? !isFloat(Type) : op === 'sum' && BIGINT_TYPES.includes(Type);
          expect(reduceKernels.for(op, xs) === undefined).toBe(isScalar);
          const actual = namedReduction(op, xs).fold(lo, hi);
          const expected = namedReduction(op, values).fold(lo, hi); // the scalar version: not on the heap
          expect(difference([actual], [expected])).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
  });

  test('give the same for every length around blocks, random bits and extremes', () => {
    const xs = place(new Type(70_000), { shared: true, offset: 1 });
    const random = bits(7);
    const bytes = new Uint8Array(xs.buffer, xs.byteOffset, xs.byteLength);
    for (const fill of ['random', 'most', 'least'] as const) {
      for (let i = 0; i < bytes.length; i++) {
        const isTop = i % Type.BYTES_PER_ELEMENT === Type.BYTES_PER_ELEMENT - 1;
        bytes[i] = fill === 'random' ? random() >>> 8 : fill === 'most' ? (isTop ? 0x7f : 0xff) : isTop ? 0x80 : 0;
      }
      for (const op of ops) {
        if (op === 'product' && BIGINT_TYPES.includes(Type)) continue; // the scalar version alone, and endless digits
        const { fold } = namedReduction(op, xs);
        const scalar = namedReduction(op, xs.slice() as typeof xs);
        const lengths = [...Array(70).keys(), 4095, 4096, 65_535, 65_536, 69_999].filter((n) => n > 0);
        const actual = lengths.map((n) => fold(0, n));
        const expected = lengths.map((n) => scalar.fold(0, n));
        expect(difference(actual, expected)).toBeUndefined();
      }
    }
  });
});

describe.each([Float32Array, Float64Array])('sums of four blocks of %o', (Type) => {
  test('equal the sums of the blocks, combined as two pairs', () => {
    fc.assert(
      fc.property(
        someValues([Type as never], 400),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 9 }),
        fc.boolean(),
        ({ values }, eighths, offset, wantsTotals) => {
          const n = 8 * eighths;
          const lo = offset;
          fc.pre(values.length >= lo + 4 * n);
          const xs = place(values, { shared: true, offset });
          const { fold, four } = namedReduction('sum', xs);
          const totals = sharedArray(Float64Array, 4).fill(7);
          const blocks = [0, 1, 2, 3].map((b) => fold(lo + b * n, lo + (b + 1) * n) as number);
          const [a, b, c, d] = blocks as [number, number, number, number];
          const sum = four?.(lo, n, wantsTotals ? totals.byteOffset : 0);
          expect(difference([sum], [a + b + (c + d)])).toBeUndefined();
          expect(difference(totals, wantsTotals ? blocks : [7, 7, 7, 7])).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});
