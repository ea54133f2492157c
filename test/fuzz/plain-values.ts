/**
 * Calls with plain values whose sources, functions and options misbehave, on pools some of which end in the middle. Each must settle, and leave
 * nothing in flight; what the caller has is as it was.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ForkJoinPool,
  type ForkJoinPoolOptions,
  type PlainOptions,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
} from 'furcate';
import { settledInTime } from '../helpers/hangs.js';
import { expectUndisturbed } from '../helpers/process-watch.js';
import { parametersOf, type RunOptions } from '../stress/run-options.js';

const POOLS: readonly ForkJoinPoolOptions[] = [
  { parallelism: 1 },
  { parallelism: 2 },
  { parallelism: 2, checked: true },
  { parallelism: 2, maxQueue: 1 },
].map((options) => ({ ...options, stallMs: 0 })); // on a busy machine a thread may get no time for seconds

const fail = (what: string): never => {
  throw new Error(what);
};
const WRITABLE = { a: [1] };
const VALUES = [1, 'text', null, undefined, WRITABLE, new Map([[1, 2]]), 10n, new Float64Array(3), new Date(0)];
const UNSHAREABLE = [() => 1, Symbol('s'), new (class Unknown {})()];
const HOSTILE_VALUES = [...UNSHAREABLE, Promise.resolve(1), new Error('a value')];

/** Reads the k-th value, or throws. */
type At = (k: number) => unknown;

/** The method `next` of an iterator over n values. */
function nextOf(n: number, at: At, done: unknown): () => { value?: unknown; done?: unknown } {
  let k = 0;
  return () => (k < n ? { value: at(k++) } : { done });
}

/** What has n values, and may do odd things at its end. */
type MakeSource = (n: number, at: At, odd: unknown) => object;
const stops = (): Promise<never> => new Promise(() => {});

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
  stopsYielding: (n, at) => ({
    [Symbol.asyncIterator]: () => {
      const next = nextOf(n, at, true);
      let k = 0;
      return { next: async () => (k++ < n ? next() : stops()), return: () => stops() };
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
  failsBesideNever: async (_, i) => {
    if (i === 2) await new Promise(() => {});
    if (i === 1) throw new Error('beside');
  },
  writes: (x) => {
    if (typeof x === 'object' && x !== null && 'a' in x) (x as { a: number[] }).a[0] = 666;
  },
};

const ALGORITHMS: Readonly<
  Record<string, (source: never, fn: never, options: PlainOptions<undefined>) => Promise<unknown>>
> = {
  parallelMap,
  parallelForEach,
  parallelFilter,
  parallelReduce: (source, fn, options) =>
    parallelReduce(source, (a: unknown, b: unknown) => a ?? b, null, { ...options, map: fn }),
  'parallelReduce by name': (source, fn, options) => parallelReduce(source, 'sum', { ...options, map: fn }),
};

const oneOf = <V>(table: Readonly<Record<string, V>>): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(table));

const rarely = <V>(arbitrary: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const ODD_SIGNALS: Readonly<Record<string, () => object>> = {
  cannotBeListenedTo: () => ({ aborted: false, addEventListener: () => fail('signal'), removeEventListener() {} }),
  keepsListeners: () => ({ aborted: false, addEventListener() {}, removeEventListener: () => fail('signal') }),
  callsAtOnce: () => ({
    aborted: false,
    addEventListener: (_: string, act: () => void) => act(),
    removeEventListener() {},
  }),
  frozen: () => Object.freeze(new AbortController().signal),
};

const calls = fc.record({
  algorithm: oneOf(ALGORITHMS),
  source: oneOf(SOURCES),
  fn: oneOf(FUNCTIONS),
  n: fc.constantFrom(0, 1, 2, 7, 30, 200),
  failsAt: fc.constantFrom(undefined, 0, 1, 2, 5, 6, 25, 29),
  hostileAt: rarely(fc.nat(30)),
  hostile: fc.constantFrom<unknown>(...HOSTILE_VALUES),
  odd: fc.constantFrom<unknown>(true, 1, 'yes', {}),
  poolIndex: fc.nat(POOLS.length - 1),
  ends: rarely(fc.record({ how: fc.constantFrom<'close' | 'terminate'>('close', 'terminate'), afterMs: fc.nat(3) })),
  signal: rarely(oneOf(ODD_SIGNALS)),
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

type Call = typeof calls extends fc.Arbitrary<infer C> ? C : never;

/** Without an end of the pool, what ends a call that would go on for ever. */
function limits({ source, fn, ends, timeoutMs }: Call): { timeoutMs: number | undefined; graceMs?: number } {
  if (fn === 'neverSettles' || (source === 'stopsYielding' && ends?.how !== 'terminate')) return { timeoutMs: 20 };
  return fn === 'failsBesideNever' ? { timeoutMs, graceMs: 5 } : { timeoutMs };
}

async function check(call: Call, poolFor: (index: number, isOwn: boolean) => ForkJoinPool): Promise<void> {
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
    ends,
    transfer,
    signal,
    poolIndex,
    ...options
  } = call;
  let hasReadUnshareable = false;
  const at: At = (k) => {
    if (k === failsAt) fail('source');
    if (k !== hostileAt) return VALUES[k % VALUES.length];
    hasReadUnshareable ||= UNSHAREABLE.includes(hostile as never);
    return hostile;
  };
  const pool = poolFor(poolIndex, ends !== undefined);
  const controller = new AbortController();
  const given = {
    ...options,
    ...limits(call),
    pool,
    ...(/Map|Each/.test(algorithm) ? { transfer } : {}),
    signal: signal === undefined ? controller.signal : ODD_SIGNALS[signal]?.(),
  };
  const timers = [abortMs === undefined ? undefined : setTimeout(() => controller.abort(), abortMs)];
  let hasEnded = false;
  let ended: Promise<void> | undefined;
  if (ends !== undefined)
    timers.push(
      setTimeout(() => {
        hasEnded = true;
        ended = pool[ends.how]();
      }, ends.afterMs),
    );
  const settled = async (): Promise<unknown> =>
    ALGORITHMS[algorithm]?.(SOURCES[source]?.(n, at, odd) as never, FUNCTIONS[fn] as never, given as never);
  const ending = settled().then(
    () => 'a value',
    (error: unknown) => (error instanceof Error ? error.name : 'an odd error'),
  );
  const name = await settledInTime('the call', ending);
  for (const timer of timers) clearTimeout(timer);
  if (hasReadUnshareable) assert.notEqual(name, 'a value', 'a call takes what cannot be shared');
  if (hasEnded && POOLS[poolIndex]?.maxQueue === undefined)
    assert.notEqual(name, 'RejectedExecutionError', 'a call that had begun before the pool ended was refused');
  assert.deepEqual(WRITABLE, { a: [1] }, 'a function wrote to the values of its caller');
  assert.equal(await settledInTime('rest', pool.awaitQuiescence()), true);
  if (ends !== undefined) await settledInTime(`${ends.how}()`, ended ?? pool[ends.how]());
  await expectUndisturbed('the call');
}

/** Makes calls, on pools that stay, and on some of their own where the pool ends in the middle. */
export async function callWithPlainValues(run: RunOptions): Promise<void> {
  const pools = POOLS.map((options) => new ForkJoinPool(options));
  const poolFor = (index: number, isOwn: boolean): ForkJoinPool =>
    isOwn ? new ForkJoinPool(POOLS[index]) : (pools[index] as ForkJoinPool);
  try {
    await fc.assert(
      fc.asyncProperty(calls, (call) => check(call, poolFor)),
      parametersOf(run),
    );
  } finally {
    await Promise.all(pools.map((pool) => pool.terminate())); // where a call hangs, close() would too
  }
}
