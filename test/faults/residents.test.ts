/** Paused generators stay on their threads: those are paused that begin on spares, and none waits for a thread that is blocked. */
import { Worker } from 'node:worker_threads';
import { type AsyncForkable, type Forkable, type ForkJoinPool, sharedArray, WorkerCrashError } from 'furcate';
import { type Pipeline, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

type Context = { readonly words: Int32Array };
interface Fixture {
  readonly saysNow: Forkable<[x: number, context: Context], Iterable<number>>;
  readonly saysLater: AsyncForkable<[x: number, context: Context], AsyncIterable<number>>;
}
const { saysNow, saysLater } = await fixture<Fixture>('pipelines.mjs');
const sections = await fixture<Record<string, unknown>>('blocking.mjs');
const task = (name: string): Scenario => sections[name] as Scenario;
const heap = heapCounters(sharedArray);
const poolOf = poolMaker('close');

const endless = (source: readonly number[], pool: ForkJoinPool, options = {}): Pipeline<number> =>
  pipeline(source, { pool, ...options }).flatMap(function* (x) {
    for (let k = 0; ; k++) yield x + k;
  });

/** Blocks all threads of a pool of one, so that a spare computes; returns what ends that. */
async function block(pool: ForkJoinPool): Promise<() => Promise<unknown>> {
  const words = sharedWords();
  const section = pool.invoke(task('blocks'), words, 0);
  await whenSet(words, 1);
  return () => {
    tell(words, 0);
    return section;
  };
}

/** The next items of an iterator. */
async function next<T>(items: AsyncIterator<T>, count: number): Promise<T[]> {
  const made: T[] = [];
  for (let k = 0; k < count; k++) made.push((await items.next()).value as T);
  return made;
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('a generator that begins on a spare', () => {
  test('is paused: a reader that leaves, a time-out and a failure end it', async () => {
    const pool = poolOf(1);
    const unblock = await block(pool);
    const items = endless([0], pool)[Symbol.asyncIterator]();
    expect(await next(items, 100)).toEqual(upTo(100));
    await items.return?.();
    const late = errorOf(
      endless([0], pool, { timeoutMs: 100 })
        .map((x) => x)
        .reduce((a, b) => a + b, 0),
    );
    expect(await late).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
    const failed = await errorOf(
      endless([0], pool)
        .map((x) => (x === 100 ? (undefined as never as number[])[0] : x))
        .toArray(),
    );
    expect(failed).toBeInstanceOf(TypeError);
    await unblock();
  });

  test.each([0, 60_000])('goes on there once the section has ended; with keepAliveMs: %i', async (keepAliveMs) => {
    const pool = poolOf(1, { keepAliveMs });
    const unblock = await block(pool);
    const items = endless([0], pool)[Symbol.asyncIterator]();
    expect(await next(items, 50)).toEqual(upTo(50));
    await unblock();
    expect(await pool.invoke(task('square'), 3)).toBe(9);
    expect(await next(items, 200)).toEqual(upTo(250).slice(50));
    await items.return?.();
    expect(
      await pipeline([1], { pool })
        .map((x) => x)
        .toArray(),
    ).toEqual([1]);
  });

  // The workers that come next have no spare, or another one, in its place.
  test('is gone when its workers are: its run fails, and ends that of a reader that leaves', async () => {
    const pool = poolOf(1);
    const unblock = await block(pool);
    const [read, left] = [endless([0], pool)[Symbol.asyncIterator](), endless([0], pool)[Symbol.asyncIterator]()];
    for (const items of [read, left]) expect(await next(items, 100)).toEqual(upTo(100));
    const crash = await errorOf(pool.invoke(task('dies')));
    expect(crash).toBeInstanceOf(WorkerCrashError);
    await errorOf(unblock());
    expect(String(await errorOf(next(read, 1000)))).toMatch(/its generator was paused on a worker/);
    await left.return?.();
    await pool.close();
  });
});

describe('a section that waits for a paused generator ends, in a pool of', () => {
  const GENERATORS: Readonly<Record<string, (source: Pipeline<number>, context: Context) => Pipeline<number>>> = {
    'a generator function': (source, context) =>
      source.flatMap(
        function* (_, { words }: Context) {
          for (let k = 0; k < 200; k++) {
            if (k === 150) {
              Atomics.store(words, 0, 1);
              Atomics.notify(words, 0);
            }
            yield k;
          }
        },
        { context },
      ),
    'an asynchronous generator function': (source, context) =>
      source.flatMap(
        async function* (_, { words }: Context) {
          for (let k = 0; k < 200; k++) {
            if (k === 150) {
              Atomics.store(words, 0, 1);
              Atomics.notify(words, 0);
            }
            yield k;
          }
        },
        { context },
      ),
    'a forkable': (source, context) => source.flatMap(saysNow, { context }),
    'an asyncForkable': (source, context) => source.flatMap(saysLater, { context }),
  };
  const cases = [1, 2].flatMap((parallelism) => Object.keys(GENERATORS).map((name) => [parallelism, name] as const));

  test.each(cases)('%i: %s', async (parallelism, name) => {
    const pool = poolOf(parallelism);
    const context = { words: sharedWords() };
    const made = GENERATORS[name] as (typeof GENERATORS)[string];
    // A generator for each worker, and sections on as many threads.
    const runs = upTo(parallelism).map(() => made(pipeline([0], { pool }), context)[Symbol.asyncIterator]());
    for (const run of runs) expect(await next(run, 1)).toEqual([0]);
    const waiting = upTo(parallelism).map(() => pool.invoke(task('blocks'), context.words, 0, 1));
    await whenSet(context.words, 1);
    for (const run of runs) {
      expect(await next(run, 199)).toEqual(upTo(200).slice(1));
      expect((await run.next()).done).toBe(true);
    }
    await Promise.all(waiting);
    expect(await pool.invoke(task('square'), 3)).toBe(9);
  });
});

test('tasks run beside a generator whose reader has stopped: in a spare, or without where there is none', async () => {
  for (const maxSpares of [8, 1, 0]) {
    const pool = poolOf(2, { maxSpares });
    const before = heap.byteBlocks();
    const stopped = upTo(6).map((x) => endless([x, x], pool)[Symbol.asyncIterator]());
    for (const items of stopped) await items.next();
    expect(await Promise.all(upTo(20).map((x) => pool.invoke(task('square'), x)))).toEqual(upTo(20).map((x) => x * x));
    expect(await pool.invoke(task('works'), 15)).toBe(610);
    expect(pool.stats().spares.threads).toBeLessThanOrEqual(maxSpares);
    for (const [x, items] of stopped.entries()) expect(await next(items, 100)).toEqual(upTo(x + 101).slice(x + 1));
    for (const items of stopped) await items.return?.();
    await pool.close();
    expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
  }
});

test('a reader that runs a task for each item of an endless generator gets on, in a pool of one', async () => {
  const pool = poolOf(1);
  let sum = 0;
  for await (const x of endless([0], pool)) {
    sum += (await pool.invoke(task('square'), x)) as number;
    if (x === 100) break;
  }
  expect(sum).toBe(upTo(101).reduce((a, x) => a + x * x, 0));
});

test('where a spare cannot start, tasks run on the thread of the generator', async () => {
  const start = new URL('../fixtures/plain-worker.mjs', import.meta.url);
  let made = 0;
  const createWorker = (): unknown => {
    if (++made > 1) throw new Error('no thread today');
    return new Worker(start);
  };
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  const pool = poolOf(1, { createWorker });
  const items = endless([0], pool)[Symbol.asyncIterator]();
  await items.next();
  expect(await pool.invoke(task('square'), 3)).toBe(9);
  expect(await pool.invoke(task('square'), 4)).toBe(16);
  await items.return?.();
  process.off('warning', note);
  expect(warnings).toHaveLength(1);
});

test('a generator that is not paused, because its pipeline is in a scope, ends when the task is cancelled', async () => {
  const pool = poolOf(1);
  const { endlessInScope } = await fixture<{ endlessInScope: AsyncForkable<[how: string], unknown> }>('pipelines.mjs');
  for (const how of ['generator', 'forkable']) {
    const error = await errorOf(pool.with({ timeoutMs: 50 }).invoke(endlessInScope, how));
    expect(error).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
    expect(await pool.invoke(task('square'), 3)).toBe(9);
  }
});
