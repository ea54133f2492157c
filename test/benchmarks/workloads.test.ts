import { ForkJoinPool, sharedArray } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { loadWorkload, type Make, workloadNames } from '../../benchmarks/workloads/workload.js';

const pool = new ForkJoinPool({ parallelism: 2, preload: ['furcate/tsx'] });
afterAll(() => pool.close());

const loaded = await Promise.all(workloadNames().map(async (name) => ({ name, ...(await loadWorkload(name)) })));

describe.each(loaded)('$name', ({ config, sequential, ways }) => {
  const input = config.open(config.small, sharedArray as Make);
  const answered = (result: unknown): void => {
    expect(config.answer(input, result)).toBe(config.expected(input));
    config.restore?.(input);
  };

  test('answers right on one thread', () => answered(sequential(input)));

  test.each(Object.entries(ways))('answers right on two threads %s', async (_, way) => {
    answered(await way(input, pool));
  });
});
