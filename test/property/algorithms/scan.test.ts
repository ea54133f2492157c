import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NamedReduction } from '../../../src/algorithms/kernels/operators.js';
import { parallelScan, parallelScanSync } from '../../../src/algorithms/scan/scan.js';
import { isShared, sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  BIGINT_TYPES,
  difference,
  NUMBER_TYPES,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const floats = NUMBER_TYPES.filter((Type) => Type.name.startsWith('Float'));
const integers = NUMBER_TYPES.filter((Type) => !Type.name.startsWith('Float') && Type.name !== 'Uint8ClampedArray');

type Value = number | bigint;
type Op = (a: Value, b: Value) => Value;

/** Of numbers through bigints, so that nothing is rounded; a store then wraps. */
const EXACT: Record<NamedReduction, Op> = {
  sum: (a, b) => BigInt(a) + BigInt(b),
  product: (a, b) => BigInt.asIntN(64, BigInt(a) * BigInt(b)),
  min: (a, b) => (typeof a === 'bigint' ? (b < a ? b : a) : Math.min(a, b as number)),
  max: (a, b) => (typeof a === 'bigint' ? (b > a ? b : a) : Math.max(a, b as number)),
  and: (a, b) => BigInt(a) & BigInt(b),
  or: (a, b) => BigInt(a) | BigInt(b),
  xor: (a, b) => BigInt(a) ^ BigInt(b),
};

const NAMES = Object.keys(EXACT) as NamedReduction[];

/** A scan from left to right; without an identity, an inclusive one begins with the first element. */
function scanned(values: TypedArray, op: Op, identity: Value | undefined, exclusive: boolean): TypedArray {
  const out = values.slice() as unknown as Value[];
  const isBig = typeof values[0] === 'bigint';
  const store = (i: number, value: Value): void => {
    out[i] = isBig || typeof value === 'number' ? value : Number(BigInt.asIntN(32, value));
  };
  let a = identity;
  for (let i = 0; i < values.length; i++) {
    const x = values[i] as Value;
    const next = a === undefined ? x : op(a, x);
    store(i, exclusive ? (a as Value) : next);
    a = next;
  }
  return out as unknown as TypedArray;
}

/** The documented association of a scan of floats by name or function. */
function associated(
  xs: ArrayLike<number>,
  op: (a: number, b: number) => number,
  total: (lo: number, hi: number) => number,
  first: number,
  block: number,
  exclusive: boolean,
  group = 1,
): number[] {
  const out: number[] = [];
  let carry = first;
  for (let lo = 0; lo < xs.length; lo += block) {
    const hi = Math.min(xs.length, lo + block);
    let a = carry;
    let i = lo;
    if (group === 4) {
      for (; i + 4 <= hi; i += 4) {
        const [p, q, r, s] = [xs[i], xs[i + 1], xs[i + 2], xs[i + 3]];
        const pq = op(p, q);
        const next = [op(a, p), op(a, pq), op(a, op(pq, r)), op(a, op(pq, op(r, s)))];
        out.push(...(exclusive ? [a, ...next.slice(0, 3)] : next));
        a = next[3];
      }
    }
    for (; i < hi; i++) {
      const next = op(a, xs[i]);
      out.push(exclusive ? a : next);
      a = next;
    }
    carry = op(carry, total(lo, hi));
  }
  return out;
}

describe('parallelScan', () => {
  test('gives scans of integers and bigints as a loop does, wrapped as stores wrap, for every operation', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues([...integers, ...BIGINT_TYPES], 20_000),
        somePlace,
        fc.constantFrom(...NAMES),
        fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
        fc.boolean(),
        schedule,
        async ({ Type, values }, where, op, start, exclusive, { threshold, ...changes }) => {
          fc.pre(!(exclusive && start === undefined));
          reset(changes);
          const identity = start !== undefined && BIGINT_TYPES.includes(Type) ? BigInt(start) : start;
          const xs = place(values, where);
          const expected = scanned(values, EXACT[op], identity, exclusive);
          const options = { exclusive, threshold };
          const ys = (await parallelScan(xs, op, identity as never, options)) as TypedArray;
          expect(difference(ys, expected)).toBeUndefined();
          expect([ys.constructor, isShared(ys)]).toEqual([values.constructor, where.shared]);
          expect(difference(xs, values)).toBeUndefined();
          expect(parallelScanSync(xs, op, identity as never, { ...options, into: xs })).toBe(xs);
          expect(difference(xs, expected)).toBeUndefined();
        },
      ),
      { numRuns: 400 },
    );
  });

  test('gives minima and maxima of floats as a loop does', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(floats, 20_000),
        somePlace,
        fc.constantFrom<NamedReduction>('min', 'max'),
        schedule,
        async ({ values }, where, op, { threshold, ...changes }) => {
          reset(changes);
          const expected = scanned(values, EXACT[op], undefined, false);
          const xs = place(values, where);
          expect(difference(await parallelScan(xs, op, { threshold }), expected)).toBeUndefined();
          expect(difference(parallelScanSync(xs, op, { threshold, into: xs }), expected)).toBeUndefined();
        },
      ),
    );
  });

  test.each(ALL_TYPES.map((Type) => [Type.name, Type] as const))(
    'of %s begins with the neutral element of that type, whatever the results are stored in',
    (name, Type) => {
      const isFloat = name.startsWith('Float');
      const isBig = BIGINT_TYPES.includes(Type);
      const size = 2n ** BigInt(8 * Type.BYTES_PER_ELEMENT);
      const least = name.includes('Uint') ? 0n : -size / 2n;
      const ones = name.includes('Uint') ? size - 1n : -1n;
      const most = least + size - 1n;
      const neutral: Record<NamedReduction, bigint> = {
        sum: 0n,
        product: 1n,
        min: most,
        max: least,
        and: ones,
        or: 0n,
        xor: 0n,
      };
      for (const op of NAMES) {
        if (isFloat && (EXACT[op] === EXACT.and || EXACT[op] === EXACT.or || EXACT[op] === EXACT.xor)) continue;
        const into = (isBig ? new Type(1) : new Float64Array(1)) as Float64Array;
        parallelScanSync(new Type(1) as Float64Array, op, { exclusive: true, into });
        const infinity = op === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
        const ofFloats = op === 'min' || op === 'max' ? infinity : Number(neutral[op]);
        expect(into[0]).toBe(isBig ? neutral[op] : isFloat ? ofFloats : Number(neutral[op]));
      }
    },
  );

  test('adds floats in the documented order, bit for bit, at any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(
        someValues(floats, 40_000),
        somePlace,
        fc.boolean(),
        schedule,
        async ({ Type, values }, where, exclusive, { threshold, ...changes }) => {
          reset(changes);
          const list = values as Float64Array;
          const total = (lo: number, hi: number): number => {
            const a = new Array(8).fill(-0);
            let i = lo;
            for (; i + 8 <= hi; i += 8) for (let j = 0; j < 8; j++) a[j] += list[i + j];
            for (; i < hi; i++) a[0] += list[i];
            return a[0] + a[4] + (a[2] + a[6]) + (a[1] + a[5] + (a[3] + a[7]));
          };
          const sum = (a: number, b: number): number => a + b;
          const expected = new Type(associated(list, sum, total, exclusive ? 0 : -0, 4096, exclusive, 4) as never);
          const xs = place(values, where);
          const options = { exclusive, threshold };
          expect(difference(await parallelScan(xs, 'sum', options), expected)).toBeUndefined();
          expect(difference(parallelScanSync(xs, 'sum', { ...options, into: xs }), expected)).toBeUndefined();
        },
      ),
    );
  });

  test('calls a function in the documented order: even one that is not associative gives one result', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20_000 }),
        somePlace,
        fc.boolean(),
        schedule,
        (n, where, exclusive, { threshold, ...changes }) => {
          reset(changes);
          const values = Float64Array.from({ length: n }, (_, i) => Math.sin(i));
          const op = (a: number, b: number): number => a * 0.7 - b;
          const total = (lo: number, hi: number): number => values.subarray(lo, hi).reduce(op);
          let block = 64;
          while (2 * block * 128 <= n) block *= 2;
          const expected = associated(values, op, total, 1, block, exclusive);
          const xs = place(values, where);
          expect(difference(parallelScanSync(xs, op, 1, { exclusive, threshold }), expected)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  test('combines neighbours in order, with a context, into an array of another type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3000 }),
        somePlace,
        somePlace,
        schedule,
        async (n, from, to, given) => {
          const { threshold, ...changes } = given;
          reset(changes);
          // Affine maps x -> 3^k x + r modulo 256, as 256 k + r: associative, not commutative.
          const values = Uint16Array.from({ length: n }, (_, i) => 256 + ((i * 37) % 256));
          const compose = (a: number, b: number, { base }: { base: number }): number => {
            let power = 1;
            for (let k = 0; k < (b >> 8) % 64; k++) power = (power * base) % 256;
            return ((((a >> 8) + (b >> 8)) % 64) << 8) | ((power * (a & 255) + (b & 255)) % 256);
          };
          const context = { base: 3 };
          const into = place(new Float64Array(n), to);
          const xs = place(values, from);
          expect(await parallelScan(xs, compose, 0, { into, context, threshold })).toBe(into);
          let a = 0;
          const expected = Array.from(values, (x) => {
            a = compose(a, x, context);
            return a;
          });
          expect(difference(into, expected)).toBeUndefined();
        },
      ),
    );
  });

  test('steals and splits in these tests, and is handed over half-way', async () => {
    const xs = sharedArray(Float64Array, 30_000);
    parallelScanSync(xs, (a, b) => a + b, 0, { threshold: 1 });
    parallelScanSync(sharedArray(Float64Array, 300_000), 'sum', { threshold: 1 });
    expect(simulation.jobs).toBe(2);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
