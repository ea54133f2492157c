import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { BITWISE, NAMED_REDUCTIONS } from '../../../src/algorithms/kernels/operators.js';
import { kernels, resetKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { namedScan, namedScanTwin } from '../../../src/algorithms/scan/named-scans.js';
import { neutralElement } from '../../../src/algorithms/scan/scan-kernel.js';
import { sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, difference, NUMBER_TYPES, place, someValues } from '../../helpers/array-values.js';

beforeEach(() => {
  resetKernels();
  expect(kernels()).toBeDefined();
});

const isFloat = (Type: { name: string }): boolean => Type.name.startsWith('Float');
/** What a carry comes to: 32-bit carries may be signed or not. */
const asElement = (Type: (typeof ALL_TYPES)[number], carry: unknown): TypedArray =>
  new Type([carry] as never) as TypedArray;
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

describe.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))('scans of %s', (_, Type) => {
  const ops = NAMED_REDUCTIONS.filter((op) => !isFloat(Type) || !BITWISE.includes(op));

  test.each(ops)('%s: WebAssembly writes what the twin writes, and gives the same carry', (op) => {
    fc.assert(
      fc.property(
        someValues([Type], 200),
        fc.integer({ min: 0, max: 9 }),
        fraction,
        fraction,
        fc.boolean(),
        fc.boolean(),
        ({ values }, offset, from, to, exclusive, inPlace) => {
          const lo = Math.floor(from * values.length);
          const hi = lo + Math.floor(to * (values.length - lo));
          const xs = place(values, { shared: true, offset });
          const out = inPlace ? xs : place(new Type(values.length), { shared: true, offset: offset + 1 });
          const twinXs = values.slice() as TypedArray;
          const twinOut = inPlace ? twinXs : (new Type(values.length) as TypedArray);
          const scan = namedScan(op, xs, out);
          const twin = namedScanTwin(op, twinXs, twinOut);
          const isTwin = Type.name === 'Uint8ClampedArray';
          expect(typeof scan.source).toBe(isTwin ? 'object' : 'number');
          const start = neutralElement(op, xs, false);
          const carry = scan.kernel(scan.source, lo, hi, scan.target, start, exclusive);
          const twinCarry = twin.kernel(twin.source, lo, hi, twin.target, start, exclusive);
          expect(difference(out, twinOut)).toBeUndefined();
          expect(difference(asElement(Type, carry), asElement(Type, twinCarry))).toBeUndefined();
          const again = scan.kernel(scan.source, lo, hi, scan.target, carry, exclusive);
          const twinAgain = twin.kernel(twin.source, lo, hi, twin.target, carry, exclusive);
          expect(difference(out, twinOut)).toBeUndefined();
          expect(difference(asElement(Type, again), asElement(Type, twinAgain))).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a scan', () => {
  test('of small integers is the running sum, inclusive and exclusive', () => {
    for (const Type of NUMBER_TYPES) {
      const xs = place(new Type([3, 1, 4, 1, 5, 9, 2, 6, 5] as unknown as ArrayLike<never>), {
        shared: true,
        offset: 0,
      });
      for (const exclusive of [false, true]) {
        const out = place(new Type(9), { shared: true, offset: 0 });
        const { source, target, kernel } = namedScan('sum', xs, out);
        expect(kernel(source, 0, 9, target, 10, exclusive)).toBe(46);
        const expected = exclusive ? [10, 13, 14, 18, 19, 24, 33, 35, 41] : [13, 14, 18, 19, 24, 33, 35, 41, 46];
        expect(Array.from(out as Uint8Array)).toEqual(expected);
      }
    }
  });

  test('of integers can be cut anywhere: what a part ends with is the carry of the next', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMED_REDUCTIONS),
        someValues(
          ALL_TYPES.filter((Type) => !isFloat(Type) && Type !== (Uint8ClampedArray as unknown)),
          100,
        ),
        fraction,
        (op, { values, Type }, at) => {
          fc.pre(values.length > 0);
          const mid = 1 + Math.floor(at * (values.length - 1));
          const whole = new Type(values.length) as TypedArray;
          const parts = new Type(values.length) as TypedArray;
          const start = neutralElement(op, values, false);
          const one = namedScanTwin(op, values, whole);
          one.kernel(one.source, 0, values.length, one.target, start, false);
          const two = namedScanTwin(op, values, parts);
          const carry = two.kernel(two.source, 0, mid, two.target, start, false);
          two.kernel(two.source, mid, values.length, two.target, carry, false);
          expect(difference(parts, whole)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.each([Float32Array, Float64Array])('scans of four blocks of %o', (Type) => {
  test('write what each block scanned from its carry writes, in place too', () => {
    fc.assert(
      fc.property(
        someValues([Type as never], 300),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 9 }),
        fc.array(fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e6, max: 1e6 }), {
          minLength: 4,
          maxLength: 4,
        }),
        fc.boolean(),
        fc.boolean(),
        ({ values }, fours, offset, starts, exclusive, inPlace) => {
          const n = 4 * fours;
          fc.pre(values.length >= offset + 4 * n);
          const xs = place(values, { shared: true, offset });
          const out = inPlace ? xs : place(new Type(values.length) as TypedArray, { shared: true, offset: offset + 1 });
          const twinXs = values.slice() as TypedArray;
          const twinOut = inPlace ? twinXs : (new Type(values.length) as TypedArray);
          const carries = sharedArray(Float64Array, starts);
          const { source, target, four } = namedScan('sum', xs, out);
          const last = four?.(source, offset, n, target, carries.byteOffset, exclusive);
          const twin = namedScanTwin('sum', twinXs, twinOut);
          const ends = starts.map((carry, b) =>
            twin.kernel(twin.source, offset + b * n, offset + (b + 1) * n, twin.target, carry, exclusive),
          );
          expect(difference(out, twinOut)).toBeUndefined();
          expect(difference([last], [ends[3]])).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});
