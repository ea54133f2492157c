/**
 * Where everything runs on the thread that calls, a call can be ended all the same: the event loop turns between the blocks of an algorithm,
 * and forks and checkpoints look at the clock. None of the calls below would end by itself.
 */
import type { AsyncTask, Executor } from 'furcate';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';

type Furcate = typeof import('furcate');
type Task = Parameters<Furcate['task']>[0];

vi.stubGlobal('crossOriginIsolated', false);
vi.stubGlobal('SharedArrayBuffer', undefined);
const furcate = await import('furcate');
const endless = (await fixture('endless.mjs')) as unknown as Record<string, Task> & {
  readonly aborter: { controller: AbortController };
};
afterAll(() => vi.unstubAllGlobals());

const { taskGraph } = await import('furcate/flows');
const {
  ForkJoinPool,
  parallelFor,
  parallelHistogram,
  parallelInvoke,
  parallelMap,
  parallelReduce,
  parallelSome,
  SequentialExecutor,
  task,
} = furcate;
const works = (): Task => task(endless.works as Task);
/** So many tasks that take a quarter of a millisecond each. */
const MANY = 2_000;
const FOR_EVER = Number.MAX_SAFE_INTEGER;
const doNothing = (): void => {};
/** Not recognised by its text, and slow. */
const slowSum = (a: number, b: number): number => {
  for (let i = 0; i < 1e4; i++) a += i % 3;
  return a + b;
};
const slowBin = (x: number): number => {
  for (let i = 0; i < 1e4; i++) x += i % 3;
  return x < 0 ? 1 : 0;
};
const slowTest = (x: number): boolean => {
  for (let i = 0; i < 1e4; i++) x += i % 3;
  return x < 0;
};

const makers: readonly { readonly name: string; make(): Executor }[] = [
  { name: 'a sequential executor', make: () => new SequentialExecutor() },
  { name: 'a pool without shared memory', make: () => new ForkJoinPool({ parallelism: 4 }) },
];
const calls: Readonly<Record<string, (options: object) => Promise<unknown>>> = {
  'a loop': (options) => parallelFor(FOR_EVER, doNothing, options),
  'a reduction': (options) => parallelReduce(new Float64Array(1e6), slowSum, 0, options),
  'a search': (options) => parallelSome(new Float64Array(1e6), slowTest, options),
  'a histogram': (options) => parallelHistogram(new Float64Array(1e6), slowBin, { bins: 2, ...options }),
  'a graph': (options) =>
    taskGraph((g) => g.all(Array.from({ length: MANY }, () => g.task(endless.works as never))))
      .with(options)
      .run(),
  'parallelInvoke of many tasks': (options) => parallelInvoke(Array.from({ length: MANY }, works) as never, options),
  'a map of plain values': (options) =>
    parallelMap(
      (function* () {
        for (;;) yield 1;
      })(),
      (x: number) => x,
      options,
    ),
};

describe.each(makers)('on $name', ({ make }) => {
  const pool = make();
  afterAll(() => pool.close());

  describe.each(Object.entries(calls))('%s', (_, call) => {
    test('ends when its time is up', async () => {
      await expect(call({ pool, timeoutMs: 20 })).rejects.toMatchObject({
        name: 'CancellationError',
        reason: 'timeout',
      });
    });

    test('ends when a timer aborts its signal', async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort('enough'), 1);
      const aborted = call({ pool, signal: controller.signal });
      await expect(aborted).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
    });
  });

  test('progress is reported while a call runs, and what onProgress throws ends it', async () => {
    const seen: number[] = [];
    const onProgress = (done: number): void => {
      seen.push(done);
      if (seen.length === 3) throw new RangeError('seen enough');
    };
    await expect(parallelFor(FOR_EVER, doNothing, { pool, onProgress })).rejects.toThrow('seen enough');
    expect(seen).toHaveLength(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test.each(['checks', 'forks', 'loops', 'waits'])('a task that %s ends when its time is up', async (name) => {
    const invoked = pool.invoke(
      (task as unknown as (fn: unknown, n: number) => AsyncTask<unknown>)(endless[name], 60),
      { timeoutMs: 20 },
    );
    await expect(invoked).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('a race of tasks that never end is over when its time is up', async () => {
    const tasks = [task(endless.checks as Task), task(endless.checks as Task)];
    await expect(pool.invokeAny(tasks, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('a race ends when a timer aborts its signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 1);
    const tasks = Array.from({ length: MANY }, () => task(endless.fails as Task));
    const aborted = pool.invokeAny(tasks, { signal: controller.signal });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
  });

  test('what nodes of a graph fork and do not join is done when the graph is', async () => {
    const said = new Int32Array(1);
    await taskGraph((g) => g.task(endless.leavesForks as never, said as never))
      .with({ pool })
      .run();
    expect(said[0]).toBe(3);
  });

  test('a task that makes light of its end rejects all the same', async () => {
    const invoked = pool.invoke(task(endless.persists as Task), { timeoutMs: 5 });
    await expect(invoked).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('a task may abort its own signal', async () => {
    const controller = new AbortController();
    endless.aborter.controller = controller;
    const invoked = pool.invoke(task(endless.abortsItself as Task), { signal: controller.signal });
    await expect(invoked).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
  });

  test('calls that wait for another one end as soon as they are cancelled', async () => {
    const first = new AbortController();
    const running = parallelFor(FOR_EVER, doNothing, { pool, signal: first.signal });
    await expect(parallelFor(FOR_EVER, doNothing, { pool, timeoutMs: 1 })).rejects.toMatchObject({ reason: 'timeout' });
    first.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('an urgent call runs before one that has begun', async () => {
    const controller = new AbortController();
    const running = parallelFor(FOR_EVER, doNothing, { pool, signal: controller.signal });
    await parallelFor(1000, doNothing, { pool, priority: 'high' });
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('close() resolves when the promises of all calls have settled', async () => {
    const executor = make();
    const settled: string[] = [];
    const note = (what: string) => (): void => void settled.push(what);
    void parallelFor(1e5, doNothing, { pool: executor }).then(note('loop'));
    void parallelReduce(new Float64Array(1e5), slowSum, 0, { pool: executor, timeoutMs: 10 }).catch(note('reduction'));
    void executor.invoke(task(endless.persists as Task), { timeoutMs: 1 }).catch(note('task'));
    await executor.close();
    expect(settled.sort()).toEqual(['loop', 'reduction', 'task']);
  });
});

test('terminate() ends a call that runs, and one that waits', async () => {
  const pool = new ForkJoinPool();
  const ends = [1, 2].map(() =>
    expect(parallelFor(FOR_EVER, doNothing, { pool })).rejects.toMatchObject({ reason: 'terminate' }),
  );
  await turn();
  await pool.terminate();
  await Promise.all(ends);
});

test('maxQueue refuses a call more than may wait, and counts no asynchronous task', async () => {
  const pool = new ForkJoinPool({ maxQueue: 1 });
  const ends = new AbortController();
  const call = (): Promise<void> => parallelFor(FOR_EVER, doNothing, { pool, signal: ends.signal });
  const waits = expect(pool.invoke(task(endless.waits as Task), { timeoutMs: 20 })).rejects.toThrow('timeoutMs');
  const taken = [call(), call()].map((taken) => expect(taken).rejects.toThrow('aborted'));
  const refused = { name: 'RejectedExecutionError', message: expect.stringContaining('maxQueue = 1') };
  await expect(call()).rejects.toMatchObject(refused);
  await expect(pool.invoke(task(endless.checks as Task))).rejects.toMatchObject(refused);
  await expect(parallelMap(['a'], (text) => text, { pool })).rejects.toMatchObject(refused);
  ends.abort();
  await Promise.all([...taken, waits]);
  expect(await parallelMap(['a'], (text) => text, { pool })).toEqual(['a']);
  await pool.close();
});
