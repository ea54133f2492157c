/** What a task leaves to the event loop of its worker happens while that has nothing to do, on every host; an error there is heard. */
import type { Forkable } from 'furcate';
import { expect, test } from 'vitest';
import { onWarning } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
const tasks =
  await fixture<Record<'leavesTimer' | 'leavesMessage' | 'leavesError' | 'double', Any>>('between-tasks.mjs');
const poolOf = poolMaker('close');

test.each(['leavesTimer', 'leavesMessage'] as const)('%s: it comes while the worker rests', async (name) => {
  const pool = poolOf(1);
  const words = sharedWords();
  await pool.invoke(tasks[name], words);
  await whenSet(words);
  expect(await pool.invoke(tasks.double, 4)).toBe(8);
});

test('an error in a timer that a task has left ends the worker, with a warning, and the next call has another one', async () => {
  const pool = poolOf(1, { name: 'mill' });
  const warned = new Promise<string>((resolve) => {
    const stop = onWarning((message) => {
      stop();
      resolve(message);
    });
  });
  await pool.invoke(tasks.leavesError);
  expect(await warned).toMatch(
    /^furcate: worker 1 of pool 'mill' ended .* for an error outside of tasks:.*out of band/s,
  );
  expect(await pool.invoke(tasks.double, 4)).toBe(8);
});
