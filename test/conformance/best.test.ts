/** `sharedBest` in every executor: value and solution change together, and an exhaustive search finds the same ones each time. */
import fc from 'fast-check';
import { ForkJoinPool, type ForkJoinTask, parallelFor, sharedArray } from 'furcate';
import { type SharedBest, sharedBest } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

interface Fixture {
  readonly Pack: new (...args: unknown[]) => ForkJoinTask<void>;
  readonly [name: string]: unknown;
}
const tasks = await fixture<Fixture>('best.mjs');
const task = (name: string): Scenario => tasks[name] as Scenario;

/** All tours, in the order of their places: the first one of least cost is the least. */
function leastTour(costs: readonly number[], n: number): [number, number[]] {
  let least: [number, number[]] = [Number.POSITIVE_INFINITY, []];
  const visit = (path: number[], cost: number): void => {
    const here = path[path.length - 1] as number;
    if (path.length === n) {
      const total = cost + (costs[here * n] as number);
      if (total < least[0]) least = [total, path];
      return;
    }
    for (let next = 1; next < n; next++)
      if (!path.includes(next)) visit([...path, next], cost + (costs[here * n + next] as number));
  };
  visit([0], 0);
  return least;
}

/** All ways to fill a knapsack, in the order of their bits. */
function bestPack(weights: readonly number[], values: readonly number[], room: number): [number, number[]] {
  let best: [number, number[]] = [Number.NEGATIVE_INFINITY, []];
  for (let set = 0; set < 1 << weights.length; set++) {
    const taken = weights.map((_, k) => (set >> (weights.length - 1 - k)) & 1);
    const sum = (of: readonly number[]): number => of.reduce((a, x, k) => a + x * (taken[k] as number), 0);
    if (sum(weights) <= room && sum(values) > best[0]) best = [sum(values), taken];
  }
  return best;
}

describe.each(executors())('$name:', (executor) => {
  const run = (work: Scenario | ForkJoinTask<unknown>, ...args: unknown[]): Promise<unknown> =>
    Promise.resolve().then(() => executor.run(work, ...args));
  const numRuns = executor.cold ? 2 : 12;

  test('a travelling salesman has the least tour of all that cost as little', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 2, max: 6 }),
      fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 36, maxLength: 36 }),
      async (n, numbers) => {
        const costs = numbers.slice(0, n * n);
        const best = sharedBest('min', { solution: n });
        await run(task('tour'), best, sharedArray(Float64Array, costs), n, 0, 1, 0);
        const [cost, path] = leastTour(costs, n);
        expect([best.value, [...(best.solution() as Int32Array)]]).toEqual([cost, path]);
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('a knapsack has the most valuable content, and the least of several', async () => {
    const item = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 5 }));
    const property = fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 30 }),
      async (items, room) => {
        const [weights, values] = [0, 1].map((k) => items.map((one) => one[k] as number)) as [number[], number[]];
        const best = sharedBest('max', { solution: items.length });
        await run(new tasks.Pack(best, weights, values, room, [], 0));
        const [value, taken] = bestPack(weights, values, room);
        expect([best.value, [...(best.solution() as Int32Array)]]).toEqual([value, taken]);
      },
    );
    await fc.assert(property, { numRuns });
  });

  test('it stands in contexts, also of loops in tasks', async () => {
    expect(await run(task('offersInLoop'), sharedBest('min', { solution: 1 }), 40)).toEqual([0, 17]);
  });

  test('asynchronous tasks offer, too', async () => {
    if (executor.name.startsWith('invokeSync')) return;
    const [value, first] = (await run(task('offersLater'), sharedBest('min', { solution: 3 }), 7)) as number[];
    expect(value).toBe(first);
  });
});

describe('many threads that offer at once', () => {
  const pool = new ForkJoinPool({ parallelism: 4 });
  afterAll(() => pool.close());

  test('leave the best of all offers', async () => {
    const best: SharedBest = sharedBest('min', { solution: 3 });
    best.offer(1000, [1000, -1000, 0]);
    const won = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => pool.invoke(task('offers'), best, seed, 2000)));
    expect(best.value).toBe(0);
    expect([...(best.solution() as Int32Array)]).toEqual([0, 0, 0]);
    expect(won.reduce((a: number, b) => a + (b as number), 0)).toBeGreaterThan(0);
  });

  test('are seen by a loop that does nothing but read the value', async () => {
    const [best, words] = [sharedBest('min'), sharedArray(Int32Array, 1)];
    const others = [pool.invoke(task('awaitsOffer'), best, words), pool.invoke(task('offersWhenAwaited'), best, words)];
    expect(await Promise.all(others)).toEqual([1, true]);
  });

  test('of an algorithm on workers', async () => {
    const best = sharedBest('max', { solution: 1 });
    const body = (i: number, { best }: { best: SharedBest }): void => void best.offer(-((i - 123) ** 2), [i]);
    await parallelFor(10_000, body, { pool, context: { best }, threshold: 10 });
    expect([best.value, best.solution()?.[0]]).toEqual([0, 123]);
  });
});
