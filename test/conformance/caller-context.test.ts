/** Every callback of a call runs in the asynchronous context of the call, whoever else uses the pool at the same time. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import {
  type Executor,
  ForkJoinPool,
  parallelFilter,
  parallelFor,
  parallelForEach,
  parallelMap,
  parallelReduce,
  parallelSortBy,
  parallelTabulate,
  SequentialExecutor,
} from 'furcate';
import { limit, merge, pipeline, taskGraph, zip } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const storage = new AsyncLocalStorage<string>();
const { reportsAll } = await fixture<{ reportsAll: Scenario }>('in-context.mjs');

const pool = new ForkJoinPool({ parallelism: 2 });
const sequential = new SequentialExecutor();
afterAll(() => pool.close());

/** Notes that a callback has run. */
type Hear = <R>(what: string, result: R) => R;

/** One call, which uses callbacks. */
type Call = (executor: Executor, hear: Hear) => Promise<unknown>;

const items = (n: number): Uint8Array[] => Array.from({ length: n }, (_, i) => Uint8Array.of(i % 256));

/** An iterable that tells when it is read and closed. */
function* heard(n: number, hear: Hear): Generator<Uint8Array> {
  try {
    for (const item of items(n)) yield hear('next', item);
  } finally {
    hear('return', undefined);
  }
}

/** A source that lets its reader wait. */
async function* late(n: number, hear: Hear): AsyncGenerator<number> {
  for (let i = 0; i < n; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield hear('next', i);
  }
}

const shared = limit(1);

/** Calls by what they use. `hears` are the callbacks that run. */
const CALLS: readonly [name: string, hears: readonly string[], call: Call][] = [
  [
    'onReport of invoke',
    ['onReport'],
    (executor, hear) => executor.with({ onReport: () => hear('onReport', undefined) }).invoke(reportsAll, 5),
  ],
  [
    'onReport of an invocation that waits for permits',
    ['onReport'],
    (executor, hear) =>
      executor.with({ limit: shared, onReport: () => hear('onReport', undefined) }).invoke(reportsAll, 5),
  ],
  [
    'onProgress of a loop',
    ['onProgress'],
    (executor, hear) =>
      parallelFor(300_000, () => {}, { pool: executor, onProgress: () => hear('onProgress', undefined) }),
  ],
  [
    'onProgress and transfer of parallelMap',
    ['onProgress', 'transfer'],
    (executor, hear) =>
      parallelMap(items(200), (bytes) => bytes.length, {
        pool: executor,
        onProgress: () => hear('onProgress', undefined),
        transfer: (bytes) => [hear('transfer', bytes).buffer],
      }),
  ],
  [
    'iterables of functions over plain values',
    ['next', 'return'],
    async (executor, hear) => {
      await parallelForEach(heard(100, hear), () => {}, { pool: executor });
      await parallelFilter(heard(100, hear), () => true, { pool: executor });
      await parallelReduce(late(20, hear), (a, b) => a + b, 0, { pool: executor });
    },
  ],
  [
    'onProgress of a graph, and of a graph with permits',
    ['onProgress'],
    async (executor, hear) => {
      const how = { pool: executor, onProgress: () => hear('onProgress', undefined) };
      await taskGraph((g) => g.all([g.task(reportsAll, 5), g.task(reportsAll, 3)]))
        .with(how)
        .run();
      await taskGraph((g) => g.with({ limit: shared }).task(reportsAll, g.with({ limit: shared }).task(reportsAll, 1)))
        .with(how)
        .run();
    },
  ],
  [
    'getters of items that a sort reads',
    ['key'],
    (executor, hear) => {
      const items = Array.from({ length: 300 }, (_, k) => ({
        get key() {
          return hear('key', -k);
        },
      }));
      return parallelSortBy(items, ({ key }) => key, { pool: executor });
    },
  ],
  [
    'onProgress of parallelTabulate',
    ['onProgress'],
    (executor, hear) =>
      parallelTabulate(Float64Array, 300_000, (i) => i, {
        pool: executor,
        onProgress: () => hear('onProgress', undefined),
      }),
  ],
  [
    'ties of a sort that gives turns',
    ['ties'],
    (executor, hear) =>
      parallelSortBy(
        Array.from({ length: 20_000 }, (_, k) => `${k % 3}`),
        (text) => text,
        { pool: executor, ties: () => hear('ties', 0) },
      ),
  ],
  [
    'onProgress of a pipeline, and its sources',
    ['next', 'return', 'onProgress'],
    (executor, hear) =>
      pipeline(merge(zip(heard(300, hear), heard(300, hear)), late(50, hear)), {
        pool: executor,
        onProgress: () => hear('onProgress', undefined),
      })
        .map(async (item) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return item;
        })
        .toArray(),
  ],
  [
    'uniqueBy of expand',
    ['uniqueBy'],
    (executor, hear) =>
      pipeline([1, 2, 3, 4], { pool: executor })
        .expand(
          (x: number, feed: { add(x: number): void }) => {
            if (x < 50) feed.add(x + 4);
            return x;
          },
          { uniqueBy: (x) => hear('uniqueBy', x) },
        )
        .toArray(),
  ],
  [
    'source, transfer and sink of a pipeline with a paused generator',
    ['next', 'return', 'transfer', 'write'],
    (executor, hear) =>
      pipeline(heard(60, hear), { pool: executor, inFlight: 4 })
        .map((bytes) => bytes, { transfer: (bytes) => [hear('transfer', bytes).buffer], limit: shared })
        .flatMap(function* (bytes) {
          for (let i = 0; i < 20; i++) yield bytes;
        })
        .map((bytes) => bytes, { transfer: (bytes) => [hear('transfer', bytes).buffer] })
        .pipeTo(new WritableStream({ write: () => hear('write', undefined) })),
  ],
];

/** Runs the same call for several requests at once, each in a context of its own. */
async function requests(executor: Executor, call: Call): Promise<{ heard: Set<string>; wrong: string[] }> {
  const all = new Set<string>();
  const wrong: string[] = [];
  const run = (id: string): Promise<unknown> =>
    storage.run(id, () =>
      call(executor, (what, result) => {
        all.add(what);
        const found = storage.getStore();
        if (found !== id) wrong.push(`${what} of ${id} ran as ${String(found)}`);
        return result;
      }),
    );
  await Promise.all(['a', 'b', 'c'].map(run));
  return { heard: all, wrong };
}

describe.each([
  ['a pool', pool],
  ['a sequential executor', sequential],
])('in %s', (_, executor) => {
  test.each(CALLS)('%s', async (_name, hears, call) => {
    const { heard: all, wrong } = await requests(executor, call);
    expect(wrong).toEqual([]);
    const isHere = executor === sequential;
    for (const what of hears) if (!isHere || what !== 'transfer') expect(all).toContain(what);
  });

  test('functions that run on this thread', async () => {
    const wrong: string[] = [];
    Object.assign(globalThis, { furcateTestStore: () => storage.getStore() });
    const run = (id: string): Promise<unknown> =>
      storage.run(id, async () => {
        const seen = await parallelMap(
          Array.from({ length: 50 }, (_, i) => i),
          () => (globalThis as { furcateTestStore?: () => unknown }).furcateTestStore?.() ?? 'elsewhere',
          { pool: executor },
        );
        for (const store of seen) if (store !== id && store !== 'elsewhere') wrong.push(`${id}: ${String(store)}`);
      });
    await Promise.all(['a', 'b', 'c'].map(run));
    expect(wrong).toEqual([]);
  });

  test('the end of a source when another request aborts the signal, or ends the pool', async () => {
    const controller = new AbortController();
    const wrong: unknown[] = [];
    const read = storage.run('reader', async () => {
      async function* forever(): AsyncGenerator<number> {
        for (let i = 0; ; i++) {
          await new Promise((resolve) => setImmediate(resolve));
          yield i;
        }
      }
      const source = forever();
      const closing = {
        [Symbol.asyncIterator]: () => ({
          next: () => source.next(),
          return: () => {
            if (storage.getStore() !== 'reader') wrong.push(storage.getStore());
            return source.return(undefined);
          },
        }),
      };
      await pipeline(closing, { pool: executor, signal: controller.signal })
        .map((x) => x)
        .toArray();
    });
    const ended = read.catch((error: Error) => error.name);
    storage.run('other', () => setImmediate(() => controller.abort()));
    expect(await ended).toBe('AbortError');
    expect(wrong).toEqual([]);
  });
});

test('createWorker runs in the context in which the pool was made, and not in that of the call that needs workers first', async () => {
  const stores: unknown[] = [];
  const own = storage.run(
    'maker',
    () =>
      new ForkJoinPool({
        parallelism: 1,
        createWorker: () => {
          stores.push(storage.getStore());
          return new Worker(new URL('../fixtures/plain-worker.mjs', import.meta.url));
        },
      }),
  );
  await storage.run('a', () => own.ready());
  await own.close();
  expect(stores).toEqual(['maker']);
});
