/**
 * Random sequences of what a program may do with a pool, against a plain model of it: how each call ends, which calls are
 * in flight, how many threads live, and how many blocks of the shared heap are in use when nothing is in flight.
 */
import fc from 'fast-check';
import {
  ForkJoinPool,
  free,
  parallelMap,
  parallelReduce,
  parallelReduceSync,
  RejectedExecutionError,
  sharedArray,
  task as taskOf,
  WorkerCrashError,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { errorOf } from '../helpers/outcomes.js';
import { seedOfRun } from '../helpers/seed.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';
import { livingWorkers, whenNoWorkerLives } from '../helpers/worker-census.js';

const dying = await fixture('dying.mjs');
const trees = await fixture<{
  expected(seed: number, depth: number): string;
  outcome(pool: ForkJoinPool, seed: number, depth: number): Promise<string>;
  outcomeSync(pool: ForkJoinPool, seed: number, depth: number): string;
}>('random-tree.mjs');
const task = (name: string): Scenario => dying[name] as Scenario;
const heap = heapCounters(sharedArray as never);

/** An invocation that runs until it is told, or until something ends it. */
interface LongCall {
  readonly id: number;
  /** Takes no notice of its cancellation. */
  readonly isDeaf: boolean;
  readonly words: Int32Array;
  readonly controller: AbortController;
  readonly outcome: Promise<unknown>;
}

/** What the pool should be like. Long calls begin in the order in which they were submitted, one a worker. */
interface Model {
  readonly parallelism: number;
  closed: boolean;
  /** Those in flight, by their ids; the first `parallelism` of them run. */
  inFlight: { readonly id: number; readonly isDeaf: boolean }[];
}

/** The pool itself. */
interface Real {
  readonly pool: ForkJoinPool;
  readonly calls: Map<number, LongCall>;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const timerOf = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const hasFreeWorker = (model: Model): boolean => model.inFlight.length < model.parallelism;

/**
 * Whether a call ends as soon as it is told. One that has waited for 10 ms may begin on top of one that runs and looks up, and that one
 * then ends after it.
 */
const endsAtOnce = ({ inFlight, parallelism }: Model, k: number): boolean =>
  k >= parallelism || inFlight.length <= parallelism || inFlight[k]?.isDeaf === true;

let ids = 0;

/** Submits a long call, and waits until it runs if a worker is free. */
async function begin(model: Model, real: Real, name: string): Promise<void> {
  const id = ++ids;
  const isDeaf = name === 'waitsUntilTold';
  const words = sharedWords();
  const controller = new AbortController();
  const work = taskOf(task(name), words);
  const outcome = real.pool.invoke(work, { signal: controller.signal }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  real.calls.set(id, { id, isDeaf, words, controller, outcome });
  model.inFlight.push({ id, isDeaf });
  if (model.inFlight.length <= model.parallelism) await whenSet(words);
}

/** A long call has ended: the first of those that wait begins. */
async function ended(model: Model, real: Real, k: number): Promise<void> {
  const [gone] = model.inFlight.splice(k, 1);
  const call = real.calls.get(gone?.id as number) as LongCall;
  real.calls.delete(call.id);
  const next = model.inFlight[model.parallelism - 1];
  if (k < model.parallelism && next !== undefined) await whenSet((real.calls.get(next.id) as LongCall).words);
  free(call.words);
}

const callAt = (model: Model, real: Real, k: number): LongCall =>
  real.calls.get((model.inFlight[k] as { id: number }).id) as LongCall;

/** Everything in flight ends with an error like this. */
async function allEnd(model: Model, real: Real, error: object): Promise<void> {
  for (const { id } of model.inFlight.splice(0)) {
    const call = real.calls.get(id) as LongCall;
    expect(await call.outcome).toMatchObject({ error });
    real.calls.delete(id);
    free(call.words);
  }
}

type Command = fc.AsyncCommand<Model, Real>;

/** A command from its parts. */
function command(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc.constant({ check, run, toString: () => name });
}

const isOpen = (model: Model): boolean => !model.closed;

const commands: fc.Arbitrary<Command>[] = [
  ...['counts', 'asks', 'waitsUntilTold'].map((name) =>
    command(`begin ${name}`, isOpen, (model, real) => begin(model, real, name)),
  ),
  command(
    'invoke',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (_, { pool }) => expect(await pool.invoke(task('double'), 21)).toBe(42),
  ),
  command(
    'invoke a tree',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (_, { pool }) => expect(await trees.outcome(pool, 7, 4)).toBe(trees.expected(7, 4)),
  ),
  command('invokeSync', isOpen, async (_, { pool }) => expect(pool.invokeSync(task('double'), 21)).toBe(42)),
  command('invokeSync of a tree', isOpen, async (_, { pool }) =>
    expect(trees.outcomeSync(pool, 11, 4)).toBe(trees.expected(11, 4)),
  ),
  command('invokeSync that throws', isOpen, async (_, { pool }) =>
    expect(() => pool.invokeSync(task('throws'), 'on purpose')).toThrow('on purpose'),
  ),
  command(
    'an algorithm',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (_, { pool }) => {
      const xs = sharedArray(Float64Array, 20_000).fill(1);
      const context = { big: 'x'.repeat(100_000) };
      const options = { pool, threshold: 1000, context };
      expect(await parallelReduce(xs, (a, b) => a + b, 0, options)).toBe(20_000);
      free(xs);
    },
  ),
  command('a Sync algorithm', isOpen, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 20_000).fill(1);
    expect(parallelReduceSync(xs, (a, b) => a + b, 0, { pool, threshold: 1000 })).toBe(20_000);
    free(xs);
  }),
  command('an array that was freed', isOpen, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 100);
    free(xs);
    expect(await errorOf(parallelMap(xs, (x) => x, { pool }))).toBeInstanceOf(TypeError);
  }),
  ...[0, 1, 2].flatMap((k) => [
    command(
      `tell ${k}`,
      (model) => k < Math.min(model.inFlight.length, model.parallelism) && endsAtOnce(model, k),
      async (model, real) => {
        const call = callAt(model, real, k);
        tell(call.words, 1);
        expect(await call.outcome).toEqual({ value: 'told' });
        await ended(model, real, k);
      },
    ),
    command(
      `abort ${k}`,
      (model) => k < model.inFlight.length && endsAtOnce(model, k),
      async (model, real) => {
        const call = callAt(model, real, k);
        call.controller.abort(call.id);
        if (call.isDeaf) tell(call.words, 1);
        expect(await call.outcome).toMatchObject({ error: { name: 'AbortError', cause: call.id } });
        await ended(model, real, k);
      },
    ),
  ]),
  command('a time-out', isOpen, async (_, { pool }) => {
    const words = sharedWords();
    const error = await errorOf(pool.invoke(taskOf(task('counts'), words), { timeoutMs: 1 }));
    expect(error).toMatchObject({ name: 'CancellationError', message: expect.stringContaining('timeoutMs = 1') });
    free(words);
  }),
  command(
    'an abort before a time-out, which changes nothing any more',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (_, { pool }) => {
      const words = sharedWords();
      const controller = new AbortController();
      const work = taskOf(task('waitsUntilTold'), words);
      const stopped = errorOf(pool.invoke(work, { signal: controller.signal, timeoutMs: 5 }));
      let hasEnded = false;
      void stopped.then(() => {
        hasEnded = true;
      });
      while (words[0] === 0 && !hasEnded) await turn(); // its time may be up before a worker takes it
      controller.abort('first');
      await timerOf(5); // timers of one length fire in the order of their making
      tell(words, 1);
      const error = (await stopped) as Error;
      if (error.name === 'AbortError') expect(error.cause).toBe('first');
      else expect(error.message).toContain('timeoutMs = 5');
      free(words);
    },
  ),
  command(
    'a task that does not stop in its grace',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (model, real) => {
      const words = sharedWords();
      const controller = new AbortController();
      const options = { signal: controller.signal, graceMs: 1 };
      const stuck = errorOf(real.pool.invoke(taskOf(task('deaf'), words), options));
      await whenSet(words);
      controller.abort('stop');
      expect(await stuck).toMatchObject({ name: 'AbortError', cause: 'stop' });
      await allEnd(model, real, { name: 'WorkerCrashError' });
      free(words);
    },
  ),
  command(
    'a crash',
    (model) => isOpen(model) && hasFreeWorker(model),
    async (model, real) => {
      const error = await errorOf(real.pool.invoke(task('dies'), 'exit'));
      expect(error).toBeInstanceOf(WorkerCrashError);
      expect(error).toMatchObject({ exitCode: 7 });
      await allEnd(model, real, { name: 'WorkerCrashError', exitCode: 7 });
    },
  ),
  command('ready', isOpen, async (_, { pool }) => {
    await pool.ready();
    expect(livingWorkers()).toBeGreaterThanOrEqual(pool.parallelism); // those before may still be ending
  }),
  command(
    'idle',
    (model) => isOpen(model) && model.inFlight.length === 0,
    async (_, { pool }) => {
      expect(await pool.awaitQuiescence(0)).toBe(true);
      await whenNoWorkerLives(); // keepAliveMs is short
    },
  ),
  command(
    'ready, then idle',
    (model) => isOpen(model) && model.inFlight.length === 0,
    async (_, { pool }) => {
      await pool.ready();
      await whenNoWorkerLives();
    },
  ),
  command(
    'close',
    (model) => isOpen(model) && model.inFlight.length <= model.parallelism,
    async (model, real) => {
      model.closed = true;
      const closed = real.pool.close();
      for (const { id } of model.inFlight.splice(0)) {
        const call = real.calls.get(id) as LongCall;
        tell(call.words, 1);
        expect(await call.outcome).toEqual({ value: 'told' });
        real.calls.delete(id);
        free(call.words);
      }
      await closed;
      expect(livingWorkers()).toBe(0);
    },
  ),
  command('terminate', isOpen, async (model, real) => {
    model.closed = true;
    const writes = [...real.calls.values()].map(({ words }) => words);
    await real.pool.terminate();
    expect(livingWorkers()).toBe(0);
    const counts = writes.map((words) => words[2]);
    expect(await errorOf(real.pool.invoke(task('double'), 1))).toBeInstanceOf(RejectedExecutionError);
    expect(writes.map((words) => words[2])).toEqual(counts);
    await allEnd(model, real, { name: 'CancellationError' });
  }),
  command(
    'a call of a closed pool',
    (model) => model.closed,
    async (_, { pool }) => {
      expect(await errorOf(pool.invoke(task('double'), 1))).toBeInstanceOf(RejectedExecutionError);
      expect(() => pool.invokeSync(task('double'), 1)).toThrow(RejectedExecutionError);
      expect(await errorOf(pool.ready())).toBeInstanceOf(RejectedExecutionError);
      expect(await errorOf(parallelMap(new Float64Array(1e5), (x) => x, { pool, threshold: 10 }))).toBeInstanceOf(
        RejectedExecutionError,
      );
      expect(livingWorkers()).toBe(0);
    },
  ),
];

/** Does what a sequence says with a fresh pool. */
async function play(parallelism: number, sequence: Iterable<Command>): Promise<void> {
  const pool = new ForkJoinPool({ parallelism, keepAliveMs: 1, name: 'model' });
  const model: Model = { parallelism, closed: false, inFlight: [] };
  const real: Real = { pool, calls: new Map() };
  try {
    await fc.asyncModelRun(() => ({ model, real }), sequence);
    for (const { words } of real.calls.values()) tell(words, 1);
    for (const { outcome, words } of real.calls.values()) {
      expect(await outcome).toEqual({ value: 'told' });
      free(words);
    }
    expect(await pool.awaitQuiescence(0)).toBe(true);
  } finally {
    await pool.terminate();
  }
  expect(livingWorkers()).toBe(0);
}

const seed = seedOfRun('pool commands');

describe.each([1, 2, 3])('a pool of %i', (parallelism) => {
  test(
    'does what its model does, whatever is done with it in whatever order, and leaves nothing behind',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 12 }), async (sequence) => {
          const before = heap.byteBlocks();
          await play(parallelism, sequence);
          expect(heap.byteBlocks()).toBe(before);
        }),
        { numRuns: 40, seed, endOnFailure: false },
      );
    },
    LONG_TEST_HANG_MS,
  );
});
