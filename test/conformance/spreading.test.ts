/** Asynchronous tasks that begin together spread over the workers that are free: none of them is left to one worker, which would compute for all. */
import type { AsyncForkable } from 'furcate';
import { taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';

const { waits, forks } = await fixture<Record<'waits' | 'forks', AsyncForkable<unknown[], unknown>>>('spreading.mjs');
const poolOf = poolMaker('close');

/** So many that a worker which is late by a tenth of a second gets its share. */
const COUNT = 400;
/** How long each waits (ms). */
const MS = 5;

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
  test.each(Object.keys(WAYS))('%s', async (way) => {
    const pool = poolOf(2, { checked });
    await pool.broadcast(waits, 0);
    const ids = (await WAYS[way]?.(pool)) as string[];
    const shares = [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
    expect(shares).toHaveLength(2);
    expect(Math.min(...shares)).toBeGreaterThan(COUNT / 10);
  });
});
