import * as furcate from 'furcate';
import { type Forkable, type ForkJoinPool, type ForkJoinTask, parallelInvoke, parallelInvokeSync, task } from 'furcate';
import { describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { ofEachKind } from '../helpers/environment.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { coldPools, warmPools } from '../helpers/pools.js';
import { haveSameBytes } from '../helpers/same-bytes.js';

type Invoke = (...all: unknown[]) => Promise<unknown>;
type Call = (algorithm: string, ...args: unknown[]) => unknown;
type Case = (call: Call, n: number) => [given: unknown, plain: () => unknown];

interface Fixture {
  readonly cases: Readonly<Record<string, Case>>;
  readonly Doubled: new (x: number) => ForkJoinTask<number>;
  readonly tripled: Scenario;
  readonly inTask: Scenario;
  readonly invokeFailing: Scenario;
}

const { cases, Doubled, tripled, inTask, invokeFailing } = await fixture<Fixture>('grouping.mjs');
const api = furcate as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;
const invokeAllHere = mayBlock ? parallelInvokeSync : (parallelInvoke as unknown as typeof parallelInvokeSync);
const LENGTHS = [0, 1, 10, 1000, 100_003];

/** `toEqual` takes seconds for long arrays. */
function expectSame(actual: unknown, expected: unknown): void {
  expect(Object.prototype.toString.call(actual)).toBe(Object.prototype.toString.call(expected));
  if (haveSameBytes(actual, expected)) return;
  if (ArrayBuffer.isView(expected)) {
    const [elements, wanted] = [actual, expected] as unknown as ArrayLike<unknown>[];
    expect(elements.length).toBe(wanted.length);
    expect(Array.from(elements).findIndex((each, i) => !Object.is(each, wanted[i]))).toBe(-1);
  } else if (Array.isArray(expected)) {
    expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
  } else if (typeof expected === 'object') {
    const fields = actual as Record<string, unknown>;
    expect(Object.keys(fields)).toEqual(Object.keys(expected as object));
    for (const [key, value] of Object.entries(expected as object)) expectSame(fields[key], value);
  } else {
    expect(actual).toBe(expected);
  }
}

const plainly = new Map<string, unknown>();

/** What plain code gives, once for each case and length. */
function plain(name: string, n: number): unknown {
  const key = `${name} ${n}`;
  if (!plainly.has(key)) plainly.set(key, cases[name](() => undefined, n)[1]());
  return plainly.get(key);
}

const names = Object.keys(cases);

describe.each(
  ofEachKind([warmPools(1), warmPools(2), warmPools(4), coldPools(2)], ({ parallelism }) => parallelism === 2),
)('with a pool of $name,', (pools) => {
  const lengths = pools.cold ? [100_003] : LENGTHS;

  /** Adds the pool to the options, which are the last argument if that is a plain object. */
  const withPool = (pool: ForkJoinPool, args: unknown[]): unknown[] => {
    const last = args.at(-1);
    const isOptions = typeof last === 'object' && last !== null && Object.getPrototypeOf(last) === Object.prototype;
    return isOptions ? [...args.slice(0, -1), { ...last, pool }] : [...args, { pool }];
  };

  test.each(names)('%s gives what plain code gives, as a promise', async (name) => {
    for (const n of lengths) {
      const given = await pools.use(
        (pool) => cases[name]((algorithm, ...args) => api[algorithm](...withPool(pool, args)), n)[0],
      );
      expectSame(given, plain(name, n));
    }
  });

  test.each(names)('%s gives what plain code gives, from the caller that works too', async (name) => {
    for (const n of lengths) {
      const given = await pools.use(
        (pool) => cases[name]((algorithm, ...args) => api[`${algorithm}Sync`](...withPool(pool, args)), n)[0],
      );
      expectSame(given, plain(name, n));
    }
  });

  test.each(names)('%s gives what plain code gives, inside a task', async (name) => {
    for (const n of lengths) {
      expectSame(await pools.use((pool) => (pool.invoke as Invoke).call(pool, inTask, name, n)), plain(name, n));
    }
  });

  test('parallelInvoke runs all tasks, and rejects with the failure of the first in the list', async () => {
    const tasks = [
      new Doubled(1),
      new Doubled(-2),
      new Doubled(-3),
      task(tripled as Forkable<[number], number>, 4),
    ] as const;
    await expect(pools.use((pool) => parallelInvoke(tasks, { pool }))).rejects.toThrow(/^-2 is negative$/);
    expect(tasks.map((each) => each.isDone)).toEqual([true, true, true, true]);
    expect(tasks[3].getRawResult()).toBe(12);
    const again = [new Doubled(-5), new Doubled(-2)];
    await expect(pools.use((pool) => invokeAllHere(again, { pool }))).rejects.toThrow(/^-5 is negative$/);
    expect(await pools.use((pool) => pool.invoke(invokeFailing as never))).toEqual([
      'RangeError: -2 is negative',
      [true, true, true, true],
      8,
    ]);
  });

  test('parallelInvoke gives typed results in order, of none []', async () => {
    expect(await pools.use((pool) => parallelInvoke([], { pool }))).toEqual([]);
    expect(await pools.use((pool) => invokeAllHere([], { pool }))).toEqual([]);
    const [a, b] = await pools.use((pool) => parallelInvoke([new Doubled(3), new Doubled(4)], { pool }));
    expect(a + b).toBe(14);
  });

  test('parallelInvoke is cancelled by its signal', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const pending = pools.use((pool) => {
      const running = parallelInvoke(
        Array.from({ length: 30 }, (_, i) => new Doubled(i)),
        { pool, signal },
      );
      controller.abort();
      return running;
    });
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    const late = pools.use((pool) => parallelInvoke([new Doubled(1)], { pool, signal }));
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('parallelInvoke refuses, naming the place,', () => {
  const wrong = (...args: unknown[]): Promise<unknown> =>
    (parallelInvoke as (...all: unknown[]) => Promise<unknown>)(...args);
  const fresh = (): ForkJoinTask<number> => new Doubled(1);

  test('what is no array of tasks', async () => {
    await expect(wrong()).rejects.toThrow(/tasks must be an array of tasks, but it is undefined/);
    await expect(wrong(fresh())).rejects.toThrow(/Write \[task\]/);
    await expect(wrong([fresh(), fresh(), fresh(), 3])).rejects.toThrow(/tasks\[3\] must be a task, but it is 3/);
    await expect(wrong([tripled])).rejects.toThrow(/tasks\[0\] must be a task.*Write task\(fn, \.\.\.args\)/);
  });

  test('a task that was started, or is there twice, and starts none', async () => {
    const one = fresh();
    await expect(wrong([one, fresh(), one])).rejects.toThrow(/tasks\[2\] is the same task as tasks\[0\]/);
    expect(one.isDone).toBe(false);
    const [done] = [fresh()];
    await parallelInvoke([done]);
    await expect(wrong([one, done])).rejects.toThrow(/tasks\[1\].*has run/);
    expect(one.isDone).toBe(false);
  });

  test('options that it does not have', async () => {
    await expect(wrong([], { threshold: 3 })).rejects.toThrow(/no option "threshold".*pool, signal, timeoutMs/);
    await expect(wrong([], fresh())).rejects.toThrow(/options must be a plain object/);
    await expect(wrong([], { pool: 3 })).rejects.toThrow(/options.pool must be a ForkJoinPool/);
    await expect(wrong([], { timeoutMs: -1 })).rejects.toThrow(/timeoutMs/);
    expect(() => (parallelInvokeSync as (...all: unknown[]) => unknown)([fresh()], { timeoutMs: 5 })).toThrow(
      /parallelInvoke\(\)/,
    );
  });
});
