/** Each algorithm on workers that have never seen any code: a call tells them all that they must load, its context's too. */
import fc from 'fast-check';
import { type Forkable, type ForkJoinPool, SequentialExecutor, sharedArray } from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { coldPools } from '../helpers/pools.js';

type Call = (forms: object, xs: Float64Array, options: object) => unknown;

interface Cold {
  readonly CALLS: Record<string, Call>;
  readonly meet: Call;
  readonly PROMISES: object;
  readonly SYNCS: object;
  readonly inTask: Forkable<[name: string, xs: Float64Array, threshold?: number], unknown>;
}

const { CALLS, PROMISES, SYNCS, meet, inTask } = await fixture<Cold>('cold.mjs');

type Run = (pool: ForkJoinPool, name: string, xs: Float64Array) => unknown;

/** Leaves are small, so that every worker takes part. */
const threshold = 64;
const promise: Run = (pool, name, xs) => CALLS[name](PROMISES, xs, { pool, threshold });
const sync: Run = (pool, name, xs) => CALLS[name](SYNCS, xs, { pool, threshold });
const nested: Run = (pool, name, xs) => pool.invoke(inTask, name, xs, threshold);

/**
 * Ten cases of each algorithm, few with two workers, which take twice as long to start. A Sync form on one thread has none.
 */
const PLACES: readonly (readonly [form: string, parallelism: number, cases: number, run: Run])[] = [
  ['the promise form', 1, 3, promise],
  ['the promise form', 2, 1, promise],
  ['the Sync form', 2, 3, sync],
  ['the Sync form inside a task', 1, 2, nested],
  ['the Sync form inside a task', 2, 1, nested],
];

/** The numbers of `some` again and again. */
const values = fc.record({ some: fc.array(fc.nat(99), { minLength: 1, maxLength: 100 }), length: fc.nat(5000) });

describe.each(PLACES)('%s, with %i threads,', (_form, parallelism, numRuns, run) => {
  const pools = coldPools(parallelism);
  test.each(Object.keys(CALLS))('gives what it gives without workers: %s', async (name) => {
    const property = fc.asyncProperty(values, async ({ some, length }) => {
      const values = Float64Array.from({ length }, (_, i) => some[i % some.length] as number);
      const xs = sharedArray(Float64Array, values);
      const given = await pools.use((pool) => run(pool, name, xs));
      expect(given).toEqual(new SequentialExecutor().invokeSync(inTask, name, sharedArray(Float64Array, values)));
    });
    // A failure is not shrunk: each try would start a pool.
    await fc.assert(property, { numRuns, endOnFailure: true });
  });
});

test('a thief that takes part in a Sync form loads what the context needs', async () => {
  const xs = sharedArray(Float64Array, 64).fill(STEP_HANG_MS); // each element says how long it waits at most
  expect(await coldPools(2).use((pool) => meet(SYNCS, xs, { pool }))).toBe(true);
  expect(await coldPools(2).use((pool) => pool.invoke(inTask, 'meet', xs))).toBe(true);
});
