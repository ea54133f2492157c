/**
 * What the stress tests do, short in CI and over and over in `npm run stress`. Every choice follows from the seed; only the
 * schedule does not. The library is handed in, since some runs take a build with tiny sizes.
 */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Forkable, ForkJoinPool, ForkJoinTask, InvokeOptions, Priority } from 'furcate';
import { turn } from '../helpers/event-loop.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { type Random, randomOf } from '../helpers/random.js';

export type Furcate = typeof import('furcate');
type AnyForkable = Forkable<unknown[], unknown>;

export interface Scenario {
  readonly name: string;
  /** For how much work: 1 in CI. */
  run(furcate: Furcate, seed: number, size: number): Promise<void>;
}

interface Trees {
  readonly TreeTask: new (seed: number, depth: number) => ForkJoinTask<number>;
  expected(seed: number, depth: number): string;
  outcome(pool: ForkJoinPool, seed: number, depth: number, options?: InvokeOptions): Promise<string>;
  outcomeSync(pool: ForkJoinPool, seed: number, depth: number): string;
}

const fixture = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../fixtures/${name}`, import.meta.url).href)) as T;
const trees = (): Promise<Trees> => fixture<Trees>('random-tree.mjs');
const storms = (): Promise<Record<'storm' | 'endless' | 'noop', AnyForkable>> => fixture('storm.mjs');
const joining = (): Promise<
  Record<'manyForks' | 'descend' | 'square', AnyForkable> & { Descent: new (depth: number) => ForkJoinTask<number> }
> => fixture('joining.mjs');

const outcomeOf = (promise: Promise<unknown>): Promise<{ value?: unknown; error?: Error }> =>
  promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );

/** A random tree in a random form on some pool, compared with plain recursion. */
async function growTree(pool: ForkJoinPool, random: Random): Promise<void> {
  const { expected, outcome, outcomeSync } = await trees();
  const seed = random.below(2 ** 31);
  const depth = random.below(7);
  const sync = random.below(4) === 0;
  const priority = (['high', 'normal', 'low'] as const)[random.below(3)] as Priority;
  const seen = sync ? outcomeSync(pool, seed, depth) : await outcome(pool, seed, depth, { priority });
  if (sync && seen.includes('too many invocations are in flight')) return; // with six records: refused before it began
  assert.equal(seen, expected(seed, depth), `tree ${seed} of depth ${depth}, ${sync ? 'sync' : 'async'}`);
}

const growTrees = (pool: ForkJoinPool, random: Random, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => growTree(pool, random)));

/** Several pools of several kinds, one after the other. */
const treesOnPools: Scenario = {
  name: 'trees',
  async run({ ForkJoinPool }, seed, size) {
    const random = randomOf(seed);
    for (let i = 0; i < 4 * size; i++) {
      const pool = new ForkJoinPool({ parallelism: 1 + random.below(4), checked: random.below(3) === 0 });
      for (let batch = 0; batch < 4; batch++) await growTrees(pool, random, 1 + random.below(8));
      await pool.close();
    }
  },
};

/** Eight workers on fewer cores, and many pools beside each other, some of which are closed or terminated in flight. */
const manyPools: Scenario = {
  name: 'many pools',
  async run({ ForkJoinPool }, seed, size) {
    const random = randomOf(seed);
    const { expected, outcome } = await trees();
    for (let i = 0; i < size; i++) {
      const pools = [8, 1, 3, 2, 1 + random.below(6)].map((parallelism) => new ForkJoinPool({ parallelism }));
      const ends = pools.map(() => random.below(3));
      await Promise.all(
        pools.map(async (pool, k) => {
          const calls = Array.from({ length: 10 }, () => [random.below(2 ** 31), random.below(6)] as const);
          const outcomes = Promise.all(calls.map(([each, depth]) => outcome(pool, each, depth)));
          for (let turns = random.below(20); turns > 0; turns--) await turn();
          if (ends[k] === 1) await pool.close();
          if (ends[k] === 2) await pool.terminate();
          for (const [n, seen] of (await outcomes).entries()) {
            const [each, depth] = calls[n] as readonly [number, number];
            if (ends[k] === 2 && seen.includes('terminated')) continue;
            assert.equal(seen, expected(each, depth), `tree ${each} of depth ${depth} on pool ${k}`);
          }
          await pool.close();
        }),
      );
    }
  },
};

/** Signals and time-outs at random hooks: what settles has ended, and what was not cancelled is right. */
const aborts: Scenario = {
  name: 'aborts',
  async run({ ForkJoinPool, sharedArray, task }, seed, size) {
    const random = randomOf(seed);
    const { storm, endless } = await storms();
    const pool = new ForkJoinPool({ parallelism: 1 + random.below(4), checked: random.below(4) === 0 });
    for (let i = 0; i < 30 * size; i++) {
      const bystander = growTree(pool, random);
      const calls = Array.from({ length: 1 + random.below(4) }, () => {
        const words = sharedArray(Int32Array, 3);
        const controller = new AbortController();
        const forEver = random.below(2) === 0;
        const options: InvokeOptions =
          random.below(3) === 0 ? { timeoutMs: random.below(5) } : { signal: controller.signal };
        const work = forEver ? task(endless, words) : task(storm, words, 2 + random.below(3), 3, false);
        return { words, controller, forEver, ended: outcomeOf(pool.invoke(work, options)) };
      });
      for (const { controller } of calls) {
        for (let turns = random.below(6); turns > 0; turns--) await turn();
        controller.abort();
      }
      for (const { words, forEver, ended } of calls) {
        const { value, error } = await ended;
        const after = Array.from(words);
        if (error === undefined) assert.equal(value, 'over');
        else assert.match(error.name, /^(AbortError|CancellationError)$/);
        assert.ok(!forEver || error !== undefined);
        assert.equal(after[0], 0, 'bodies that still run after the end');
        await turn();
        assert.deepEqual(Array.from(words), after, 'writes after the end');
      }
      await bystander;
    }
    await pool.close();
  },
};

/** Workers that leave in the middle of trees: every call settles with its answer or the crash, and the pool goes on. */
const deaths: Scenario = {
  name: 'deaths',
  async run({ ForkJoinPool, sharedArray, WorkerCrashError }, seed, size) {
    const random = randomOf(seed);
    const { storm, noop } = await storms();
    const pool = new ForkJoinPool({ parallelism: 1 + random.below(4) });
    for (let i = 0; i < 6 * size; i++) {
      const calls = Array.from({ length: 1 + random.below(5) }, () => {
        const words = sharedArray(Int32Array, 3);
        return outcomeOf(pool.invoke(storm, words, 3 + random.below(3), 3, random.below(2) === 0));
      });
      for (const { value, error } of await Promise.all(calls)) {
        if (error === undefined) assert.equal(value, 'over');
        else assert.ok(error instanceof WorkerCrashError, String(error));
      }
      const served = await outcomeOf(pool.invoke(noop, i)); // the owner may hear of a death only now
      if (served.error !== undefined) assert.ok(served.error instanceof WorkerCrashError, String(served.error));
    }
    await pool.close();
  },
};

/** A million forks in one task, in both forms. */
const millionForks: Scenario = {
  name: 'forks',
  async run({ ForkJoinPool }, seed, size) {
    const random = randomOf(seed);
    const { manyForks } = await joining();
    const forks = 1_000_000;
    const sum = (forks / 8) * (0 + 1 + 4 + 9 + 16 + 25 + 36 + 49);
    for (let i = 0; i < size; i++) {
      const pool = new ForkJoinPool({ parallelism: 1 + random.below(3) });
      for (const form of ['class', 'function']) {
        assert.equal(await pool.invoke(manyForks, forks, form), sum);
        assert.equal(pool.invokeSync(manyForks, forks, form), sum);
      }
      await pool.close();
    }
  },
};

/** What README.md promises of the depth of a stack. */
export const DOCUMENTED_DEPTH = { main: 3_000, worker: 12_500 };

/** Chains as deep as documented, and far beyond. */
const depth: Scenario = {
  name: 'depth',
  async run({ ForkJoinPool }, seed, size) {
    const random = randomOf(seed);
    const { Descent, descend } = await joining();
    for (let i = 0; i < 2 * size; i++) {
      const pool = new ForkJoinPool({ parallelism: 1 + random.below(3) });
      const { main, worker } = DOCUMENTED_DEPTH;
      assert.equal(pool.invokeSync(new Descent(main)), main);
      assert.equal(pool.invokeSync(descend, main), main);
      assert.equal(await pool.invoke(new Descent(worker)), worker);
      assert.equal(await pool.invoke(descend, worker), worker);
      const beyond = 100_000 + random.below(1_000_000);
      await assert.rejects(pool.invoke(new Descent(beyond)), RangeError);
      await assert.rejects(pool.invoke(descend, beyond), RangeError);
      assert.throws(() => pool.invokeSync(new Descent(beyond)), RangeError);
      await growTrees(pool, random, 4);
      await pool.close();
    }
  },
};

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

/** A hundred thousand invocations in a row leave the heaps as they were. */
const invocations: Scenario = {
  name: 'invocations',
  async run({ ForkJoinPool, sharedArray, free }, seed, size) {
    const random = randomOf(seed);
    const { square } = await joining();
    const { noop } = await storms();
    const heap = heapCounters(sharedArray);
    const pool = new ForkJoinPool({ parallelism: 1 + random.below(3) });
    const calls = async (count: number): Promise<number> => {
      for (let i = 0; i < count; ) {
        const n = random.below(100);
        if (n === 0) {
          const many = await Promise.all(Array.from({ length: 200 }, (_, k) => pool.invoke(square, k)));
          assert.deepEqual(
            many,
            Array.from({ length: 200 }, (_, k) => k * k),
          );
          i += 200;
        } else if (n === 1) {
          const xs = sharedArray(Int32Array, 1 + random.below(1000));
          const ys = (await pool.invoke(noop, xs)) as Int32Array;
          assert.equal(ys.length, xs.length);
          free(xs);
          i++;
        } else {
          assert.equal(n % 2 === 0 ? pool.invokeSync(square, n) : await pool.invoke(square, n), n * n);
          i++;
        }
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await calls(20_000);
    const shared = heap.inUse();
    const after = await calls(100_000 * size);
    const now = heap.inUse();
    // Less, if arrays that were dropped before have been collected since.
    assert.ok(
      now.blocks <= shared.blocks && now.units <= shared.units,
      `${JSON.stringify([shared, now])} on the shared heap`,
    );
    // A tenth of what the smallest object that each left would take.
    assert.ok(after - before < 1_000_000 * size, `${after - before} bytes more after ${100_000 * size} invocations`);
    await pool.close();
  },
};

export const SCENARIOS: readonly Scenario[] = [
  treesOnPools,
  manyPools,
  aborts,
  deaths,
  millionForks,
  depth,
  invocations,
];

/** Those that mean something with a handful of records and rings of eight entries. */
export const TINY_SCENARIOS: readonly Scenario[] = [treesOnPools, manyPools, aborts, deaths];
