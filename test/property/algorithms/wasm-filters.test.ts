import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { moveElements } from '../../../src/algorithms/filter/move-elements.js';
import { addTable, productFor, tableElements, tallyBins } from '../../../src/algorithms/group/histogram-bins.js';
import { comparisonKernel } from '../../../src/algorithms/kernels/comparison-kernel.js';
import { CallingKernel } from '../../../src/algorithms/kernels/predicate-kernel.js';
import { kernelsUsable, resetKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { fillElements } from '../../../src/algorithms/loops/fill-elements.js';
import { finder } from '../../../src/algorithms/search/search-job.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  BIGINT_TYPES,
  bits as bitsOf,
  difference,
  NUMBER_TYPES,
  place,
  someValues,
} from '../../helpers/array-values.js';

beforeEach(() => {
  resetKernels();
  expect(kernelsUsable()).toBe(true);
});

const COMPARE = {
  '<': (x: number, c: number) => x < c,
  '<=': (x: number, c: number) => x <= c,
  '>': (x: number, c: number) => x > c,
  '>=': (x: number, c: number) => x >= c,
  '==': (x: number, c: number) => x === c,
  '!=': (x: number, c: number) => x !== c,
} as const;
const OPS = Object.keys(COMPARE) as (keyof typeof COMPARE)[];

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const constant = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
    2 ** 32,
    2 ** -149,
    5e-324,
    1e300,
    0.1,
  ),
  fc.double(),
  fc.integer(),
  fc.integer({ min: -9, max: 9 }),
);

describe.each(NUMBER_TYPES.map((Type) => [Type.name, Type] as const))('elements of %s', (_, Type) => {
  test('are counted as the comparison says, with WebAssembly and without', () => {
    fc.assert(
      fc.property(
        someValues([Type], 200),
        fc.constantFrom(...OPS),
        constant,
        fc.integer({ min: 0, max: 9 }),
        fraction,
        fraction,
        fc.option(fraction),
        ({ values }, op, c, offset, from, to, element) => {
          if (element !== null && values.length > 0) c = Number(values[Math.floor(element * (values.length - 1))]);
          const lo = Math.floor(from * values.length);
          const hi = lo + Math.floor(to * (values.length - lo));
          const all = Array.from(values.subarray(lo, hi) as Float64Array);
          const expected = all.filter((x) => COMPARE[op](x, c));
          for (const shared of [true, false]) {
            const xs = place(values, { shared, offset });
            const calling = new CallingKernel(xs, (x) => COMPARE[op](x as number, c), undefined, 'pred');
            const kernel = comparisonKernel(calling, xs, { op, constant: c });
            expect(kernel.count(lo, hi)).toBe(expected.length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('fillElements', () => {
  test('does what fill does, and nothing beyond', () => {
    fc.assert(
      fc.property(
        someValues(ALL_TYPES, 100),
        fc.integer({ min: 0, max: 9 }),
        fraction,
        fraction,
        fc.boolean(),
        ({ values, Type }, offset, from, to, shared) => {
          const value = values.length > 0 ? values[0] : BIGINT_TYPES.includes(Type) ? -1n : -1.5;
          const lo = Math.floor(from * values.length);
          const hi = lo + Math.floor(to * (values.length - lo));
          const xs = place(values, { shared, offset });
          fillElements(xs, value, lo, hi);
          expect(difference(xs, values.slice().fill(value as never, lo, hi))).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** The d below 2^power for which d * m is one less than a multiple of 2^power; m is odd. */
function justBelow(m: number, power: number): number {
  let inverse = 1n;
  for (let k = 0; k < 5; k++) inverse = BigInt.asUintN(power, inverse * (2n - BigInt(m) * inverse)); // Newton, by bits
  return Number(BigInt.asUintN(power, -inverse));
}

describe('histograms', () => {
  const ends = fc.oneof(
    fc.integer({ min: -300, max: 300 }),
    fc.integer(),
    fc.constantFrom(
      0,
      2 ** 32,
      2 ** 32 - 1,
      0.5,
      -128,
      128,
      255,
      256,
      -(2 ** 31),
      2 ** 31,
      -(2 ** 15),
      2 ** 15,
      2 ** 16,
      2 ** 17,
    ),
  );

  test('count the same with WebAssembly and without, and as the rule says', () => {
    fc.assert(
      fc.property(
        someValues(NUMBER_TYPES, 300),
        ends,
        fc.oneof(ends, fc.integer({ min: -3, max: 33 })),
        fc.boolean(),
        fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(256, 2048, 2049, 5000)),
        fc.integer({ min: 0, max: 9 }),
        fraction,
        ({ values }, a, other, isPower, bins, offset, at) => {
          const b = isPower ? a + 2 ** Math.max(-3, Math.min(33, Math.trunc(other))) : other; // ranges that are told apart
          fc.pre(a !== b);
          const spec = { bins, min: Math.min(a, b), max: Math.max(a, b) };
          const xs = place(values, { shared: true, offset });
          const table = sharedArray(Uint32Array, tableElements(spec.bins));
          const mid = Math.floor(at * xs.length);
          const tally = tallyBins(xs, spec, table);
          tally(0, mid);
          tally(mid, xs.length);
          const ownTable = new Uint32Array(tableElements(spec.bins));
          tallyBins(values, spec, ownTable)(0, xs.length); // the scalar version, since these are not on the heap
          const [counts, ownCounts, plainCounts, expected] = Array.from({ length: 4 }, () => new Uint32Array(bins));
          tallyBins(xs, spec, plainCounts, 1)(0, xs.length); // one counter a bin, and nothing behind them
          addTable(table, spec.bins, counts);
          addTable(ownTable, spec.bins, ownCounts);
          for (const x of values as Float64Array) {
            if (!(x >= spec.min && x <= spec.max)) continue;
            expected[Math.min(bins - 1, Math.floor(((x - spec.min) * bins) / (spec.max - spec.min)))]++;
          }
          expect(difference(counts, expected)).toBeUndefined();
          expect(difference(ownCounts, expected)).toBeUndefined();
          expect(difference(plainCounts, expected)).toBeUndefined();
        },
      ),
      { numRuns: 600 },
    );
  });

  test('of all values of a type, in bins as wide as a power of two, count each element once', () => {
    for (const Type of NUMBER_TYPES.filter((type) => !type.name.startsWith('Float'))) {
      const bits = 8 * Type.BYTES_PER_ELEMENT;
      const min = Type.name.includes('Uint') ? 0 : -(2 ** (bits - 1));
      const xs = place(new Type(1003), { shared: true, offset: 1 });
      const random = bitsOf(bits);
      new Uint8Array(xs.buffer, xs.byteOffset, xs.byteLength).forEach((_, i, bytes) => {
        bytes[i] = i < 4 * Type.BYTES_PER_ELEMENT ? 0xff : random() >>> 9;
      });
      for (const bins of [1, 16, 256]) {
        for (const max of [min + 2 ** bits, min + 2 ** (bits + 1)]) {
          const spec = { bins, min, max };
          const [table, counts, expected] = [
            sharedArray(Uint32Array, tableElements(spec.bins)),
            new Uint32Array(bins),
            new Uint32Array(bins),
          ];
          tallyBins(xs, spec, table)(0, xs.length);
          addTable(table, spec.bins, counts);
          for (const x of xs as Float64Array) expected[Math.floor(((x - min) * bins) / (max - min))]++;
          expect(difference(counts, expected)).toBeUndefined();
        }
      }
    }
  });

  test('of integers put each at its exact bin, by a product where that is exact', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 32 }),
        fc.integer({ min: 1, max: 5000 }),
        fraction,
        (range, bins, at) => {
          const exact = productFor({ bins, min: 0, max: range });
          if (range < 2 ** 24) expect(exact).toBeDefined();
          fc.pre(exact !== undefined);
          const { factor, shift } = exact as { factor: number; shift: number };
          const near = Math.round((Math.floor(at * bins) * range) / bins);
          for (const d of [0, range, Math.floor(at * range), near - 1, near, near + 1]) {
            if (d < 0 || d > range) continue;
            const bin = (BigInt(d) * BigInt(bins)) / BigInt(range);
            expect((BigInt(d) * BigInt(factor)) >> BigInt(shift)).toBe(bin);
            expect(BigInt(d) * BigInt(factor) < 1n << 64n).toBe(true);
            expect(Math.floor((d * bins) / range)).toBe(Number(bin));
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(productFor({ bins: 256, min: 0, max: 2 ** 32 })).toBeDefined();
  });

  test('of integers keep to the rule where bins are so many that it rounds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5, 7),
        fc.integer({ min: 20, max: 32 }),
        fraction,
        fraction,
        (odd, power, count, at) => {
          const range = odd * 2 ** power;
          const m = 1 + 2 * Math.floor((count * (2 ** 30 / odd)) / 2);
          const bins = odd * m;
          fc.pre(range <= 2 ** 32 && bins <= 2 ** 30);
          const product = productFor({ bins, min: 0, max: range });
          if (product === undefined) return;
          // The exact quotient of d is d * m / 2^power: that of the last one lies as closely below an integer as any can.
          for (const d of [0, range, Math.floor(at * range), justBelow(m, power)]) {
            const bin = Math.floor((d * bins) / range);
            expect((BigInt(d) * BigInt(product.factor)) >> BigInt(product.shift)).toBe(BigInt(bin));
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test('moves elements as set does, within the heap, out of it and into it', () => {
  fc.assert(
    fc.property(
      someValues(ALL_TYPES, 200),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      fc.boolean(),
      ({ Type, values }, from, count, to, fromHeap, toHeap) => {
        const lo = from % (values.length + 1);
        const n = count % (values.length - lo + 1);
        const at = to % (values.length - n + 1);
        const xs = place(values, { shared: fromHeap, offset: 1 });
        const out = place(new Type(values.length) as typeof values, { shared: toHeap, offset: 3 });
        const expected = new Type(values.length) as typeof values;
        (expected as Float64Array).set(values.subarray(lo, lo + n) as Float64Array, at);
        moveElements(xs, lo, n, out, at);
        expect(difference(out, expected)).toBeUndefined();
      },
    ),
    { numRuns: 200 },
  );
});

test('finds what indexOf finds, in every type, whatever the value', () => {
  fc.assert(
    fc.property(
      someValues(ALL_TYPES, 150),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.oneof(fc.constantFrom(0, -0, Number.NaN, 300, -1, 2 ** 32, 0.1, Number.POSITIVE_INFINITY), fc.double()),
      fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
      fc.boolean(),
      ({ Type, values }, from, count, pick, number, big, takesOwn) => {
        const xs = place(values, { shared: true, offset: 1 });
        const lo = from % (xs.length + 1);
        const hi = lo + (count % (xs.length - lo + 1));
        const other = BIGINT_TYPES.includes(Type) ? big : number;
        const value = takesOwn && xs.length > 0 ? (xs[pick % xs.length] as number | bigint) : other;
        const at = Array.from(xs as ArrayLike<unknown>)
          .slice(lo, hi)
          .indexOf(value);
        expect(finder(xs, value)(lo, hi)).toBe(at < 0 ? hi : lo + at);
      },
    ),
    { numRuns: 500 },
  );
});
