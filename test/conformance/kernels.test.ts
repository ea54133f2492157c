/** Functions that are compiled with what they capture give what they give as closures, on every thread. */
import {
  free,
  kernel,
  NotShareableError,
  parallelFilter,
  parallelFor,
  parallelForRange,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelScan,
  parallelSort,
  parallelTabulate,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { warmPools } from '../helpers/pools.js';

const N = 4_000;
const pools = warmPools(2);
/** In many leaves, so that workers take part. */
const inLeaves = { threshold: 100 };

const xs = sharedArray(Float64Array, N);
for (let i = 0; i < N; i++) xs[i] = (i * 7919) % 4_001;
const table = sharedArray(Int32Array, [3, 1, 4, 1, 5, 9, 2, 6]);
const scale = 3;

describe('a kernel', () => {
  test('is a function of every algorithm, and can be called', async () => {
    await pools.use(async (pool) => {
      const options = { pool, ...inLeaves };
      const weigh = kernel((x: number, i: number) => x * scale + table[i & 7], { scale, table });
      const plain = (x: number, i: number) => x * scale + table[i & 7];
      const expected = Array.from(xs, plain);
      expect(weigh(2, 5)).toBe(15);
      for (let round = 0; round < 3; round++) expect([...(await parallelMap(xs, weigh, options))]).toEqual(expected);
      if (mayBlock) expect([...parallelMapSync(xs, weigh, options)]).toEqual(expected);
      const out = sharedArray(Float64Array, N);
      const put = kernel(
        (i: number) => {
          out[i] = xs[i] * scale;
        },
        { out, xs, scale },
      );
      await parallelFor(N, put, options);
      expect([...out]).toEqual(Array.from(xs, (x) => x * scale));
      const fill = kernel((lo: number, hi: number) => void out.subarray(lo, hi).fill(scale), { out, scale });
      await parallelForRange(N, fill, options);
      expect(new Set(out)).toEqual(new Set([scale]));
      const isIn = kernel((x: number) => table[x & 7] > scale, { table, scale });
      expect([...(await parallelFilter(xs, isIn, options))]).toEqual([...xs].filter((x) => table[x & 7] > scale));
      const byTable = kernel((a: number, b: number) => table[a & 7] - table[b & 7] || a - b, { table });
      const sorted = [...xs].sort((a, b) => table[a & 7] - table[b & 7] || a - b);
      expect([...(await parallelSort(xs.slice(), byTable, options))]).toEqual(sorted);
      const add = kernel((a: number, b: number) => a + b * scale, { scale });
      const map = kernel((x: number) => table[x & 7], { table });
      const total = [...xs].reduce((sum, x) => sum + table[x & 7], 0);
      expect(await parallelReduce(xs, 'sum', { ...options, map })).toBe(total);
      const most = kernel((a: number, b: number) => (table[a & 7] < table[b & 7] ? b : a), { table });
      expect(table[(await parallelReduce(xs, most, 0, options)) & 7]).toBe(9);
      expect((await parallelScan(Float64Array.of(1, 2, 3), add, 0, { pool }))[0]).toBe(3);
      expect(
        [
          ...(await parallelTabulate(
            Int32Array,
            9,
            kernel((i: number) => i + scale, { scale }),
            options,
          )),
        ][8],
      ).toBe(11);
      const values = Array.from({ length: 30 }, (_, k) => ({ k }));
      const named = kernel(({ k }: { k: number }) => `${k + scale}`, { scale });
      expect(await parallelMap(values, named, { pool })).toEqual(values.map(({ k }) => `${k + scale}`));
    });
  });

  test('of one text with several values each has its own, wherever their calls run', async () => {
    await pools.use(async (pool) => {
      const kernels = [1, 2, 3].map((step) => {
        const into = sharedArray(Int32Array, N);
        return {
          step,
          into,
          put: kernel(
            (i: number) => {
              into[i] = i * step;
            },
            { into, step },
          ),
        };
      });
      for (let round = 0; round < 2; round++)
        await Promise.all(kernels.map(({ put }) => parallelFor(N, put, { pool, ...inLeaves })));
      for (const { step, into } of kernels) expect([...into]).toEqual(Array.from(into, (_, i) => i * step));
    });
  });

  test('has the values that there were, functions among them', async () => {
    await pools.use(async (pool) => {
      const captured = { plus: 1, twice: (x: number) => 2 * x, names: { one: 'a' } };
      const { plus, twice, names } = captured;
      const fn = kernel((x: number) => twice(x) + plus + names.one.length, captured);
      captured.plus = 100;
      names.one = 'longer';
      expect([...(await parallelMap(Float64Array.of(1, 2), fn, { pool, threshold: 1 }))]).toEqual([4, 6]);
    });
  });

  test('of a freed array is refused by the name that it has there', async () => {
    const gone = sharedArray(Int32Array, 3);
    const fn = kernel((i: number) => gone[i], { gone });
    free(gone);
    await expect(parallelTabulate(Int32Array, 3, fn)).rejects.toThrow(/^furcate: .*gone, captured by fn/);
  });

  const unshared = new Float64Array(2);
  let counted = 0;
  const made = kernel((x: number) => x * scale, { scale });
  const refused: Record<string, [make: () => unknown, message: RegExp]> = {
    'a function that uses none of the names': [
      () => kernel((x: number) => x, { table, scale }),
      /uses none of .*\(table, scale\)/,
    ],
    'a name that is assigned': [() => kernel(() => counted++, { counted }), /assigns counted/],
    'a name that is assigned by an operator': [
      () =>
        kernel(
          (x: number) => {
            counted ||= x;
          },
          { counted },
        ),
      /assigns counted/,
    ],
    'a kernel of a kernel': [() => kernel(made, { scale }), /a kernel already/],
    'an asynchronous function': [() => kernel(async () => scale, { scale }), /async/],
    'an array that is not shared': [
      () => kernel((i: number) => unshared[i], { unshared }),
      /captured\.unshared.*not shared/,
    ],
    'a list': [() => kernel((i: number) => i, [] as never), /captured must be a plain object/],
    'a key that is no name': [() => kernel((i: number) => i, { 'a-b': 1 }), /'a-b', which is no name/],
  };
  test.each(Object.entries(refused))('is not made of %s', (_, [make, message]) => {
    expect(make).toThrow(message);
    expect(make).toThrow(/^furcate: /);
  });

  test('is no value of a context', async () => {
    const call = parallelMap(xs, (x, _, { made }) => made(x), { context: { made } });
    await expect(call).rejects.toThrow(NotShareableError);
    await expect(call).rejects.toThrow(/context\.made is a kernel/);
  });

  test('that reads another variable says so', async () => {
    const other = table.length; // of a constant, Bun puts the value in its place
    const fn = kernel((x: number) => x * scale + other, { scale });
    await expect(parallelMap(xs, fn)).rejects.toThrow(/captured variable `other`/);
  });
});

type Body = (i: number, context: { out: Int32Array; n: number; list?: Int32Array }) => void;

/** Functions whose last parameter is a context in several forms; each adds n to an element. */
const BODIES: Record<string, Body> = {
  'a pattern': (i, { out, n }) => {
    out[i] += n;
  },
  'other names, and a comma at the end'(i, { out: to, n: by }) {
    to[i] += by;
  },
  'a pattern with defaults': (i, { out, n, list = out }) => {
    list[i] += n;
  },
  'a name that is assigned': (i, { out, n }) => {
    n++;
    out[i] += n - 1;
  },
  'a name that is declared again': (i, { out, n }) => {
    const add = ((n: number) => n)(n);
    out[i] += add;
  },
  arguments(...all: unknown[]) {
    const [i, { out, n }] = all as Parameters<Body>;
    out[i] += n;
  },
  'a parameter': (i, context) => {
    context.out[i] += context.n;
  },
  'a function': function add(i, { n, out }) {
    out[i] += n;
  },
};

describe('a context that comes again gives the same results', () => {
  test.each(Object.entries(BODIES))('to a function with %s', async (_, body) => {
    await pools.use(async (pool) => {
      const outs = [sharedArray(Int32Array, N), sharedArray(Int32Array, N)];
      let sum = 0;
      for (const n of [1, 1, 1, 1, 1, 2, 2, 2, 2, 7]) {
        sum += n;
        for (const out of outs) await parallelFor(N, body, { pool, ...inLeaves, context: { out, n } });
      }
      for (const out of outs) expect(new Set(out)).toEqual(new Set([sum]));
    });
  });
});
