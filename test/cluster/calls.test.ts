import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  CancellationError,
  ForkJoinPool,
  parallelReduce,
  RejectedExecutionError,
  TaskRegistrationError,
} from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesIn, Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';
import { unknownFunction, unknownHostFunction } from './unknown-tasks.mjs';

const processes = new Processes();
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  await Promise.all([processes.startHost('A'), processes.startHost('B')]);
  cluster = await connect({ nats: processes.nats });
});

afterAll(async () => {
  await cluster.close();
  await processes.end();
});

describe('a call', () => {
  test('gives the result that a pool gives, of tasks and functions of all kinds', async () => {
    const pool = new ForkJoinPool({ parallelism: 1 });
    const { Sum, square, later, fraction, sumOf } = tasks;
    expect(await cluster.invoke(new Sum(0, 10_000))).toBe(await pool.invoke(new Sum(0, 10_000)));
    expect(await cluster.invoke(square, 12)).toBe(144);
    expect(await cluster.invoke(later, 'x', 1)).toBe('x');
    expect(await cluster.invoke(fraction, 3)).toBe(0.25);
    const values = Float64Array.from({ length: 1000 }, (_, i) => 1 / (i + 1));
    expect(await cluster.invoke(sumOf, 1000)).toBe(await parallelReduce(values, 'sum', { pool }));
    await pool.close();
  });

  test('over items gives their results in order, of any values', async () => {
    const values = fc.array(fc.oneof(fc.double(), fc.string(), fc.bigInt(), fc.date(), fc.constant(undefined)), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(values, async (items) => {
        expect(await cluster.parallelMap(items, tasks.itself)).toEqual(items);
      }),
      { numRuns: 20 },
    );
  });

  test('calls back in the context in which it was made', async () => {
    const storage = new AsyncLocalStorage<string>();
    const stores = new Set<string>();
    const call = (id: string): Promise<unknown> =>
      storage.run(id, () =>
        cluster.parallelMap([1, 2, 3, 4], tasks.square, {
          onProgress: () => void stores.add(`${id} ${storage.getStore()}`),
          at: () => void stores.add(`${id} ${storage.getStore()}`),
        } as never),
      );
    await Promise.all(['a', 'b', 'c'].map(call));
    expect([...stores].sort()).toEqual(['a a', 'b b', 'c c']);
  });

  test('is shared by the hosts', async () => {
    const folder = processes.newFolder();
    const hosts = await cluster.parallelMap(
      [2, 2, 2].map((count): [string, number] => [folder, count]),
      tasks.meet,
    ); // a host takes two jobs at most
    expect(new Set(hosts)).toEqual(new Set(['A', 'B']));
  });

  test('reduces in the tree of parallelReduce on one machine', async () => {
    const items = Array.from({ length: 150 }, (_, k) => k);
    const add = (a: number, b: number): number => a + b;
    const local = await parallelReduce(items, (a, b) => a + b, 0, { map: (k) => 1 / (k + 1) });
    expect(await cluster.parallelReduce(items, tasks.fraction, add)).toBe(local);
  });

  test('of a task with split and combine is shared by the hosts, and gives the bits of a pool', async () => {
    const { Fractions } = tasks;
    const folder = processes.newFolder();
    const pool = new ForkJoinPool({ parallelism: 1 });
    const local = await pool.invoke(new Fractions(0, 10_000, ''));
    await pool.close();
    expect(await cluster.invoke(new Fractions(0, 10_000, folder))).toBe(local);
    expect(readdirSync(folder).length).toBeGreaterThanOrEqual(64);
  });

  test('that is checked fails where combine() and compute() of a task differ', async () => {
    const checked = await connect({ nats: processes.nats, checked: true });
    const { Fractions, Careless } = tasks;
    expect(await checked.invoke(new Fractions(0, 1000, ''))).toBeGreaterThan(7);
    const careless = checked.invoke(new Careless(0, 1000, ''));
    await expect(careless).rejects.toThrow(
      /checked: Careless gives [\d.]+ by compute\(\), and [\d.]+ by combine\(\) of its 2 parts/,
    );
    await checked.close();
  });

  test('tells how many items are done', async () => {
    const seen: number[][] = [];
    await cluster.parallelMap([1, 2, 3], tasks.square, { onProgress: (...progress) => seen.push(progress) });
    expect(seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  test('whose onProgress throws fails with that', async () => {
    const onProgress = (): never => {
      throw new RangeError('enough');
    };
    await expect(cluster.parallelMap([1, 2, 3], tasks.square, { onProgress })).rejects.toThrow(RangeError);
  });

  test('with a run id does again what has other arguments, and not what a call before it has left', async () => {
    const folder = processes.newFolder();
    const keys = (count: number): [string, number][] => Array.from({ length: count }, (_, k) => [folder, k]);
    const failing = cluster.parallelMap([...keys(3), null as never], tasks.counted, { run: 'nightly' });
    await expect(failing).rejects.toThrow(TypeError);
    expect(await cluster.parallelMap(keys(4), tasks.counted, { run: 'nightly' })).toEqual([0, 1, 4, 9]);
    expect(await cluster.parallelMap([[folder, 7]], tasks.counted, { run: 'nightly' })).toEqual([49]);
  });
});

describe('a call fails', () => {
  test('with what a task has thrown, and takes the rest back', async () => {
    const items = Array.from({ length: 50 }, () => 'no');
    const failure = await cluster.parallelMap(items, tasks.fails).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RangeError);
    expect(failure).toHaveProperty('message', 'no');
  });

  test('when no host knows the name, and says what hosts know', async () => {
    const unknownTask = cluster.invoke(unknownFunction, 1);
    await expect(unknownTask).rejects.toSatisfy(TaskRegistrationError.is);
    await expect(unknownTask).rejects.toThrow(/no function 'unknownFunction'\. It has 'square'/);
    const unknownCall = cluster.invoke(unknownHostFunction, 1);
    await expect(unknownCall).rejects.toSatisfy(TaskRegistrationError.is);
    await expect(unknownCall).rejects.toThrow(/no host function 'unknownHostFunction'\. It has 'where'/);
  });

  test('for arguments that cannot cross, and work that no host can run', async () => {
    await expect(cluster.invoke(tasks.itself, () => 1)).rejects.toThrow(/the argument of host function 'itself'/);
    await expect(cluster.invoke((() => 1) as never)).rejects.toThrow(/cluster\.invoke\(\) takes a task/);
    await expect(cluster.parallelMap([1], 'square' as never)).rejects.toThrow(/fn must be a function/);
  });

  test('for options that it does not have', async () => {
    const options: [object, RegExp][] = [
      [{ retries: 1 }, /no option 'retries'\. It has: run, signal, timeoutMs, jobTimeoutMs, limit, at, onProgress/],
      [{ run: 7 }, /options\.run must be a text/],
      [{ run: 'x'.repeat(1025) }, /options\.run must have 1024 characters or less.*it has 1025\. Use a digest/],
      [{ run: 'é'.repeat(500) }, /options\.run must have 1024 characters or less/],
      [{ signal: 1 }, /options\.signal must be an AbortSignal/],
      [{ timeoutMs: -1 }, /options\.timeoutMs must be 0 milliseconds or more/],
      [{ onProgress: 1 }, /options\.onProgress must be a function/],
    ];
    for (const [given, message] of options)
      await expect(cluster.parallelMap([1], tasks.square, given)).rejects.toThrow(message);
  });
});

describe('a call is cancelled', () => {
  /** Two hosts with one thread each, which take one job more while they see idle cores. */
  const MOST_AT_ONCE = 4;

  /** Jobs that begin on both hosts, and many more that wait. */
  async function begun(options: object): Promise<{ folder: string; call: Promise<unknown> }> {
    const folder = processes.newFolder();
    const call = cluster.parallelMap(new Array<string>(100).fill(folder), tasks.runsUntilAborted, options);
    call.catch(() => {});
    return { folder, call };
  }

  test('by its signal: what runs is aborted, and what waits never begins', async () => {
    for (let run = 0; run < 20; run++) {
      const controller = new AbortController();
      const { folder, call } = await begun({ signal: controller.signal });
      await entriesIn(folder, 'begun', 2);
      controller.abort('enough');
      await expect(call).rejects.toMatchObject({ name: 'AbortError', reason: 'signal', cause: 'enough' });
      await entriesIn(folder, 'aborted', 2);
      expect(await cluster.invoke(tasks.square, 3)).toBe(9); // the hosts are free
      const names = readdirSync(folder);
      expect(names.filter((name) => name.startsWith('begun')).length).toBeLessThanOrEqual(MOST_AT_ONCE);
    }
  });

  test('by its time limit', async () => {
    const { call } = await begun({ timeoutMs: 300 });
    await expect(call).rejects.toSatisfy(CancellationError.is);
    await expect(call).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('by a signal that is aborted already, before anything is submitted', async () => {
    const { folder, call } = await begun({ signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a cluster that is closed ends what it has, and takes no more', async () => {
  const closing = await connect({ nats: processes.nats });
  const call = closing.invoke(tasks.square, 5);
  const closed = closing.close();
  await expect(closing.invoke(tasks.square, 5)).rejects.toSatisfy(RejectedExecutionError.is);
  await closed;
  expect(await call).toBe(25);
});

test('a cluster that is terminated cancels what it has', async () => {
  const ending = await connect({ nats: processes.nats });
  const folder = processes.newFolder();
  const call = ending.invoke(tasks.runsUntilAborted, folder);
  call.catch(() => {});
  await entriesIn(folder, 'begun', 1);
  await ending.terminate();
  await expect(call).rejects.toMatchObject({ name: 'CancellationError', reason: 'terminate' });
  await entriesIn(folder, 'aborted', 1);
});

test('clients and hosts of one application do not see those of another', async () => {
  const other = await connect({ nats: processes.nats, app: 'other app' });
  const call = other.invoke(tasks.where, 0);
  const host = await processes.startHost('C', '--app', 'other app');
  expect(await call).toBe('C');
  await other.close();
  expect(await host.end('SIGTERM')).toBe(0);
});

test('a host does not start the program that its module is', async () => {
  const module = join(TASKS, '../program-and-tasks.mjs');
  const host = await processes.startHost('P', module, '--app', 'program');
  expect(host.output).toMatch(/calls connect\(\) at the top level; that call does nothing there/);
  const program = processes.startProgram('program-and-tasks.mjs');
  await program.says(/the program has 42/);
});

describe('connecting fails', () => {
  test('where no server is', async () => {
    await expect(connect({ nats: '127.0.0.1:1' })).rejects.toThrow(/furcate: no NATS server answers at 127\.0\.0\.1:1/);
  });

  test('where the server runs without JetStream', async () => {
    const without = new Processes();
    await without.startServer({ hasJetStream: false });
    await expect(connect({ nats: without.nats })).rejects.toThrow(/runs without JetStream\. Start it with -js/);
    await without.end();
  });
});
