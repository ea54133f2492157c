/** Operations of many threads on the same elements lose nothing. */
import { atomicAdd, atomicMax, atomicMin, free, parallelFor, sharedArray, testAndSet } from 'furcate';
import { expect, test } from 'vitest';
import { warmPools } from '../helpers/pools.js';

const pools = warmPools(2);
const N = 4_000;
const options = { threshold: 50, graceMs: 1_000_000 };

const TYPES = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array];

test.each(TYPES.map((Type) => [Type.name, Type] as const))('%s', async (_, Type) => {
  await pools.use(async (pool) => {
    const [low, high, sum] = [127, 0, 0].map((first) => sharedArray(Type as Float64ArrayConstructor, [first, first]));
    const context = { low, high, sum, atomicAdd, atomicMax, atomicMin };
    await parallelFor(
      N,
      (i, { low, high, sum, atomicAdd, atomicMax, atomicMin }) => {
        atomicMin(low, 1, 5 + ((i * 7) % 100));
        atomicMax(high, 1, (i * 7) % 100);
        atomicAdd(sum, 1, i % 2);
      },
      { ...options, pool, context },
    );
    const wrapped = new (Type as Float64ArrayConstructor)([N / 2]);
    expect([low, high, sum].map((xs) => [...xs])).toEqual([
      [127, 5],
      [0, 99],
      [0, wrapped[0]],
    ]);
  });
});

test('bigints', async () => {
  await pools.use(async (pool) => {
    const xs = sharedArray(BigInt64Array, [-1n, 1n, 0n]);
    await parallelFor(
      N,
      (i, { xs, atomicAdd, atomicMax, atomicMin }) => {
        atomicMin(xs, 0, -BigInt(i));
        atomicMax(xs, 1, BigInt(i));
        atomicAdd(xs, 2, 1n);
      },
      { ...options, pool, context: { xs, atomicAdd, atomicMax, atomicMin } },
    );
    expect([...xs]).toEqual([1n - BigInt(N), BigInt(N) - 1n, BigInt(N)]);
  });
});

test('of all threads that set a flag one is the first', async () => {
  await pools.use(async (pool) => {
    const flags = sharedArray(Uint8Array, 100);
    const firsts = sharedArray(Int32Array, 100);
    await parallelFor(
      N,
      (i, { flags, firsts, testAndSet }) => {
        if (!testAndSet(flags, i % 100)) Atomics.add(firsts, i % 100, 1);
      },
      { ...options, pool, context: { flags, firsts, testAndSet } },
    );
    expect([new Set(flags), new Set(firsts)]).toEqual([new Set([1]), new Set([1])]);
  });
});

test('each returns what the element was', () => {
  const xs = sharedArray(Float64Array, [2, Number.NaN, -0]);
  expect([atomicAdd(xs, 0, 0.5), atomicMin(xs, 0, 3), atomicMax(xs, 0, 3), xs[0]]).toEqual([2, 2.5, 2.5, 3]);
  expect([atomicMin(xs, 1, 1), xs[1], atomicMax(xs, 2, 0), xs[2]]).toEqual([Number.NaN, Number.NaN, -0, 0]);
  const odd = new Float64Array(new SharedArrayBuffer(8));
  new BigInt64Array(odd.buffer)[0] = 0x7ff8_0000_0000_0001n; // a NaN with other bits
  expect([atomicAdd(odd, 0, 1), odd[0]]).toEqual([Number.NaN, Number.NaN]);
  const big = sharedArray(BigUint64Array, 1);
  expect([testAndSet(big, 0), testAndSet(big, 0), big[0]]).toEqual([false, true, 1n]);
});

test('a value that the type cannot hold counts as what it would be as an element', () => {
  const xs = sharedArray(Uint8Array, [255, 3, 3]);
  expect([atomicMax(xs, 0, 300), atomicMin(xs, 1, -1), atomicMin(xs, 2, 2.5)]).toEqual([255, 3, 3]);
  expect([...xs]).toEqual([255, 3, 2]);
  const big = sharedArray(BigUint64Array, [5n, 5n]);
  expect([atomicMax(big, 0, 2n ** 64n), atomicMin(big, 1, -1n)]).toEqual([5n, 5n]);
  expect([...big]).toEqual([5n, 5n]);
});

const xs = sharedArray(Float64Array, 2);
test.each<[what: string, call: () => unknown, error: RegExp]>([
  ['an index beyond the array', () => atomicMin(xs, 2, 0), /^furcate: atomicMin: i must be .* from 0 to 1; it was 2/],
  ['an index that is no integer', () => atomicAdd(xs, 0.5, 0), /^furcate: atomicAdd: i must be/],
  ['a bigint for a number', () => atomicMax(xs, 0, 1n as never), /^furcate: atomicMax: value must be a number/],
  [
    'a plain array',
    () => atomicAdd([1] as unknown as Float64Array, 0, 1),
    /^furcate: atomicAdd: xs must be a shared array/,
  ],
  ['clamped bytes', () => atomicAdd(new Uint8ClampedArray(1), 0, 1), /^furcate: atomicAdd: xs must be a shared array/],
  ['floats as flags', () => testAndSet(xs, 0), /^furcate: testAndSet: flags must be an array of integers/],
])('%s is refused', (_, call, error) => {
  expect(call).toThrow(error);
});

test.each([
  ['atomicAdd', (xs: Int32Array) => atomicAdd(xs, 0, 7)],
  ['atomicMin', (xs: Int32Array) => atomicMin(xs, 0, -7)],
  ['atomicMax', (xs: Int32Array) => atomicMax(xs, 0, 7)],
  ['testAndSet', (xs: Int32Array) => testAndSet(xs, 0)],
] as const)(
  '%s refuses an array that was freed, whether it knew it or not, and leaves what lies in its place',
  (name, call) => {
    for (const isKnown of [false, true]) {
      const xs = sharedArray(Int32Array, 4);
      if (isKnown) call(xs);
      free(xs);
      const next = sharedArray(Int32Array, 4);
      expect(() => call(xs)).toThrow(`furcate: xs of ${name}() is a shared array that was freed`);
      expect([...next]).toEqual([0, 0, 0, 0]);
    }
  },
);
