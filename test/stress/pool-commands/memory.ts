/** Shared arrays that come and go beside what is in flight: `free` gives their memory back at once. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import { type AsyncForkable, type Forkable, free, parallelReduce, parallelReduceSync, sharedArray } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { heapCounters } from '../../helpers/heap-counters.js';
import { sharedWords, tell, whenSet } from '../../helpers/words.js';
import { type Command, command } from './command.js';
import { hasFreeWorker, isOpen } from './model.js';

export const heap = heapCounters(sharedArray as never);

const { waits, total } = await fixture<{
  waits: AsyncForkable<[words: Int32Array], unknown>;
  total: Forkable<[xs: Float64Array], number>;
}>('commands.mjs');

const ELEMENTS = 100_000;
const ARRAYS = 8;
const UNIT_BYTES = 16;

/** Makes arrays, uses and frees them, one after the other: never more of the heap than one takes. */
async function comeAndGo(use: (xs: Float64Array) => Promise<number> | number): Promise<void> {
  const before = heap.inUse().units;
  for (let k = 0; k < ARRAYS; k++) {
    const xs = sharedArray(Float64Array, ELEMENTS).fill(1);
    assert.equal(await use(xs), ELEMENTS);
    free(xs);
  }
  const more = (heap.inUse().units - before) * UNIT_BYTES;
  assert.ok(
    more < 2 * ELEMENTS * Float64Array.BYTES_PER_ELEMENT,
    `${more} bytes more are in use after ${ARRAYS} arrays were freed`,
  );
}

export const MEMORY: readonly fc.Arbitrary<Command>[] = [
  command('arrays that come and go', hasFreeWorker, (_, { pool }) =>
    comeAndGo((xs) => parallelReduce(xs, 'sum', { pool })),
  ),
  command('arrays that come and go beside a task that waits', hasFreeWorker, async (_, { pool }) => {
    const words = sharedWords();
    const waiting = pool.invoke(waits, words);
    await whenSet(words);
    await comeAndGo((xs) => pool.invoke(total, xs)); // an algorithm may do its work on the caller, and then nobody hears of the array
    tell(words, 1);
    await waiting;
    free(words);
  }),
  command('arrays that come and go under a Sync algorithm', isOpen, (_, { pool }) =>
    comeAndGo((xs) => parallelReduceSync(xs, 'sum', { pool })),
  ),
  command('arrays that come and go unused', isOpen, () => comeAndGo((xs) => xs.length)),
];
