/** Engines that freeze the buffers of shared WebAssembly memory, and their clones: nothing can be written into such a buffer object. */
import { afterAll, expect, describe as suite, test, vi } from 'vitest';
import * as heap from '../../../../src/core/memory/heap.js';
import { describe, free, isHeap, isShared, sharedArray, viewAt } from '../../../../src/core/memory/shared-array.js';
import { collectUntil } from '../../../helpers/garbage.js';

const { heapStats } = heap;
const clone = structuredClone;

/** Freezes the buffers in a clone. */
function frozenClone<T>(value: T): T {
  const copy = clone(value);
  for (const part of Array.isArray(copy) ? copy : [copy]) Object.freeze(ArrayBuffer.isView(part) ? part.buffer : part);
  return copy;
}
vi.stubGlobal('structuredClone', frozenClone);
afterAll(() => vi.unstubAllGlobals());

suite('shared arrays on frozen buffers', () => {
  test('are made, told from others, described and found again', () => {
    const xs = sharedArray(Int32Array, [1, 2, 3]);
    expect(Object.isFrozen(xs.buffer)).toBe(true);
    expect([isHeap(xs), isShared(xs), isHeap(xs.subarray(1))]).toEqual([true, true, true]);
    expect([isHeap(new Int32Array(3)), isHeap(new Int32Array(new SharedArrayBuffer(12)))]).toEqual([false, false]);
    const { type, block, byteOffset, length } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    expect(viewAt(type, block, byteOffset, length).buffer).toBe(xs.buffer);
  });

  test('are adopted from clones, which have a reference of their own', () => {
    const xs = sharedArray(Int32Array, [1, 2, 3]);
    const received = structuredClone(xs);
    expect(Object.isFrozen(received.buffer)).toBe(true);
    expect(describe(received)).toEqual(describe(xs));
    received[0] = 9;
    expect(xs[0]).toBe(9);
  });

  test('are freed once', () => {
    const { blocks } = heapStats();
    const xs = sharedArray(Float64Array, 4);
    free(xs);
    expect(heapStats().blocks).toBe(blocks);
    expect(() => describe(xs)).toThrow(/was freed/);
  });

  test('are collected when they are dropped', async () => {
    const { blocks } = heapStats();
    for (let i = 0; i < 20; i++) sharedArray(Float64Array, 100);
    expect(heapStats().blocks).toBe(blocks + 20);
    expect(await collectUntil(() => heapStats().blocks <= blocks)).toBe(true);
  });
});
