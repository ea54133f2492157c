/** Priorities: work of one priority does not starve under any amount of another. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import { type Priority, task as taskOf } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { type Command, command } from './command.js';
import { hasEndlessQueue, hasFreeWorker, type Model, type Real } from './model.js';

const { noop, burns } = await fixture<{ noop: never; burns: never }>('commands.mjs');

/** How much of the other work may run meanwhile: a hundred times as long as a call waits at most. */
const MOST = 600;
const BURN_MS = 2;
/** Work of the other priority that is in flight at any time, for each worker: 80 ms of it. */
const LANES = 40;

/** A call of one priority, beside work of another that never runs out. */
async function beside(other: Priority, priority: Priority, { parallelism }: Model, { pool }: Real): Promise<void> {
  let others = 0;
  let hasEnded = false;
  const lane = async (): Promise<void> => {
    while (!hasEnded && others < MOST) {
      others++;
      await pool.invoke(taskOf(burns, BURN_MS as never), { priority: other });
    }
  };
  // So many that some wait at any time, although this thread may be kept from submitting the next ones for a while.
  const lanes = Array.from({ length: LANES * parallelism }, lane);
  await pool.invoke(taskOf(noop), { priority });
  hasEnded = true;
  await Promise.all(lanes);
  assert.ok(others < MOST, `a ${priority} call waited for ${others} ${other} ones`);
}

/** Calls that do not look up take no other on top of theirs. */
const maySubmitMany = (model: Model): boolean =>
  hasFreeWorker(model) && hasEndlessQueue(model) && model.running.every(({ isDeaf }) => isDeaf);

export const PRIORITIES: readonly fc.Arbitrary<Command>[] = [
  command('a normal call beside high ones without end', maySubmitMany, (model, real) =>
    beside('high', 'normal', model, real),
  ),
  command('a low call beside normal ones that end', maySubmitMany, async (_, { pool }) => {
    const others = Array.from({ length: 10 }, () => pool.invoke(taskOf(noop)));
    assert.equal(await pool.invoke(taskOf(noop), { priority: 'low' }), 0);
    await Promise.all(others);
  }),
];
