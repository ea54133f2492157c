/** Shared arrays where clones of a WebAssembly memory's buffer are frozen, as in Deno and Chromium. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { currentHeap, heapStats } from '../../../../src/core/memory/heap.js';
import { describe, free, isShared, sharedArray, viewAt } from '../../../../src/core/memory/shared-array.js';

const { structuredClone: clone } = globalThis;

beforeAll(() => {
  const frozenClones = (buffers: SharedArrayBuffer[]): unknown[] => clone(buffers).map((one) => Object.freeze(one));
  vi.stubGlobal('structuredClone', (value: unknown) =>
    Array.isArray(value) ? frozenClones(value as SharedArrayBuffer[]) : clone(value),
  );
});

afterAll(() => void vi.unstubAllGlobals());

test('they are known as shared, cross as places, and are freed', () => {
  sharedArray(Int32Array, 1); // so that the heap is there
  const before = heapStats();
  const xs = sharedArray(Int32Array, [1, 2, 3]);
  expect([Object.isFrozen(xs.buffer), isShared(xs), isShared(xs.subarray(1))]).toEqual([true, true, true]);
  const found = describe(xs) as NonNullable<ReturnType<typeof describe>>;
  const { type, block, byteOffset, length } = found;
  expect([...viewAt(type, block, byteOffset, length)]).toEqual([1, 2, 3]);
  free(xs);
  expect(() => describe(xs)).toThrow(/^furcate: .*freed/);
  expect(heapStats()).toMatchObject({ bytesInUse: before.bytesInUse, blocks: before.blocks });
});

test('a view that comes by structuredClone is one of the same array', () => {
  const xs = sharedArray(Int32Array, [4]);
  const copy = clone(xs);
  Object.freeze(copy.buffer);
  expect(describe(copy)).toEqual(describe(xs));
  expect(currentHeap().memory.isOwn(copy.buffer)).toBe(false);
  free(xs);
});
