/** What a pool tells of itself while it works: tasks that stall, workers that come and go, and how it stands with the pool. */
import { type AsyncForkable, type Forkable, ForkJoinPool, parallelFor, type Stall, type WorkerEvent } from 'furcate';
import { limit } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

interface Fixture {
  readonly holds: Forkable<[words: Int32Array, value: number], number>;
  readonly spins: Forkable<[words: Int32Array, value: number], number>;
  readonly echo: Forkable<[value: number], number>;
  readonly awaits: AsyncForkable<[words: Int32Array, value: number], number>;
}
const { holds, spins, echo, awaits } = await fixture<Fixture>('holding.mjs');

const poolOf = poolMaker('terminate');

/** Hears of tasks that stall; and not of invocations whose modules a busy machine takes long to load. */
const ofTasks =
  (hear: (stall: Stall) => void) =>
  (stall: Stall): void => {
    if (stall.module !== undefined) hear(stall);
  };

test('a task that blocks its worker is reported by name, and goes on', async () => {
  const words = sharedWords();
  let pool: ForkJoinPool | undefined;
  const stall = await new Promise<Stall>((resolve) => {
    pool = poolOf(1, { name: 'shop', stallMs: 40, onStall: ofTasks(resolve) });
    void pool.invoke(holds, words, 7).catch(() => {});
    void pool.invoke(echo, 1).catch(() => {});
  });
  expect(stall).toMatchObject({ pool: 'shop', worker: 1, task: 'holds', invocation: 'holds', waiting: 1 });
  expect(stall.module).toMatch(/holding\.mjs$/);
  expect(stall.ms).toBeGreaterThanOrEqual(40);
  // Some platforms do not tell the time of processors, and others that of the whole process: workers that start beside count.
  expect(['blocks', 'computes', 'unknown']).toContain(stall.cause);
  expect(stall.message).toMatch(/^furcate: worker 1 of pool 'shop' has run holds of .* while 1 invocation waits: /);
  tell(words, 1);
  expect(await pool?.invoke(echo, 5)).toBe(5);
});

test('of two tasks that stall, the one that computes is told from the one that blocks, where the platform tells the time of each thread', async () => {
  const words = sharedWords();
  const stalls: Stall[] = [];
  const running = await new Promise<Promise<number>[]>((resolve) => {
    const pool = poolOf(2, {
      stallMs: 200,
      onStall: ofTasks((stall) => stalls.push(stall) === 2 && resolve(calls)),
    });
    const calls = [pool.invoke(holds, words, 1), pool.invoke(spins, words, 2)];
  });
  const causes = Object.fromEntries(stalls.map(({ task, cause }) => [task, cause]));
  const { process } = globalThis as { process?: NodeJS.Process };
  const isTold = process?.platform === 'linux' && !('bun' in process.versions) && !('deno' in process.versions);
  if (isTold) expect(causes).toEqual({ holds: 'blocks', spins: 'computes' });
  else expect(Object.keys(causes).sort()).toEqual(['holds', 'spins']);
  tell(words, 1);
  expect(await Promise.all(running)).toEqual([1, 2]);
});

describe('stack() says where a stalled thread is:', () => {
  test('in the loop of a task that never ends by itself, whose thread goes on after it', async () => {
    const words = sharedWords();
    let running: Promise<number> | undefined;
    const stall = await new Promise<Stall>((resolve) => {
      running = poolOf(2, { name: 'shop-7', stallMs: 40, onStall: ofTasks(resolve) }).invoke(spins, words, 3);
    });
    for (let k = 0; k < 2; k++) {
      const [top, ...below] = (await stall.stack())?.split('\n') ?? [];
      expect(top).toMatch(/^ {4}at spins \(.*holding\.mjs:\d+:\d+\)$/);
      expect(below.join('\n')).toContain('workLoop');
    }
    tell(words, 1);
    expect(await running).toBe(3);
    expect(await stall.stack()).not.toContain('holding.mjs');
  });

  test('in a leaf of an algorithm, by the names of its functions, and each thread by itself', async () => {
    const words = sharedWords();
    const stalls = new Map<string, Stall>(); // the last of each: the first may be of loading what it runs
    const running = await new Promise<Promise<unknown>[]>((resolve) => {
      const onStall = (stall: Stall): void => void (stalls.set(stall.task, stall).size === 2 && resolve(calls));
      const pool = poolOf(2, { stallMs: 40, onStall });
      const leaf = function longLeaf(_: number, { words }: { words: Int32Array }): void {
        function waitsLong(): void {
          Atomics.store(words, 2, 1);
          Atomics.notify(words, 2);
          while (Atomics.load(words, 1) === 0);
        }
        waitsLong();
      };
      const calls = [pool.invoke(spins, words, 3), parallelFor(1, leaf, { pool, context: { words }, graceMs: 60_000 })];
    });
    await Promise.all([whenSet(words), whenSet(words, 2)]);
    const stacks = await Promise.all([...stalls].map(async ([task, stall]) => [task, await stall.stack()] as const));
    const { spins: task, parallelFor: algorithm } = Object.fromEntries(stacks);
    expect(algorithm).toMatch(/^ {4}at waitsLong \(furcate:.*\n {4}at longLeaf \(/);
    expect(algorithm).not.toContain('spins');
    expect(task).toMatch(/^ {4}at spins \(/);
    tell(words, 1);
    await Promise.all(running);
  });
});

test('blocking sections that have used up all spares are reported by name', async () => {
  const { blocks } = await fixture<{ blocks: Forkable<[words: Int32Array, end: number, begun: number], number> }>(
    'blocking.mjs',
  );
  const words = sharedWords();
  const stalls: Stall[] = [];
  const running = await new Promise<Promise<number>[]>((resolve) => {
    const onStall = ofTasks((stall) => stalls.push(stall) === 2 && resolve(calls));
    const pool = poolOf(1, { name: 'shop', maxSpares: 1, stallMs: 40, onStall });
    const calls = [1, 2].map((k) => pool.invoke(blocks, words, 0, k));
    calls.push(pool.invoke(echo, 5));
  });
  for (const { task, cause, message } of stalls) {
    expect([task, cause]).toEqual(['blocks', 'no spare']);
    expect(message).toMatch(/has run blocks of .*blocking\.mjs .* for which maxSpares = 1 leaves no spare thread/);
  }
  expect(stalls.map(({ worker }) => worker).sort()).toEqual([1, 2]);
  tell(words, 0);
  expect(await Promise.all(running)).toEqual([0, 0, 5]);
});

test('tasks that wait for a limit whose permits wait themselves are reported by its name', async () => {
  const one = limit(1, { name: 'database' });
  const words = sharedWords();
  let calls: Promise<number>[] = [];
  const stall = await new Promise<Stall>((resolve) => {
    const pool = poolOf(2, { name: 'shop', stallMs: 40, onStall: resolve }).with({ limit: one });
    calls = [pool.invoke(awaits, words, 1), pool.invoke(echo, 2), pool.invoke(echo, 3)];
  });
  expect(stall).toMatchObject({ pool: 'shop', worker: 0, task: 'database', waiting: 2, cause: 'limit' });
  expect(stall.message).toMatch(/^furcate: 2 tasks have waited for database for .*: what holds its permits waits, /);
  tell(words, 1);
  expect(await Promise.all(calls)).toEqual([1, 2, 3]);
});

test('a caller whose event loop is busy from its call on is told of the results that wait for it', async () => {
  const stalls: Stall[] = [];
  const pool = poolOf(1, { name: 'shop', stallMs: 40, onStall: (stall) => stalls.push(stall) });
  await pool.ready();
  const words = sharedWords();
  const held = pool.invoke(spins, words, 5);
  while (Atomics.load(words, 0) === 0);
  const sleeps = (): number => pool.stats().workers[1]?.sleeps ?? 0;
  const before = sleeps();
  const begunMs = performance.now();
  tell(words, 1);
  while (sleeps() === before || performance.now() - begunMs < 60); // the worker has ended the task, and sleeps
  expect(await held).toBe(5);
  expect(stalls).toMatchObject([{ pool: 'shop', worker: 0, task: 'the caller', cause: 'caller', waiting: 1 }]);
});

test('stats() says what is queued, in flight and computed at this moment', async () => {
  const pool = poolOf(1);
  const words = sharedWords();
  const running = [pool.invoke(holds, words, 1), pool.invoke(echo, 2), pool.invoke(echo, 3)];
  await whenSet(words);
  const { inFlight, queued, oldestWaitMs, waiting, blocked, queueDepth, stealRate, workers } = pool.stats();
  expect({ inFlight, queued, waiting, blocked, queueDepth }).toEqual({
    inFlight: 3,
    queued: 2,
    waiting: 0,
    blocked: 0,
    queueDepth: 0,
  });
  expect(oldestWaitMs).toBeGreaterThanOrEqual(0);
  expect(stealRate).toBeGreaterThanOrEqual(0);
  const busyMs = workers[1]?.busyMs as number;
  while ((pool.stats().workers[1]?.busyMs as number) <= busyMs) await new Promise((resolve) => setTimeout(resolve)); // the task that runs counts
  tell(words, 1);
  expect(await Promise.all(running)).toEqual([1, 2, 3]);
  expect(pool.stats()).toMatchObject({ inFlight: 0, queued: 0, oldestWaitMs: 0 });
  while (pool.stats().emptySteals === 0) await new Promise((resolve) => setTimeout(resolve)); // its worker looks for more, before it sleeps
});

test('onWorkerStart and onWorkerStop tell of each worker once', async () => {
  const told: (readonly [what: string, event: WorkerEvent])[] = [];
  const pool = new ForkJoinPool({
    parallelism: 2,
    name: 'shop',
    onWorkerStart: (event) => void told.push(['start', event]),
    onWorkerStop: (event) => void told.push(['stop', event]),
  });
  await pool.ready();
  const events = [1, 2].map((worker) => ({ worker, name: `shop-${worker}`, isSpare: false }));
  const of = (what: string): WorkerEvent[] =>
    told
      .filter(([kind]) => kind === what)
      .map(([, event]) => event)
      .sort((a, b) => a.worker - b.worker);
  expect(of('start')).toEqual(events);
  expect(of('stop')).toEqual([]);
  await pool.close();
  expect(of('stop')).toEqual(events);
});
