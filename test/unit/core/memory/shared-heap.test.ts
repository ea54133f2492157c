import { describe, expect, test } from 'vitest';
import { MASKED_THREADS, W_LOCK, W_TORN } from '../../../../src/core/memory/heap-layout.js';
import { SharedHeap } from '../../../../src/core/memory/shared-heap.js';
import { expectSound } from '../../../helpers/heap-invariants.js';

const MIB = 1024 * 1024;
const GROWS_TO_8_MIB = { maximumPages: [128], fixedBytes: [] };
const FIXED_1_MIB = { maximumPages: [], fixedBytes: [MIB] };

describe('a shared heap', () => {
  test('gives the block just freed again, warm, to a request of the same size', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    for (const bytes of [40, 5_000, 65_536 + 48, 1_000_000]) {
      const first = heap.allocBytes(bytes, 0);
      const fence = heap.allocBytes(16, 0);
      heap.freeBytes(first);
      expect(heap.allocBytes(bytes, 0)).toBe(first);
      heap.freeBytes(first);
      heap.freeBytes(fence);
    }
  });

  test('takes the tightest of the free blocks', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    const sizes = [900_000, 300_000, 310_000, 320_000, 290_000];
    const offsets = sizes.map((bytes) => {
      const offset = heap.allocBytes(bytes, 0);
      heap.allocBytes(16, 0);
      return offset;
    });
    for (const offset of offsets) heap.freeBytes(offset);
    expect(heap.allocBytes(305_000, 0)).toBe(offsets[2]);
  });

  test('grows on demand up to its limit, and lets the other realm see it', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    const other = SharedHeap.adopt(heap.handle());
    const before = heap.stats().bytesReserved;
    const offset = other.allocBytes(7 * MIB, 0);
    heap.freeBytes(other.allocBytes(16, 0)); // beyond what this realm has seen
    other.bytesAt(offset, 7 * MIB).fill(3, 7 * MIB - 1);
    expect(heap.bytesAt(offset, 7 * MIB)[7 * MIB - 1]).toBe(3);
    expect(heap.stats().bytesReserved).toBeGreaterThan(before);
    heap.freeBytes(offset);
    expectSound(other);
  });

  test.each([
    ['a memory', GROWS_TO_8_MIB],
    ['a fixed buffer', FIXED_1_MIB],
  ])('over %s gives buffer objects that all differ, over the same bytes', (_, sizes) => {
    const { memory } = SharedHeap.create(sizes);
    const buffers = Array.from({ length: 200 }, () => memory.ownBuffer());
    expect(new Set([memory.buffer, ...buffers]).size).toBe(201);
    new Uint8Array(memory.buffer)[70_000] = 7;
    for (const buffer of buffers) expect(new Uint8Array(buffer)[70_000]).toBe(7);
  });

  test('gives buffer objects that reach as far as it has grown, whichever realm grew it', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    const other = SharedHeap.adopt(heap.handle());
    for (let taken = 0; taken < 5; taken++) heap.memory.ownBuffer();
    const end = other.allocBytes(MIB, 0) + MIB;
    heap.allocBytes(16, 0); // sees what the other one grew
    for (let taken = 0; taken < 100; taken++) expect(heap.memory.ownBuffer().byteLength).toBeGreaterThanOrEqual(end);
    const grownHere = heap.allocBytes(6 * MIB, 0) + 6 * MIB;
    expect(heap.memory.ownBuffer().byteLength).toBeGreaterThanOrEqual(grownHere);
  });

  test('finds memory that a thread grew and did not live to report', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    heap.memory.memory?.grow(16);
    expect(heap.allocBytes(1.5 * MIB, 0)).toBeGreaterThan(0);
    expect(heap.stats().bytesReserved).toBe(2 * MIB);
  });

  test.each([
    ['a memory', GROWS_TO_8_MIB, '8 MiB'],
    ['a fixed buffer', FIXED_1_MIB, '1 MiB'],
  ])('over %s that is full says what was asked, what is in use, the limit and the cure', (_, sizes, limit) => {
    const heap = SharedHeap.create(sizes);
    heap.allocBytes(MIB / 2, 0);
    const { blocks } = heap.stats();
    expect(() => heap.allocBytes(8 * MIB, 0)).toThrow(
      new RegExp(`allocBytes: 8 MiB asked for, .* has 0.500 MiB in use and can grow to ${limit}; free\\(xs\\)`),
    );
    expect(() => heap.allocBytes(2 ** 40, 0)).toThrow(RangeError);
    expect(heap.stats().blocks).toBe(blocks);
    expectSound(heap);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses to allocate %s bytes', (bytes) => {
    expect(() => SharedHeap.create(FIXED_1_MIB).allocBytes(bytes, 0)).toThrow(/bytes is/);
  });

  test.each([0, 8, 65_536, 65_552 + 16, 2 ** 33, -16])('refuses to free offset %s, where no block is', (offset) => {
    const heap = SharedHeap.create(FIXED_1_MIB);
    heap.allocBytes(100, 0);
    expect(() => heap.freeBytes(offset)).toThrow(/not that of a block in use/);
  });

  test('falls down the ladder of sizes, and says when the host grants nothing', () => {
    const heap = SharedHeap.create({ maximumPages: [70_000, 32], fixedBytes: [] });
    expect(heap.memory.memory).toBeDefined();
    const fixed = SharedHeap.create({ maximumPages: [70_000], fixedBytes: [2 ** 60, MIB] });
    expect(fixed.memory.memory).toBeUndefined();
    expect(fixed.stats().bytesReserved).toBe(MIB);
    expect(() => SharedHeap.create({ maximumPages: [70_000], fixedBytes: [2 ** 60] })).toThrow(
      /grants no shared memory/,
    );
  });

  test('refuses the handle of something else', () => {
    const stranger = { source: new SharedArrayBuffer(MIB), thread: 1 };
    expect(() => SharedHeap.adopt(stranger)).toThrow(/not that of a shared heap/);
  });

  test('numbers threads apart, beyond those with a bit too, and uses the numbers of the ended again', () => {
    const heap = SharedHeap.create(FIXED_1_MIB);
    const threads = Array.from({ length: MASKED_THREADS + 3 }, () => heap.handle().thread);
    expect(new Set(threads).size).toBe(threads.length);
    expect(threads).not.toContain(heap.thread);
    heap.repairAfter(5);
    heap.repairAfter(70);
    expect([heap.handle().thread, heap.handle().thread]).toEqual([5, 70]);
  });

  test('lets nobody repair after itself', () => {
    const heap = SharedHeap.create(FIXED_1_MIB);
    expect(() => heap.repairAfter(heap.thread)).toThrow(RangeError);
  });

  test('is whole and unlocked after a section that threw', () => {
    const heap = SharedHeap.create(FIXED_1_MIB);
    const offset = heap.allocBytes(64, 0);
    const failure = new Error('cut off');
    expect(() =>
      heap.locked(() => {
        heap.blocks.words.fill(0, 80, 512); // the free lists are lost
        throw failure;
      }),
    ).toThrow(failure);
    expect(heap.root[W_LOCK]).toBe(0);
    expect(heap.root[W_TORN]).toBe(1);
    heap.freeBytes(offset);
    expectSound(heap);
  });

  test('unlocks when the stack overflows in the midst of allocating', () => {
    const heap = SharedHeap.create(GROWS_TO_8_MIB);
    const dive = (): void => {
      heap.freeBytes(heap.allocBytes(48, 0));
      dive();
    };
    for (let i = 0; i < 5; i++) {
      expect(dive).toThrow(RangeError);
      expect(heap.root[W_LOCK]).toBe(0);
    }
    heap.freeTagged(0);
    expect(heap.stats().blocks).toBe(0);
    expectSound(heap);
  });
});
