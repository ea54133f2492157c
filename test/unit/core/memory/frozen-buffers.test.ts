/** Hosts whose buffers of a WebAssembly memory take no properties, as in Chromium. */
import { afterAll, expect, describe as suite, test, vi } from 'vitest';
import { collectUntil } from '../../../helpers/garbage.js';

const clone = globalThis.structuredClone;
vi.stubGlobal('structuredClone', (value: unknown) => {
  const copy = clone(value);
  for (const part of [copy].flat()) if (part instanceof SharedArrayBuffer) Object.preventExtensions(part);
  return copy;
});
const { describe, free, isShared, sharedArray, viewAt } = await import('../../../../src/core/memory/shared-array.js');
const { heapStats } = await import('../../../../src/core/memory/heap.js');

afterAll(() => vi.unstubAllGlobals());

suite('a shared array on a buffer that takes no properties', () => {
  test('is told from other arrays, and reached from its description', () => {
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    expect(Object.isExtensible(xs.buffer)).toBe(false);
    expect(isShared(xs)).toBe(true);
    expect(isShared(new Float64Array(3))).toBe(false);
    const { type, block, byteOffset, length } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    const again = viewAt(type, block, byteOffset, length);
    again[0] = 4;
    expect([...xs]).toEqual([4, 2, 3]);
  });

  test('can be freed, and is then known to be', () => {
    const xs = sharedArray(Float64Array, 3);
    free(xs);
    expect(() => describe(xs)).toThrow(TypeError);
  });

  test('is collected when it is dropped', async () => {
    const { blocks } = heapStats();
    for (let i = 0; i < 20; i++) sharedArray(Float64Array, 100);
    expect(heapStats().blocks).toBe(blocks + 20);
    expect(await collectUntil(() => heapStats().blocks <= blocks)).toBe(true);
  });
});
