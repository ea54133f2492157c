/**
 * Workers that die at every step of the protocol: one, two at once, all of them, while the caller computes, while the pool
 * closes. Runs on a build with hooks (test/helpers/fault-steps.ts), which must be loaded before anything imports `furcate`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import type { Forkable, ForkJoinPool, RecursiveTask } from 'furcate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ensureVariant } from '../../scripts/build.js';
import { FAULT_CHANGES, STEPS } from '../helpers/fault-steps.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { livingWorkers } from '../helpers/worker-census.js';

type Furcate = typeof import('furcate');
type Load = Forkable<[words: Int32Array, depth: number, path: string], number>;

const furcate = (await import(await ensureVariant('faults', FAULT_CHANGES))) as Furcate;
const { sharedArray, free, task, WorkerCrashError } = furcate;
const fixtureUrl = (name: string): string => new URL(`../fixtures/${name}`, import.meta.url).href;
const { tree, awaitingTree, blockingTree, double, Branch } = (await import(fixtureUrl('fault-load.mjs'))) as {
  tree: Load;
  awaitingTree: Load;
  blockingTree: Load;
  Branch: new (words: Int32Array, depth: number, path: string) => RecursiveTask<number>;
  double: Forkable<[number], number>;
};

const WORKERS = 3;
const DEPTH = 7;
const LEAVES = 2 ** DEPTH;
/** Hits of the step that pass first, so that the death comes in the middle of something: a few, or none where hits are rare. */
const SKIPPED = 2;
const RARE = /^(start|load)/;
/** Under `invokeSync` the caller runs the root itself. */
const OF_ROOTS = /root/;
const OF_COROUTINES = /^coroutine/;
const OF_SPARES = /^spare/;
const OF_REPORTS = /^report/;
/** The work that reaches a step. */
const loadFor = (step: string): Load =>
  OF_COROUTINES.test(step) ? awaitingTree : OF_SPARES.test(step) ? blockingTree : tree;

/** From the death to the last promise that it rejects, in milliseconds. */
const settledAfterMs: number[] = [];
const counters = heapCounters(sharedArray).inUse;

interface Plan {
  readonly step: string;
  readonly deaths: number;
  /** Without last words. */
  readonly silent: boolean;
}

/** Lays the plan for the workers that start from now on. */
function lay({ step, deaths, silent }: Plan): { fired(): boolean; sinceMs(): number } {
  const words = new Int32Array(new SharedArrayBuffer(8));
  const time = new Float64Array(new SharedArrayBuffer(8));
  const skip = RARE.test(step) ? 0 : SKIPPED;
  setEnvironmentData('furcate.fault', { step, deaths, silent, skip, words, time } as never);
  return {
    fired: () => time[0] !== 0,
    sinceMs: () => performance.timeOrigin + performance.now() - (time[0] as number),
  };
}

const pools: ForkJoinPool[] = [];
function poolUnderFault(step = ''): ForkJoinPool {
  const keepAliveMs = step === 'spare: has left' ? 10 : 60_000;
  const preload = [fixtureUrl('fault-preload.mjs')];
  const pool = new furcate.ForkJoinPool({ parallelism: WORKERS, keepAliveMs, preload });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.terminate();
});

/** Calls a load, and takes what it reports: leaves, each at most once. */
async function call(pool: ForkJoinPool, load: Load, xs: Int32Array): Promise<number> {
  const heard: unknown[] = [];
  try {
    return await pool.invoke(task(load, xs, DEPTH, ''), { onReport: (path) => void heard.push(path) });
  } finally {
    expect(new Set(heard).size).toBe(heard.length);
    for (const path of heard) expect(path).toHaveLength(DEPTH);
  }
}

const outcomeOf = (promise: Promise<number>): Promise<unknown> => promise.catch((error: unknown) => error);

/** The right answer, or the right error. */
function expectOutcome(outcome: unknown): void {
  if (outcome === LEAVES) return;
  expect(outcome).toBeInstanceOf(WorkerCrashError);
  expect(outcome).toMatchObject({ name: 'WorkerCrashError', running: expect.stringMatching(/tree/) });
}

const isCrash = (outcome: unknown): boolean => WorkerCrashError.is(outcome);

/** Calls until the plan has struck, and settles every call. */
async function callUntilStruck(
  pool: ForkJoinPool,
  load: Load,
  fired: () => boolean,
  xs: Int32Array,
): Promise<unknown[]> {
  for (;;) {
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => outcomeOf(call(pool, load, xs))));
    if (fired()) return outcomes;
    expect(outcomes).toEqual(Array(3).fill(LEAVES));
    await new Promise((resume) => setTimeout(resume, 1)); // so that workers sleep now and then
  }
}

async function callSyncUntilStruck(pool: ForkJoinPool, fired: () => boolean, xs: Int32Array): Promise<unknown[]> {
  for (;;) {
    let outcome: unknown;
    try {
      outcome = pool.invokeSync(tree, xs, DEPTH, '');
    } catch (error) {
      outcome = error;
    }
    if (fired()) return [outcome];
    expect(outcome).toBe(LEAVES);
    await new Promise((resume) => setTimeout(resume, 1));
  }
}

/**
 * The pool serves again, at the latest when it has told of every death.
 *
 * @param untold how many deaths no call has told of yet; each is told once, to the calls in flight when the owner hears of it
 */
async function expectService(pool: ForkJoinPool, untold: number): Promise<void> {
  let next = await outcomeOf(pool.invoke(double, 4));
  for (let left = untold; left > 0 && isCrash(next); left--) next = await outcomeOf(pool.invoke(double, 4));
  expect(next).toBe(8);
  expect(pool.invokeSync(double, 5)).toBe(10);
}

/** Nothing is left of a case: no thread, no memory. */
async function leavingNothing(body: (xs: Int32Array) => Promise<void>): Promise<void> {
  const before = counters();
  const xs = sharedArray(Int32Array, 16);
  try {
    await body(xs);
  } finally {
    free(xs); // or the next cases would fail, too
  }
  expect(livingWorkers()).toBe(0);
  expect(counters()).toEqual(before);
}

beforeAll(async () => {
  // Whatever is made once: an entry of the code table for each function and class.
  setEnvironmentData('furcate.fault', undefined as never);
  const pool = poolUnderFault();
  const xs = sharedArray(Int32Array, 16);
  furcate.blocking(() => {}); // this build's part, which the next call publishes: or workers would take it from the package
  await furcate.parallelFor(1_000_000, (i) => Math.sin(i), { pool });
  await call(pool, tree, xs);
  await pool.invoke(awaitingTree, xs, DEPTH, '');
  await pool.invoke(blockingTree, xs, DEPTH, '');
  await pool.invoke(new Branch(xs, DEPTH, ''));
  await pool.invoke(double, 4);
  pool.invokeSync(tree, xs, DEPTH, '');
  await pool.close();
  free(xs);
});

afterAll(() => {
  console.log(
    `${settledAfterMs.length} deaths; every call had settled at most ${Math.max(...settledAfterMs).toFixed(0)} ms after`,
  );
});

test('the shipped build has no such hooks', () => {
  const dist = new URL('../../dist/', import.meta.url);
  const scripts = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
  expect(scripts).toContain('index.js');
  for (const name of scripts) expect(readFileSync(new URL(name, dist), 'utf8')).not.toContain('furcateStep');
});

describe.each(STEPS)('a worker that dies at "%s"', (step) => {
  test('with last words: every call settles, and the pool serves the next', async () => {
    await leavingNothing(async (xs) => {
      const { fired, sinceMs } = lay({ step, deaths: 1, silent: false });
      const pool = poolUnderFault(step);
      const outcomes = await callUntilStruck(pool, loadFor(step), fired, xs);
      settledAfterMs.push(sinceMs());
      for (const outcome of outcomes) {
        expectOutcome(outcome);
        if (isCrash(outcome)) expect(outcome).toMatchObject({ exitCode: 7 });
      }
      await expectService(pool, outcomes.some(isCrash) ? 0 : 1);
      await pool.close();
    });
  });

  test('and all others at once, without last words: every call settles, and the pool serves the next', async () => {
    await leavingNothing(async (xs) => {
      const { fired, sinceMs } = lay({ step, deaths: WORKERS, silent: true });
      const pool = poolUnderFault(step);
      const outcomes = await callUntilStruck(pool, loadFor(step), fired, xs);
      for (const outcome of outcomes) expectOutcome(outcome);
      settledAfterMs.push(sinceMs());
      let untold = outcomes.some(isCrash) ? WORKERS - 1 : WORKERS;
      for (let deaths = 1; deaths < WORKERS; deaths++) {
        const outcome = await outcomeOf(call(pool, loadFor(step), xs)); // a later one
        expectOutcome(outcome);
        if (isCrash(outcome)) untold--;
      }
      await expectService(pool, untold);
      await pool.close();
    });
  });

  test('and another at once, while the pool closes: every call settles, and so does close()', async () => {
    await leavingNothing(async (xs) => {
      lay({ step, deaths: 2, silent: false });
      const pool = poolUnderFault(step);
      const calls = Array.from({ length: 4 }, () => outcomeOf(call(pool, loadFor(step), xs)));
      const closed = pool.close();
      for (const outcome of await Promise.all(calls)) expectOutcome(outcome);
      await closed;
    });
  });
});

describe.each(STEPS.filter((step) => ![OF_ROOTS, OF_COROUTINES, OF_SPARES, OF_REPORTS].some((of) => of.test(step))))(
  'a worker that dies at "%s"',
  (step) => {
    test('without last words, while the caller computes: the call settles, and the pool serves the next', async () => {
      await leavingNothing(async (xs) => {
        const { fired, sinceMs } = lay({ step, deaths: 1, silent: true });
        const pool = poolUnderFault(step);
        const outcomes = await callSyncUntilStruck(pool, fired, xs);
        for (const outcome of outcomes) expectOutcome(outcome);
        settledAfterMs.push(sinceMs());
        await expectService(pool, outcomes.some(isCrash) ? 0 : 1);
        await pool.close();
      });
    });
  },
);
