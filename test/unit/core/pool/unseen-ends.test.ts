/** Runtimes that tell little of the ends of their threads, or end none that computes: what a worker group makes of it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { store } from '../../../../src/core/memory/atomics.js';
import { currentHeap, freeBytes } from '../../../../src/core/memory/heap.js';
import { slotWord, W_EXITED, W_ONLINE } from '../../../../src/core/memory/layout.js';
import { free, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { poolSettings } from '../../../../src/core/pool/options.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import type { WorkerData } from '../../../../src/core/worker/serve.js';
import { type Imitation, imitateThreads } from '../../../helpers/imitated-threads.js';

const host = imitateThreads();
const { threads } = host;
const thread = (k: number): Imitation => threads[k - 1] as Imitation;
const wordOf = ({ memory }: WorkerGroup, slot: number, word: number): number => slotWord(memory.layout, slot) + word;

function startedGroup(parallelism: number): WorkerGroup {
  const group = new WorkerGroup(poolSettings({ parallelism, name: 'p' }), { crashed() {}, releasing() {} });
  group.start();
  return group;
}

/** As a worker does that is up. */
function comeUp(group: WorkerGroup, slot: number): void {
  store(group.memory.words, wordOf(group, slot, W_ONLINE), 1);
  thread(slot).events.message({ type: 'ready' });
}

/** As a worker does that ends by itself. */
function leaveLastWords(group: WorkerGroup, slot: number, code: number): void {
  store(group.memory.words, wordOf(group, slot, W_EXITED), (code << 1) | 1);
}

beforeEach(() => host.forget());

describe('an owner that blocks and cannot see that a terminated worker has ended', () => {
  const blind = (group: WorkerGroup, slots: readonly number[]): void => {
    for (const slot of slots) {
      comeUp(group, slot);
      Object.assign(thread(slot), { isRunning: undefined });
    }
  };

  test('lets the workers leave by themselves when one has died', () => {
    const group = startedGroup(2);
    blind(group, [1, 2]);
    leaveLastWords(group, 1, 3);
    group.caller.onSlice(); // as a join does that has waited for a while
    expect(group.memory.hasCrashed).toBe(true);
    expect(threads.some(({ isTerminated }) => isTerminated)).toBe(false);
    leaveLastWords(group, 2, 0);
    expect(group.endBlocking()).toMatchObject({ worker: { name: 'worker 1' }, exitCode: 3 });
    expect(threads.every(({ isTerminated }) => isTerminated)).toBe(true);
  });

  test('does not wait for ever for one that does not leave', () => {
    const group = startedGroup(2);
    blind(group, [1, 2]);
    leaveLastWords(group, 1, 3);
    group.caller.onSlice(); // as a join does that has waited for a while
    group.endBlocking();
    expect(threads.every(({ isTerminated }) => isTerminated)).toBe(true);
  });
});

describe('a worker that nothing can end', () => {
  test('lets the others end, and keeps what it may write to', async () => {
    const group = startedGroup(2);
    for (const slot of [1, 2]) comeUp(group, slot);
    const block = group.memory.allocate(64);
    const shared = sharedArray(Uint8Array, 64);
    const heapThread = (thread(1).data as WorkerData).heap.thread;
    const killed = group.kill();
    thread(1).events.runsOn();
    thread(2).exit(1);
    await killed;
    expect(group.memory.isReleased).toBe(true);
    const { byteOffset } = shared;
    free(shared);
    const next = sharedArray(Uint8Array, 64);
    expect(next.byteOffset).not.toBe(byteOffset);
    expect(currentHeap().handle().thread).not.toBe(heapThread);
    freeBytes(block); // throws if it is free
  });
});
