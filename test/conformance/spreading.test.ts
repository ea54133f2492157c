/** Asynchronous tasks that begin together spread over the workers that are free: none of them is left to one worker, which would compute for all. */
import type { AsyncForkable } from 'furcate';
import { taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';

const { waits, forks } = await fixture<Record<'waits' | 'forks', AsyncForkable<unknown[], unknown>>>('spreading.mjs');
const poolOf = poolMaker('close');

const COUNT = 100;
/** How long each waits (ms). */
const MS = 5;
/** How often: a machine that is busy may keep one worker from its share now and then, but not in most rounds. */
const ROUNDS = 7;

const WAYS: Readonly<Record<string, (pool: ReturnType<typeof poolOf>) => Promise<unknown>>> = {
  'nodes of a graph': (pool) =>
    taskGraph((g) => g.all(Array.from({ length: COUNT }, () => g.task(waits, MS))))
      .with({ pool })
      .run(),
  'forks that are joined at once': (pool) => pool.invoke(forks, COUNT, MS, true),
  'forks that are joined one after the other': (pool) => pool.invoke(forks, COUNT, MS, false),
  invocations: (pool) => Promise.all(Array.from({ length: COUNT }, () => pool.invoke(waits, MS))),
};

describe.each([false, true])('checked: %s,', (checked) => {
  test.each(Object.entries(WAYS))('%s', async (_, run) => {
    const pool = poolOf(2, { checked });
    await pool.broadcast(waits, 0);
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [first, ...others] = (await run(pool)) as string[];
      const ofFirst = 1 + others.filter((id) => id === first).length;
      shares.push(Math.min(ofFirst, COUNT - ofFirst));
    }
    expect(shares.sort((a, b) => a - b)[ROUNDS >> 1]).toBeGreaterThan(COUNT / 10);
  });
});
