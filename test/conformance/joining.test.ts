import fc from 'fast-check';
import { sharedArray } from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

const joining = await fixture('joining.mjs');
const { overridden } = await fixture('overriding.mjs');
const squares = (count: number): number[] => Array.from({ length: count }, (_, i) => i * i);

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(joining[name] as Scenario, ...args);

  test('forks of both forms, mixed, are joined in any order, each with its own result', async () => {
    const orders = fc.constantFrom('newest first', 'oldest first', 'any order');
    const counts = fc.oneof(fc.nat(12), fc.nat(60), fc.nat(1000));
    await fc.assert(
      fc.asyncProperty(counts, orders, fc.integer(), async (count, order, seed) => {
        expect(await run('joinAll', count, order, seed)).toEqual(squares(count));
      }),
      { numRuns: executor.cold ? 5 : executor.checked ? 12 : 25 },
    );
  });

  test('the oldest of many forks can always be joined first', async () => {
    const sum = await run('slide', 3000, 20);
    expect(sum).toBe(30 * squares(100).reduce((a, b) => a + b));
  });

  test('a handle is found under any number of class tasks', async () => {
    for (const tasks of [10, 4090, 6000]) {
      expect(await run('handleUnderManyTasks', tasks)).toBe(tasks - 5 - Math.floor(tasks / 3) + 9 + 16);
    }
  });

  test('a handle is good once, in the task that forked it', async () => {
    const stale = { name: 'Error', message: expect.stringContaining('stale') };
    expect(await run('staleHandle')).toEqual({ first: 4, again: stale, second: 9, afterAll: stale });
    expect(await run('staleInTheMiddle')).toEqual({ first: 9, again: stale, others: [4, 16] });
    expect(await run('handleOfAReturnedTask')).toEqual({ wrong: 'Error', own: 36 });
    expect(await run('handleOfTheParent')).toEqual({ childs: 'Error', own: 49 });
  });

  test("a task object is joined by its forker only, and by others' children not even on the same thread", async () => {
    const { childs, own } = (await run('taskOfTheParent')) as { childs: string; own: number };
    expect(own).toBe(64);
    expect(['Error', 'elsewhere']).toContain(childs);
    if (!executor.steals && !executor.checked) expect(childs).toBe('Error');
  });

  test('a task that was joined gives its outcome again, and does not run again', async () => {
    const failure = { name: 'RangeError', message: 'negative: -9' };
    const { once, twice, runs } = (await run('joinedAgain')) as Record<string, unknown>;
    expect(once).toEqual([failure, { value: 81 }]);
    expect(twice).toEqual(once);
    expect(runs).toEqual([1, 1]);
  });

  test('the join of a task that left a child unjoined returns when the child has run', async () => {
    for (const form of ['class', 'function']) {
      expect(await run('joinsOneThatLeavesAChild', sharedArray(Int32Array, 1), form)).toBe(1);
    }
  });

  test('a call has just the arguments that it was forked with, defaults for the rest', async () => {
    const expected = [0, 1, 2, 3, 4, 5].map((n) => {
      const given = [1, 2, 3, 4, 5].slice(0, n);
      return [n, ...given, ...[undefined, 7, 7, 7, 7].slice(n)];
    });
    expect(await run('forksNumbers')).toEqual(expected);
  });

  test('a task that runs is neither done nor cancelled', async () => {
    expect(await run('whileItRuns')).toEqual([false, false, false, false]);
  });

  test.each([
    ['returns an error', false],
    ['throws null', false],
    ['joins a cancelled child', true],
  ])('a task that %s counts as cancelled: %s', async (way, expected) => {
    expect(await run('countsAsCancelled', way)).toBe(expected);
  });

  test('join of a task that was never forked says so', async () => {
    expect(await run('neverForked')).toEqual({ name: 'Error', message: expect.stringContaining('never forked') });
  });

  test('a class may override fork and join, for its subclasses too', async () => {
    expect(await executor.run(overridden as Scenario)).toEqual(['fj', 'fj']);
  });

  test('a task that was started is refused until it is reinitialized', async () => {
    expect(await run('startedTwice')).toEqual([
      ['Error', true],
      ['Error', true],
      ['Error', true],
    ]);
  });

  test('a task is reinitialized before it is forked or after it has ended, and not between', async () => {
    // Where another thread is quick the forked task has ended by then, and reinitializing it is right.
    if (executor.steals || executor.checked) return;
    expect(await run('reinitializesEarly')).toEqual([{}, 'Error', 'Error', 9, 4]);
  });

  test('a task tells of its state at every stage of its life', async () => {
    const fresh = [false, false, false, false, undefined, 'undefined'];
    expect(await run('statesOf', 5)).toEqual({
      fresh,
      joined: [true, true, false, false, 25, 'undefined'],
      again: fresh,
      second: [9, 2],
    });
    expect(await run('statesOf', -5)).toEqual({
      fresh,
      joined: [true, false, true, false, undefined, 'RangeError: negative: -5'],
      again: fresh,
      second: [9, 2],
    });
  });

  test('invoke runs a task in place, once', async () => {
    expect(await run('invokeHere')).toEqual([16, 16, 1, 'RangeError']);
  });

  test('invokeAll finishes all its tasks, however many', async () => {
    for (const ns of [[], [3], [3, 4], [3, 4, 5], Array.from({ length: 300 }, (_, i) => i)]) {
      const { outcome, results, done } = (await run('invokeAllOf', ns)) as Record<string, unknown>;
      expect({ outcome, results, done }).toEqual({
        outcome: { value: undefined },
        results: ns.map((n) => n * n),
        done: true,
      });
    }
  });

  test('invokeAll throws the failure of the first argument that failed, after all are done', async () => {
    const { outcome, results, done } = (await run('invokeAllOf', [3, -1, 4, -2, 5])) as Record<string, unknown>;
    expect(outcome).toEqual({ name: 'RangeError', message: 'negative: -1' });
    expect(results).toEqual([9, undefined, 16, undefined, 25]);
    expect(done).toBe(true);
  });

  test('tryUnfork takes back what nobody has started, and what was taken back can be forked again', async () => {
    expect(await run('unforked')).toEqual({
      results: [4, 1, 9],
      runs: [1, 1, 1],
      afterwards: [false, false, false],
    });
  });

  test('a cancelled task does not run, and its join throws a CancellationError', async () => {
    expect(await run('cancelled')).toEqual({
      consistent: true,
      runs: 0,
      others: ['value', 'value'],
      fresh: [true, true, true, 'CancellationError'],
      cancelAfterJoin: [false, false],
    });
  });

  test('getQueuedTaskCount counts the forks that nobody has started', async () => {
    const { before, during, surplus, after } = (await run('queued')) as Record<string, number>;
    expect([before, after]).toEqual([0, 0]);
    expect(during).toBeGreaterThanOrEqual(surplus as number);
    expect(during).toBeLessThanOrEqual(50);
    if (!executor.steals) expect(during).toBe(50);
  });

  test('helpQuiesce completes all that was forked, and the joins find it done', async () => {
    const failure = { name: 'RangeError', message: 'negative: -6' };
    expect(await run('quiesced')).toEqual({
      done: [
        [true, false],
        [true, true],
        [true, false],
      ],
      joins: [{ value: 25 }, failure, { value: 49 }],
      call: 64,
    });
  });

  test('a task knows that it runs in a pool, and in which', async () => {
    expect(await run('where')).toEqual({ inside: true, parallelism: executor.parallelism });
  });

  test('fork passes any number of arguments of any kind, and their number', async () => {
    const any = [1, 'two', { three: [3] }, null, undefined, true, 7n, -0, 9, 'ten', 11];
    for (let count = 0; count <= any.length; count++) {
      const args = any.slice(0, count);
      expect(await run('forkWith', args)).toEqual([count, args, 4]);
    }
    expect(await run('forkWith', [1.5, -0, Number.NaN])).toEqual([3, [1.5, -0, Number.NaN], 4]);
    expect(await run('forkWith', [1, 2, 3, 4])).toEqual([4, [1, 2, 3, 4], 4]);
    expect(await run('forkWithDefault')).toEqual([11, 3, 11]);
  });

  test('one task can fork very often, in both forms', async () => {
    const count = executor.checked ? 5000 : 20_000;
    const expected = (count / 8) * (0 + 1 + 4 + 9 + 16 + 25 + 36 + 49);
    expect(await run('manyForks', count, 'class')).toBe(expected);
    expect(await run('manyForks', count, 'function')).toBe(expected);
  });
});
