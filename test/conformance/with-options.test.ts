/** `with(options)`: options for calls of functions, which `invoke` takes for tasks alone. */
import fc from 'fast-check';
import {
  type AsyncForkable,
  type Executor,
  type Forkable,
  ForkJoinPool,
  type InvokeOptions,
  SequentialExecutor,
  task,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

const { counts, countsLater, busyFor } = await fixture<{
  readonly counts: Forkable<[n: number], number>;
  readonly countsLater: AsyncForkable<[n: number], number>;
  readonly busyFor: Forkable<[ms: number], number>;
}>('with-options.mjs');

const pool = new ForkJoinPool({ parallelism: 2, name: 'with options' });
afterAll(() => pool.terminate());

const never = new AbortController().signal;
const options: fc.Arbitrary<InvokeOptions> = fc.record(
  {
    signal: fc.constant(never),
    timeoutMs: fc.constant(1_000_000),
    graceMs: fc.constant(1_000_000),
    priority: fc.constantFrom('high', 'normal', 'low'),
  },
  { requiredKeys: [] },
);

test.each<[string, Executor]>([
  ['a pool', pool],
  ['a sequential executor', new SequentialExecutor()],
])('%s runs functions and tasks as without options, as often as asked', async (_what, executor) => {
  const property = fc.asyncProperty(options, fc.array(fc.nat(20), { maxLength: 4 }), async (given, sizes) => {
    const limited = executor.with(given);
    for (const n of sizes) {
      expect(await limited.invoke(counts, n)).toBe(n);
      expect(await limited.invoke(countsLater, n)).toBe(n);
      expect(await limited.invoke(task(counts, n))).toBe(n);
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

describe('every option has its effect on a call of a function:', () => {
  test('onReport hears what it reports', async () => {
    const heard: unknown[] = [];
    const listening = pool.with({ onReport: (value) => void heard.push(value) });
    expect(await listening.invoke(counts, 3)).toBe(3);
    expect(await listening.invoke(countsLater, 2)).toBe(2);
    expect(heard).toEqual([0, 1, 2, 0, 1]);
  });

  test('timeoutMs counts from each call', async () => {
    const limited = pool.with({ timeoutMs: 20 });
    for (let k = 0; k < 2; k++)
      expect(await errorOf(limited.invoke(busyFor, 1_000_000))).toMatchObject({
        name: 'CancellationError',
        reason: 'timeout',
      });
    expect(await pool.with({ timeoutMs: 1_000_000 }).invoke(busyFor, 1)).toBe(1);
  });

  test('signal cancels what runs, and refuses what comes later', async () => {
    const controller = new AbortController();
    const limited = pool.with({ signal: controller.signal });
    const running = errorOf(limited.invoke(busyFor, 1_000_000));
    controller.abort('enough');
    for (const error of [await running, await errorOf(limited.invoke(counts, 1))])
      expect(error).toMatchObject({ name: 'AbortError', cause: 'enough' });
    expect(await pool.invoke(counts, 1)).toBe(1);
  });

  test('a copy of the options counts: what changes later, does not', async () => {
    const given: { timeoutMs?: number; signal?: AbortSignal } = {};
    const limited = pool.with(given);
    given.signal = AbortSignal.abort();
    expect(await limited.invoke(counts, 1)).toBe(1);
  });
});

type Loose = (...args: unknown[]) => Promise<unknown>;

test.each<[string, Executor]>([
  ['a pool', pool],
  ['a sequential executor', new SequentialExecutor()],
])('%s checks options at once, and says what is wrong', async (_what, executor) => {
  const made = executor.with.bind(executor) as unknown as (options?: unknown) => Executor;
  for (const bad of [undefined, null, 3, [], 'signal'])
    expect(() => made(bad)).toThrow(/the options of with\(options\) must be an object/);
  expect(() => made({ timeout: 3 })).toThrow(/with\(options\) has no option 'timeout'\. It has: signal, timeoutMs/);
  expect(() => made({ timeoutMs: '3' })).toThrow(/timeoutMs must be a number/);
  expect(() => made({ priority: 'urgent' })).toThrow(/priority must be 'high', 'normal' or 'low'/);
  const twice = made({}).invoke as Loose;
  const error = await errorOf(twice(task(counts, 1), { timeoutMs: 3 }));
  expect(String(error)).toMatch(/TypeError: furcate: with\(options\)\.invoke\(task\) takes no further options/);
  expect(String(await errorOf(twice(3)))).toMatch(/invoke\(\) takes a task, or a function made with forkable/);
});

test('a signal among the arguments of a function gets an error that names with()', async () => {
  const error = await errorOf((pool.invoke as Loose).call(pool, counts, 1, { signal: never }));
  expect(String(error)).toMatch(/NotShareableError.*pool\.with\(\{ signal \}\)\.invoke\(fn, \.\.\.args\)/);
});
