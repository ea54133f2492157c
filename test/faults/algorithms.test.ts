/**
 * Algorithms whose workers end in the middle: the call says what happened, the pool serves the next one, and the shared heap
 * holds no more and no less than before.
 */
import { Worker } from 'node:worker_threads';
import {
  CancellationError,
  ForkJoinPool,
  forkable,
  free,
  parallelFor,
  parallelForSync,
  parallelReduce,
  sharedArray,
  type TypedArray,
  WorkerCrashError,
} from 'furcate';
import { expect, test } from 'vitest';
import { ARRAY_CALLS, type ArrayCall, formOf } from '../helpers/array-calls.js';
import { heapCounters } from '../helpers/heap-counters.js';

const LENGTH = 300_000;
const heap = heapCounters(sharedArray);

const workerEntry = new URL(import.meta.resolve('furcate/worker'));

/** A pool whose workers can be ended from outside. */
function mortalPool(): { readonly pool: ForkJoinPool; readonly workers: Worker[] } {
  const workers: Worker[] = [];
  const createWorker = (): Worker => {
    const worker = new Worker(workerEntry);
    workers.push(worker);
    return worker;
  };
  return { pool: new ForkJoinPool({ parallelism: 2, createWorker }), workers };
}

/** Arrays for a call, in random order. */
function arraysFor({ arrays }: ArrayCall): TypedArray[] {
  return arrays.map(([, times]) => {
    const xs = sharedArray(Float64Array, LENGTH * times);
    for (let i = 0; i < xs.length; i++) xs[i] = (Math.imul(i + 1, 0x9e3779b1) >>> 8) / 2 ** 24;
    return xs;
  });
}

/** What a call came to: 'done', or what it threw. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return 'done';
  } catch (error) {
    return error;
  }
}

const options = { threshold: 500 }; // goes to the pool, whatever is known of its cost

/** How many calls each kind of end has interrupted. */
const interrupted = { 'a worker was ended': 0, 'the pool was terminated': 0 };

/** Runs a call, one of whose two workers is ended meanwhile; the pool goes on. Then it runs the call again, and the pool is terminated meanwhile. */
async function loseAWorkerAndThePool(call: ArrayCall): Promise<void> {
  const { pool, workers } = mortalPool();
  await pool.ready();
  const arrays = arraysFor(call);
  const begin = (): Promise<unknown> =>
    outcomeOf(() => call.call(formOf(call, 'promise'), arrays, { pool, ...options }));
  const first = begin();
  void workers[0]?.terminate();
  const lost = await first;
  if (lost !== 'done') {
    expect(lost).toBeInstanceOf(WorkerCrashError);
    interrupted['a worker was ended']++;
    expect(await sumOf(10, pool)).toBe(10);
  }
  await pool.ready();
  const second = begin();
  await pool.terminate();
  const ended = await second;
  if (ended !== 'done') {
    expect(ended).toBeInstanceOf(CancellationError);
    expect(ended).toMatchObject({ message: 'furcate: the pool was terminated.' });
    interrupted['the pool was terminated']++;
  }
  for (const xs of arrays) free(xs);
}

const sumOf = (n: number, pool: ForkJoinPool): Promise<number> =>
  parallelReduce(sharedArray(Float64Array, n).fill(1), 'sum', { pool, threshold: 1 });

test.each(ARRAY_CALLS.map((call) => [call.name, call.how, call] as const))(
  '%s %s says that a worker was ended, or its pool terminated, in the middle',
  (_name, _how, call) => loseAWorkerAndThePool(call),
);

test('most of those calls were interrupted, and they leave no memory behind', async () => {
  for (const count of Object.values(interrupted)) expect(count).toBeGreaterThan(ARRAY_CALLS.length / 2);
  const before = heap.byteBlocks();
  const some = ARRAY_CALLS.filter(({ name }) => /^parallel(Map|Sort)$/.test(name));
  for (const call of some) await loseAWorkerAndThePool(call);
  expect(heap.byteBlocks()).toBeLessThanOrEqual(before); // all code is known by now
});

/** Ends the worker that runs it; the caller gives workers time to take part. */
const diesElsewhere = (_i: number, { words }: { words: Int32Array }): void => {
  const { isMainThread } = process.getBuiltinModule('node:worker_threads');
  if (isMainThread) {
    for (let spins = 0; spins < 10_000 && Atomics.load(words, 0) === 0; spins++);
  } else {
    Atomics.store(words, 0, 1);
    process.exit(7);
  }
};

test.each(['parallelForSync', 'parallelForSync in a task', 'parallelFor'] as const)(
  'a leaf of %s that ends its worker fails the call, and leaves no memory behind',
  async (how) => {
    const pool = new ForkJoinPool({ parallelism: 2 });
    const crash = async (): Promise<void> => {
      const context = { words: sharedArray(Int32Array, 1) };
      const sync = (given: object): void =>
        parallelForSync(100_000, diesElsewhere, { context, threshold: 1, ...given });
      inside = () => sync({});
      const outcome = await outcomeOf(() => {
        if (how === 'parallelFor') return parallelFor(100, diesElsewhere, { context, threshold: 1, pool });
        return how === 'parallelForSync' ? sync({ pool }) : pool.invokeSync(runInside);
      });
      expect(outcome).toMatchObject({ name: 'WorkerCrashError', exitCode: 7 });
      expect(await sumOf(10, pool)).toBe(10); // its owner has heard that the workers are gone
      free(context.words);
    };
    await crash();
    const before = heap.byteBlocks();
    for (let again = 0; again < 3; again++) await crash();
    expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
    await pool.close();
  },
);

let inside: () => unknown = () => undefined;
const runInside = forkable(import.meta.url, 'runInside', () => {
  inside();
});
