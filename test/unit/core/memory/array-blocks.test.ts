import { describe, expect, test } from 'vitest';
import { ArrayHeap, BY_ANYBODY, BY_NOBODY } from '../../../../src/core/memory/array-blocks.js';
import { ARRAY_HEADER_UNITS, MASKED_THREADS, UNIT_BYTES, W_TORN } from '../../../../src/core/memory/heap-layout.js';
import type { SharedHeap } from '../../../../src/core/memory/shared-heap.js';
import { expectSound } from '../../../helpers/heap-invariants.js';

function realms(): { heap: SharedHeap; root: ArrayHeap; worker: ArrayHeap; thread: number } {
  const root = ArrayHeap.create({ maximumPages: [64], fixedBytes: [] });
  const handle = root.handle();
  return { heap: root, root, worker: ArrayHeap.adopt(handle), thread: handle.thread };
}

const payload = (heap: SharedHeap, block: number, bytes: number): Uint8Array =>
  heap.bytesAt((block + ARRAY_HEADER_UNITS) * UNIT_BYTES, bytes);

describe('an array block', () => {
  test('is zero, on fresh memory and on used', () => {
    const { heap, root } = realms();
    for (const bytes of [1, 15, 100, 5_000, 4_000, 100_000]) {
      const block = root.allocateZeroed(bytes);
      expect(payload(heap, block, bytes).every((byte) => byte === 0)).toBe(true);
      payload(heap, block, bytes).fill(255);
      root.free(block, root.serialOf(block), BY_NOBODY);
    }
  });

  test('lives until its last holder lets go', () => {
    const { heap, root, worker } = realms();
    const block = root.allocate(64);
    const serial = root.serialOf(block);
    expect(worker.retain(block)).toBe(true);
    root.release(block, serial, true);
    expect(worker.isLive(block, serial)).toBe(true);
    worker.release(block, serial, false);
    expect(worker.isLive(block, serial)).toBe(false);
    expect(heap.stats().blocks).toBe(0);
  });

  test('can be cut down, and its tail is used again', () => {
    const { heap, root } = realms();
    const block = root.allocate(10_000);
    const guard = root.allocate(100);
    payload(heap, block, 100).fill(7);
    root.shrink(block, 100);
    expectSound(heap);
    const second = root.allocate(5_000);
    expect(second).toBeGreaterThan(block);
    expect(second).toBeLessThan(guard);
    payload(heap, second, 5_000).fill(9);
    expect(payload(heap, block, 100).every((byte) => byte === 7)).toBe(true);
    for (const each of [block, second, guard]) root.release(each, root.serialOf(each), true);
    expect(heap.stats().blocks).toBe(0);
    expectSound(heap);
  });

  test('cannot be held when it is gone', () => {
    const { root, worker } = realms();
    const block = root.allocate(64);
    root.free(block, root.serialOf(block), BY_NOBODY);
    expect(worker.retain(block)).toBe(false);
    expect(worker.retain(block + 1)).toBe(false);
  });

  test('is not harmed by those who held an earlier one at its place', () => {
    const { root, worker } = realms();
    const block = root.allocate(64);
    const serial = root.serialOf(block);
    worker.retain(block);
    expect(root.free(block, serial, BY_ANYBODY)).toBe(true);
    expect(root.allocate(64)).toBe(block);
    worker.release(block, serial, false);
    expect(worker.free(block, serial, BY_ANYBODY)).toBe(false);
    expect(root.isLive(block, root.serialOf(block))).toBe(true);
    expect(root.isLive(block, serial)).toBe(false);
  });
});

describe('while an invocation holds frees back', () => {
  test('a freed array keeps its place, until the hold ends', () => {
    const { heap, root, worker } = realms();
    const epoch = root.beginDeferral();
    const block = root.allocate(64);
    const serial = root.serialOf(block);
    expect(root.free(block, serial, BY_ANYBODY)).toBe(true);
    expect(root.free(block, serial, BY_ANYBODY), 'a second free').toBe(false);
    expect(worker.retain(block), 'a task in flight').toBe(true);
    worker.release(block, serial, false);
    expect(root.allocate(64)).not.toBe(block);
    expect(root.isLive(block, serial)).toBe(true);
    root.endDeferral(epoch);
    expect(root.isLive(block, serial)).toBe(false);
    expect(heap.stats().blocks).toBe(1);
    expectSound(heap);
  });

  test('what a worker drops can still be taken up by another realm', () => {
    const { heap, root, worker } = realms();
    const epoch = root.beginDeferral();
    const result = worker.allocate(64);
    const serial = worker.serialOf(result);
    worker.release(result, serial, false);
    expect(root.retain(result)).toBe(true);
    root.endDeferral(epoch);
    expect(root.isLive(result, serial)).toBe(true);
    root.release(result, serial, true);
    expect(heap.stats().blocks).toBe(0);
  });

  test('an array dropped twice waits for the holds of the second time', () => {
    const { root, worker } = realms();
    const first = root.beginDeferral();
    const block = worker.allocate(64);
    const serial = worker.serialOf(block);
    worker.release(block, serial, false);
    const between = root.beginDeferral();
    root.endDeferral(first);
    const second = root.beginDeferral();
    root.retain(block);
    root.release(block, serial, false);
    root.endDeferral(between);
    expect(root.isLive(block, serial), 'the second hold may name it').toBe(true);
    root.endDeferral(second);
    expect(root.isLive(block, serial)).toBe(false);
  });

  test('invocations that overlap without end do not hold them back for ever', () => {
    const { heap, root } = realms();
    let epoch = root.beginDeferral();
    for (let i = 0; i < 50; i++) {
      const block = root.allocate(1_000);
      root.free(block, root.serialOf(block), BY_ANYBODY);
      const next = root.beginDeferral();
      root.endDeferral(epoch);
      epoch = next;
    }
    expect(heap.stats().blocks).toBeLessThanOrEqual(3);
    root.endDeferral(epoch);
    expect(heap.stats().blocks).toBe(0);
  });

  test('an array that no other realm knows is freed at once', () => {
    const { heap, root } = realms();
    const epoch = root.beginDeferral();
    const block = root.allocate(64);
    root.free(block, root.serialOf(block), BY_NOBODY);
    expect(heap.stats().blocks).toBe(0);
    root.endDeferral(epoch);
  });
});

describe('repair', () => {
  test('takes back what the dead thread held, and leaves what others hold', () => {
    const { heap, root, worker, thread } = realms();
    const own = worker.allocate(64);
    const shared = root.allocate(64);
    worker.retain(shared);
    heap.repairAfter(thread);
    expect(heap.stats().blocks).toBe(1);
    expect(root.isLive(own, 1)).toBe(false);
    root.release(shared, root.serialOf(shared), true);
    expect(heap.stats().blocks).toBe(0);
    expectSound(heap);
  });

  test('keeps what waits for an invocation waiting, once', () => {
    const { heap, root, thread } = realms();
    const epoch = root.beginDeferral();
    const blocks = [root.allocate(64), root.allocate(64), root.allocate(64)];
    for (const block of blocks) root.free(block, root.serialOf(block), BY_ANYBODY);
    root.root[W_TORN] = 1; // the next section rebuilds
    heap.repairAfter(thread);
    expect(heap.stats().blocks).toBe(3);
    expectSound(heap);
    root.endDeferral(epoch);
    expect(heap.stats().blocks).toBe(0);
    expectSound(heap);
  });

  test('never frees what a thread without a bit holds', () => {
    const { heap, root, thread } = realms();
    let handle = heap.handle();
    while (handle.thread < MASKED_THREADS) handle = heap.handle();
    const unmasked = ArrayHeap.adopt(handle);
    const block = unmasked.allocate(64);
    const serial = unmasked.serialOf(block);
    heap.repairAfter(thread);
    expect(root.isLive(block, serial)).toBe(true);
    unmasked.release(block, serial, false);
    expect(root.isLive(block, serial)).toBe(false);
  });
});

describe('the block around some bytes', () => {
  test('is found by any of its payload bytes, and by no others', () => {
    const { heap, root } = realms();
    heap.allocBytes(100, 0);
    const [a, b] = [root.allocate(48), root.allocate(64)] as const;
    const start = (block: number): number => (block + ARRAY_HEADER_UNITS) * UNIT_BYTES;
    expect(root.blockAround(start(a), 48)).toBe(a);
    expect(root.blockAround(start(a) + 47, 1)).toBe(a);
    expect(root.blockAround(start(a) + 48, 0)).toBe(a);
    expect(root.blockAround(start(b), 8)).toBe(b);
    expect(root.blockAround(start(b) - 16, 8)).toBe(0);
    expect(root.blockAround(start(a), 49)).toBe(0);
    expect(root.blockAround(65_552, 8)).toBe(0);
  });
});
