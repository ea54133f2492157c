/**
 * Calls with plain values whose sources, functions and options misbehave. Each must settle, and leave nothing in flight. Everything follows
 * from a seed: FURCATE_SEED=n repeats a run.
 */
import fc from 'fast-check';
import { ForkJoinPool, type PlainOptions, parallelFilter, parallelForEach, parallelMap, parallelReduce } from 'furcate';
import { afterAll, expect, test } from 'vitest';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';

const pools = [
  new ForkJoinPool({ parallelism: 1 }),
  new ForkJoinPool({ parallelism: 2 }),
  new ForkJoinPool({ parallelism: 2, checked: true }),
  new ForkJoinPool({ parallelism: 2, maxQueue: 1 }),
];
afterAll(() => Promise.all(pools.map((pool) => pool.terminate()))); // where a call hangs, close() would too

const fail = (what: string): never => {
  throw new Error(what);
};
const VALUES = [1, 'text', null, undefined, { a: [1] }, new Map([[1, 2]]), 10n, new Float64Array(3), new Date(0)];
const HOSTILE_VALUES = [() => 1, Symbol('s'), new (class Unknown {})(), Promise.resolve(1), new Error('a value')];

/** Reads the k-th value, or throws. */
type At = (k: number) => unknown;

/** The method `next` of an iterator over n values. */
function nextOf(n: number, at: At, done: unknown): () => { value?: unknown; done?: unknown } {
  let k = 0;
  return () => (k < n ? { value: at(k++) } : { done });
}

/** What has n values, and may do odd things at its end. */
type MakeSource = (n: number, at: At, odd: unknown) => object;
const SOURCES: Readonly<Record<string, MakeSource>> = {
  accessors(n, at) {
    const array: unknown[] = [];
    for (let k = 0; k < n; k++) Object.defineProperty(array, k, { get: () => at(k), enumerable: true });
    return array;
  },
  proxy: (n, at) =>
    new Proxy(new Array(n), {
      get: (array, key) => (/^\d+$/.test(String(key)) ? at(Number(key)) : Reflect.get(array, key)),
    }),
  *generator(n, at) {
    for (let k = 0; k < n; k++) yield at(k);
  },
  async *asyncGenerator(n, at) {
    for (let k = 0; k < n; k++) yield await at(k);
  },
  iterator: (n, at, odd) => ({
    [Symbol.iterator]: () => ({ next: nextOf(n, at, odd), return: () => fail('return') }),
  }),
  asyncIteratorWithoutPromises: (n, at, odd) => ({
    [Symbol.asyncIterator]: () => ({ next: nextOf(n, at, odd), return: () => new Promise(() => {}) }),
  }),
  asyncIterator: (n, at) => ({
    [Symbol.asyncIterator]: () => {
      const next = nextOf(n, at, true);
      return { next: async () => next(), return: async () => fail('return') };
    },
  }),
};

type Fn = (value: unknown, i: number) => unknown;
const FUNCTIONS: Readonly<Record<string, Fn>> = {
  identity: (x) => x,
  index: (_, i) => i,
  throws: (_, i) => {
    if (i % 17 === 13) throw new Error(`${i}`);
  },
  throwsUndefined: () => {
    throw undefined;
  },
  async: async (_, i) => i,
  rejects: async (_, i) => {
    if (i % 17 === 13) throw new Error(`${i}`);
  },
  waits: async (_, i) => new Promise((resolve) => setTimeout(resolve, i % 3)),
  mixed: (_, i) => (i % 2 === 0 ? i : Promise.resolve(i)),
  thenThrows: () => ({
    // biome-ignore lint/suspicious/noThenProperty: what this is about
    then() {
      throw new Error('then');
    },
  }),
  givesFunction: () => () => 1,
  busy: (_, i) => {
    for (const end = performance.now() + (i % 5); performance.now() < end; );
  },
  neverSettles: (_, i) => (i === 3 ? new Promise(() => {}) : i),
};

const ALGORITHMS: Readonly<
  Record<string, (source: never, fn: never, options: PlainOptions<undefined>) => Promise<unknown>>
> = {
  parallelMap,
  parallelForEach,
  parallelFilter,
  parallelReduce: (source, fn, options) =>
    parallelReduce(source, (a: unknown, b: unknown) => a ?? b, null, { ...options, map: fn }),
};

const oneOf = <V>(table: Readonly<Record<string, V>>): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(table));

const rarely = <V>(arbitrary: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const calls = fc.record({
  algorithm: oneOf(ALGORITHMS),
  source: oneOf(SOURCES),
  fn: oneOf(FUNCTIONS),
  n: fc.constantFrom(0, 1, 2, 7, 30, 200),
  failsAt: fc.constantFrom(undefined, 0, 1, 2, 5, 6, 25, 29),
  hostileAt: rarely(fc.nat(30)),
  hostile: fc.constantFrom<unknown>(...HOSTILE_VALUES),
  odd: fc.constantFrom<unknown>(true, 1, 'yes', {}),
  poolIndex: fc.nat(pools.length - 1), // a pool itself would be printed with its memory
  threshold: rarely(fc.constantFrom(1, 3, 50)),
  concurrency: rarely(fc.constantFrom(1, 2, 5)),
  timeoutMs: rarely(fc.constantFrom(0, 1, 20, 1000)),
  abortMs: rarely(fc.nat(10)),
  priority: rarely(fc.constantFrom('high', 'low')),
  onProgress: rarely(
    fc.constantFrom<() => void>(
      () => {},
      () => fail('onProgress'),
    ),
  ),
  transfer: rarely(
    fc.constantFrom<(x: unknown) => unknown>(
      () => [],
      (x) => [x],
      () => fail('transfer'),
    ),
  ),
});

test('a call settles whatever sources, functions and options do, and leaves nothing in flight', async () => {
  const property = fc.asyncProperty(calls, async (call) => {
    const {
      algorithm,
      source,
      fn,
      n,
      failsAt,
      hostileAt,
      hostile,
      odd,
      abortMs,
      transfer,
      timeoutMs,
      poolIndex,
      ...options
    } = call;
    const at: At = (k) => {
      if (k === failsAt) fail('source');
      return k === hostileAt ? hostile : VALUES[k % VALUES.length];
    };
    const pool = pools[poolIndex] as ForkJoinPool;
    const controller = new AbortController();
    const given = {
      ...options,
      pool,
      ...(/Map|Each/.test(algorithm) ? { transfer } : {}),
      timeoutMs: fn === 'neverSettles' ? 20 : timeoutMs,
      signal: controller.signal,
    };
    const abort = abortMs === undefined ? undefined : setTimeout(() => controller.abort(), abortMs);
    let hang: NodeJS.Timeout | undefined;
    const ended = async (): Promise<unknown> =>
      ALGORITHMS[algorithm]?.(SOURCES[source]?.(n, at, odd) as never, FUNCTIONS[fn] as never, given as never);
    const outcome = await Promise.race([
      ended().then(
        () => 'settled',
        () => 'settled',
      ),
      new Promise((resolve) => {
        hang = setTimeout(() => resolve('hangs'), STEP_HANG_MS);
      }),
    ]);
    clearTimeout(abort);
    clearTimeout(hang);
    expect(outcome).toBe('settled');
    expect(await pool.awaitQuiescence(STEP_HANG_MS)).toBe(true);
  });
  await fc.assert(property, { seed: seedOfRun('plain values'), numRuns: 400, endOnFailure: true });
});
