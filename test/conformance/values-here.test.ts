/** Calls for plain values that have become known as short run on the caller: nobody can tell. */
import fc from 'fast-check';
import { ForkJoinPool, parallelFilter, parallelForEach, parallelMap, parallelReduce, sharedArray } from 'furcate';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

const pool = new ForkJoinPool({ parallelism: 2 });
const checked = new ForkJoinPool({ parallelism: 1, checked: true });
afterAll(() => Promise.all([pool.close(), checked.close()]));

const { Vec } = await fixture<{ Vec: new (x: number, y: number) => object }>('value-classes.mjs');
class Unregistered {
  x = 1;
}

/** What a call gives, or its error. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: Error) => ({ name: error.name, message: error.message }));

type Call = (values: readonly unknown[], pool: ForkJoinPool) => Promise<unknown>;

const CALLS: Readonly<Record<string, Call>> = {
  map: (values, pool) => parallelMap(values, (value) => [value], { pool }),
  each: (values, pool) => parallelForEach(values, (value) => void Object(value), { pool }),
  filter: (values, pool) => parallelFilter(values, (value) => value !== 1, { pool }),
  reduce: (values, pool) =>
    parallelReduce(values, (all: unknown[], some: unknown[]) => [...all, ...some], [], {
      map: (value) => [value],
      pool,
    }),
  results: (values, pool) =>
    parallelMap(
      values,
      (value) => {
        class Own {}
        return value === 'own' ? new Own() : value === 'function' ? () => 1 : { value };
      },
      { pool },
    ),
  writes: (values, pool) =>
    parallelMap(
      values,
      (value) => {
        if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) Object.assign(value, { x: 7 });
        if (value instanceof Float64Array && value.buffer instanceof ArrayBuffer) value[0] = 7;
        return value;
      },
      { pool },
    ),
};

const shared = sharedArray(Float64Array, 2);
const kinds: Readonly<Record<string, () => unknown>> = {
  number: () => 1,
  object: () => ({ x: 1, deep: [new Map([[1, new Set([2])]])] }),
  registered: () => new Vec(3, 4),
  'deep registered': () => ({ in: new Vec(3, 4), beside: new Date(0) }),
  error: () => new RangeError('x', { cause: { y: 1 } }),
  mark: () => ({ 'furcate:mark': 'error', deep: [{ 'furcate:mark': 1 }] }),
  typed: () => new Float64Array([1, 2]),
  buffer: () => new Uint8Array([1, 2]).buffer,
  view: () => new DataView(new ArrayBuffer(4)),
  ...(typeof Buffer === 'undefined' ? {} : { bytes: () => Buffer.from('text') }),
  shared: () => shared,
  unregistered: () => new Unregistered(),
  'deep unregistered': () => ({ a: [new Unregistered()] }),
  function: () => () => 1,
  promise: () => Promise.resolve(1),
  symbol: () => Symbol('s'),
  'makes an instance': () => 'own',
  'makes a function': () => 'function',
};

test.each(Object.entries(CALLS))(
  '%s gives what workers give, value by value, and leaves the values as they are',
  async (_, call) => {
    for (let round = 0; round < 5; round++) await call(Array(300).fill(0), pool); // now it is known to be short
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(kinds)), { minLength: 1, maxLength: 4 }),
        async (names) => {
          const make = (): unknown[] => names.map((name) => kinds[name]?.());
          const given = make();
          const here = await outcome(call(given, pool));
          expect(here).toStrictEqual(await outcome(call(make(), checked)));
          const isComparable = !names.some((name) => ['function', 'promise', 'symbol'].includes(name));
          if (isComparable) expect(given).toStrictEqual(make());
        },
      ),
      { numRuns: 60 },
    );
  },
);

test('results share nothing with the values', async () => {
  const give: Call = (values, pool) => parallelMap(values, (value) => value, { pool });
  for (let round = 0; round < 5; round++) await give(Array(300).fill(0), pool);
  const value = { a: [1] };
  const [result] = (await give([value], pool)) as [typeof value];
  expect(result).toStrictEqual(value);
  expect(result).not.toBe(value);
  expect(result.a).not.toBe(value.a);
});

test('what is read of values is combined in the same order on workers, on the caller, and by a function that does more than read', async () => {
  const number = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constantFrom(-0, 2n, undefined));
  const property = fc.asyncProperty(
    fc.array(fc.record({ x: fc.oneof({ weight: 50, arbitrary: fc.double({ noNaN: true }) }, number) }), {
      maxLength: 300,
    }),
    fc.constantFrom('sum', 'max', 'product'),
    fc.option(fc.double({ noNaN: true }), { nil: undefined }),
    async (values, op, identity) => {
      const reads = { map: ({ x }: { x: number }) => x };
      const more = {
        map: (value: { x: number }) => {
          const { x } = value;
          return x;
        },
      };
      const sum = (map: typeof reads, where: ForkJoinPool): Promise<unknown> =>
        outcome(parallelReduce(values as { x: number }[], op as 'sum', identity, { ...map, pool: where }));
      const expected = await sum(more, checked);
      expect(await sum(reads, checked)).toEqual(expected);
      for (let k = 0; k < 3; k++) expect(await sum(reads, pool)).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test('a reduction of what is read begins with its identity, and fails where it fails on workers', async () => {
  const values = Array.from({ length: 300 }, (_, x) => ({ x: x as number | bigint }));
  const sum = (where: ForkJoinPool, identity: unknown): Promise<unknown> =>
    outcome(
      parallelReduce(values as { x: number }[], (a, b) => (a ?? 10) + b, identity as number, {
        map: (o) => o.x + 1,
        pool: where,
      }),
    );
  for (const identity of [null, 5, 'text']) expect(await sum(pool, identity)).toEqual(await sum(checked, identity));
  expect(await sum(pool, null)).toBe(45_160);
  values[130] = { x: 2n };
  expect(await sum(pool, 0)).toEqual(await sum(checked, 0));
  expect(await sum(pool, 0)).toMatchObject({ name: 'TypeError' });
  values.length = 140;
  const unreadable = Object.defineProperty([...values], 70, {
    get: () => {
      throw new RangeError('not this one');
    },
  });
  const failed = outcome(parallelReduce(unreadable as { x: number }[], 'sum', { map: (o) => o.x, pool }));
  expect(await failed).toEqual({ name: 'RangeError', message: 'not this one' });
});

test('of plain objects, what a function does not read neither crosses nor matters, on workers and on the caller', async () => {
  class Priced {
    get price(): number {
      return 1;
    }
  }
  const rows = [
    { price: 3, show: () => 1, deep: { symbol: Symbol('s') } },
    { price: 5, show: Promise.resolve() },
    { price: 7 },
  ];
  const reads: Readonly<
    Record<string, (where: ForkJoinPool, values: readonly { price: number }[]) => Promise<unknown>>
  > = {
    map: (where, values) => parallelMap(values, (o) => o.price * 2, { pool: where }),
    filter: (where, values) => parallelFilter(values, ({ price }) => price > 3, { pool: where }),
    reduce: (where, values) => parallelReduce(values, 'sum', { map: (o) => o.price, pool: where }),
  };
  for (const [name, read] of Object.entries(reads)) {
    const here = await read(pool, rows);
    expect(await read(checked, rows)).toEqual(here);
    expect(here).toEqual({ map: [6, 10, 14], filter: rows.slice(1), reduce: 15 }[name]);
    // What it reads must cross, and so must all of what is no plain object.
    for (const values of [[{ price: (): number => 1 }], [new Priced()]] as unknown as { price: number }[][])
      expect(await outcome(read(pool, values))).toEqual(await outcome(read(checked, values)));
  }
  const whole = await outcome(parallelMap(rows, (o) => o, { pool }));
  expect(whole).toMatchObject({ name: 'NotShareableError' });
});

test('what is read of nested objects and of mixed values is the same on workers and on the caller', async () => {
  const values = [{ in: { x: 1, y: [2] } }, { in: { x: 3 } }, null, 'text', { in: 4 }] as unknown as {
    in: { x: number };
  }[];
  const deep = (where: ForkJoinPool): Promise<unknown> =>
    outcome(parallelMap(values, (o) => o?.in?.x, { pool: where }));
  expect(await deep(pool)).toEqual(await deep(checked));
  expect(await deep(pool)).toEqual([1, 3, undefined, undefined, undefined]);
});

test('functions that only read start no worker', async () => {
  let started = 0;
  const own = new ForkJoinPool({ parallelism: 1, onWorkerStart: () => void started++ });
  const values = Array.from({ length: 10_000 }, (_, i) => ({ i }));
  expect(await parallelReduce(values, 'sum', { map: (o) => o.i, pool: own })).toBe(49_995_000);
  expect(await parallelReduce(values, (a, b) => a + b, 0, { map: (o) => o.i + 1, pool: own })).toBe(50_005_000);
  expect((await parallelFilter(values, ({ i }) => i < 3, { pool: own })).length).toBe(3);
  await own.close();
  expect(started).toBe(0);
});
