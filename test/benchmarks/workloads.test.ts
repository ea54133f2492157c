import { ForkJoinPool, sharedArray } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { BareWorkers, sharedByHand } from '../../benchmarks/workloads/bare.js';
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

test.each(loaded.filter(({ byHand }) => byHand !== undefined))(
  '$name: answers right on two bare workers',
  async ({ name, config, byHand }) => {
    const own = config.open(config.small, sharedByHand);
    const workers = new BareWorkers(name, byHand!, own, ['--import', import.meta.resolve('furcate/tsx')]);
    try {
      for (let call = 0; call < 2; call++) {
        const result = await workers.call();
        expect(config.answer(own, result)).toBe(config.expected(own));
        config.restore?.(own);
      }
    } finally {
      await workers.end();
    }
  },
);
