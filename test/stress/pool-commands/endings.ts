/** What ends workers, or the pool: crashes, grace periods, rest, close, terminate. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import { free, parallelMap, task as taskOf } from 'furcate';
import { fixture, type Scenario } from '../../helpers/executors.js';
import { sharedWords, whenSet } from '../../helpers/words.js';
import { livingWorkers, whenNoWorkerLives } from '../../helpers/worker-census.js';
import { type Command, command } from './command.js';
import { allEnd, endAll, errorOf, hasFreeWorker, isOpen, isQuiet } from './model.js';

const dying = await fixture('dying.mjs');
const task = (name: string): Scenario => dying[name] as Scenario;

export const ENDINGS: readonly fc.Arbitrary<Command>[] = [
  command('a task that does not stop in its grace', hasFreeWorker, async (model, { pool }) => {
    const words = sharedWords();
    const controller = new AbortController();
    const options = { signal: controller.signal, graceMs: 1 };
    const stuck = errorOf(pool.invoke(taskOf(task('deaf'), words), options));
    await whenSet(words);
    controller.abort('stop');
    const error = await stuck;
    assert.deepEqual([error.name, error.cause], ['AbortError', 'stop']);
    await allEnd(model, { name: 'WorkerCrashError' });
    free(words);
  }),
  command('a crash', hasFreeWorker, async (model, { pool }) => {
    const error = await errorOf(pool.invoke(task('dies'), 'exit'));
    assert.deepEqual([error.name, error['exitCode']], ['WorkerCrashError', 7]);
    await allEnd(model, { name: 'WorkerCrashError', exitCode: 7 });
  }),
  command('ready', isOpen, async (_, { pool }) => {
    await pool.ready();
    assert.ok(livingWorkers() >= pool.parallelism); // those before may still be ending
  }),
  command('idle', isQuiet, async (_, { pool }) => {
    assert.equal(await pool.awaitQuiescence(0), true);
    await whenNoWorkerLives(); // keepAliveMs is short
  }),
  command('ready, then idle', isQuiet, async (_, { pool }) => {
    await pool.ready();
    await whenNoWorkerLives();
  }),
  command(
    'close',
    (model) => isOpen(model) && model.running.length <= model.parallelism,
    async (model, { pool }) => {
      model.closed = true;
      const closed = pool.close();
      await endAll(model);
      await closed;
      assert.equal(livingWorkers(), 0);
    },
  ),
  command('terminate', isOpen, async (model, { pool }) => {
    model.closed = true;
    const writes = model.running.map(({ words }) => words);
    await pool.terminate();
    assert.equal(livingWorkers(), 0);
    const counts = writes.map((words) => words[2]);
    assert.equal((await errorOf(pool.invoke(task('double'), 1))).name, 'RejectedExecutionError');
    assert.deepEqual(
      writes.map((words) => words[2]),
      counts,
    );
    await allEnd(model, { name: 'CancellationError' });
  }),
  command(
    'a call of a closed pool',
    (model) => model.closed,
    async (_, { pool }) => {
      const calls = [
        () => pool.invoke(task('double'), 1),
        async () => pool.invokeSync(task('double'), 1),
        () => pool.ready(),
        () => parallelMap(new Float64Array(1e5), (x) => x, { pool, threshold: 10 }),
        () => parallelMap(['a', 'b'], (x) => x, { pool }),
      ];
      for (const call of calls) assert.equal((await errorOf(call())).name, 'RejectedExecutionError');
      assert.equal(livingWorkers(), 0);
    },
  ),
];
