/** Threads fill shared containers at the same time: what is in them, and in which order, is what one thread would have put there. */
import {
  type Forkable,
  parallelFor,
  parallelForRange,
  sharedBag,
  sharedMap,
  sharedSet,
  sharedStruct,
  task,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { warmPools } from '../helpers/pools.js';

interface Fixture {
  readonly count: Forkable<[lo: number, hi: number, distinct: number, into: object], number>;
}
const on = await fixture<Fixture>('containers.mjs');

const N = 60_000;
const DISTINCT = 7_001;
const pools = warmPools(4);
const keyOf = (i: number): number => Math.imul(i % DISTINCT, 0x9e3779b1);

describe('shared containers that several threads fill', () => {
  test.each(['u32', 'i32', 'f64'] as const)('a map of %s', async (type) => {
    await pools.use(async (pool) => {
      const toKey = (i: number): number => (type === 'u32' ? keyOf(i) >>> 0 : type === 'f64' ? keyOf(i) / 4 : keyOf(i));
      const expected = new Map<number, number>();
      for (let i = 0; i < N; i++) expected.set(toKey(i), (expected.get(toKey(i)) ?? 0) + i);
      let first: unknown;
      for (let round = 0; round < 3; round++) {
        const sums = sharedMap(type, 'f64', { combine: 'sum', maxSize: DISTINCT });
        const most = sharedMap(type, 'i32', { combine: 'max', maxSize: DISTINCT });
        const keys = sharedStruct({ key: 'f64' }, N).key;
        for (let i = 0; i < N; i++) keys[i] = toKey((i * 7) % N);
        const add = (
          lo: number,
          hi: number,
          {
            keys,
            sums,
            most,
          }: {
            keys: Float64Array;
            sums: { add(key: number, value: number): void };
            most: { add(key: number, value: number): void };
          },
        ) => {
          for (let i = lo; i < hi; i++) {
            sums.add(keys[i] as number, (i * 7) % keys.length);
            most.add(keys[i] as number, -((i * 7) % keys.length));
          }
        };
        await parallelForRange(N, add, { pool, threshold: 500, context: { keys, sums, most } });
        const entries = sums.entries();
        first ??= entries;
        expect(entries).toEqual(first);
        expect(new Map([...entries.keys].map((key, k) => [key, entries.values[k]]))).toEqual(expected);
        expect(most.entries().keys).toEqual(entries.keys);
        expect(most.get(toKey(5))).toBe(-5);
      }
    });
  });

  test('of all threads that add a number to a set, one is told that it is new', async () => {
    await pools.use(async (pool) => {
      const seen = sharedSet('u32', { maxSize: DISTINCT });
      const news = sharedSet('u32', { maxSize: N });
      const add = (
        i: number,
        {
          seen,
          news,
          distinct,
        }: { seen: { add(key: number): boolean }; news: { add(key: number): boolean }; distinct: number },
      ) => {
        if (seen.add(i % distinct)) news.add(i);
      };
      await parallelFor(N, add, { pool, threshold: 500, context: { seen, news, distinct: DISTINCT } });
      expect([seen.size, news.size]).toEqual([DISTINCT, DISTINCT]);
      expect(new Set([...news.keys()].map((i) => i % DISTINCT)).size).toBe(DISTINCT);
    });
  });

  test('a bag that threads fill in several rounds', async () => {
    await pools.use(async (pool) => {
      const found = sharedBag('u32', { maxSize: N });
      const add = (i: number, { found }: { found: { add(x: number): void } }) => {
        if (i % 3 === 0) found.add(i);
      };
      const expected = Uint32Array.from({ length: N / 3 }, (_, k) => 3 * k);
      for (let round = 0; round < 4; round++) {
        await parallelFor(N, add, { pool, threshold: 500, context: { found } });
        expect(found.size).toBe(N / 3);
        expect(found.sorted()).toEqual(expected);
        found.clear();
      }
    });
  });

  test('tasks get them as arguments and in contexts', async () => {
    await pools.use(async (pool) => {
      const counts = sharedMap('u32', 'u32', { combine: 'sum', maxSize: 1_000 });
      await pool.invoke(on.count, 0, 5_000, 1_000, { counts });
      await pool.invoke(task(on.count, 0, 5_000, 1_000, { counts }));
      expect([counts.size, counts.get(0), counts.get(999)]).toEqual([1_000, 10, 10]);
    });
  });
});
