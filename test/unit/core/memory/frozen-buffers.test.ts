/** Shared arrays where clones of a buffer take no properties, as in Chromium and Deno. */
import { expect, test, vi } from 'vitest';
import { describe, free, isShared, sharedArray } from '../../../../src/core/memory/shared-array.js';

const clone = globalThis.structuredClone;
vi.stubGlobal('structuredClone', (values: object[]) => clone(values).map((value) => Object.freeze(value)));

test('an array of a frozen buffer is known by its buffer, and freed once', () => {
  const [xs, ys] = [sharedArray(Int32Array, [1, 2, 3]), sharedArray(Int32Array, [4])];
  expect(Object.isFrozen(xs.buffer)).toBe(true);
  expect([isShared(xs), isShared(ys), isShared(xs.subarray(1))]).toEqual([true, true, true]);
  expect(describe(xs)?.block).not.toBe(describe(ys)?.block);
  free(xs);
  expect(() => free(xs)).toThrow(TypeError);
  expect(() => describe(xs)).toThrow(/was freed/);
  expect([...ys]).toEqual([4]);
});
