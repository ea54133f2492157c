/** A CancellationError says what has cancelled, to the caller and to the tasks. */
import { type Forkable, ForkJoinPool, type ForkJoinTask, type InvokeOptions, SequentialExecutor, task } from 'furcate';
import { limit } from 'furcate/flows';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any>>('reasons.mjs');
const sequential = new SequentialExecutor();
const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

const REASONS = ['', 'signal', 'timeout', 'listener', 'terminate', 'crash', 'forker', 'cancel'];

/** Runs a task until it is cancelled; resolves to its error, and to the reason that the task has seen. */
async function cancelled(
  options: InvokeOptions,
  act: () => unknown = () => {},
  on = pool,
  start = (looks: ForkJoinTask<unknown>): Promise<unknown> => on.invoke(looks, options),
): Promise<[error: unknown, seen: unknown]> {
  const words = sharedWords();
  const error = errorOf(start(task(tasks['looks'] as Any, words, REASONS)));
  await whenSet(words, 0);
  act();
  return [await error, REASONS[words[1] as number]];
}

test('a signal', async () => {
  const controller = new AbortController();
  const [error, seen] = await cancelled({ signal: controller.signal }, () => controller.abort('enough'));
  expect(error).toMatchObject({ reason: 'signal', name: 'AbortError', cause: 'enough' });
  expect(seen).toBe('signal');
});

test('a time-out', async () => {
  const [error, seen] = await cancelled({ timeoutMs: 50 });
  expect(error).toMatchObject({ reason: 'timeout', name: 'CancellationError' });
  expect(seen).toBe('timeout');
});

test.each<[string, (looks: ForkJoinTask<unknown>) => Promise<unknown>]>([
  ['an invocation with a limit', (looks) => pool.invoke(looks, { timeoutMs: 50, limit: limit(1) })],
  ['a race', (looks) => pool.invokeAny([looks], { timeoutMs: 50 })],
  ['a race with a limit', (looks) => pool.invokeAny([looks], { timeoutMs: 50, limit: limit(1) })],
])('a time-out of %s', async (_, start) => {
  const [error, seen] = await cancelled({}, undefined, pool, start);
  expect(error).toMatchObject({ reason: 'timeout', name: 'CancellationError' });
  expect(seen).toBe('timeout');
});

test.each([{}, { limit: limit(1) }])('an onReport that throws in a race: %j', async (options) => {
  for (const on of [pool, sequential]) {
    const onReport = (): never => {
      throw new RangeError('deaf');
    };
    const race = on.invokeAny([task(tasks['reports'] as Any), task(tasks['reports'] as Any)], { onReport, ...options });
    expect(await errorOf(race)).toEqual(new RangeError('deaf'));
  }
});

test('an onReport that throws', async () => {
  const onReport = (): never => {
    throw new RangeError('deaf');
  };
  const [error, seen] = await cancelled({ onReport });
  expect(error).toEqual(new RangeError('deaf'));
  expect(seen).toBe('listener');
});

test('terminate()', async () => {
  const other = new ForkJoinPool({ parallelism: 1 });
  const [error] = await cancelled({}, () => void other.terminate(), other);
  expect(error).toMatchObject({ reason: 'terminate' });
});

const alone = new ForkJoinPool({ parallelism: 1 }); // nobody steals the task that is cancelled
afterAll(() => alone.close());

test.each([
  ['a pool', (name: string, ...args: unknown[]) => alone.invoke(tasks[name] as Any, ...args)],
  ['a SequentialExecutor', (name: string, ...args: unknown[]) => sequential.invoke(tasks[name] as Any, ...args)],
])('cancel(), and a forker that fails, in %s', async (_, invoke) => {
  expect(await invoke('cancels')).toBe('cancel');
  expect(await errorOf(invoke('passesOn'))).toMatchObject({ reason: 'cancel' });
  const words = sharedWords();
  expect(await errorOf(invoke('failsBeside', words, REASONS))).toEqual(new RangeError('as it should'));
  expect(REASONS[words[1] as number]).toBe('forker');
});
