/** `parallelMap`, `parallelForEach`, `parallelFilter` and `parallelReduce` mean the same for a typed array and for plain values. */
import fc from 'fast-check';
import {
  type NamedReduction,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { type Pools, warmPools } from '../helpers/pools.js';

/** Calls of one algorithm with any collection: the overloads are about types only. */
type Loose = (...args: unknown[]) => Promise<unknown>;
const [map, forEach, filter, reduce] = [parallelMap, parallelForEach, parallelFilter, parallelReduce] as never as [
  Loose,
  Loose,
  Loose,
  Loose,
];

const { Point } = await fixture<{
  readonly Point: new (x: number, y: number) => { readonly x: number; readonly y: number; readonly norm: number };
}>('values.mjs');

/** The same numbers as every kind of collection that the algorithms take. */
const COLLECTIONS: Readonly<Record<string, (list: readonly number[]) => Iterable<number> | AsyncIterable<number>>> = {
  'a shared array': (list) => sharedArray(Float64Array, list),
  'a typed array': (list) => Float64Array.from(list),
  'an array': (list) => [...list],
  'a generator': function* (list) {
    yield* list;
  },
  'an asynchronous generator': async function* (list) {
    yield* list;
  },
};

const POOLS: readonly Pools[] = ofEachKind(
  [warmPools(1), warmPools(2), warmPools(2, true)],
  ({ parallelism }) => parallelism === 2,
);
const CASES = POOLS.flatMap((pools) =>
  Object.entries(COLLECTIONS).map(([what, collect]) => [what, pools.name, collect, pools] as const),
);

const integers = fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 400, size: 'max' });
const threshold = fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined });
const numRuns = 15;

describe.each(CASES)('%s, %s:', (_what, _pool, collect, pools) => {
  const using = (call: (options: { pool: unknown }) => Promise<unknown>): Promise<unknown> =>
    pools.use((pool) => call({ pool }));

  test('functions get element, index and context, and results come in order', async () => {
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const options = { threshold, context: { factor: 3 } };
      const fn = (x: number, i: number, { factor }: { factor: number }): number => factor * x + i;
      const mapped = (await using((where) => map(collect(list), fn, { ...options, ...where }))) as Iterable<number>;
      expect([...mapped]).toEqual(list.map((x, i) => 3 * x + i));
      const seen = sharedArray(Float64Array, list.length);
      const note = (x: number, i: number, { seen }: { seen: Float64Array }): void => {
        seen[i] = x + 1;
      };
      await using((where) => forEach(collect(list), note, { threshold, context: { seen }, ...where }));
      expect([...seen]).toEqual(list.map((x) => x + 1));
    });
    await fc.assert(property, { numRuns });
  });

  test('what is truthy matches', async () => {
    const answers = [0, 1, '', 'no', null, undefined, Number.NaN, {}, false, true, 0n, []];
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const pred = (x: number, i: number, { answers }: { answers: unknown[] }): unknown =>
        answers[(x + 9 + i) % answers.length];
      const options = { threshold, context: { answers } };
      const kept = (await using((where) => filter(collect(list), pred, { ...options, ...where }))) as Iterable<number>;
      expect([...kept]).toEqual(list.filter((x, i) => answers[(x + 9 + i) % answers.length]));
    });
    await fc.assert(property, { numRuns });
  });

  test('a reduction counts the identity once, at the left end; that of nothing is the identity', async () => {
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const options = { threshold, map: (x: number, i: number) => `,${x}:${i}` };
      const join = (a: string, b: string): string => a + b;
      const joined = await using((where) => reduce(collect(list), join, '<', { ...options, ...where }));
      expect(joined).toBe(`<${list.map((x, i) => `,${x}:${i}`).join('')}`);
      const calls = sharedArray(Int32Array, 1);
      const count = (a: number, b: number, { calls }: { calls: Int32Array }): number => {
        Atomics.add(calls, 0, 1);
        return a + b;
      };
      const sum = await using((where) => reduce(collect(list), count, 1000, { context: { calls }, ...where }));
      expect(sum).toBe(list.reduce((a, b) => a + b, 1000));
      expect(calls[0]).toBe(list.length);
    });
    await fc.assert(property, { numRuns });
  });

  test('an operation may change and return its first argument, whatever objects the map returns', async () => {
    const append = (a: number[], b: readonly number[]): number[] => {
      a.push(...b);
      return a;
    };
    const addWords = (a: Uint32Array, b: Uint32Array): Uint32Array => {
      for (let k = 0; k < b.length; k++) a[k] = (a[k] as number) + (b[k] as number);
      return a;
    };
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const identity = [7];
      const table = [[1], [2, 3]];
      const words = new Uint32Array(2);
      const pick = (_: number, i: number, { table }: { table: number[][] }): unknown => table[i % 2];
      const options = { threshold, map: pick, context: { table } };
      const all = await using((where) => reduce(collect(list), append, identity, { ...options, ...where }));
      expect(all).toEqual([7, ...list.flatMap((_, i) => table[i % 2])]);
      expect([identity, table]).toEqual([[7], [[1], [2, 3]]]);
      const ofWords = { threshold, map: (_: number, i: number) => Uint32Array.of(1, i) };
      const added = (await using((where) =>
        reduce(collect(list), addWords, words, { ...ofWords, ...where }),
      )) as Uint32Array;
      expect([...added]).toEqual([list.length, list.reduce((a, _, i) => a + i, 0)]);
      expect([...words]).toEqual([0, 0]);
      expect(added === words).toBe(false);
    });
    await fc.assert(property, { numRuns });
  });

  test('named operations take numbers, with and without an identity and a map', async () => {
    const NAMED: Readonly<Record<NamedReduction, (a: number, b: number) => number>> = {
      sum: (a, b) => a + b,
      product: (a, b) => a * b,
      min: (a, b) => Math.min(a, b),
      max: (a, b) => Math.max(a, b),
      and: (a, b) => a & b,
      or: (a, b) => a | b,
      xor: (a, b) => a ^ b,
    };
    const NEUTRAL = { sum: 0, product: 1, min: Infinity, max: -Infinity, and: -1, or: 0, xor: 0 };
    const property = fc.asyncProperty(
      integers.filter((list) => list.length <= 64 || !list.includes(0)),
      fc.constantFrom(...(Object.keys(NAMED) as NamedReduction[])),
      threshold,
      async (list, name, threshold) => {
        const double = (x: number): number => 2 * x;
        const few = name === 'product' ? list.slice(0, 9) : list; // beyond 2^53 the order of multiplication counts
        const doubled = few.map(double).reduce(NAMED[name], NEUTRAL[name]);
        const of = (...rest: unknown[]): Promise<number> =>
          using((where) =>
            reduce(collect(few), name, ...rest.slice(0, -1), { ...(rest.at(-1) as object), ...where }),
          ) as Promise<number>;
        expect((await of({ threshold, map: double })) + 0).toBe(doubled + 0);
        expect((await of(5, { threshold, map: double })) + 0).toBe(
          few.map(double).reduce((a, b) => NAMED[name](a, b), 5) + 0,
        );
        if (!['and', 'or', 'xor'].includes(name)) {
          expect((await of({ threshold })) + 0).toBe(few.reduce((a, b) => NAMED[name](a, b), NEUTRAL[name]) + 0);
          expect((await of(5, { threshold })) + 0).toBe(few.reduce((a, b) => NAMED[name](a, b), 5) + 0);
        }
        const wrong = await errorOf(of({ map: () => 'text' }));
        if (few.length > 0) expect(String(wrong)).toMatch(/TypeError.*map must return numbers \(or bigints\)/);
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('an identity may be an instance of a registered class', async () => {
    const add = (a: { x: number; y: number }, b: { x: number; y: number }): object => {
      a.x += b.x;
      a.y += b.y;
      return a;
    };
    const identity = new Point(1, 2);
    const options = { map: (x: number) => ({ x, y: 0 }) };
    const sum = await using((where) => reduce(collect([3, 4]), add, identity, { ...options, ...where }));
    expect(sum).toEqual(new Point(8, 2));
    expect(sum).toBeInstanceOf(Point);
    expect(identity).toEqual(new Point(1, 2));
  });

  test('the error of the lowest index counts', async () => {
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const fail = (x: number, i: number): number => {
        if (x === 9) throw new RangeError(`at ${i}`);
        return x;
      };
      const at = list.indexOf(9);
      const expected = at < 0 ? undefined : new RangeError(`at ${at}`);
      for (const call of [map, forEach, filter]) {
        const error = await errorOf(using((where) => call(collect(list), fail, { threshold, ...where })));
        if (at >= 0) expect(error).toEqual(expected);
      }
      const reduced = using((where) => reduce(collect(list), 'max', { threshold, map: fail, ...where }));
      if (at >= 0) expect(await errorOf(reduced)).toEqual(expected);
      else await reduced;
    });
    await fc.assert(property, { numRuns });
  });

  test('onProgress counts elements up to their number', async () => {
    const property = fc.asyncProperty(integers, threshold, async (list, threshold) => {
      const half = (x: number): number => x / 2;
      const heard: [number, number][] = [];
      const onProgress = (done: number, total: number): void => void heard.push([done, total]);
      await using((where) => map(collect(list), half, { threshold, onProgress, ...where }));
      expect(heard.at(-1)).toEqual([list.length, list.length]);
      expect(heard.map(([done]) => done)).toEqual(heard.map(([done]) => done).sort((a, b) => a - b));
      for (const [, total] of heard) expect([list.length, Number.POSITIVE_INFINITY]).toContain(total);
    });
    await fc.assert(property, { numRuns });
  });

  test('an aborted signal refuses the call, as an AbortError', async () => {
    const signal = AbortSignal.abort('enough');
    for (const call of [map, forEach, filter]) {
      const error = await errorOf(using((where) => call(collect([1, 2]), (x: number) => x, { signal, ...where })));
      expect(error).toMatchObject({ name: 'AbortError', cause: 'enough' });
    }
    expect(await errorOf(using((where) => reduce(collect([1]), 'sum', { signal, ...where })))).toMatchObject({
      name: 'AbortError',
      cause: 'enough',
    });
  });
});
