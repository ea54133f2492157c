import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

const joining = await fixture('joining.mjs');

/** Deeper than any stack. */
const TOO_DEEP = 1_000_000;

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(joining[name] as Scenario, ...args);

  test('recursion that is too deep is a RangeError, and the pool works on', async () => {
    for (const form of ['class', 'function']) {
      expect(await run('catchesOverflow', TOO_DEEP, form)).toEqual({ deep: 'RangeError', after: 25, queued: 0 });
    }
    await expect(run('descend', TOO_DEEP)).rejects.toThrow(RangeError);
    expect(await run('descend', 100)).toBe(100);
  });

  test('whoever helps far down a stack settles what it took, whatever happens to it', async () => {
    for (let i = 0; i < 2; i++) await expect(run('forkedDescent', TOO_DEEP)).rejects.toThrow(RangeError);
    expect(await run('forkedDescent', 300)).toBe(300);
  });
});
