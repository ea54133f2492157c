import fc from 'fast-check';
import { ForkJoinPool, type InvokeOptions, type Priority, SequentialExecutor } from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

interface Trees {
  expected(seed: number, depth: number): string;
  outcome(
    pool: ForkJoinPool | SequentialExecutor,
    seed: number,
    depth: number,
    options?: InvokeOptions,
  ): Promise<string>;
  outcomeSync(pool: ForkJoinPool | SequentialExecutor, seed: number, depth: number): string;
}

const trees = await fixture<Trees>('random-tree.mjs');

/** Both forms of tasks, any order of joins, joins left out, failures anywhere: a tree follows from its seed. */
const treeSeed = fc.integer();

test('a random tree gives what plain recursion gives: SequentialExecutor', async () => {
  const sequential = new SequentialExecutor();
  await fc.assert(
    fc.asyncProperty(treeSeed, fc.integer({ min: 0, max: 6 }), async (seed, depth) => {
      const expected = trees.expected(seed, depth);
      expect(trees.outcomeSync(sequential, seed, depth)).toBe(expected);
      expect(await trees.outcome(sequential, seed, depth)).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

describe.each([1, 2, 3, 4])('a random tree gives what plain recursion gives: P=%i', (parallelism) => {
  test.each([
    ['plain', false, 6, 60],
    ['checked', true, 5, 60],
  ])('%s', async (_, checked, deepest, numRuns) => {
    const pool = new ForkJoinPool({ parallelism, checked });
    const depth = fc.integer({ min: 0, max: deepest });
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(treeSeed, { minLength: 1, maxLength: 4 }),
          depth,
          fc.boolean(),
          fc.array(fc.constantFrom<Priority>('high', 'normal', 'low'), { minLength: 4, maxLength: 4 }),
          async (seeds, levels, sync, priorities) => {
            const together = seeds.map((seed, k) =>
              trees.outcome(pool, seed, levels, { priority: priorities[k] as Priority }),
            );
            // The caller computes while its invocations are in flight.
            if (sync)
              expect(trees.outcomeSync(pool, seeds[0] as number, levels)).toBe(
                trees.expected(seeds[0] as number, levels),
              );
            expect(await Promise.all(together)).toEqual(seeds.map((seed) => trees.expected(seed, levels)));
          },
        ),
        { numRuns },
      );
    } finally {
      await pool.close();
    }
  });
});
