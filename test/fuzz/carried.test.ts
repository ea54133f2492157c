/** Hostile values in every place that a task has: argument, result, exception, field, on the caller and in workers. */
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

/** Settles one way or the other: what came, or what was thrown, which for these tasks may be anything. */
async function ended(promise: Promise<unknown>): Promise<void> {
  const [kind, value] = await promise.then(
    () => ['value', undefined],
    (error: unknown) => ['error', error],
  );
  if (kind === 'error') expectClear(value, { hostileCode: true });
}

describe.each(names)('%s', (name) => {
  test('as argument, result, exception or field of what is invoked: an answer or a clear error, and the pool goes on', async () => {
    await ended(pool.invoke(hostile.takes, make(name)));
    await ended(pool.invoke(hostile.gives, name));
    await pool.invoke(hostile.throws, name).then(
      (value) => expect.fail(`no error but ${String(value)}`),
      () => {}, // what was thrown, or that it could not leave its worker
    );
    await ended(pool.invoke(new hostile.Carrier(make(name))));
    await ended(pool.invoke(new hostile.Spoiled(name)));
    expect(await pool.invoke(hostile.double, 4)).toBe(8);
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });
});

// What a worker has seen before does not matter here.
describe.each(executors().filter(({ cold }) => !cold))('$name:', (executor) => {
  test('a fork that carries a hostile value fails at its own join at most, and its siblings are right', async () => {
    for (const name of names) {
      const ends = (await executor.run(hostile.carries, name)) as unknown[];
      expect([name, ends.pop()]).toEqual([name, 8]);
      expect(ends).toHaveLength(5);
    }
  });
});
