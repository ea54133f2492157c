/** Pools whose workers cannot start: every call settles with an error that says why, and nothing is left. */
import { Worker } from 'node:worker_threads';
import { ForkJoinPool, type ForkJoinPoolOptions, sharedArray } from 'furcate';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { livingWorkers, watch } from '../helpers/worker-census.js';

const dying = await fixture('dying.mjs');
const double = dying['double'] as Scenario;
const counters = heapCounters(sharedArray).inUse;
const urlOf = (name: string): string => new URL(`../fixtures/${name}`, import.meta.url).href;
const evalWorker = (code: string): Worker => watch(new Worker(code, { eval: true }));

const CASES: readonly (readonly [what: string, options: ForkJoinPoolOptions, message: RegExp])[] = [
  [
    'createWorker throws',
    {
      createWorker: () => {
        throw new Error('no worker today');
      },
    },
    /no worker today/,
  ],
  ['createWorker gives nothing', { createWorker: () => undefined }, /createWorker.*must return a Worker/],
  [
    'createWorker gives something else',
    { createWorker: () => ({ postMessage() {} }) },
    /createWorker.*must return a Worker/,
  ],
  ['createWorker gives a worker that ends at once', { createWorker: () => evalWorker('') }, /exit code 0/],
  [
    'createWorker gives a worker that throws',
    { createWorker: () => evalWorker("throw new Error('born dead')") },
    /born dead/,
  ],
  ['node.execArgv has a flag that Node does not take', { node: { execArgv: ['--no-such-flag'] } }, /no-such-flag/],
  ['a module to preload is missing', { preload: [urlOf('no-such-module.mjs')] }, /no-such-module/],
  ['a module to preload has a bad URL', { preload: ['::'] }, /could not start/],
];

const outcomeOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => new Error(`no error but ${String(value)}`),
    (error: Error) => error,
  );

beforeAll(async () => {
  // Whatever is made once: the code table's entries, above all.
  const pool = new ForkJoinPool({ parallelism: 1 });
  await pool.invoke(double, 4);
  await pool.close();
});

describe.each(CASES)('a pool where %s', (_, options, message) => {
  test.each([1, 2])('rejects every call, with %i workers, and leaves nothing', async (parallelism) => {
    const before = counters();
    const pool = new ForkJoinPool({ parallelism, ...options });
    for (let i = 0; i < 2; i++) {
      const outcomes = await Promise.all([outcomeOf(pool.invoke(double, 4)), outcomeOf(pool.invoke(double, 5))]);
      for (const error of outcomes) expect(error.message).toMatch(message);
    }
    expect(await outcomeOf(pool.ready())).toBeInstanceOf(Error);
    await pool.close();
    expect(await pool.awaitQuiescence(0)).toBe(true);
    expect(livingWorkers()).toBe(0);
    expect(counters()).toEqual(before);
  });
});

test('a pool whose second worker cannot be made ends the first, and tries both again', async () => {
  const before = counters();
  let made = 0;
  const createWorker = (): Worker => {
    if (++made % 2 === 0) throw new Error('one is enough');
    return evalWorker('setInterval(() => {}, 1000)');
  };
  const pool = new ForkJoinPool({ parallelism: 2, createWorker });
  for (let i = 1; i <= 3; i++) {
    expect((await outcomeOf(pool.invoke(double, 4))).message).toBe('one is enough');
    expect(made).toBe(2 * i);
  }
  await pool.close();
  expect(livingWorkers()).toBe(0);
  expect(counters()).toEqual(before);
});

test('a pool that finds no memory for its workers starts none, and its next call starts them', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const Granted = globalThis.SharedArrayBuffer;
  globalThis.SharedArrayBuffer = class extends Granted {
    constructor(bytes = 0) {
      if (bytes > 65_536) throw new RangeError('no memory today');
      super(bytes);
    }
  };
  try {
    expect((await outcomeOf(pool.invoke(double, 4))).message).toBe('no memory today');
  } finally {
    globalThis.SharedArrayBuffer = Granted;
  }
  expect(livingWorkers()).toBe(0);
  expect(await pool.invoke(double, 4)).toBe(8);
  expect(livingWorkers()).toBe(1);
  await pool.close();
});

test('a worker of a wrong kind that stays alive is ended with its pool', async () => {
  const pool = new ForkJoinPool({ parallelism: 1, createWorker: () => evalWorker('setInterval(() => {}, 1000)') });
  const call = outcomeOf(pool.invoke(double, 4));
  await pool.terminate();
  expect((await call).name).toBe('CancellationError');
  expect(livingWorkers()).toBe(0);
});

test('a worker has the memory limits that its pool was given', async () => {
  const pool = new ForkJoinPool({ parallelism: 1, resourceLimits: { maxYoungGenerationSizeMb: 23 } });
  expect(await pool.invoke(dying['limit'] as Scenario, 'maxYoungGenerationSizeMb')).toBe(23);
  await pool.close();
});
