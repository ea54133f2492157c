import { beforeAll, expect, describe as suite, test } from 'vitest';
import { ownArena } from '../../../../src/core/memory/arena.js';
import * as heap from '../../../../src/core/memory/heap.js';
import { Pins } from '../../../../src/core/memory/pins.js';
import {
  describe,
  free,
  freeScratch,
  isHeap,
  isNonOwning,
  isShared,
  nonOwning,
  scratchArray,
  sharedArray,
} from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { fromBytes, toBytes } from '../../../../src/core/task/values.js';
import { secondRealm } from '../../../helpers/second-realm.js';

registerHost(detectNode);
const { heapStats, deferFrees } = heap;

suite('a non-owning view', () => {
  beforeAll(() => {
    sharedArray(Int32Array, 1);
  });

  test('shows the elements of an array, of a part of one, and of scratch space', () => {
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    const [whole, part] = [nonOwning(xs), nonOwning(xs.subarray(1))];
    whole[2] = 7;
    expect([...xs, ...part]).toEqual([1, 2, 7, 2, 7]);
    expect([xs, xs.subarray(1), whole, part].map(isNonOwning)).toEqual([false, false, true, true]);
    expect([whole, part].every((view) => isHeap(view) && isShared(view))).toBe(true);
  });

  test('crosses as a non-owning view, next to views that hold', () => {
    const xs = sharedArray(Uint16Array, [1, 2, 3]);
    const [lent, held] = fromBytes(toBytes([nonOwning(xs).subarray(1), xs])) as [Uint16Array, Uint16Array];
    expect([isNonOwning(lent), isNonOwning(held)]).toEqual([true, false]);
    expect([...lent, ...held]).toEqual([2, 3, 1, 2, 3]);
  });

  test('is none of what is not on the heap', () => {
    const external = new Int32Array(new SharedArrayBuffer(8));
    expect(nonOwning(external)).toBe(external);
    expect(isNonOwning(external)).toBe(false);
    expect(isNonOwning(new Int32Array(2))).toBe(false);
  });

  test('is refused of an array that was freed, and where a reference is wanted', () => {
    const xs = sharedArray(Int32Array, 4);
    const lent = nonOwning(xs);
    expect(() => describe(lent)).toThrow('a non-owning view has no reference');
    free(xs);
    expect(() => nonOwning(xs)).toThrow(/was freed/);
  });

  test('pins its array', () => {
    const before = heapStats().blocks;
    const pins = new Pins();
    const xs = sharedArray(Int32Array, 4);
    pins.during(() => nonOwning(xs));
    free(xs);
    expect(heapStats().blocks).toBe(before + 1);
    pins.release();
    expect(heapStats().blocks).toBe(before);
  });
});

suite('a scratch array', () => {
  test('is freed at once, whatever is in flight, and but once', () => {
    const before = heapStats();
    const release = deferFrees();
    const xs = scratchArray(Float64Array, 1000, ownArena);
    expect(xs.length).toBe(1000);
    expect(heapStats().bytesInUse).toBeGreaterThanOrEqual(before.bytesInUse + 8000);
    freeScratch(xs, ownArena);
    expect(heapStats()).toMatchObject({ blocks: before.blocks, bytesInUse: before.bytesInUse });
    expect(() => freeScratch(xs, ownArena)).toThrow(RangeError);
    release();
  });

  test('says how much it wanted when the heap is full', () => {
    expect(() => scratchArray(Float64Array, 2 ** 40, ownArena)).toThrow(/a temporary array: .* MiB asked for/);
  });

  test('goes with the thread that made it', async () => {
    const before = heapStats().blocks;
    const other = await secondRealm(heap);
    other.ownArena.allocate(400);
    expect(heapStats().blocks).toBe(before + 1);
    heap.currentHeap().repairAfter(other.thread);
    expect(heapStats().blocks).toBe(before);
  });
});
