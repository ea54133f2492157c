import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BITWISE, NAMED_REDUCTIONS, type NamedReduction } from '../../../src/algorithms/kernels/operators.js';
import { type Kernel, kernelsUsable, resetKernels, scanKernels } from '../../../src/algorithms/kernels/wasm-kernels.js';
import { namedOperation, neutralElement, ScanKernel } from '../../../src/algorithms/scan/scan-kernel.js';
import { sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES, difference, NUMBER_TYPES, place, someValues } from '../../helpers/array-values.js';

beforeEach(() => {
  resetKernels();
  expect(kernelsUsable()).toBe(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  resetKernels();
});

const isFloat = (Type: { name: string }): boolean => Type.name.startsWith('Float');
/** What a carry comes to: 32-bit carries may be signed or not. */
const asElement = (Type: (typeof ALL_TYPES)[number], carry: unknown): TypedArray =>
  new Type([carry] as never) as TypedArray;
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

type Carry = number | bigint;

/** Scans elements [lo, hi) as one block from a carry, by WebAssembly if the arrays are on the heap; gives what it ends with. */
function scan(
  op: NamedReduction,
  xs: TypedArray,
  out: TypedArray,
  lo: number,
  hi: number,
  carry: Carry,
  exclusive: boolean,
): Carry {
  const carries = (
    typeof carry === 'bigint' ? asElement(xs.constructor as never, carry) : Float64Array.of(carry)
  ) as Float64Array;
  const arrays = {
    xs: xs.subarray(lo, hi),
    out: out.subarray(lo, hi),
    carries,
    block: Math.max(1, hi - lo),
    exclusive,
  };
  return new ScanKernel(arrays, namedOperation(op, xs, out, carry), undefined).scan(0, 1);
}

/** Watches the kernel for an operation and a type, from its first use on. */
function watch(name: string, Type: (typeof ALL_TYPES)[number]) {
  const kind = BIGINT_TYPES.includes(Type) || !isFloat(Type) ? (Type.name.includes('Uint') ? 'U' : 'I') : 'F';
  const exported = scanKernels.exports() as Record<string, Kernel>;
  const kernel = `${name}${kind}${8 * Type.BYTES_PER_ELEMENT}`;
  expect(exported[kernel]).toBeTypeOf('function');
  return vi.spyOn(exported, kernel);
}

describe.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))('scans of %s', (_, Type) => {
  const ops = NAMED_REDUCTIONS.filter((op) => !isFloat(Type) || !BITWISE.includes(op));

  test.each(ops)('%s: WebAssembly writes what the scalar version writes, and gives the same carry', (op) => {
    const kernel = watch(op, Type);
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
          const ownXs = values.slice() as TypedArray;
          const ownOut = inPlace ? ownXs : (new Type(values.length) as TypedArray);
          const start = neutralElement(op, xs, false);
          const carry = scan(op, xs, out, lo, hi, start, exclusive);
          const ownCarry = scan(op, ownXs, ownOut, lo, hi, start, exclusive);
          expect(difference(out, ownOut)).toBeUndefined();
          expect(difference(asElement(Type, carry), asElement(Type, ownCarry))).toBeUndefined();
          const again = scan(op, xs, out, lo, hi, carry, exclusive);
          const ownAgain = scan(op, ownXs, ownOut, lo, hi, carry, exclusive);
          expect(difference(out, ownOut)).toBeUndefined();
          expect(difference(asElement(Type, again), asElement(Type, ownAgain))).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
    if (Type.name === 'Uint8ClampedArray') expect(kernel).not.toHaveBeenCalled();
    else expect(kernel).toHaveBeenCalled();
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
        expect(scan('sum', xs, out, 0, 9, 10, exclusive)).toBe(46);
        const expected = exclusive ? [10, 13, 14, 18, 19, 24, 33, 35, 41] : [13, 14, 18, 19, 24, 33, 35, 41, 46];
        expect(Array.from(out as Uint8Array)).toEqual(expected);
      }
    }
  });

  test('of integers can be cut anywhere: the last value of a part is the carry of the next part', () => {
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
          scan(op, values, whole, 0, values.length, start, false);
          const carry = scan(op, values, parts, 0, mid, start, false);
          scan(op, values, parts, mid, values.length, carry, false);
          expect(difference(parts, whole)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.each([Float32Array, Float64Array])('scans of four blocks of %o', (Type) => {
  test('write what scans of the single blocks write, in place too', () => {
    const kernel = watch('sumFour', Type as never);
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
          const ownXs = values.slice() as TypedArray;
          const ownOut = inPlace ? ownXs : (new Type(values.length) as TypedArray);
          const part = (array: TypedArray): TypedArray => array.subarray(offset, offset + 4 * n);
          const carries = sharedArray(Float64Array, starts);
          const arrays = { xs: part(xs), out: part(out), carries, block: n, exclusive };
          const last = new ScanKernel(arrays, namedOperation('sum', xs, out, 0), undefined).scan(0, 4);
          const ends = starts.map((carry, b) =>
            scan('sum', ownXs, ownOut, offset + b * n, offset + (b + 1) * n, carry, exclusive),
          );
          expect(difference(out, ownOut)).toBeUndefined();
          expect(difference([last], [ends[3]])).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
    expect(kernel).toHaveBeenCalled();
  });
});
