/** Puts hostile values into every place of a task (argument, result, exception, field), on the caller and in workers. */
import { ForkJoinPool, type ForkJoinTask } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';
import { expectClear } from './clear-errors.js';

interface Hostile extends Record<string, unknown> {
  readonly HOSTILE: Record<string, () => unknown>;
  readonly takes: Scenario;
  readonly gives: Scenario;
  readonly throws: Scenario;
  readonly carries: Scenario;
  readonly double: Scenario;
  readonly Carrier: new (value: unknown) => ForkJoinTask<string>;
  readonly Spoiled: new (name: string) => ForkJoinTask<number>;
}

const hostile = await fixture<Hostile>('hostile.mjs');
const names = Object.keys(hostile.HOSTILE);
const make = (name: string): unknown => (hostile.HOSTILE[name] as () => unknown)();

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

/** Waits until the promise settles. An error must be clear, unless the task's own code threw it. */
async function ended(promise: Promise<unknown>): Promise<void> {
  const [kind, value] = await promise.then(
    () => ['value', undefined],
    (error: unknown) => ['error', error],
  );
  if (kind === 'error') expectClear(value, { hostileCode: true });
}

describe.each(names)('%s', (name) => {
  test('in an invoked task gives an answer or a clear error, and the pool keeps working', async () => {
    await ended(pool.invoke(hostile.takes, make(name)));
    await ended(pool.invoke(hostile.gives, name));
    await pool.invoke(hostile.throws, name).then(
      (value) => expect.fail(`no error but ${String(value)}`),
      () => {}, // the value that was thrown, or an error because the value cannot leave its worker
    );
    await ended(pool.invoke(new hostile.Carrier(make(name))));
    await ended(pool.invoke(new hostile.Spoiled(name)));
    expect(await pool.invoke(hostile.double, 4)).toBe(8);
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });
});

// Without cold workers: the code that a worker has loaded before does not matter here.
describe.each(executors().filter(({ cold }) => !cold))('$name:', (executor) => {
  test('a fork that carries a hostile value fails, if at all, at its own join, and its siblings are right', async () => {
    for (const name of names) {
      const ends = (await executor.run(hostile.carries, name)) as unknown[];
      expect([name, ends.pop()]).toEqual([name, 8]);
      expect(ends).toHaveLength(5);
    }
  });
});
