/** Calls that end by themselves: of tasks and of algorithms, with answers that are known. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import {
  type ForkJoinPool,
  free,
  parallelMap,
  parallelReduce,
  parallelReduceSync,
  sharedArray,
  task as taskOf,
} from 'furcate';
import { fixture, type Scenario } from '../../helpers/executors.js';
import { sharedWords, tell } from '../../helpers/words.js';
import { type Command, command } from './command.js';
import { errorOf, hasFreeWorker, hasRoom, isOpen, turn } from './model.js';

const dying = await fixture('dying.mjs');
const trees = await fixture<{
  expected(seed: number, depth: number): string;
  outcome(pool: ForkJoinPool, seed: number, depth: number): Promise<string>;
  outcomeSync(pool: ForkJoinPool, seed: number, depth: number): string;
}>('random-tree.mjs');
const task = (name: string): Scenario => dying[name] as Scenario;

const timerOf = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const SHORT_CALLS: readonly fc.Arbitrary<Command>[] = [
  command('invoke', hasFreeWorker, async (_, { pool }) => assert.equal(await pool.invoke(task('double'), 21), 42)),
  command('invoke a tree', hasFreeWorker, async (_, { pool }) =>
    assert.equal(await trees.outcome(pool, 7, 4), trees.expected(7, 4)),
  ),
  command('invokeSync', isOpen, async (_, { pool }) => assert.equal(pool.invokeSync(task('double'), 21), 42)),
  command('invokeSync of a tree', isOpen, async (_, { pool }) =>
    assert.equal(trees.outcomeSync(pool, 11, 4), trees.expected(11, 4)),
  ),
  command('invokeSync that throws', isOpen, async (_, { pool }) =>
    assert.throws(() => pool.invokeSync(task('throws'), 'on purpose'), /on purpose/),
  ),
  command('an algorithm', hasFreeWorker, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 20_000).fill(1);
    const context = { big: 'x'.repeat(100_000) };
    const options = { pool, threshold: 1000, context };
    assert.equal(await parallelReduce(xs, (a, b) => a + b, 0, options), 20_000);
    free(xs);
  }),
  command('a Sync algorithm', isOpen, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 20_000).fill(1);
    assert.equal(
      parallelReduceSync(xs, (a, b) => a + b, 0, { pool, threshold: 1000 }),
      20_000,
    );
    free(xs);
  }),
  command('an array that was freed', isOpen, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 100);
    free(xs);
    assert.equal((await errorOf(parallelMap(xs, (x) => x, { pool }))).name, 'TypeError');
  }),
  command(
    'broadcast',
    (model) => isOpen(model) && model.running.length === 0,
    async (model, { pool }) => {
      const threads = (await pool.broadcast(task('thread'))) as unknown[];
      assert.equal(new Set(threads).size, model.parallelism);
    },
  ),
  command('a time-out', hasRoom, async (_, { pool }) => {
    const words = sharedWords();
    const error = await errorOf(pool.invoke(taskOf(task('counts'), words), { timeoutMs: 1 }));
    assert.equal(error.name, 'CancellationError');
    assert.match(error.message, /timeoutMs = 1/);
    free(words);
  }),
  command('an abort before a time-out, which changes nothing any more', hasFreeWorker, async (_, { pool }) => {
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
    const error = await stopped;
    if (error.name === 'AbortError') assert.equal(error.cause, 'first');
    else assert.match(error.message, /timeoutMs = 5/);
    free(words);
  }),
];
