/**
 * Random trees of tasks that wait, block, fail and compute, many at once, some of them aborted or timed out: each call ends as it should, the
 * pool goes on, and nothing is left.
 */
import fc from 'fast-check';
import { type AsyncForkable, type Forkable, ForkJoinPool, type Priority, sharedArray, task } from 'furcate';
import { expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { startedWorkers, whenNoWorkerLives } from '../helpers/worker-census.js';

const tasks = await fixture<{
  readonly randomTree: AsyncForkable<[seed: number, depth: number], number>;
  readonly neverSettles: AsyncForkable<[words: Int32Array], void>;
  randomValue(seed: number, depth: number): number;
}>('asynchronous.mjs');
const blocking = await fixture<{
  readonly randomTree: Forkable<[seed: number, depth: number], number>;
  readonly mixedTree: AsyncForkable<[seed: number, depth: number], number>;
  randomValue(seed: number, depth: number): number;
  mixedValue(seed: number, depth: number): number;
}>('blocking.mjs');
const heap = heapCounters(sharedArray as never);

type Kind = 'awaits' | 'blocks' | 'mixed';

type Fate = 'ends' | 'is aborted' | 'is timed out' | 'never settles';

interface Call {
  readonly seed: number;
  readonly depth: number;
  readonly fate: Fate;
  /** Its tasks await, or block, or both. */
  readonly kind: Kind;
  readonly afterMs: number;
  readonly priority: Priority;
}

const call: fc.Arbitrary<Call> = fc.record({
  seed: fc.integer({ min: 1, max: 100_000 }).filter((seed) => seed % 23 !== 0), // the root of such a tree fails
  depth: fc.integer({ min: 0, max: 5 }),
  fate: fc.constantFrom<Fate>('ends', 'ends', 'is aborted', 'is timed out', 'never settles'),
  kind: fc.constantFrom<Kind>('awaits', 'blocks', 'mixed'),
  afterMs: fc.integer({ min: 0, max: 30 }),
  priority: fc.constantFrom<Priority>('high', 'normal', 'low'),
});

const workOf = ({ kind, seed, depth }: Call) =>
  kind === 'awaits'
    ? task(tasks.randomTree, seed, depth)
    : kind === 'blocks'
      ? task(blocking.randomTree, seed, depth)
      : task(blocking.mixedTree, seed, depth);

const expectedOf = ({ kind, seed, depth }: Call): number =>
  kind === 'awaits'
    ? tasks.randomValue(seed, depth)
    : kind === 'blocks'
      ? blocking.randomValue(seed, depth)
      : blocking.mixedValue(seed, depth);

/** How a call ended: its result, or the name of its error. */
async function outcomeOf(pool: ForkJoinPool, call: Call): Promise<unknown> {
  const { fate, afterMs, priority } = call;
  const controller = new AbortController();
  const isTimed = fate === 'is timed out';
  if (fate === 'is aborted' || fate === 'never settles') setTimeout(() => controller.abort(), afterMs);
  const work = fate === 'never settles' ? task(tasks.neverSettles, sharedArray(Int32Array, 4)) : workOf(call);
  try {
    return await pool.invoke(work, {
      priority,
      signal: controller.signal,
      graceMs: fate === 'never settles' ? 10 : Number.POSITIVE_INFINITY,
      ...(isTimed ? { timeoutMs: afterMs } : {}),
    });
  } catch (error) {
    return (error as Error).name;
  }
}

function expectOutcome(outcome: unknown, call: Call): void {
  const { fate } = call;
  const value = expectedOf(call);
  if (fate === 'ends') expect(outcome).toBe(value);
  else if (fate === 'never settles') expect(outcome).toBe('AbortError');
  else expect([value, fate === 'is aborted' ? 'AbortError' : 'CancellationError']).toContain(outcome);
}

const poolOptions = fc.record({
  parallelism: fc.integer({ min: 1, max: 3 }),
  checked: fc.boolean(),
  maxSpares: fc.constantFrom(0, 1, 8),
});

test('each call ends as it should, and nothing is left', { timeout: LONG_TEST_HANG_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(poolOptions, fc.array(call, { minLength: 1, maxLength: 12 }), async (options, calls) => {
      const before = heap.byteBlocks();
      const workers = startedWorkers();
      const pool = new ForkJoinPool(options);
      await pool.ready(); // or most calls would be aborted before they begin
      const outcomes = await Promise.all(calls.map((each) => outcomeOf(pool, each)));
      for (const [k, outcome] of outcomes.entries()) expectOutcome(outcome, calls[k] as Call);
      const last: Call = { seed: 1, depth: 3, fate: 'ends', kind: 'mixed', afterMs: 0, priority: 'normal' };
      expectOutcome(await outcomeOf(pool, last), last);
      await pool.close();
      await whenNoWorkerLives();
      expect(heap.byteBlocks()).toBe(before);
      const started = startedWorkers() - workers; // none was ended and replaced
      expect(started).toBeGreaterThanOrEqual(options.parallelism);
      expect(started).toBeLessThanOrEqual(options.parallelism + options.maxSpares);
    }),
    { numRuns: 40, seed: seedOfRun('asynchronous tasks') },
  );
});
