import { expect, describe as suite, test } from 'vitest';
import * as heap from '../../../../src/core/memory/heap.js';
import { describe, sharedArray, type TypedArray, viewAt } from '../../../../src/core/memory/shared-array.js';
import { collectSomeTimes, collectUntil } from '../../../helpers/garbage.js';
import { secondRealm } from '../../../helpers/second-realm.js';

const { heapStats, deferFrees } = heap;

suite('a shared array that is dropped', () => {
  test('is collected', async () => {
    const { blocks } = heapStats();
    for (let i = 0; i < 20; i++) sharedArray(Float64Array, 100);
    expect(heapStats().blocks).toBe(blocks + 20);
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });

  test('is kept by a part of it alone', async () => {
    const { blocks } = heapStats();
    let part: Float64Array | undefined = sharedArray(Float64Array, [1, 2, 3]).subarray(1);
    await collectSomeTimes();
    expect(heapStats().blocks).toBe(blocks + 1);
    expect([...part]).toEqual([2, 3]);
    part = undefined;
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });

  test('is kept by any one of several buffer objects that reached this realm', async () => {
    const { blocks } = heapStats();
    let xs: Int8Array | undefined = sharedArray(Int8Array, [1, 2]);
    const cloneAndDrop = (original: Int8Array): void => {
      expect(describe(structuredClone(original))).toEqual(describe(original));
    };
    cloneAndDrop(xs);
    await collectSomeTimes();
    expect(heapStats().blocks).toBe(blocks + 1);
    expect([...xs]).toEqual([1, 2]);
    xs = undefined;
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });

  test('is collected after it was decoded here', async () => {
    const { blocks } = heapStats();
    const decode = (): void => {
      const { type, block, byteOffset, length } = describe(sharedArray(Int8Array, 9)) as NonNullable<
        ReturnType<typeof describe>
      >;
      viewAt(type, block, byteOffset, length);
    };
    decode();
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });

  test('is kept by a view in another realm', async () => {
    const other = await secondRealm(heap);
    const { blocks } = heapStats();
    const send = (): NonNullable<ReturnType<typeof describe>> =>
      describe(sharedArray(Int8Array, [1, 2, 3])) as NonNullable<ReturnType<typeof describe>>;
    const at = send();
    let received: TypedArray | undefined = other.viewAt(at.type, at.block, at.byteOffset, at.length);
    await collectSomeTimes();
    expect([...(received as Int8Array)]).toEqual([1, 2, 3]);
    received = undefined;
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });

  test('outlives an invocation in flight, if a worker made it and another realm may be about to take it up', async () => {
    const other = await secondRealm(heap);
    const { blocks } = heapStats();
    const release = deferFrees();
    const make = (): NonNullable<ReturnType<typeof describe>> =>
      other.describe(other.sharedArray(Int8Array, [4, 5])) as NonNullable<ReturnType<typeof describe>>;
    const at = make();
    await collectSomeTimes();
    let taken: TypedArray | undefined = viewAt(at.type, at.block, at.byteOffset, at.length);
    expect([...(taken as Int8Array)]).toEqual([4, 5]);
    release();
    expect(heapStats().blocks).toBe(blocks + 1);
    taken = undefined;
    expect(await collectUntil(() => heapStats().blocks === blocks)).toBe(true);
  });
});
