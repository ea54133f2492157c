/** Asynchronous tasks that begin together, and nodes beside them, spread over the workers that are free: they are not left to one worker, which would compute for all. */
import type { AsyncForkable, Forkable } from 'furcate';
import { taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';

const { waits, forks, computes, passes } = await fixture<
  Record<'waits' | 'forks' | 'passes', AsyncForkable<unknown[], unknown>> & { computes: Forkable<[number], string> }
>('spreading.mjs');
const poolOf = poolMaker('close');

const COUNT = 100;
/** How long each waits (ms). */
const MS = 5;
/** How often: a machine that is busy may keep one worker from its share now and then, but not in most rounds. */
const ROUNDS = 7;

type Ways = Readonly<Record<string, (pool: ReturnType<typeof poolOf>) => Promise<unknown>>>;

/** Here a thread that asks for more always gets it: a tenth is what the other thread gets where one of them has all, but for hooks. */
const COMPUTING: Ways = {
  'nodes that compute, in a graph with one that waits': (pool) =>
    taskGraph((g) => g.task(passes, g.all(Array.from({ length: COUNT }, () => g.task(computes, MS / 10)))))
      .with({ pool })
      .run(),
};

const WAYS: Ways = {
  ...COMPUTING,
  'nodes of a graph': (pool) =>
    taskGraph((g) => g.all(Array.from({ length: COUNT }, () => g.task(waits, MS))))
      .with({ pool })
      .run(),
  'forks that are joined at once': (pool) => pool.invoke(forks, COUNT, MS, true),
  'forks that are joined one after the other': (pool) => pool.invoke(forks, COUNT, MS, false),
  invocations: (pool) => Promise.all(Array.from({ length: COUNT }, () => pool.invoke(waits, MS))),
};

describe.each([false, true])('checked: %s,', (checked) => {
  test.each(Object.entries(WAYS))('%s', async (name, run) => {
    const pool = poolOf(2, { checked });
    await pool.broadcast(waits, 0);
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [first, ...others] = (await run(pool)) as string[];
      const ofFirst = 1 + others.filter((id) => id === first).length;
      shares.push(Math.min(ofFirst, COUNT - ofFirst));
    }
    expect(shares.sort((a, b) => a - b)[ROUNDS >> 1]).toBeGreaterThan(COUNT / (name in COMPUTING ? 5 : 10));
  });
});
