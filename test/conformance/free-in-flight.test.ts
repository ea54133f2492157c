/**
 * What `free` gives back while invocations are in flight: at once the bytes of arrays that none of them was given, and those of all others
 * when they have ended. What was abandoned keeps what it may write to.
 */
import {
  type AlgorithmOptions,
  type AsyncForkable,
  type Forkable,
  ForkJoinPool,
  free,
  parallelMap,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
  sharedArray,
  task,
} from 'furcate';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

/** A thread under a name that it gets when a function first asks for it; functions travel without what is around them. */
type Thread = typeof globalThis & { thisThread?: string };

interface Late {
  readonly late: AsyncForkable<[xs: Float64Array, words: Int32Array], void>;
  readonly lateInFork: AsyncForkable<[xs: Float64Array, words: Int32Array], void>;
  readonly lateValue: AsyncForkable<[], void>;
  readonly echo: Forkable<[value: unknown], unknown>;
  readonly freesForked: Forkable<[xs: Float64Array, words: Int32Array], [sum: number, isReused: boolean]>;
  readonly holdsArray: Forkable<[xs: Float64Array, words: Int32Array], number>;
}
const { late, lateInFork, lateValue, echo, holdsArray, freesForked } = await fixture<Late>('late.mjs');
const { holds } = await fixture<{ readonly holds: Forkable<[words: Int32Array, value: number], number> }>(
  'holding.mjs',
);

const N = 1000;
const counters = heapCounters(sharedArray as never);
const array = (): Float64Array => sharedArray(Float64Array, N);
/** How many blocks `free` gives back at once. */
function freed(xs: Float64Array): number {
  const { blocks } = counters.inUse();
  free(xs);
  return blocks - counters.inUse().blocks;
}

describe('beside an invocation that lasts', () => {
  const words = sharedWords();
  const other = new ForkJoinPool({ parallelism: 1 });
  const pool = new ForkJoinPool({ parallelism: 2 });
  let lasting: Promise<unknown>;
  beforeAll(async () => {
    lasting = other.invoke(holds, words, 7);
    await whenSet(words);
  });
  afterAll(async () => {
    tell(words, 1);
    expect(await lasting).toBe(7);
    await other.close();
    await pool.close();
  });

  /** What leaves an array that may be freed. */
  const WAYS: Readonly<Record<string, (xs: Float64Array) => unknown>> = {
    'nothing at all': () => {},
    'a task that was given the array': (xs) => pool.invoke(echo, xs),
    'a task that was given the array in an object': (xs) => pool.invoke(echo, { deep: [xs.subarray(1)] }),
    'a task on the caller': (xs) => pool.invokeSync(echo, xs),
    'a reduction': (xs) => parallelReduce(xs, 'sum', { pool }),
    'a reduction on the caller': (xs) => parallelReduceSync(xs, (a, b) => a + b, 0, { pool, threshold: 1 }),
    'a sort': (xs) => parallelSort(xs, { pool }),
    'a loop with the array in its context': (xs) =>
      parallelMap(sharedArray(Float64Array, N), (_, i, { xs }) => xs[i] as number, { context: { xs }, pool }),
    'plain values with the array in their context': (xs) =>
      parallelMap([1, 2, 3], (i, _, { xs }) => xs[i], { context: { xs }, pool, graceMs: 1e9 }),
    'plain values that hold the array': (xs) => parallelMap([xs, { xs }], () => 1, { pool, graceMs: 1e9 }),
    'a task that failed to start': (xs) => errorOf(pool.invoke(echo, [xs, () => 1])),
    'a task that was cancelled': async (xs) => {
      const controller = new AbortController();
      const cancelled = errorOf(pool.invoke(task(echo, xs), { signal: controller.signal }));
      controller.abort();
      await cancelled;
    },
  };

  test.each(Object.entries(WAYS))('an array is given back at once after %s', async (_, way) => {
    const xs = array();
    await way(xs);
    expect(freed(xs)).toBe(1);
  });

  test('a result is given back at once', async () => {
    const made = await parallelMap(array(), (x) => x + 1, { pool });
    expect(freed(made)).toBe(1);
    const same = (await pool.invoke(echo, array())) as Float64Array;
    expect(freed(same)).toBe(1);
  });

  test('an array that another invocation was given is given back when that one has ended', async () => {
    const [xs, own] = [array().fill(1), sharedWords()];
    onTestFinished(() => tell(own, 1)); // or a failure would leave the workers waiting
    const running = [1, 2].map(() => pool.invoke(holdsArray, xs, own));
    while (Atomics.load(own, 0) < 2) await turn();
    expect(freed(xs)).toBe(0);
    const next = array().fill(5);
    expect(next.byteOffset).not.toBe(xs.byteOffset);
    tell(own, 1);
    expect(await Promise.all(running)).toEqual([N, N]);
    expect(counters.holds(xs)).toBe(false);
    free(next);
  });
});

test('under invokeSync, the bytes of an array stay while a fork uses it, and no longer', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  await pool.ready();
  const xs = array().fill(1);
  const { blocks } = counters.inUse();
  const words = sharedWords();
  expect(pool.invokeSync(freesForked, xs, words)).toEqual([N, false]);
  expect(counters.inUse().blocks).toBe(blocks + 1); // `words` and `next`, without `xs`
  await pool.close();
});

describe('what was abandoned', () => {
  type Begin = (
    xs: Float64Array,
    words: Int32Array,
    options: AlgorithmOptions & { pool: ForkJoinPool },
  ) => Promise<unknown>;
  const invoked =
    (work: AsyncForkable<[xs: Float64Array, words: Int32Array], void>): Begin =>
    (xs, words, { pool, signal, graceMs }) =>
      pool.invoke(task(work, xs, words), { signal, graceMs });
  const WAYS: Readonly<Record<string, Begin>> = {
    'an asynchronous task': invoked(late),
    'a fork of one': invoked(lateInFork),
    'a function of plain values': (xs, words, options) =>
      parallelMap(
        ['a'],
        async (_value, _i, { xs, words }) => {
          Atomics.add(words, 0, 1);
          Atomics.notify(words, 0);
          while (Atomics.load(words, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          xs.fill(666);
          Atomics.add(words, 2, 1);
          Atomics.notify(words, 2);
        },
        { ...options, context: { xs, words } },
      ),
    'a forkable of plain values': (xs, words, options) =>
      parallelMap(['a'], lateValue as never, { ...options, context: { xs, words } }),
  };

  /** Begins something that its abort does not end. */
  async function abandon(begin: Begin, xs: Float64Array, words: Int32Array): Promise<ForkJoinPool> {
    const pool = new ForkJoinPool({ parallelism: 1 });
    const controller = new AbortController();
    const abandoned = errorOf(begin(xs, words, { pool, signal: controller.signal, graceMs: 1 }));
    await whenSet(words);
    controller.abort();
    expect(((await abandoned) as Error).name).toBe('AbortError');
    return pool;
  }

  test.each(Object.entries(WAYS))('%s keeps the bytes of its arrays until it ends, and no others', async (_, begin) => {
    const [xs, stranger, words] = [array(), array(), sharedWords()];
    const pool = await abandon(begin, xs, words);
    await pool.invoke(echo, 1);
    expect(freed(stranger)).toBe(1);
    expect(freed(xs)).toBe(0);
    const later = [1, 2, 3].map(() => array().fill(5));
    await pool.invoke(echo, later[0]);
    expect(freed(later.shift() as Float64Array), 'an array made since').toBe(1);
    expect(counters.holds(xs)).toBe(true);
    tell(words, 1);
    while (Atomics.load(words, 2) === 0) await pool.invoke(echo, 1); // an idle worker has no turns of its event loop
    await pool.invoke(echo, 1); // after the turn in which the function ended
    expect(counters.holds(xs)).toBe(false);
    for (const ys of later) expect(ys.every((y) => y === 5)).toBe(true);
    await pool.close();
  });

  test.each(Object.entries(WAYS))('%s keeps them until its worker ends, if it never does', async (_, begin) => {
    const [xs, words] = [array(), sharedWords()];
    const pool = await abandon(begin, xs, words);
    expect(freed(xs)).toBe(0);
    expect(counters.holds(xs)).toBe(true);
    await pool.terminate();
    expect(counters.holds(xs)).toBe(false);
  });

  test('a function that was called on this thread keeps them, too', async () => {
    const [xs, words] = [array(), sharedWords()];
    const pool = new ForkJoinPool({ parallelism: 2 });
    const here = crypto.randomUUID();
    (globalThis as Thread).thisThread = here;
    const call = (values: number[], options = {}): Promise<unknown[]> =>
      parallelMap(
        values,
        async (waits, _i, { xs, words }) => {
          (globalThis as Thread).thisThread ??= crypto.randomUUID();
          if (waits === 0) return (globalThis as Thread).thisThread;
          Atomics.store(words, 3, 1);
          while (Atomics.load(words, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          xs.fill(666);
          return Atomics.add(words, 2, 1);
        },
        { context: { xs, words }, pool, ...options },
      );
    for (let k = 0; k < 1000 && !(await call([0, 0, 0])).every((thread) => thread === here); k++);
    const controller = new AbortController();
    const error = errorOf(call([0, 0, 1], { signal: controller.signal }));
    while (Atomics.load(words, 3) === 0) await turn();
    controller.abort();
    expect(((await error) as Error).name).toBe('AbortError');
    expect(freed(xs)).toBe(0);
    const next = array().fill(5);
    expect(counters.holds(xs)).toBe(true);
    tell(words, 1);
    while (Atomics.load(words, 2) === 0) await pool.invoke(echo, 1);
    // What awaits the function goes on: in a turn or two, or as many as a message takes if a worker called it after all.
    for (let k = 0; k < 1000 && counters.holds(xs); k++) await turn();
    expect(counters.holds(xs)).toBe(false);
    expect(next.every((y) => y === 5)).toBe(true);
    await pool.close();
  });
});
