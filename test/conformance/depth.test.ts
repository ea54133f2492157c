/** Recursion that is too deep ends in the same way on every engine, and never in a hang. */
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

const joining = await fixture('joining.mjs');

/** Deeper than any stack. */
const TOO_DEEP = 1_000_000;
/** Browsers give workers small stacks. */
const FINE = typeof process === 'undefined' ? 600 : 2_000;

const USED_UP = { name: 'RangeError', message: expect.stringMatching(/^furcate: the stack is used up/) };

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(joining[name] as Scenario, ...args);

  test('recursion that is too deep is a RangeError of ours, and the pool works on', async () => {
    for (const form of ['class', 'function']) {
      expect(await run('catchesOverflow', TOO_DEEP, form)).toEqual({ deep: USED_UP, after: 25, queued: 0 });
    }
    const error = await errorOf(run('descend', TOO_DEEP));
    expect(error).toMatchObject(USED_UP);
    expect(error).toMatchObject({ cause: { name: expect.stringMatching(/^(Range|Internal)Error$/) } }); // the engine's own
    await expect(run('callsItself')).rejects.toMatchObject(USED_UP);
    expect(await run('descend', FINE)).toBe(FINE);
  });

  test('whoever helps far down a stack settles what it took, whatever happens to it', async () => {
    for (let i = 0; i < 2; i++) await expect(run('forkedDescent', TOO_DEEP)).rejects.toMatchObject(USED_UP);
    expect(await run('forkedDescent', FINE)).toBe(FINE);
  });
});
