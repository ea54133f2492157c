/** Channels of `node:diagnostics_channel`: monitoring hears what pools do. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ForkJoinPool, parallelMap, sharedArray } from 'furcate';
import { limit, taskGraph } from 'furcate/flows';
import { afterAll, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const { chain, failing, skewed } = (await fixture('profiled.mjs')) as Record<'chain' | 'failing' | 'skewed', Scenario>;
const { endThread } = (await fixture('ends-thread.mjs')) as Record<'endThread', Scenario>;
const pool = new ForkJoinPool({ parallelism: 2, name: 'heard' });
afterAll(() => pool.close());

/** What a channel says while a function runs: a copy of each message. */
async function heard(name: string, run: () => Promise<unknown>, about?: () => object): Promise<object[]> {
  const messages: object[] = [];
  const listener = (message: unknown): void => void messages.push({ ...(message as object), ...about?.() });
  subscribe(`furcate:${name}`, listener);
  try {
    await run();
  } finally {
    unsubscribe(`furcate:${name}`, listener);
  }
  return messages;
}

test('furcate:invoke tells of the begin and the end of each invocation, and of what it failed with', async () => {
  const calls = await heard('invoke', async () => {
    await pool.invoke(chain, 3);
    await pool.invoke(failing, 'no number').catch(() => {});
    await parallelMap(sharedArray(Float64Array, 200_000), (x) => Math.sin(x), { pool });
  });
  const ended = { pool: 'heard', phase: 'end', ms: expect.any(Number), error: undefined };
  const begun = { ...ended, phase: 'begin', ms: undefined };
  expect(calls.slice(0, 2)).toEqual([
    { ...begun, task: 'chain' },
    { ...ended, task: 'chain' },
  ]);
  expect(calls.slice(-2)).toEqual([
    { ...begun, task: 'parallelMap' },
    { ...ended, task: 'parallelMap' },
  ]);
});

test('a run of a graph is called after it, whatever runs in it', async () => {
  const later = async (value: number): Promise<number> => value;
  const orders = taskGraph((g) => g.task(later, g.with({ limit: limit(1) }).task(later, 1)), { name: 'orders' });
  const calls = await heard('invoke', () => orders.with({ pool }).run());
  expect(new Set(calls.map((call) => (call as { task: string }).task))).toEqual(new Set(['taskGraph orders']));
});

test('what fails is told with its error, in the asynchronous context of the caller', async () => {
  const request = new AsyncLocalStorage<string>();
  const run = (): Promise<unknown> =>
    request.run('request 7', () => new ForkJoinPool({ parallelism: 1, name: 'one' }).invoke(endThread).catch(() => {}));
  const [begin, end] = await heard('invoke', run, () => ({ request: request.getStore() }));
  expect(begin).toMatchObject({ phase: 'begin', task: 'endThread', request: 'request 7' });
  expect(end).toMatchObject({ phase: 'end', request: 'request 7', error: { name: 'WorkerCrashError' } });
});

test('furcate:crash tells of workers that died', async () => {
  const single = new ForkJoinPool({ parallelism: 1, name: 'crashing' });
  const crashes = await heard('crash', () => single.invoke(endThread).catch(() => {}));
  await single.close();
  expect(crashes).toEqual([
    { pool: 'crashing', worker: 'worker 1', exitCode: 3, error: undefined, because: undefined },
  ]);
});

test('furcate:steal tells of steals now and then', async () => {
  const samples = await heard('steal', () => pool.invoke(skewed, 5));
  expect(samples).toEqual([
    {
      pool: 'heard',
      ms: undefined,
      stolen: expect.any(Number),
      failedSteals: expect.any(Number),
      emptySteals: expect.any(Number),
    },
  ]);
});

test('nothing is told, and no part is loaded, where nobody listens', async () => {
  expect(channel('furcate:invoke').hasSubscribers).toBe(false);
  await pool.invoke(chain, 3);
});
