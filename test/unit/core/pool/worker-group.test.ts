/** A worker group whose threads are imitations: what the group tells them, and what it makes of their ends. */
import '../../../../src/extensions/spares/index.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { packError } from '../../../../src/core/code/data-copy.js';
import { load, store } from '../../../../src/core/memory/atomics.js';
import { currentHeap } from '../../../../src/core/memory/heap.js';
import { W_LOCK } from '../../../../src/core/memory/heap-layout.js';
import {
  C_BLOCKED,
  C_COMPLETED,
  C_PHASE,
  C_SPARES,
  PHASE_STOP,
  slotWord,
  spareSlot,
  W_EXITED,
  W_ONLINE,
} from '../../../../src/core/memory/layout.js';
import type { Crash } from '../../../../src/core/pool/crash.js';
import { type ForkJoinPoolOptions, poolSettings } from '../../../../src/core/pool/options.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { toBytes } from '../../../../src/core/task/values.js';
import type { WorkerData } from '../../../../src/core/worker/serve.js';
import { type Imitation, imitateThreads } from '../../../helpers/imitated-threads.js';

const host = imitateThreads();

let crashes: Crash[] = [];

beforeEach(() => {
  host.forget();
  crashes = [];
});

let releasing = (): void => {};

function startedGroup(parallelism: number, options: ForkJoinPoolOptions = {}): WorkerGroup {
  const group = new WorkerGroup(poolSettings({ parallelism, name: 'p', ...options }), {
    crashed: (crash) => void crashes.push(crash),
    releasing: () => releasing(),
  });
  group.start();
  return group;
}

const { threads, log } = host;
const thread = (k: number): Imitation => threads[k - 1] as Imitation;
const wordOf = ({ memory }: WorkerGroup, slot: number, word: number): number => slotWord(memory.layout, slot) + word;

/** As a worker does that is up. */
function comeUp(group: WorkerGroup, slot: number): void {
  store(group.memory.words, wordOf(group, slot, W_ONLINE), 1);
  thread(slot).events.message({ type: 'ready' });
}

/** As a worker does that calls `process.exit`. */
function leaveLastWords(group: WorkerGroup, slot: number, code: number): void {
  store(group.memory.words, wordOf(group, slot, W_EXITED), (code << 1) | 1);
}

const exitAll = (code: number): void => {
  for (const thread of threads) thread.exit(code);
};

/** Whether a promise settles without anything else happening. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let k = 0; k < 10; k++) await undefined;
  return settled;
}

describe('the start', () => {
  test('makes all threads before it tells the first one anything, and happens once', () => {
    const group = new WorkerGroup(poolSettings({ parallelism: 2, name: 'p' }), { crashed() {}, releasing() {} });
    expect(group.started).toBe(false);
    group.start();
    group.start();
    expect(group.started).toBe(true);
    expect(log).toEqual(['p-1 made', 'p-2 made', 'p-1 begins', 'p-2 begins']);
    expect(threads.map(({ data }) => data?.slot)).toEqual([1, 2]);
    expect(thread(1).data?.heap.thread).not.toBe(thread(2).data?.heap.thread);
  });

  test('is over when the last worker is up', async () => {
    const group = startedGroup(3);
    for (const slot of [2, 3]) comeUp(group, slot);
    expect(await isSettled(group.ready)).toBe(false);
    comeUp(group, 1);
    expect(await isSettled(group.ready)).toBe(true);
  });

  test('fails with the error of a worker that cannot come up, when all are gone', async () => {
    const group = startedGroup(2);
    const { ready } = group;
    thread(2).events.error(new Error('no room'));
    thread(2).exit(1);
    expect(thread(1).isTerminated).toBe(true);
    expect(await isSettled(ready)).toBe(false);
    thread(1).exit(1);
    await expect(ready).rejects.toThrow("the workers of pool 'p' ended while they started: no room.");
    expect(crashes).toMatchObject([{ worker: { name: 'worker 2' }, exitCode: 1 }]);
  });
});

describe('a crash', () => {
  test('ends all other workers, and is told once all are gone and their memory was read', () => {
    const group = startedGroup(3);
    let readAtEnd = false;
    releasing = () => {
      readAtEnd = !group.memory.isReleased;
    };
    for (const slot of [1, 2, 3]) comeUp(group, slot);
    thread(2).exit(7);
    expect(group.memory.hasCrashed).toBe(true);
    expect(threads.map(({ isTerminated }) => isTerminated)).toEqual([true, false, true]);
    thread(3).exit(1);
    expect(crashes).toEqual([]);
    thread(1).exit(1);
    expect(crashes).toMatchObject([{ worker: { name: 'worker 2' }, exitCode: 7, isReported: false }]);
    expect(readAtEnd).toBe(true);
    expect(group.memory.isReleased).toBe(true);
  });

  test('is reported by the call that uses the workers', () => {
    const group = startedGroup(1);
    group.retain();
    exitAll(1);
    expect(crashes).toMatchObject([{ isReported: true }]);
  });

  test('has the exit code that the worker left behind, and the error that it sent', () => {
    const group = startedGroup(1);
    comeUp(group, 1);
    leaveLastWords(group, 1, 42);
    thread(1).events.message({ type: 'threw', error: packError(new RangeError('too far')) });
    exitAll(1);
    const [crash] = crashes;
    expect(crash?.exitCode).toBe(42);
    expect(crash?.worker.error).toBeInstanceOf(RangeError);
    expect(crash?.worker.error).toMatchObject({ message: 'too far' });
  });

  test('keeps the first error of a thread', () => {
    startedGroup(1);
    thread(1).events.error(new Error('first'));
    thread(1).events.error(new Error('second'));
    exitAll(1);
    expect(crashes).toMatchObject([{ worker: { error: { message: 'first' } } }]);
  });

  test('of the pool says why it ended the workers', () => {
    const group = startedGroup(2);
    group.endWorkers('it took too long');
    expect(threads.every(({ isTerminated }) => isTerminated)).toBe(true);
    exitAll(1);
    expect(crashes).toMatchObject([{ worker: { name: '' }, endedBecause: 'it took too long', isReported: false }]);
  });
});

describe('an owner that blocks', () => {
  /** As a join does that has waited for a while. */
  const look = (group: WorkerGroup): void => group.caller.onSlice();

  test('takes workers that are not up yet, or run, for alive', () => {
    const group = startedGroup(2);
    thread(1).running = () => false;
    comeUp(group, 2);
    look(group);
    expect(group.memory.hasCrashed).toBe(false);
  });

  test('sees a worker that was up and has no event loop any more, and fetches its error', () => {
    const group = startedGroup(2);
    for (const slot of [1, 2]) comeUp(group, slot);
    thread(2).running = () => false;
    look(group);
    look(group);
    expect(group.memory.hasCrashed).toBe(true);
    expect(threads.map(({ drained }) => drained)).toEqual([0, 1]);
    exitAll(5);
    expect(crashes).toMatchObject([{ worker: { name: 'worker 2' }, exitCode: 1, isReported: true }]);
  });

  test('sees a worker that left its exit code behind', () => {
    const group = startedGroup(1);
    comeUp(group, 1);
    leaveLastWords(group, 1, 9);
    look(group);
    exitAll(1);
    expect(crashes).toMatchObject([{ exitCode: 9 }]);
  });

  test('waits after a crash until no worker can run that was up', () => {
    const group = startedGroup(3);
    for (const slot of [1, 2]) comeUp(group, slot);
    let looks = 0;
    thread(1).running = () => ++looks < 3;
    thread(2).running = () => false;
    group.endWorkers('a test says so');
    expect(group.endBlocking()).toMatchObject({ endedBecause: 'a test says so' });
    expect(looks).toBe(3);
  });

  test("knows the heap's threads of its dead workers", () => {
    const group = startedGroup(2);
    for (const slot of [1, 2]) comeUp(group, slot);
    thread(1).running = () => false;
    const heapThread = (k: number): number => (thread(k).data as WorkerData).heap.thread;
    expect([group.hasLost(heapThread(1)), group.hasLost(heapThread(2))]).toEqual([true, false]);
  });
});

describe('the end', () => {
  test('comes when the workers have left by themselves, and is no crash', async () => {
    const group = startedGroup(2);
    for (const slot of [1, 2]) comeUp(group, slot);
    const stopped = group.stop();
    expect(load(group.memory.words, C_PHASE)).toBe(PHASE_STOP);
    expect(threads.map(({ isReferenced, isTerminated }) => [isReferenced, isTerminated])).toEqual([
      [true, false],
      [true, false],
    ]);
    thread(1).exit(0);
    group.broadcast({ type: 'external', id: 1, buffer: new SharedArrayBuffer(8) });
    expect(threads.map(({ posted }) => posted.length)).toEqual([0, 1]);
    expect(await isSettled(stopped)).toBe(false);
    thread(2).exit(0);
    await stopped;
    expect(crashes).toEqual([]);
    expect(group.memory.isReleased).toBe(true);
  });

  test('is at once for a group that has not started', async () => {
    const group = new WorkerGroup(poolSettings({ parallelism: 2 }), { crashed() {}, releasing() {} });
    expect(await isSettled(group.stop())).toBe(true);
  });

  test('repairs the heap after a thread once no other one that is terminated may have died with its lock', async () => {
    const [first, second] = [startedGroup(1), startedGroup(1)];
    const ends = [first.kill(), second.kill()];
    const { root } = currentHeap();
    const dead = (thread(2).data as WorkerData).heap.thread;
    store(root, W_LOCK, dead + 1); // as by a thread that ends in a section
    thread(1).exit(1); // would wait for the lock, and no event would tell of the other one's end
    expect(await isSettled(ends[0] as Promise<void>)).toBe(false);
    thread(2).exit(1);
    await Promise.all(ends);
    expect(load(root, W_LOCK)).toBe(0);
  });

  test('by force terminates those that are still there', async () => {
    const group = startedGroup(2);
    const killed = group.kill();
    expect(threads.every(({ isTerminated }) => isTerminated)).toBe(true);
    exitAll(1);
    await killed;
    expect(crashes).toEqual([]);
  });
});

describe('spares', () => {
  const blocked = (group: WorkerGroup, spares: number): void => {
    store(group.memory.words, C_BLOCKED, spares);
    thread(1).events.message({ type: 'blocked', spares });
  };
  const firstSpare = (group: WorkerGroup): number => spareSlot(group.memory.layout, 1);
  let group: WorkerGroup;
  beforeEach(() => {
    group = startedGroup(2);
    for (const slot of [1, 2]) comeUp(group, slot);
    host.forgetLog();
  });

  test('start where threads are blocked, and keep the process alive only while a call does', async () => {
    const release = group.retain();
    blocked(group, 1);
    blocked(group, 1);
    expect(log).toEqual(['p-spare-1 made', 'p-spare-1 begins']);
    expect(thread(3).data?.slot).toBe(firstSpare(group));
    expect(thread(3).isReferenced).toBe(true);
    release();
    blocked(group, 2);
    expect(thread(4).isReferenced).toBe(false);
    expect([
      group.threadOf(firstSpare(group)) !== undefined,
      group.threadOf(firstSpare(group) + 2) !== undefined,
    ]).toEqual([true, false]);
  });

  test('are counted once they are up, and do not make the group ready', async () => {
    const others = startedGroup(1);
    store(others.memory.words, C_BLOCKED, 2);
    thread(3).events.message({ type: 'blocked', spares: 2 });
    expect(threads.slice(3).map(({ name }) => name)).toEqual(['p-spare-1', 'p-spare-2']);
    thread(4).events.message({ type: 'ready' });
    expect(await isSettled(others.ready)).toBe(false);
    expect(others.spares).toBe(0);
    store(others.memory.words, wordOf(others, firstSpare(others), W_ONLINE), 1);
    expect(others.spares).toBe(1);
  });

  test('that leave after their rest are no crash, and others take their place', () => {
    blocked(group, 1);
    store(group.memory.words, wordOf(group, firstSpare(group), W_ONLINE), 1);
    store(group.memory.words, C_SPARES, 0); // as a spare does that leaves
    store(group.memory.words, C_BLOCKED, 0);
    thread(3).exit(0);
    expect([group.memory.hasCrashed, group.spares, group.threadOf(firstSpare(group)) !== undefined]).toEqual([
      false,
      0,
      false,
    ]);
    blocked(group, 1);
    expect(threads.length).toBe(4);
  });

  test('that cannot start are a warning, and the group goes on without', () => {
    blocked(group, 1);
    thread(3).events.error(new Error('no room'));
    thread(3).exit(1);
    expect(group.memory.hasCrashed).toBe(false);
    expect(host.warnings).toMatchObject([expect.stringContaining('no room')]);
    blocked(group, 2);
    expect(threads.length).toBe(3);
  });

  test('that die while they serve are a crash', () => {
    blocked(group, 1);
    store(group.memory.words, wordOf(group, firstSpare(group), W_ONLINE), 1);
    thread(3).exit(6);
    expect(group.memory.hasCrashed).toBe(true);
    for (const { isTerminated, hasExited } of threads) expect(isTerminated || hasExited).toBe(true);
    exitAll(1);
    expect(crashes).toMatchObject([{ worker: { name: 'spare 1' }, exitCode: 6 }]);
  });
});

test('a new external buffer is sent to the workers of all groups', () => {
  startedGroup(1);
  startedGroup(1);
  const buffer = new SharedArrayBuffer(64);
  toBytes(new Int32Array(buffer));
  expect(threads.map(({ posted }) => posted)).toMatchObject([
    [{ type: 'external', buffer }],
    [{ type: 'external', buffer }],
  ]);
});

test('workers keep the process alive while a call needs them', () => {
  const group = startedGroup(2);
  const referenced = (): boolean[] => threads.map(({ isReferenced }) => isReferenced);
  expect(group.isInUse).toBe(false);
  const [first, second] = [group.retain(), group.retain()];
  expect([group.isInUse, ...referenced()]).toEqual([true, true, true]);
  first();
  expect([group.isInUse, ...referenced()]).toEqual([true, true, true]);
  second();
  expect([group.isInUse, ...referenced()]).toEqual([false, false, false]);
});

test.each([0, 8])('waking all tells the owner, too, with at most %i spares', (maxSpares) => {
  const group = startedGroup(1, { maxSpares });
  const before = load(group.memory.words, C_COMPLETED);
  group.wakeAll();
  expect(load(group.memory.words, C_COMPLETED)).toBe(before + 1);
});
