/** Algorithms over plain values: what they give, and where the functions run. */
import fc from 'fast-check';
import {
  type AsyncForkable,
  type Forkable,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
  sharedArray,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { errorOf } from '../helpers/outcomes.js';
import { allCold, type Pools, warmPools } from '../helpers/pools.js';

/** A thread under a name that it gets when a function first asks for it; functions travel without what is around them. */
type Thread = typeof globalThis & { thisThread?: string };

interface Fixture {
  readonly leaves: Forkable<[depth: number], number>;
  readonly waitingLeaves: AsyncForkable<[depth: number, i: number, context: { name: string } | undefined], unknown>;
  readonly shout: AsyncForkable<[text: string], string>;
  readonly nested: AsyncForkable<[form: string, values: readonly number[], options: object], unknown>;
  readonly Point: new (x: number, y: number) => { readonly x: number; readonly y: number; readonly norm: number };
}

const { leaves, waitingLeaves, shout, nested, Point } = await fixture<Fixture>('values.mjs');

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.bigInt(),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array(),
  fc.constant(undefined),
  fc.array(fc.string()).map((members) => new Set(members)),
  fc.dictionary(fc.string(), fc.double()).map((record) => new Map(Object.entries(record))),
);

/** Ways to pass the same values. */
const SHAPES = {
  array: (values: readonly unknown[]) => values,
  'iterator of an array': (values: readonly unknown[]) => values.values(),
  *generator(values: readonly unknown[]) {
    yield* values;
  },
  async *'asynchronous generator'(values: readonly unknown[]) {
    for (const value of values) {
      if (Array.isArray(value)) await null;
      yield value;
    }
  },
} as const;

const shape = fc.constantFrom(...Object.values(SHAPES)) as fc.Arbitrary<
  (values: readonly unknown[]) => Iterable<unknown>
>;

const someOptions = fc.record(
  { threshold: fc.nat(40).map((n) => n + 1), concurrency: fc.nat(9).map((n) => n + 1) },
  { requiredKeys: [] },
);

const manyValues = fc.array(anyValue, { maxLength: 200, size: 'max' });

/** What a reduction gives: blocks of 64 from left to right, the first from the identity on, and so on with their results. */
function reducedInBlocks<T>(values: readonly T[], op: (a: T, b: T) => T, identity: T): T {
  if (values.length === 0) return identity;
  let level = [op(identity, values[0] as T), ...values.slice(1)];
  do {
    const blocks: T[] = [];
    for (let lo = 0; lo < level.length; lo += 64) blocks.push(level.slice(lo, lo + 64).reduce((a, b) => op(a, b)));
    level = blocks;
  } while (level.length > 1);
  return level[0] as T;
}

const POOLS: readonly Pools[] = ofEachKind(
  [warmPools(1), warmPools(2), warmPools(3), warmPools(2, true)],
  ({ parallelism }) => parallelism === 2,
);

describe.each(POOLS.map((pools) => [pools.name, pools] as const))('%s:', (_name, pools) => {
  const numRuns = 60;

  test('results are as they were when they were made, though their thread writes to them again', async () => {
    type Keeping = { kept?: Float64Array; gate?: Promise<unknown> | undefined };
    const xs = Array.from({ length: 200 }, (_, x) => x);
    const fill = (x: number): Float64Array => {
      const realm = globalThis as Keeping;
      realm.kept ??= new Float64Array(1);
      realm.kept[0] = x;
      return realm.kept;
    };
    const fillLater = async (x: number): Promise<Float64Array> => {
      const realm = globalThis as Keeping;
      realm.gate ??= new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => {
        realm.gate = undefined;
      });
      await realm.gate; // many calls go on at once
      realm.kept ??= new Float64Array(1);
      realm.kept[0] = x;
      return realm.kept;
    };
    const add = ([a]: Float64Array, [b]: Float64Array): Float64Array => {
      const realm = globalThis as { sum?: Float64Array };
      realm.sum ??= new Float64Array(1);
      realm.sum[0] = (a as number) + (b as number);
      return realm.sum;
    };
    for (const fn of [fill, fill, fillLater as unknown as typeof fill]) {
      const made = await pools.use((pool) => parallelMap(xs, fn, { pool }));
      expect(made.map(([x]) => x)).toEqual(xs);
      const [sum] = await pools.use((pool) => parallelReduce(xs, add, new Float64Array(1), { map: fn, pool }));
      expect(sum).toBe(19_900);
    }
  });

  test('a map gives what Array.prototype.map gives, for any values, functions that wait, and any options', async () => {
    const property = fc.asyncProperty(
      manyValues,
      shape,
      someOptions,
      fc.boolean(),
      async (values, shaped, options, waits) => {
        const map = (fn: (value: unknown, i: number) => unknown): Promise<unknown[]> =>
          pools.use((pool) => parallelMap(shaped(values), fn, { ...options, pool }));
        const results = await (waits ? map(async (value, i) => [value, i]) : map((value, i) => [value, i]));
        expect(results).toEqual(values.map((value, i) => [value, i]));
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('a filter gives the very values for which the predicate is truthy', async () => {
    const property = fc.asyncProperty(manyValues, shape, someOptions, async (values, shaped, options) => {
      const kept = await pools.use((pool) =>
        parallelFilter(shaped(values), (value, i) => value && i % 3, { ...options, pool }),
      );
      const expected = values.filter((value, i) => value && i % 3);
      expect(kept.length).toBe(expected.length);
      kept.forEach((value, k) => {
        expect(value).toBe(expected[k]);
      });
    });
    await fc.assert(property, { numRuns });
  });

  test('parallelForEach calls the function once for each value, with its index', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.nat(99), { maxLength: 300, size: 'max' }),
      shape,
      someOptions,
      async (values, shaped, options) => {
        const seen = sharedArray(Float64Array, values.length);
        const given = await pools.use((pool) =>
          parallelForEach(
            shaped(values) as Iterable<number>,
            (value, i, { seen }) => {
              seen[i] = (seen[i] as number) + value + 1;
            },
            { ...options, pool, context: { seen } },
          ),
        );
        expect(given).toBe(undefined);
        expect([...seen]).toEqual(values.map((value) => value + 1));
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('a reduction gives the same bits whatever the chunks: those of blocks of 64', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 500, size: 'max' }),
      shape,
      someOptions,
      async (values, shaped, options) => {
        const shapedValues = shaped(values) as Iterable<number>;
        const sum = await pools.use((pool) =>
          parallelReduce(shapedValues, (a, b) => a - b / 3, 0.1, { ...options, pool }),
        );
        expect(sum).toBe(reducedInBlocks(values, (a, b) => a - b / 3, 0.1));
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('a reduction combines what a map gives, or promises, in order', async () => {
    const property = fc.asyncProperty(
      manyValues,
      shape,
      someOptions,
      fc.boolean(),
      async (values, shaped, options, waits) => {
        const all = { ...options, map: waits ? async (_: unknown, i: number) => [i] : (_: unknown, i: number) => [i] };
        const indices = await pools.use((pool) =>
          parallelReduce(
            shaped(values),
            (a, b) => {
              a.push(...b); // the accumulator belongs to its block
              return a;
            },
            [] as number[],
            { ...all, pool },
          ),
        );
        expect(indices).toEqual(values.map((_, i) => i));
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('buffers that transfer names are detached here and whole there', async () => {
    const images = Array.from({ length: 20 }, (_, i) => new Uint8Array(1000).fill(i));
    const sums = await pools.use((pool) =>
      parallelMap(images, (image) => image.reduce((a, b) => a + b, 0), { pool, transfer: (image) => [image.buffer] }),
    );
    expect(sums).toEqual(images.map((_, i) => 1000 * i));
    expect(images.map((image) => image.byteLength)).toEqual(images.map(() => 0));
  });

  test('a buffer that a value shares with others is copied, and not detached', async () => {
    const whole = new Uint8Array(64).fill(3);
    const parts = [whole.subarray(0, 5), whole.subarray(8, 16), whole.subarray(16)];
    const lengths = await pools.use((pool) =>
      parallelMap(parts, (part) => part.length, { pool, transfer: (part) => [part.buffer] }),
    );
    expect(lengths).toEqual([5, 8, 48]);
    expect([whole.length, parts.map((part) => part.length)]).toEqual([64, lengths]);
  });

  test('forkable functions may fork, and asynchronous ones get a scope', async () => {
    const depths = Array.from({ length: 30 }, (_, i) => i % 9);
    expect(await pools.use((pool) => parallelMap(depths, leaves, { pool }))).toEqual(depths.map((depth) => 2 ** depth));
    const context = { name: 'the context' };
    const waited = await pools.use((pool) => parallelMap(depths, waitingLeaves, { pool, context }));
    expect(waited).toEqual(depths.map((depth, i) => [2 ** depth, i, 'the context']));
    const texts: string[] = await pools.use((pool) => parallelMap(['a', 'b'], shout, { pool }));
    expect(texts).toEqual(['a!', 'b!']);
    const viaContext = await pools.use((pool) =>
      parallelMap(depths, (depth, _, { leaves }) => leaves(depth), { pool, context: { leaves } }),
    );
    expect(viaContext).toEqual(depths.map((depth) => 2 ** depth));
  });

  test('instances of registered classes keep their class both ways', async () => {
    const points = Array.from({ length: 40 }, (_, i) => new Point(3 * i, 4 * i));
    const moved = await pools.use((pool) =>
      parallelMap(points, (point, _, { Point }) => new Point(point.norm, point.x), { pool, context: { Point } }).catch(
        (error: unknown) => error,
      ),
    );
    // A class is no value of a context; the instances themselves travel.
    expect(moved).toBeInstanceOf(Error);
    const same = await pools.use((pool) => parallelMap(points, (point) => [point, point.norm] as const, { pool }));
    expect(same.every(([point]) => point instanceof Point)).toBe(true);
    expect(same.map(([, norm]) => norm)).toEqual(points.map((_, i) => 5 * i));
  });

  test('calls inside asynchronous tasks take the scope', async () => {
    const values = Array.from({ length: 100 }, (_, i) => i);
    const run = (form: string, options = {}): Promise<unknown> =>
      pools.use((pool) => pool.invoke(nested, form, values, options));
    expect(await run('map')).toEqual(values.map((x, i) => [x, i]));
    expect(await run('map', { threshold: 3 })).toEqual(values.map((x, i) => [x, i]));
    expect(await run('waiting', { concurrency: 4 })).toEqual(values.map((x) => 2 * x));
    expect(await run('filter')).toEqual(values.filter((x) => x % 3 === 0));
    expect(await run('reduce')).toBe(values.map((x) => `${x},`).join(''));
    expect(await errorOf(run('failing'))).toEqual(new Error('bad 5'));
    expect(await errorOf(run('failingBesideNever', { threshold: 1 }))).toEqual(new Error('bad 0'));
  });
});

describe.each(allCold().map((pools) => [pools.name, pools] as const))('%s:', (_name, pools) => {
  test('workers load the code of values, functions and contexts', async () => {
    const points = [new Point(3, 4), new Point(6, 8)];
    expect(await pools.use((pool) => parallelMap(points, (point) => point.norm, { pool }))).toEqual([5, 10]);
    expect(await pools.use((pool) => parallelMap([1, 2, 3], leaves, { pool }))).toEqual([2, 4, 8]);
    expect(await pools.use((pool) => parallelMap([3], waitingLeaves, { pool }))).toEqual([[8, 0, undefined]]);
    const viaContext = (depth: number, _: number, context: { leaves: typeof leaves }): number => context.leaves(depth);
    expect(await pools.use((pool) => parallelMap([4], viaContext, { pool, context: { leaves } }))).toEqual([16]);
    expect(await pools.use((pool) => parallelReduce([1, 2], (a, b) => a + b, 0, { pool }))).toBe(3);
    expect(await pools.use((pool) => pool.invoke(nested, 'filter', [1, 2, 3], {}))).toEqual([3]);
  });
});

describe('where functions run:', () => {
  const pools = warmPools(2);
  const threadOf = (): string => {
    (globalThis as Thread).thisThread ??= crypto.randomUUID();
    return (globalThis as Thread).thisThread as string;
  };

  test('cheap functions run on the caller once they are known, unless they must be possible to end', async () => {
    const here = threadOf();
    const call = (options = {}): Promise<string[]> =>
      pools.use((pool) => parallelMap([1, 2, 3], threadOf, { pool, ...options }));
    const end = performance.now() + STEP_HANG_MS;
    while (!(await call()).every((thread) => thread === here)) expect(performance.now()).toBeLessThan(end);
    expect(await call({ graceMs: 1_000_000 })).not.toContain(here);
  });

  const checked = warmPools(2, true);
  test('in a checked pool every value crosses to a worker', async () => {
    const here = threadOf();
    for (let k = 0; k < 20; k++)
      expect(await checked.use((pool) => parallelMap([1, 2, 3], threadOf, { pool }))).not.toContain(here);
  });

  test('results are the same where functions become cheaper or dearer on the way', async () => {
    const values = Array.from({ length: 3000 }, (_, i) => ({ i, busyUs: i % 1000 < 20 ? 2000 : 0 }));
    const busy = ({ i, busyUs }: { i: number; busyUs: number }): number => {
      for (const end = performance.now() + busyUs / 1000; performance.now() < end; );
      return 2 * i;
    };
    for (let k = 0; k < 3; k++)
      expect(await pools.use((pool) => parallelMap(values, busy, { pool }))).toEqual(values.map(({ i }) => 2 * i));
  });
});

describe.each(POOLS.map((pools) => [pools.name, pools] as const))('%s: a function gets clones', (_name, pools) => {
  test('wherever it runs: it changes nothing of the caller, and nothing of the caller is in its results', async () => {
    const property = fc.asyncProperty(manyValues, async (values) => {
      const given = values.map((value) => ({ value, seen: 0 }));
      const before = structuredClone(given);
      const touch = (one: { seen: number }): object => {
        one.seen++;
        return one;
      };
      const results = await pools.use((pool) => parallelMap(given, touch, { pool }));
      expect(given).toEqual(before);
      expect(results).toEqual(before.map((one) => ({ ...one, seen: 1 })));
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('and results are clones, too: what the function keeps and returns again is not one object for the caller', async () => {
    const same = (_value: unknown, _i: number, { table }: { table: object }): object => table;
    for (let call = 0; call < 20; call++) {
      const results = await pools.use((pool) => parallelMap([1, 2, 3], same, { context: { table: { x: 1 } }, pool }));
      expect(results).toEqual([{ x: 1 }, { x: 1 }, { x: 1 }]);
      expect(Object.isFrozen(results[0])).toBe(false);
    }
  });

  test('each as it is when its call returns it, where the function waits for some values alone', async () => {
    const mixed = (x: number): unknown => {
      if (x % 7 === 0) return Promise.resolve(x);
      const thread = globalThis as { row?: Float64Array };
      thread.row ??= new Float64Array(1);
      return thread.row.fill(x);
    };
    const values = Array.from({ length: 1000 }, (_, x) => x);
    const results = await pools.use((pool) => parallelMap(values, mixed, { pool }));
    expect(results.map((one) => (typeof one === 'number' ? one : (one as Float64Array)[0]))).toEqual(values);
  });

  test('so a class that is not registered is refused by the first call, and by those that know what the function costs', async () => {
    class Unknown {
      x = 1;
    }
    const xOf = (one: { x: number }): number => one.x;
    for (let call = 0; call < 20; call++) {
      const map = (value: { x: number }): Promise<unknown> => pools.use((pool) => parallelMap([value], xOf, { pool }));
      expect(await map({ x: 2 })).toEqual([2]);
      expect(await errorOf(map(new Unknown()))).toMatchObject({ name: 'NotShareableError' });
    }
  });
});
