import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

let arrays: typeof import('../../../../src/core/memory/shared-array.js');

beforeAll(async () => {
  vi.stubGlobal('crossOriginIsolated', false);
  arrays = await import('../../../../src/core/memory/shared-array.js');
});

afterAll(() => {
  vi.unstubAllGlobals();
});

describe('without isolation', () => {
  test('sharedArray gives an ordinary array, which counts as shared, for everything runs on the caller', () => {
    const xs = arrays.sharedArray(Float64Array, [1, 2]);
    expect([...xs]).toEqual([1, 2]);
    expect(xs.buffer).toBeInstanceOf(ArrayBuffer);
    expect(arrays.isShared(xs)).toBe(true);
    expect(arrays.isHeap(xs)).toBe(false);
    expect(arrays.describe(xs)).toBeUndefined();
    expect([...arrays.sharedArray(Int8Array, 2)]).toEqual([0, 0]);
  });

  test('free takes such an array once', () => {
    const xs = arrays.sharedArray(Float64Array, 2);
    arrays.free(xs);
    expect(() => arrays.free(xs)).toThrow(TypeError);
  });

  test('arguments are checked all the same', () => {
    expect(() => arrays.sharedArray(Float64Array, -1)).toThrow(RangeError);
    expect(() => arrays.sharedArray(Float64Array, ['1'] as never)).toThrow(TypeError);
  });
});
