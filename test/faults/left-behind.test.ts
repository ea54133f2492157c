/** What a task leaves behind, and nobody awaits, goes on while its worker has nothing to do, and holds up nobody. */
import fc from 'fast-check';
import type { AsyncForkable, Forkable } from 'furcate';
import { describe, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, whenSet } from '../helpers/words.js';
import { whenNoWorkerLives } from '../helpers/worker-census.js';

type Leaves = [chain: readonly string[], words: Int32Array, at: number];
interface Fixture {
  readonly kinds: readonly string[];
  readonly leaves: Forkable<Leaves, void>;
  readonly leavesAsync: AsyncForkable<Leaves, void>;
  readonly forksLate: Forkable<[words: Int32Array, at: number], void>;
  readonly leavesForEver: Forkable<[words: Int32Array, at: number], void>;
  readonly echo: Forkable<[value: number], number>;
}
const tasks = await fixture<Fixture>('left-behind.mjs');
const poolOf = poolMaker('terminate');

/** Longer than a worker that sleeps through them could bring to an end, were it to look at its event loop every few seconds. */
const chain = fc.array(fc.constantFrom(...tasks.kinds), { minLength: 15, maxLength: 30 });

describe.each([1, 2])('%i workers:', (parallelism) => {
  test.each([
    ['a synchronous task', tasks.leaves],
    ['an asynchronous task', tasks.leavesAsync],
  ])('any chain of what %s does not await comes to its end, beside other tasks', async (_, leaves) => {
    const pool = poolOf(parallelism);
    await fc.assert(
      fc.asyncProperty(fc.array(chain, { minLength: 1, maxLength: 3 }), fc.nat(3), async (chains, others) => {
        const words = sharedWords();
        for (const [at, kinds] of chains.entries()) await pool.invoke(leaves as typeof tasks.leaves, kinds, words, at);
        for (let k = 0; k < others; k++) expect(await pool.invoke(tasks.echo, k)).toBe(k);
        for (const at of chains.keys()) await whenSet(words, at);
      }),
      { numRuns: 3 },
    );
  });

  test.each(tasks.kinds)('kind by kind: %s', async (kind) => {
    const words = sharedWords();
    await poolOf(parallelism).invoke(tasks.leaves, Array(15).fill(kind), words, 0);
    await whenSet(words);
    expect(words[0]).toBe(1);
  });

  test('it runs in no task: what it forks is refused, and the next tasks are as ever', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    await pool.invoke(tasks.forksLate, words, 0);
    await whenSet(words);
    expect(words[0]).toBe(1);
    expect(await pool.invoke(tasks.echo, 7)).toBe(7);
  });

  test('workers end after keepAliveMs though something is left that never ends', async () => {
    const pool = poolOf(parallelism, { keepAliveMs: 1 });
    const words = sharedWords();
    await pool.invoke(tasks.leavesForEver, words, 0);
    await whenNoWorkerLives();
    expect(await pool.invoke(tasks.echo, 7)).toBe(7);
  });
});

test.each(['idle', 'close'])('a program ends though something is left that never ends: %s', async (how) => {
  expect(await runNode('test/fixtures/programs/left-behind.mjs', how)).toEqual({
    code: 0,
    stdout: 'done\n',
    stderr: '',
  });
});
