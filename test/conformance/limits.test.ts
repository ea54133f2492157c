/** Limits in every executor that awaits: never more at once than there are permits, and all are given back, however a task ends. */
import fc from 'fast-check';
import {
  type AsyncForkable,
  CancellationError,
  type Executor,
  type Forkable,
  type ForkJoinTask,
  free,
  type LimitOption,
  parallelInvoke,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelSortBy,
  parallelTopK,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { type Limit, limit, type Pipeline, type TaskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { ARRAY_CALLS, formOf } from '../helpers/array-calls.js';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any> & Record<'NOW' | 'MOST' | 'DONE', number>>('limited.mjs');
const { NOW, MOST, DONE } = tasks;
const of = (name: string): Any => tasks[name] as Any;

const { exitCodeHere } = await fixture<{ exitCodeHere(code: number): number }>('this-thread.mjs');

const poolOf = poolMaker('terminate');
const EXECUTORS: readonly (readonly [string, () => Executor])[] = ofEachKind(
  [
    ['SequentialExecutor', () => new SequentialExecutor()],
    ['a pool of 1', () => poolOf(1)],
    ['a pool of 2', () => poolOf(2)],
    ['a checked pool of 2', () => poolOf(2, { checked: true })],
  ],
  ([name]) => !/of [14]$/.test(name),
);
function freed(length: number): Float64Array {
  const xs = sharedArray(Float64Array, length);
  free(xs);
  return xs;
}

const allFree = (...limits: Limit[]): boolean => limits.every(({ inUse, waiting }) => inUse === 0 && waiting === 0);

describe.each(EXECUTORS)('in %s,', (_, make) => {
  test('no more run at once than there are permits', async () => {
    const executor = make();
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()), { minLength: 1, maxLength: 20 }),
      async (size, jobs) => {
        const shared = limit(size);
        const words = sharedWords();
        const weights = jobs.map(([weight]) => Math.min(weight, size));
        const results = jobs.map(([, waits], k) => {
          const weight = weights[k] as number;
          const option: LimitOption = weight === 1 ? shared : shared.of(weight);
          const work = waits
            ? task(of('countedLater') as unknown as AsyncForkable<unknown[], unknown>, words, weight)
            : task(of('counted'), words, weight, 50);
          return executor.invoke(work, { limit: option });
        });
        expect(await Promise.all(results)).toEqual(weights);
        expect(words[NOW]).toBe(0);
        expect(words[DONE]).toBe(jobs.length);
        expect(words[MOST]).toBeLessThanOrEqual(size);
        expect(allFree(shared)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 15 });
    await executor.close();
  });

  test('a task that fails gives its permits to the next', async () => {
    const executor = make();
    const one = limit(1);
    const words = sharedWords();
    const failed = errorOf(executor.invoke(task(of('fails')), { limit: one }));
    const next = executor.with({ limit: one }).invoke(of('counted'), words, 1, 0);
    expect([(await failed) as unknown, await next]).toEqual([new RangeError('no'), 1]);
    expect(allFree(one)).toBe(true);
    await executor.close();
  });

  test('algorithms wait for their permits, and give them back when their promises settle', async () => {
    const executor = make();
    const one = limit(1);
    const options = { pool: executor, limit: one };
    const xs = new Float64Array([1, 2, 3]);
    const failing = (): number => {
      throw new RangeError('no');
    };
    const items = [{ key: 'b' }, { key: 'a' }];
    const calls = [
      errorOf(parallelMap(xs, failing, options)),
      parallelMap(xs, (x) => 2 * x, options),
      parallelReduce(xs, 'sum', options),
      parallelMap(['a', 'b'], (text) => text + text, { ...options, limit: [one] }),
      parallelSortBy(items, ({ key }) => key, options),
      parallelInvoke([task(of('counted'), sharedWords(), 1, 0)], options),
    ];
    expect(one.inUse).toBe(1);
    expect(one.waiting).toBeGreaterThanOrEqual(calls.length - 2); // in a browser, the one with plain values loads its part first
    const [failure, ...results] = await Promise.all<unknown>(calls);
    expect(failure).toMatchObject({ name: 'RangeError', message: 'no' });
    expect(results).toEqual([new Float64Array([2, 4, 6]), 6, ['aa', 'bb'], [{ key: 'a' }, { key: 'b' }], [1]]);
    expect(allFree(one)).toBe(true);
    await executor.close();
  });
});

test('the signal and the time-out of an algorithm end its wait, and a pool that is closed runs it', async () => {
  const pool = poolOf(2);
  const one = limit(1);
  const xs = new Float64Array([1, 2, 3]);
  const [first, second] = [new AbortController(), new AbortController()];
  const held = errorOf(pool.invoke(task(of('endlessly'), sharedWords()), { limit: one, signal: first.signal }));
  const late = errorOf(parallelReduce(xs, 'sum', { pool, limit: one, timeoutMs: 1 }));
  const aborted = errorOf(parallelReduce(xs, 'sum', { pool, limit: one, signal: second.signal }));
  const last = parallelReduce(xs, 'sum', { pool, limit: one });
  expect(one.waiting).toBe(3);
  expect(await late).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
  second.abort();
  expect(await aborted).toMatchObject({ name: 'AbortError' });
  expect(one.waiting).toBe(1);
  const closed = pool.close();
  first.abort();
  expect(CancellationError.is(await held)).toBe(true);
  expect(await last).toBe(6);
  await closed;
  expect(allFree(one)).toBe(true);
});

test('an algorithm in an asynchronous task waits for permits of a limit that its thread has made', async () => {
  const pool = poolOf(2);
  expect(await pool.invoke(of('limitedMaps') as never)).toEqual([1, 1, [2, 4], [3, 6], true]);
  const error = await pool.invoke(of('mapWithOwn') as never);
  expect(error).toContain('parallelMap: options.limit names limit(1), which this worker has made for itself');
});

test('an algorithm refuses a limit that is none, and in its Sync form', async () => {
  const xs = new Float64Array([1, 2, 3]);
  const double = (x: number): number => 2 * x;
  const refused = 'parallelMap: options.limit must be what limit() of';
  expect(await errorOf(parallelMap(xs, double, { limit: 3 as never }))).toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining(refused),
  });
  expect(() => parallelMapSync(xs, double, { limit: limit(1) } as never)).toThrow(
    'options.limit is of no use to a call that blocks. Use await parallelMap() for it.',
  );
});

describe('a call with wrong arguments is refused at once, and waits for no permits:', () => {
  const refusals = ARRAY_CALLS.map((call) => [call.name, call.how, call] as const);
  const nothing = (): never => {
    throw new Error('called before there was a permit');
  };

  async function refuses(
    calls: (options: object) => readonly (readonly [call: unknown, says: string])[],
  ): Promise<void> {
    const one = limit(1);
    const pool = new SequentialExecutor();
    const held = pool.invoke(task(of('countedLater') as never, sharedWords(), 1), { limit: one });
    const refused = calls({ pool, limit: one });
    expect([one.inUse, one.waiting]).toEqual([1, 0]);
    for (const [call, says] of refused)
      expect(await errorOf(call as Promise<unknown>)).toMatchObject({ message: expect.stringContaining(says) });
    expect(await held).toBe(1);
  }

  test.each(refusals)('%s %s', (_name, _how, call) => {
    const arrays = call.arrays.map(([, times]) => sharedArray(Float64Array, 4 * times));
    return refuses((options) => [
      ...call.arrays.map(([argument], which) => {
        const given = arrays.map((xs, k) => (k === which ? freed(xs.length) : xs));
        return [
          call.call(formOf(call, 'promise'), given, options),
          `${argument} is a shared array that was freed`,
        ] as const;
      }),
      [call.call(formOf(call, 'promise'), arrays, { ...options, fast: true }), 'there is no option "fast"'],
    ]);
  });

  test('of plain values and of items', () =>
    refuses((options) => [
      [parallelMap([1], 7 as never, options), 'fn must be a function'],
      [parallelMap([1], nothing, { ...options, concurrency: 0 }), 'options.concurrency must be'],
      [parallelReduce([1], 'most' as never, options), 'op'],
      [parallelSortBy([{}], 7 as never, options), 'key must be a function'],
      [parallelSortBy([{}], nothing, { ...options, ties: 7 as never }), 'options.ties must be a function'],
      [parallelTopK([{}], -1, { ...options, key: nothing }), 'k must be'],
      [parallelInvoke([task(of('counted'))], { ...options, fast: true } as never), 'there is no option "fast"'],
    ]));
});

test('parallelInvoke refuses a list that is none at once, and takes the tasks that are in it then', async () => {
  const pool = poolOf(1);
  const one = limit(1);
  const stop = new AbortController();
  const held = errorOf(pool.invoke(task(of('endlessly'), sharedWords()), { limit: one, signal: stop.signal }));
  const counted = (): ForkJoinTask<unknown> => task(of('counted'), sharedWords(), 1, 0);
  const list = [counted()];
  const waits = parallelInvoke(list, { pool, limit: one });
  expect(one.waiting).toBe(1);
  list.push(counted());
  const [twice] = list as [ForkJoinTask<unknown>];
  for (const [bad, message] of [
    [7, 'tasks must be an array of tasks'],
    [[counted(), 7], 'tasks[1] must be a task'],
    [[twice, twice], 'tasks[1] is the same task as tasks[0]'],
  ] as const)
    expect(await errorOf(parallelInvoke(bad as never, { pool, limit: one }))).toMatchObject({
      message: expect.stringContaining(message),
    });
  expect(one.waiting).toBe(1);
  stop.abort();
  expect(CancellationError.is(await held)).toBe(true);
  expect(await waits).toEqual([1]);
});

test('one that waits holds no worker', async () => {
  const pool = poolOf(1);
  const one = limit(1);
  const words = sharedWords();
  const waiting = sharedWords();
  const held = pool.invoke(task(of('countedLater') as never, words, 1), { limit: one });
  const next = pool.invoke(task(of('counted'), waiting, 1, 0), { limit: one });
  expect(one.waiting).toBe(1);
  expect(await pool.invoke(of('counted'), sharedWords(), 1, 0)).toBe(1); // the only worker runs it
  expect(await Promise.all([held, next])).toEqual([1, 1]);
});

test('the permits of tasks whose worker dies are given back, and the next ones run on new workers', async () => {
  const pool = poolOf(2);
  const two = limit(2);
  const words = sharedWords();
  const dying = errorOf(pool.invoke(task(of('dies')), { limit: two }));
  const beside = errorOf(pool.invoke(task(of('endless')), { limit: two }));
  const next = [1, 2, 3].map(() => pool.invoke(task(of('counted'), words, 1, 0), { limit: two }));
  expect(await dying).toMatchObject({ name: 'WorkerCrashError', exitCode: exitCodeHere(4) });
  expect(await beside).toMatchObject({ name: 'WorkerCrashError' });
  expect(await Promise.all(next)).toEqual([1, 1, 1]);
  expect(words[MOST]).toBeLessThanOrEqual(2);
  expect(allFree(two)).toBe(true);
});

test('the permits of a task that is cancelled are given back when its workers have ended, and not before', async () => {
  const pool = poolOf(1, { graceMs: 20 });
  const one = limit(1);
  const controller = new AbortController();
  const cancelled = errorOf(pool.invoke(task(of('endless')), { limit: one, signal: controller.signal }));
  const words = sharedWords();
  const next = pool.invoke(task(of('counted'), words, 1, 0), { limit: one });
  await new Promise((resolve) => setTimeout(resolve, 0));
  controller.abort();
  expect(one.inUse).toBe(1);
  expect(await cancelled).toMatchObject({ name: 'AbortError' });
  expect(await next).toBe(1);
  expect(allFree(one)).toBe(true);
});

test('a pool that is terminated ends the wait of all', async () => {
  const pool = poolOf(1);
  const one = limit(1);
  const all = ['endless', 'fails', 'counted'].map((name) => errorOf(pool.invoke(task(of(name)), { limit: one })));
  await pool.terminate();
  for (const error of await Promise.all(all)) expect(error).toMatchObject({ name: 'CancellationError' });
  expect(allFree(one)).toBe(true);
  expect(await errorOf(pool.invoke(task(of('fails')), { limit: one }))).toMatchObject({
    name: 'RejectedExecutionError',
  });
});

test('a module that workers import may make graphs and pipelines with its limit, which are run on the thread of the program', async () => {
  const { ownGraph, ownPipeline } = tasks as unknown as {
    ownGraph: TaskGraph<[Int32Array], number>;
    ownPipeline(pool: Executor, words: Int32Array): Pipeline<number>;
  };
  const pool = poolOf(1);
  const words = sharedWords();
  expect(await ownGraph.with({ pool }).run(words)).toBe(1);
  expect(await ownPipeline(pool, words).toArray()).toEqual([1]);
  expect(await pool.invoke(of('startsOwn'), words)).toEqual([
    expect.stringContaining('limit names limit(1), which this worker has made for itself'),
  ]);
  expect(words[DONE]).toBe(2);
});

test('a limit cannot travel to a worker', async () => {
  const pool = poolOf(1);
  expect(await errorOf(pool.invoke(of('counted'), limit(1)))).toMatchObject({ name: 'NotShareableError' });
  expect(await pool.invoke(of('usesOwn') as never)).toBe(1); // making one at import is no mistake
});
