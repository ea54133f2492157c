/** Asynchronous tasks: some wait until they are told, some never end, some go on after their end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ForkJoinTask, free, sharedArray, task as taskOf } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { sharedWords, tell, whenSet } from '../../helpers/words.js';
import { type Command, choosing, command } from './command.js';
import {
  type Call,
  endingOf,
  errorOf,
  expectAborted,
  expectTold,
  hasFreeWorker,
  isIdle,
  isOpen,
  isQuiet,
  type Model,
  waitedEnough,
} from './model.js';

const commands = await fixture<Record<string, never>>('commands.mjs');
const task = (name: string, ...args: unknown[]): ForkJoinTask<unknown> =>
  taskOf(commands[name] as never, ...(args as []));

const graceMs = fc.constantFrom(1, 1, 1, undefined);

const waitingAt = (model: Model, k: number): Call => model.waiting[k] as Call;

export const WAITING: readonly fc.Arbitrary<Command>[] = [
  ...['waits', 'waitsForFork'].map((name) =>
    command(`begin ${name}`, hasFreeWorker, async (model, { pool }) => {
      const words = sharedWords();
      const controller = new AbortController();
      const ending = endingOf(pool.invoke(task(name, words), { signal: controller.signal }));
      model.waiting.push({ name, isDeaf: false, words, controller, ending, value: 'told', tell: () => tell(words, 1) });
      await whenSet(words);
    }),
  ),
  ...[0, 1, 2].flatMap((k) => [
    command(
      `tell the one that waits ${k}`,
      (model) => isIdle(model) && k < model.waiting.length,
      async (model) => {
        const call = waitingAt(model, k);
        call.tell();
        await expectTold(model, call);
        await waitedEnough(model, call);
      },
    ),
    command(
      `abort the one that waits ${k}`,
      (model) => isOpen(model) && k < model.waiting.length,
      async (model) => {
        const call = waitingAt(model, k);
        call.controller.abort(call.name);
        if (isIdle(model)) {
          await expectAborted(model, call);
          await waitedEnough(model, call);
        } else model.aborted.push(...model.waiting.splice(k, 1));
      },
    ),
  ]),
  choosing('a promise that never settles', graceMs, isQuiet, async (_, { pool }, graceMs) => {
    const words = sharedWords();
    const controller = new AbortController();
    const stopped = errorOf(
      pool.invoke(task('neverSettles', words), { signal: controller.signal, ...(graceMs && { graceMs }) }),
    );
    await whenSet(words);
    controller.abort('enough');
    assert.equal((await stopped).cause, 'enough');
    free(words);
  }),
  choosing(
    'a body that throws beside forks that never settle',
    fc.record({ forks: fc.integer({ min: 1, max: 3 }), graceMs }),
    isQuiet,
    async (_, { pool }, { forks, graceMs }) => {
      const words = sharedWords();
      const error = await errorOf(pool.invoke(task('failsBesideNever', words, forks), { ...(graceMs && { graceMs }) }));
      assert.equal(error.message, 'beside');
      free(words);
    },
  ),
  choosing(
    'plain values in a scope, of which one fails and one never settles',
    fc.record({ n: fc.constantFrom(5, 50), graceMs }),
    isQuiet,
    async (_, { pool }, { n, graceMs }) => {
      const error = await errorOf(pool.invoke(task('valuesBesideNever', n), { ...(graceMs && { graceMs }) }));
      assert.equal(error.message, 'beside');
    },
  ),
  command('a checkpoint of an asynchronous task that is aborted', isIdle, async (_, { pool }) => {
    const words = sharedWords();
    const controller = new AbortController();
    const stopped = errorOf(pool.invoke(task('checks', words), { signal: controller.signal }));
    await whenSet(words);
    controller.abort('enough');
    assert.equal((await stopped).cause, 'enough');
    assert.equal(words[2], 1, 'the checkpoint threw');
    free(words);
  }),
  command('an abandoned task that writes into an array that was freed', isQuiet, async (_, { pool }) => {
    const words = sharedWords();
    const others = sharedWords();
    const xs = sharedArray(Float64Array, 1000);
    const controller = new AbortController();
    const options = { signal: controller.signal, graceMs: 1 };
    const stopped = errorOf(pool.invoke(task('writesLate', words, xs), options));
    await whenSet(words);
    const other = endingOf(pool.invoke(task('waits', others))); // keeps the workers alive
    await whenSet(others);
    controller.abort('enough');
    assert.equal((await stopped).cause, 'enough');
    free(xs);
    const later = Array.from({ length: 4 }, () => sharedArray(Float64Array, 1000));
    tell(words, 1);
    // Where the machine is so busy that the worker did not abandon the task in time, it was ended.
    await Promise.race([whenSet(words, 2), other]);
    tell(words, 2);
    tell(others, 1);
    await other;
    for (const ys of later)
      assert.ok(
        ys.every((x) => x === 0),
        'a new array holds what an abandoned task wrote',
      );
    for (const ys of later) free(ys);
    free(others);
    free(words);
  }),
];
