/** A promise that is refused is nobody's any more: its rejection ends no thread, and nothing beside it. */
import { type Forkable, ForkJoinPool, parallelMap, parallelReduce, SequentialExecutor } from 'furcate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { onUnhandledRejection } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any>>('refused.mjs');
const pool = new ForkJoinPool({ parallelism: 1 });
const unhandled: unknown[] = [];

let stop = (): void => {};

beforeAll(() => {
  stop = onUnhandledRejection((error) => void unhandled.push(error));
});
afterAll(() => {
  stop();
  return pool.close();
});

/** Checks that no rejection was left, on the worker or here. */
async function expectNoneLeft(): Promise<void> {
  expect(await pool.invoke(tasks['turn'] as Any)).toBe('turned'); // a worker with an unhandled rejection ends in its turn
  await new SequentialExecutor().invoke(tasks['turn'] as Any);
  expect(unhandled).toEqual([]);
}

describe.each([
  ['a call', 'called', /called returned a promise/],
  ['a fork', 'forked', /called returned a promise/],
  ['a fork that nobody joins', 'unjoined', /called returned a promise/],
  ['a task class', 'computes', /Computes returned a promise/],
  ['blocking()', 'blocks', /the function given to blocking\(\) returned a promise/],
  ['workerLocal()', 'getsLocal', /init of workerLocal\(\) returned a promise/],
  ['a thenable that throws', 'hostile', /hostile returned a promise/],
])('%s', (_, name, message) => {
  const task = tasks[name] as Any;
  test.each([
    ['in a pool', () => pool.invoke(task)],
    ['under invokeSync', async () => pool.invokeSync(task)],
    ['in a SequentialExecutor', () => new SequentialExecutor().invoke(task)],
  ])('%s', async (__, call) => {
    expect(await errorOf(call())).toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) });
    await expectNoneLeft();
  });
});

test('a result that holds promises', async () => {
  expect(await errorOf(pool.invoke(tasks['holds'] as Any))).toMatchObject({ name: 'NotShareableError' });
  await expectNoneLeft();
});

const fails = (): never => Promise.reject(new Error('nobody awaits this')) as never;
const items = Array.from({ length: 10 }, (_, id) => ({ id }));

describe.each([
  ['on a worker', { pool, threshold: 1, graceMs: 1e6 }],
  ['on the caller', { pool, threshold: 1e9 }],
])('a function over plain values, %s', (_, options) => {
  test.each([
    ['the op of parallelReduce', () => parallelReduce(items, fails, items[0], options)],
    ['a forkable', () => parallelMap(items, tasks['called'] as never, options as object)],
  ])('%s', async (__, call) => {
    expect(await errorOf(call())).toMatchObject({ message: expect.stringMatching(/promise|is a Promise/i) });
    await expectNoneLeft();
  });
});

interface Promising {
  readonly USES: readonly (readonly [called: string, use: unknown])[];
  readonly FUNCTIONS: Record<string, unknown>;
  readonly use: (at: number, form: '' | 'Sync', kind: string, n: number, options: object) => unknown;
  readonly useAll: Any;
}
const { USES, FUNCTIONS, use, useAll } = await fixture<Promising>('promising.mjs');
const pair = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pair.close());

/** What an error says of a function; those on the calling thread may be called with the name of the form. */
const refusal = (called: string): RegExp =>
  new RegExp(
    `^(TypeError: )?furcate: ${called}(Sync)? returned a promise, which nothing would wait for. Await what it`,
  );

const LENGTHS = [1, 2, 11, 300, 40_000];
const PLACES: readonly (readonly [where: string, form: '' | 'Sync', options: object])[] = [
  ['on a worker', '', { pool, threshold: 1, graceMs: 1e6 }],
  ['on two workers', '', { pool: pair, threshold: 1, graceMs: 1e6 }],
  ['where it is cheapest', '', { pool }],
  ['on the caller', '', { pool, threshold: 1e9 }],
  ...(mayBlock ? ([['on the caller, in a Sync form', 'Sync', { pool }]] as const) : []),
];

describe.each(Object.keys(FUNCTIONS))('a function of an algorithm gives %s', (kind) => {
  test.each(USES.map(([called], at) => [called, at] as const))('%s (%i)', async (called, at) => {
    for (const [where, form, options] of PLACES) {
      for (const n of LENGTHS) {
        const error = await errorOf((async () => use(at, form, kind, n, options))());
        const context = `${where}, of ${n}`;
        expect(error, context).toMatchObject({ name: 'TypeError', message: expect.stringMatching(refusal(called)) });
      }
    }
    await pair.broadcast(tasks['turn'] as never);
    await expectNoneLeft();
  });

  test.each([
    ['in a pool', (n: number) => pool.invoke(useAll, kind, n)],
    ['in a pool of two', (n: number) => pair.invoke(useAll, kind, n)],
    ['in a SequentialExecutor', (n: number) => new SequentialExecutor().invoke(useAll, kind, n)],
  ])('in a task, %s', async (_, run) => {
    for (const n of LENGTHS)
      expect(await run(n)).toEqual(USES.map(([called]) => expect.stringMatching(refusal(called))));
    await pair.broadcast(tasks['turn'] as never);
    await expectNoneLeft();
  });
});
