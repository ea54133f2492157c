/** What a pool refuses, which must leave nothing behind and harm nobody: odd tasks, promises where none may be, a full queue. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import { free, parallelMap, parallelReduce, sharedArray, task as taskOf } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { type Command, command } from './command.js';
import { begin } from './long-calls.js';
import { type Call, endingOf, errorOf, expectTold, hasFreeWorker, isOpen, type Model, workerIsFree } from './model.js';

const commands = await fixture<Record<string, never>>('commands.mjs');
const { noop } = commands as { noop: never };

/** Is one more refused? A call that waits may begin on top of one that looks up, and then waits no more. */
const isFull = ({ running, parallelism, maxQueue }: Model): boolean =>
  running.length >= parallelism + maxQueue &&
  (maxQueue === 0 || running.slice(0, parallelism).every(({ isDeaf }) => isDeaf));

export const REFUSALS: readonly fc.Arbitrary<Command>[] = [
  command('frozen tasks, more than may wait', hasFreeWorker, async ({ parallelism, maxQueue }, { pool }) => {
    const frozen = 1 + (maxQueue === Number.POSITIVE_INFINITY ? 0 : parallelism + maxQueue);
    for (let k = 0; k < frozen; k++) {
      const ending = await endingOf(pool.invoke(Object.freeze(taskOf(noop))));
      if ('error' in ending) assert.equal(ending.error.name, 'TypeError');
    }
    await pool.invoke(noop);
  }),
  ...['givesPromise', 'forksPromise', 'blocksWithPromise'].map((name) =>
    command(`a task that ${name}`, hasFreeWorker, async (_, { pool }) =>
      assert.equal((await errorOf(pool.invoke(commands[name] as never))).name, 'TypeError'),
    ),
  ),
  command('a task that reducesPromises', hasFreeWorker, async (_, { pool }) => {
    const xs = sharedArray(Float64Array, 10);
    assert.equal((await errorOf(pool.invoke(commands['reducesPromises'] as never, xs as never))).name, 'TypeError');
    free(xs);
  }),
  command(
    'a call when the queue is full',
    (model) => isOpen(model) && isFull(model),
    async (_, { pool }) => {
      const calls = [
        () => pool.invoke(noop),
        () =>
          parallelReduce(new Float64Array(20_000), (a, b) => Math.hypot(a, b), 0, {
            pool,
            threshold: 100,
            graceMs: 1e6,
          }),
        () => parallelMap(['a', 'b', 'c'], (x) => x + x, { pool, graceMs: 1e6 }),
      ];
      for (const call of calls) assert.equal((await errorOf(call())).name, 'RejectedExecutionError');
    },
  ),
  command(
    'more calls of plain values than may wait',
    (model) =>
      isOpen(model) &&
      model.maxQueue < Number.POSITIVE_INFINITY &&
      model.running.length <= model.parallelism &&
      model.running.every(({ isDeaf }) => isDeaf),
    async (model, real) => {
      const { pool } = real;
      while (model.running.length < model.parallelism) await begin(model, real, 'waitsUntilTold');
      const calls = Array.from({ length: model.maxQueue + 3 }, () =>
        endingOf(parallelMap(['a', 'b'], (x) => x + x, { pool, graceMs: 1e6 })),
      );
      while (model.running.length > 0) {
        const call = model.running[0] as Call;
        call.tell();
        await expectTold(model, call);
        await workerIsFree(model, 0);
      }
      const endings = await Promise.all(calls);
      const refused = endings.filter((ending) => 'error' in ending && ending.error.name === 'RejectedExecutionError');
      assert.equal(refused.length, 3, 'refused calls');
      const served = endings.filter((ending) => 'value' in ending);
      assert.deepEqual(served, Array(model.maxQueue).fill({ value: ['aa', 'bb'] }));
    },
  ),
];
