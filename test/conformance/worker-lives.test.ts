/** What a thread keeps for itself ends with it: in order, awaited, and only where the thread leaves by itself. */
import { type Forkable, ForkJoinPool, SequentialExecutor, workerLocal } from 'furcate';
import { describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<
  Record<string, Any> & Record<'MADE' | 'ENDED' | 'LATE' | 'ORDER' | 'STARTED' | 'GATE', number>
>('lives.mjs');
const { MADE, ENDED, LATE, ORDER, STARTED, GATE } = tasks;
const of = (name: string): Any => tasks[name] as Any;

const poolOf = poolMaker('terminate');
const counts = (words: Int32Array): number[] => [MADE, ENDED, ORDER].map((at) => words[at] as number);

test.each([1, 2])('in a pool of %i, each worker ends its values at close(), which awaits that', async (parallelism) => {
  const pool = poolOf(parallelism);
  const words = sharedWords();
  expect(await pool.broadcast(of('uses'), words)).toEqual(Array(parallelism).fill(true));
  await pool.broadcast(of('uses'), words);
  expect(counts(words)).toEqual([parallelism, 0, 0]);
  await pool.close();
  expect(counts(words)).toEqual([parallelism, parallelism, parallelism]);
});

test('workers that retire end their values, and the next ones make others', async () => {
  const pool = poolOf(2, { keepAliveMs: 1 });
  const words = sharedWords();
  await pool.invoke(of('uses'), words);
  await whenSet(words, ENDED);
  expect(counts(words)).toEqual([1, 1, 1]);
  await pool.invoke(of('uses'), words);
  await pool.close();
  expect(counts(words)).toEqual([2, 2, 2]);
});

test('a spare that leaves ends its values, while its pool goes on', async () => {
  const pool = poolOf(1, { keepAliveMs: 100 });
  const words = sharedWords();
  const hold = sharedWords();
  const busy = pool.invoke(of('blocksThenSpins'), hold); // on the worker, so that the next one is for a spare
  await whenSet(hold, STARTED);
  expect(await pool.invoke(of('uses'), words)).toBe(true);
  tell(hold, GATE);
  await whenSet(words, ENDED); // the worker, which spins, does not retire meanwhile
  expect(counts(words)).toEqual([1, 1, 1]);
  expect(counts(hold)).toEqual([1, 0, 0]);
  tell(hold, LATE);
  await busy;
});

test('terminate() and a crash end no value', async () => {
  const pool = poolOf(1);
  const words = sharedWords();
  await pool.invoke(of('uses'), words);
  await pool.terminate();
  expect(words[ORDER]).toBe(0);
  const crashing = poolOf(2);
  await crashing.broadcast(of('uses'), words);
  expect(await errorOf(crashing.invoke(of('usesThenExits'), words))).toMatchObject({ name: 'WorkerCrashError' });
  await crashing.close();
  expect([words[ORDER], words[ENDED]]).toEqual([0, 0]);
});

test('terminate() ends a pool that is being closed, and awaits its values no more', async () => {
  const pool = poolOf(1);
  await pool.invoke(of('sticks'));
  const closed = pool.close();
  await pool.awaitQuiescence();
  await turn();
  await pool.terminate();
  await closed;
});

test('the end of a value is awaited for graceMs, and its failure keeps no other from its end', async () => {
  const pool = poolOf(1, { graceMs: 20 });
  await pool.invoke(of('sticks'));
  await pool.close();
  const failing = poolOf(1);
  const words = sharedWords();
  await failing.invoke(of('failsToEnd'), words);
  await failing.close();
  expect(counts(words)).toEqual([1, 1, 1]);
});

test('close() ends though a worker dies while it ends its values, and the others end theirs', async () => {
  const pool = poolOf(2);
  const words = sharedWords();
  await pool.broadcast(of('diesAtEnd'), words);
  await pool.close();
  expect([words[STARTED], words[ENDED]]).toEqual([2, 1]);
});

describe('on the thread that calls,', () => {
  test('values end with the last executor that has run tasks there', async () => {
    const words = sharedWords();
    const [first, second] = [new SequentialExecutor(), new SequentialExecutor()];
    const pool = new ForkJoinPool({ parallelism: 1 });
    await new SequentialExecutor().close(); // it has run nothing
    await first.invoke(of('uses'), words);
    expect(second.invokeSync(of('uses'), words)).toBe(true);
    expect(pool.invokeSync(of('uses'), words)).toBe(true);
    await first.close();
    await first.close();
    await pool.close();
    expect(counts(words)).toEqual([1, 0, 0]);
    await second.close();
    expect(counts(words)).toEqual([1, 1, 1]);
    const third = new SequentialExecutor();
    await third.invoke(of('uses'), words);
    await third.close();
    expect(counts(words)).toEqual([2, 2, 2]);
  });
});

const EXECUTORS = [
  ['SequentialExecutor', () => new SequentialExecutor()],
  ['a pool', () => poolOf(1)],
  ['a checked pool', () => poolOf(1, { checked: true })],
] as const;

describe.each(EXECUTORS)('in %s,', (_, make) => {
  test('asynchronous tasks await a value that takes time to make, and share it', async () => {
    const executor = make();
    const words = sharedWords();
    expect(await Promise.all([1, 2, 3].map(() => executor.invoke(of('awaits'), words)))).toEqual([true, true, true]);
    expect(words[MADE]).toBe(1);
    await executor.close();
    expect(words[ENDED]).toBe(1);
  });

  test('a synchronous task cannot have such a value, and is told so', async () => {
    const executor = make();
    const words = sharedWords();
    const error = await errorOf(executor.invoke(of('needsValueNow'), words));
    expect(error).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/returned a promise.*asyncForkable/),
    });
    expect(await executor.invoke(of('awaits'), words)).toBe(true);
    await executor.close();
  });
});

test('a value that could not be made is made by the next call, and only what was made ends', async () => {
  const pool = poolOf(1);
  const words = sharedWords();
  words[LATE] = 1;
  expect(await errorOf(pool.invoke(of('awaits'), words))).toMatchObject({ name: 'RangeError', message: 'not yet' });
  expect(await pool.invoke(of('awaits'), words)).toBe(true);
  await pool.close();
  expect([words[MADE], words[ENDED]]).toEqual([1, 1]);
});

test('outside of tasks, a value is there as ever', async () => {
  const plain = workerLocal(() => ({ n: 1 }));
  expect(plain.get()).toBe(plain.get());
  const later = workerLocal(async () => 7);
  expect(await later.get()).toBe(7);
});

test('options are checked', () => {
  const make = workerLocal as unknown as (...args: unknown[]) => unknown;
  expect(() => make(() => 1, null)).toThrow(/furcate: the options of workerLocal\(init, options\) must be an object/);
  expect(() => make(() => 1, { dipose() {} })).toThrow(/has no option 'dipose'/);
  expect(() => make(() => 1, { dispose: 3 })).toThrow(/dispose must be a function; it was 3/);
});
