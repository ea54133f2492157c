/**
 * Random sequences of commands, each on a fresh pool, against the model of it: how each call ends, which calls are in flight, how many threads
 * live, and what of the shared heap is in use when nothing is in flight.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ForkJoinPool } from 'furcate';
import { settledInTime } from '../../helpers/hangs.js';
import { expectUndisturbed } from '../../helpers/process-watch.js';
import { livingWorkers } from '../../helpers/worker-census.js';
import { parametersOf, type RunOptions } from '../run-options.js';
import { COMMANDS } from './all.js';
import type { Command } from './command.js';
import { heap } from './memory.js';
import { endAll, isOpen, type Model } from './model.js';

interface PoolChoice {
  readonly parallelism: number;
  readonly checked: boolean;
  readonly maxQueue: number | undefined;
}

const poolChoice = (parallelism: number | undefined): fc.Arbitrary<PoolChoice> =>
  fc.record({
    parallelism: parallelism === undefined ? fc.integer({ min: 1, max: 3 }) : fc.constant(parallelism),
    checked: fc.constantFrom(false, false, false, true),
    maxQueue: fc.constantFrom(undefined, undefined, 0, 1, 3),
  });

/** Does what a sequence says with a fresh pool. */
async function play({ parallelism, checked, maxQueue }: PoolChoice, sequence: Iterable<Command>): Promise<void> {
  const queue = maxQueue !== undefined && { maxQueue };
  // On a busy machine a thread may get no time for seconds.
  const pool = new ForkJoinPool({ parallelism, checked, keepAliveMs: 1, name: 'model', stallMs: 0, ...queue });
  const model: Model = {
    parallelism,
    maxQueue: maxQueue ?? Number.POSITIVE_INFINITY,
    checked,
    closed: false,
    running: [],
    waiting: [],
    aborted: [],
    maybeCrashed: new Set(),
  };
  try {
    await fc.asyncModelRun(() => ({ model, real: { pool } }), sequence);
    await settledInTime('the end of all calls', endAll(model));
    assert.equal(await pool.awaitQuiescence(0), true, 'nothing is in flight');
    if (isOpen(model)) await settledInTime('close()', pool.close());
    await expectUndisturbed('the end of the sequence');
  } finally {
    await settledInTime('terminate()', pool.terminate());
  }
  assert.equal(livingWorkers(), 0);
}

/** Less than any array that a command makes, and more than the arrays that the counters make, which only the collector frees. */
const SMALL_UNITS = 100;

export interface PlayOptions extends RunOptions {
  /** Of all pools; by default, each has 1 to 3. */
  readonly parallelism?: number;
  /** Most commands of a sequence. */
  readonly maxCommands?: number;
}

/** Plays sequences until one fails. */
export async function playSequences({ parallelism, maxCommands = 30, only = /./, ...run }: PlayOptions): Promise<void> {
  const commands = COMMANDS.filter((each) => only.test(String(fc.sample(each, 1)[0])));
  const sequences = fc.commands(commands, { maxCommands, size: 'max' });
  const property = fc.asyncProperty(poolChoice(parallelism), sequences, async (choice, sequence) => {
    const before = { blocks: heap.byteBlocks(), units: heap.units() };
    await play(choice, sequence);
    assert.equal(heap.byteBlocks(), before.blocks, 'blocks on the shared heap');
    const more = heap.units() - before.units;
    assert.ok(more < SMALL_UNITS, `${more} units more of the shared heap are in use`);
  });
  await fc.assert(property, parametersOf(run));
}
