/** Shared buffers that users bring: every call sees them, however new they are to the workers. */
import {
  ForkJoinPool,
  type ForkJoinTask,
  NotShareableError,
  parallelFor,
  parallelForRange,
  parallelForSync,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelReduceSync,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { invokeHere } from '../helpers/caller.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { allCold } from '../helpers/pools.js';

const ROUNDS = 100;
const LENGTH = 2000;
/** Leaves are small, so that every worker takes part. */
const threshold = 50;

const { fillsNested, keeps, givesBack, countsUp, makesBuffer, CountsUp } = await fixture<
  Record<'fillsNested' | 'keeps' | 'givesBack' | 'countsUp' | 'makesBuffer', Scenario> & {
    CountsUp: new (given: object) => ForkJoinTask<number>;
  }
>('buffers.mjs');

const freshBuffer = (): Float64Array => new Float64Array(new SharedArrayBuffer(8 * LENGTH));
const allAre = (xs: Float64Array, value: number): void => expect(xs).toEqual(new Float64Array(LENGTH).fill(value));

describe.each([2, 4])('with a pool of %i', (parallelism) => {
  const pool = new ForkJoinPool({ parallelism });
  afterAll(() => pool.close());
  const options = { pool, threshold };

  test('a promise form takes buffers that no worker has seen, as input, as output and in its context', async () => {
    await pool.ready();
    for (let round = 0; round < ROUNDS; round++) {
      const xs = freshBuffer();
      await parallelMap(xs, () => 1, { into: xs, ...options });
      allAre(xs, 1);
      const ys = freshBuffer();
      const fill = (i: number, { ys }: { ys: Float64Array }): void => {
        ys[i] = 2;
      };
      await parallelFor(LENGTH, fill, { context: { ys }, ...options });
      allAre(ys, 2);
      const zs = freshBuffer().fill(3);
      expect(await parallelReduce(zs, (a, b) => a + b, 0, options)).toBe(3 * LENGTH);
    }
  });

  test('calls in flight together take a buffer each', async () => {
    const fills = Array.from({ length: ROUNDS }, async (_, k) => {
      const xs = freshBuffer();
      await parallelMap(xs, (_x, _i, { k }) => k, { into: xs, context: { k }, ...options });
      return xs;
    });
    for (const [k, xs] of (await Promise.all(fills)).entries()) allAre(xs, k);
  });

  test('a Sync form takes them', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const xs = freshBuffer();
      parallelMapSync(xs, () => 1, { into: xs, ...options });
      allAre(xs, 1);
      const ys = freshBuffer();
      const fill = (i: number, { ys }: { ys: Float64Array }): void => {
        ys[i] = 2;
      };
      parallelForSync(LENGTH, fill, { context: { ys }, ...options });
      allAre(ys, 2);
      expect(parallelReduceSync(xs, (a, b) => a + b, 0, options)).toBe(LENGTH);
    }
  });

  test('a task passes them on to the Sync forms that it calls', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [xs, ys] = [freshBuffer(), freshBuffer()];
      expect(await pool.invoke(fillsNested, xs, round)).toBe(LENGTH);
      allAre(xs, round + 1);
      expect(await invokeHere(pool, fillsNested, ys, round)).toBe(LENGTH);
      allAre(ys, round + 1);
    }
  });

  test('a stolen task brings home a buffer that its forker has not heard of', async () => {
    const held = []; // a worker may give back the buffer of an earlier round, which this thread must not have dropped
    for (let round = 0; round < ROUNDS; round++) {
      const xs = freshBuffer();
      held.push(xs);
      await Promise.all(Array.from({ length: parallelism }, () => pool.invoke(keeps, xs)));
      const back = (await pool.invoke(givesBack, 5)) as (Float64Array | undefined)[];
      expect(back).toHaveLength(32);
      for (const each of back) if (each !== undefined) expect(each.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
    expect(held).toHaveLength(ROUNDS);
  });
});

describe.each(allCold())('with workers that have never seen any code, $name,', (pools) => {
  test.each<[string, (xs: Float64Array, pool: ForkJoinPool) => unknown]>([
    ['into', (xs, pool) => parallelMap(xs, () => 1, { into: xs, pool, threshold })],
    ['into, of a Sync form', (xs, pool) => parallelMapSync(xs, () => 1, { into: xs, pool, threshold })],
    [
      'a context',
      (xs, pool) => {
        const fill = (i: number, { xs }: { xs: Float64Array }): void => {
          xs[i] = 1;
        };
        return parallelFor(LENGTH, fill, { context: { xs }, pool, threshold });
      },
    ],
    ['an argument of a task', (xs, pool) => pool.invoke(fillsNested, xs, 0)],
  ])('a first call takes a buffer as %s', async (_how, call) => {
    const xs = freshBuffer();
    await pools.use((pool) => call(xs, pool));
    allAre(xs, 1);
  });
});

test('a pool whose workers start later takes buffers of before, some of which are gone', async () => {
  const first = new ForkJoinPool({ parallelism: 2 });
  for (let round = 0; round < ROUNDS; round++) await parallelMap(freshBuffer(), (x) => x, { pool: first, threshold });
  const xs = freshBuffer();
  await parallelMap(xs, () => 1, { into: xs, pool: first, threshold });
  const second = new ForkJoinPool({ parallelism: 2 });
  await parallelMap(xs, (x) => x + 1, { into: xs, pool: second, threshold });
  allAre(xs, 2);
  await Promise.all([first.close(), second.close()]);
});

describe('a SharedArrayBuffer without a view', () => {
  const given = () => {
    const bare = new SharedArrayBuffer(8);
    return { bare, list: [bare, new SharedArrayBuffer(16)] };
  };
  const counts = ({ list }: ReturnType<typeof given>) => list.map((buffer) => new Uint8Array(buffer)[0]);

  for (const pools of allCold()) {
    test(`is the same memory in arguments, fields and results, and comes home as the same object: ${pools.name}`, async () => {
      await pools.use(async (pool) => {
        const first = given();
        const result = (await pool.invoke(countsUp, first)) as typeof first;
        expect(counts(first)).toEqual([3, 1]);
        expect(result.bare).toBe(first.bare);
        expect(result.list[1]).toBe(first.list[1]);
        const task = new CountsUp(first);
        expect(await pool.invoke(task)).toBe(2);
        expect(counts(first)).toEqual([6, 2]);
        expect((task as unknown as { given: typeof first }).given.bare).toBe(first.bare);
      });
    });

    test(`is the same memory in a context: ${pools.name}`, async () => {
      await pools.use(async (pool) => {
        const { bare } = given();
        const add = (_: number, { bare }: { bare: SharedArrayBuffer }) => void Atomics.add(new Int32Array(bare), 0, 1);
        await parallelFor(100, add, { pool, threshold: 10, graceMs: 1_000_000, context: { bare } });
        expect(new Int32Array(bare)[0]).toBe(100);
      });
    });

    test(`is the same memory in plain values: ${pools.name}`, async () => {
      await pools.use(async (pool) => {
        const all = [given(), given()];
        const back = await parallelMap(
          all,
          (one) => {
            new Uint8Array(one.bare)[0] = 7;
            return one.bare;
          },
          { pool, graceMs: 1_000_000 },
        );
        expect(all.map(counts)).toEqual([
          [7, 0],
          [7, 0],
        ]);
        expect(back[1]).toBe(all[1]?.bare);
      });
    });

    test(`that a worker has made cannot leave it, and the error names its place: ${pools.name}`, async () => {
      await pools.use(async (pool) => {
        const error = await pool.invoke(makesBuffer).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(NotShareableError);
        expect((error as NotShareableError).path).toBe('the result of makesBuffer (at .made[0])');
        expect((error as Error).message).toContain('made in a worker cannot be passed on. Use sharedArray()');
      });
    });
  }
});

const canGrow = 'growable' in SharedArrayBuffer.prototype;
const testOfGrowth = async (): Promise<void> => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  try {
    const Growable = SharedArrayBuffer as unknown as new (
      bytes: number,
      options: { maxByteLength: number },
    ) => SharedArrayBuffer & { grow(bytes: number): void };
    const buffer = new Growable(8 * LENGTH, { maxByteLength: 80 * LENGTH });
    const xs = new Float64Array(buffer);
    const fill = (lo: number, hi: number, { buffer }: { buffer: SharedArrayBuffer }): void => {
      const xs = new Float64Array(buffer);
      for (let i = lo; i < hi; i++) xs[i] = i + 1;
    };
    for (let length = LENGTH; length <= 10 * LENGTH; length += 3 * LENGTH) {
      buffer.grow(8 * length);
      await parallelForRange(xs.length, fill, { pool, threshold, context: { buffer } });
    }
    expect(xs).toEqual(Float64Array.from({ length: 10 * LENGTH }, (_, i) => i + 1));
  } finally {
    await pool.close();
  }
};
if (canGrow) test('a buffer that grows does so for all threads', testOfGrowth);
