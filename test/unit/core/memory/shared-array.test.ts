import { expect, expectTypeOf, describe as suite, test } from 'vitest';
import * as heap from '../../../../src/core/memory/heap.js';
import { Pins } from '../../../../src/core/memory/pins.js';
import {
  describe,
  free,
  isExternal,
  isHeap,
  isShared,
  sharedArray,
  shrunk,
  type TypedArrayConstructor,
  viewAt,
} from '../../../../src/core/memory/shared-array.js';
import { secondRealm } from '../../../helpers/second-realm.js';

const { heapStats, deferFrees, keepArrays } = heap;

suite('sharedArray', () => {
  test('gives zeros for a length, and copies values', () => {
    const xs = sharedArray(Float64Array, 3);
    expect(xs).toBeInstanceOf(Float64Array);
    expect([...xs]).toEqual([0, 0, 0]);
    expect([...sharedArray(Int16Array, [3, -1, 2])]).toEqual([3, -1, 2]);
    expect([...sharedArray(BigInt64Array, [3n, -1n])]).toEqual([3n, -1n]);
    expect([...sharedArray(Uint8Array, new Set([1, 2, 3]))]).toEqual([1, 2, 3]);
    expect([...sharedArray(Uint8Array, { length: 2, 0: 7, 1: 8 })]).toEqual([7, 8]);
    expect([...sharedArray(Float32Array, Uint8Array.of(1, 2))]).toEqual([1, 2]);
    expectTypeOf(xs).toEqualTypeOf<Float64Array>();
    expectTypeOf(sharedArray(BigInt64Array, [1n])).toEqualTypeOf<BigInt64Array>();
    // @ts-expect-error a bigint array takes no numbers
    expect(() => sharedArray(BigInt64Array, [1])).toThrow(TypeError);
  });

  test('can be shrunk to a whole array, which any realm may free', async () => {
    const other = await secondRealm(heap);
    const before = heapStats(); // after the event loop has turned, which may free arrays of other tests
    for (const freeing of [free, undefined]) {
      const long = sharedArray(Float64Array, [1, 2, 3, ...new Array(1000).fill(0)]);
      const { type, block, byteOffset, length } = describe(long) as NonNullable<ReturnType<typeof describe>>;
      const seen = other.viewAt(type, block, byteOffset, length);
      const xs = shrunk(long, 3);
      expect([...xs]).toEqual([1, 2, 3]);
      expect(() => free(xs.subarray(1))).toThrow(/a part \(16 of 24 bytes\)/);
      expect(() => other.free(seen)).toThrow(/a part|beyond/);
      if (freeing !== undefined) freeing(xs);
      else other.free(other.viewAt(type, block, byteOffset, 3));
    }
    expect(heapStats()).toMatchObject({ bytesInUse: before.bytesInUse, blocks: before.blocks });
  });

  test('gives every array a buffer object of its own over the same bytes', () => {
    const [xs, ys] = [sharedArray(Int32Array, 4), sharedArray(Int32Array, 4)];
    expect(xs.buffer).not.toBe(ys.buffer);
    new Int32Array(ys.buffer, xs.byteOffset, 4).fill(9);
    expect([...xs]).toEqual([9, 9, 9, 9]);
  });

  test('works for a length of zero', () => {
    const xs = sharedArray(Float64Array, 0);
    expect(xs.length).toBe(0);
    expect(describe(xs)).toMatchObject({ length: 0, byteOffset: xs.byteOffset });
    free(xs);
  });

  test.each([
    [undefined, /type is undefined; it must/],
    [Array, /type is the function Array; it must be a typed-array constructor, such as Float64Array/],
    [DataView, /DataView/],
    [Buffer, /Buffer/],
    ['Float64Array', /the string "Float64Array"/],
    [{ Float64Array: class {} }.Float64Array, /must be a typed-array constructor/],
  ])('refuses %s as a type', (type, message) => {
    const { blocks } = heapStats();
    expect(() => sharedArray(type as unknown as TypedArrayConstructor, 1)).toThrow(TypeError);
    expect(() => sharedArray(type as unknown as TypedArrayConstructor, 1)).toThrow(message);
    expect(heapStats().blocks).toBe(blocks);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s as a length', (n) => {
    expect(() => sharedArray(Float64Array, n)).toThrow(
      new RangeError(`furcate: sharedArray: n is ${n}; the number of elements must be an integer >= 0.`),
    );
  });

  test('says what is too much for this heap, or for any', () => {
    const { blocks } = heapStats();
    for (const gib of [4, 8, 2 ** 20]) {
      expect(() => sharedArray(Float64Array, gib * 2 ** 27)).toThrow(RangeError);
      expect(() => sharedArray(Float64Array, gib * 2 ** 27)).toThrow(
        new RegExp(`sharedArray: ${gib * 1024} MiB asked for, .* can grow to \\d+ MiB`),
      );
    }
    expect(heapStats().blocks).toBe(blocks);
  });

  test.each<[unknown, RegExp]>([
    [null, /n or values is null/],
    ['abc', /n or values is the string "abc"/],
    [{}, /n or values is Object; it must be a number of elements, an array or an iterable/],
    [[1, '2'], /values\[1\] is the string "2"; Int32Array takes elements of type number/],
    [new Array(2), /values\[0\] is undefined/],
    [[1n], /values\[0\] is bigint 1/],
    [BigInt64Array.of(1n), /values is of type BigInt64Array; Int32Array takes/],
    [new DataView(new ArrayBuffer(8)), /DataView/],
  ])('refuses %s as values', (values, message) => {
    const { blocks } = heapStats();
    expect(() => sharedArray(Int32Array, values as number[])).toThrow(TypeError);
    expect(() => sharedArray(Int32Array, values as number[])).toThrow(message);
    expect(heapStats().blocks).toBe(blocks);
  });
});

suite('free', () => {
  test('gives the bytes to the next array of that size, zeroed', () => {
    const fence = sharedArray(Int32Array, 1);
    const xs = sharedArray(Int32Array, 1_000).fill(5);
    const after = sharedArray(Int32Array, 1);
    const place = xs.byteOffset;
    free(xs);
    const ys = sharedArray(Int32Array, 1_000);
    expect(ys.byteOffset).toBe(place);
    expect(ys.every((y) => y === 0)).toBe(true);
    expect(fence.length + after.length).toBe(2);
  });

  test('refuses a second free, a part, and what is no shared array', () => {
    const xs = sharedArray(Int32Array, 10);
    expect(() => free(xs.subarray(1))).toThrow(/xs is a part \(36 of 40 bytes\) of a shared array/);
    free(xs);
    expect(() => free(xs)).toThrow(/was freed/);
    expect(() => free(new Int32Array(4))).toThrow(/xs is not a shared array but an ordinary Int32Array/);
    expect(() => free(new Int32Array(new SharedArrayBuffer(8)))).toThrow(/ordinary Int32Array/);
    expect(() => free(undefined as unknown as Int32Array)).toThrow(/xs is undefined/);
  });

  test('is told when the array is passed on afterwards', () => {
    const xs = sharedArray(Int32Array, 10);
    const part = xs.subarray(2);
    const { type, block, byteOffset, length } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    expect(viewAt(type, block, byteOffset, length)).toBeDefined();
    free(xs);
    expect(() => describe(xs)).toThrow(TypeError);
    expect(() => describe(part)).toThrow(/was freed/);
    expect(() => viewAt(type, block, byteOffset, length)).toThrow(/was freed while it was in use/);
  });

  /** What `free` of an array leaves in use while one invocation is in flight, and after each of these steps. */
  function blocksAfter(xs: Int32Array, ...steps: (() => void)[]): number[] {
    const release = deferFrees();
    try {
      const before = heapStats().blocks;
      free(xs);
      expect(() => describe(xs)).toThrow(/was freed/);
      return [() => {}, ...steps, release].map((step) => {
        step();
        return heapStats().blocks - before;
      });
    } finally {
      release();
    }
  }

  test('waits for no invocation that does not name the array, whether other realms know it or not', () => {
    const [own, known] = [sharedArray(Int32Array, 10), sharedArray(Int32Array, 10)];
    describe(known);
    expect(blocksAfter(own)).toEqual([-1, -1]);
    expect(blocksAfter(known)).toEqual([-1, -1]);
  });

  test('waits for all that names the array, and for nothing else', () => {
    const [first, second, other] = [new Pins(), new Pins(), new Pins()];
    const [xs, ys] = [sharedArray(Int32Array, 10), sharedArray(Int32Array, 10)];
    for (const pins of [first, second, first]) pins.during(() => describe(xs.subarray(1)));
    other.during(() => describe(ys));
    expect(() => new Pins().during(() => [describe(xs), describe(new Proxy(xs, {}))])).toThrow();
    const ends = [other, first, second, first].map((pins) => () => pins.release());
    expect(blocksAfter(xs, ...ends)).toEqual([0, 0, 0, -1, -1, -1]);
    expect(blocksAfter(ys)).toEqual([-1, -1]);
  });

  test('waits for a name that comes with what is decoded, such as a report', () => {
    const xs = sharedArray(Int32Array, 10);
    const { type, block, byteOffset, length, serial } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    const pins = new Pins();
    pins.during(() => viewAt(type, block, byteOffset, length, serial));
    expect(blocksAfter(xs, () => pins.release())).toEqual([0, -1, -1]);
  });

  test('waits for every invocation in flight if the array came by structured cloning, or another realm has one', async () => {
    const [xs, ys] = [sharedArray(Int32Array, 10), sharedArray(Int32Array, 10)];
    describe(xs);
    free(sharedArray(Int32Array, 10));
    const other = await secondRealm(heap);
    const stranger = other.sharedArray(Int32Array, 10);
    expect(blocksAfter(structuredClone(stranger))).toEqual([0, -1]);
    const end = other.deferFrees();
    expect(blocksAfter(xs, end)).toEqual([0, 0, -1]);
    describe(ys);
    expect(blocksAfter(ys)).toEqual([-1, -1]);
  });

  test('keeps the bytes of what a realm has that has abandoned something, until that ends', () => {
    const [old, unknown] = [sharedArray(Int32Array, 10), sharedArray(Int32Array, 10)];
    const ends = [keepArrays(), keepArrays()];
    const young = sharedArray(Int32Array, 10);
    for (const xs of [old, young]) describe(xs);
    expect(blocksAfter(young), 'made afterwards').toEqual([-1, -1]);
    expect(blocksAfter(unknown, ...ends, ...ends)).toEqual([0, 0, -1, -1, -1, -1]);
    free(old);
  });

  test('keeps the bytes of what another realm has that has abandoned something, until it drops them, or ends', async () => {
    const other = await secondRealm(heap);
    const all = [1, 2, 3].map(() => sharedArray(Int32Array, 10));
    const [dropped, kept, unknown] = all as [Int32Array, Int32Array, Int32Array];
    const places = all.map((xs) => describe(xs) as NonNullable<ReturnType<typeof describe>>);
    for (const { type, block, byteOffset, length } of places.slice(0, 2)) other.viewAt(type, block, byteOffset, length);
    other.keepArrays();
    expect(blocksAfter(unknown)).toEqual([-1, -1]);
    const [{ block, serial: _ }] = places as [(typeof places)[0]];
    const drop = (): void => other.currentHeap().release(block, other.currentHeap().serialOf(block), false);
    expect(blocksAfter(dropped, drop)).toEqual([0, -1, -1]);
    expect(blocksAfter(kept, () => heap.currentHeap().repairAfter(other.thread))).toEqual([0, -1, -1]);
  });

  test('keeps nothing that is younger than what its own realm has abandoned, whatever others abandon later', async () => {
    const other = await secondRealm(heap);
    const endKeeping = keepArrays();
    const xs = sharedArray(Int32Array, 10);
    describe(xs);
    other.keepArrays();
    expect(blocksAfter(xs)).toEqual([-1, -1]);
    endKeeping();
    heap.currentHeap().repairAfter(other.thread);
  });
});

suite('describe and viewAt', () => {
  test('carry arrays and parts of them, in this realm', () => {
    const xs = sharedArray(Float32Array, [0, 1, 2, 3, 4]);
    const part = xs.subarray(1, 4);
    const { type, block, byteOffset, length } = describe(part) as NonNullable<ReturnType<typeof describe>>;
    const view = viewAt(type, block, byteOffset | 0, length);
    expect(view).toBeInstanceOf(Float32Array);
    expect([...(view as Float32Array)]).toEqual([1, 2, 3]);
    expect(view.buffer).toBe(xs.buffer);
    expect(viewAt(type, block, byteOffset, length).buffer).toBe(xs.buffer);
  });

  test('carry arrays that lie beyond 2 GiB, through 32-bit slots too', () => {
    const low = sharedArray(Uint8Array, 2 ** 31); // never touched: address space only
    const xs = sharedArray(Uint8Array, [1, 2, 3]);
    const { type, block, byteOffset, length } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    expect(byteOffset).toBeGreaterThan(2 ** 31);
    expect([...(viewAt(type, block, byteOffset | 0, length) as Uint8Array)]).toEqual([1, 2, 3]);
    free(xs);
    free(low);
  });

  test('know nothing of what is not on the heap', () => {
    expect(describe(new Float64Array(3))).toBeUndefined();
    expect(describe(new Float64Array(new SharedArrayBuffer(24)))).toBeUndefined();
    expect(() => viewAt(99, 5_000, 80_000, 1)).toThrow(/type 99 is no element type/);
  });

  test('refuse a view that reaches beyond its own array', () => {
    const xs = sharedArray(Uint8Array, 16);
    expect(() => describe(new Uint8Array(xs.buffer, 0, 16))).toThrow(/xs.buffer is the whole heap, so use xs.subarray/);
    expect(() => describe(new Uint8Array(xs.buffer, xs.byteOffset, 17))).toThrow(TypeError);
  });

  test('tell shared arrays, external buffers and ordinary arrays apart', () => {
    const xs = sharedArray(Uint8Array, 8);
    const external = new Uint8Array(new SharedArrayBuffer(8));
    const large = new Uint8Array(new SharedArrayBuffer(70_000));
    const plain = new Uint8Array(8);
    expect([xs, xs.subarray(2), external, large, plain].map(isHeap)).toEqual([true, true, false, false, false]);
    expect([xs, external, large, plain].map(isExternal)).toEqual([false, true, true, false]);
    expect([xs, external, large, plain].map(isShared)).toEqual([true, true, true, false]);
    for (const other of [null, undefined, 5, 'x', {}, xs.buffer]) expect(isShared(other as never)).toBe(false);
  });

  test('take up a view that came by structured cloning', () => {
    const xs = sharedArray(Int32Array, [1, 2, 3]);
    const clone = structuredClone(xs);
    expect(isHeap(clone)).toBe(true);
    expect(isExternal(clone)).toBe(false);
    expect(describe(clone)).toEqual(describe(xs));
    expect(describe(clone.subarray(1))).toEqual(describe(xs.subarray(1)));
  });
});

suite('in another realm', () => {
  test('the same array is seen, its block held once, and let go of when the realm ends', async () => {
    const other = await secondRealm(heap);
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    const { type, block, byteOffset, length } = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    const view = other.viewAt(type, block, byteOffset, length) as Float64Array;
    view[1] = 20;
    expect([...xs]).toEqual([1, 20, 3]);
    expect(other.viewAt(type, block, byteOffset + 8, 2).buffer).toBe(view.buffer);
    expect(other.describe(view.subarray(1))).toEqual(describe(xs.subarray(1)));
    expect(other.viewAt(type, block, byteOffset, length).buffer, 'found again while it lives').toBe(view.buffer);
    heap.currentHeap().repairAfter(other.thread);
    expect([...xs]).toEqual([1, 20, 3]);
  });

  test('a view of a freed array is not taken for a later array at its place', async () => {
    const other = await secondRealm(heap);
    const xs = sharedArray(Int32Array, 500);
    const at = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    const old = other.viewAt(at.type, at.block, at.byteOffset, at.length);
    free(xs);
    expect(() => other.describe(old)).toThrow(/was freed/);
    expect(() => other.viewAt(at.type, at.block, at.byteOffset, at.length)).toThrow(/was freed/);
    const ys = sharedArray(Int32Array, 500);
    const { serial } = describe(ys) as NonNullable<ReturnType<typeof describe>>;
    expect(describe(ys)).toEqual({ ...at, serial });
    expect(serial).not.toBe(at.serial);
    for (const realm of [other, { viewAt }])
      expect(() => realm.viewAt(at.type, at.block, at.byteOffset, at.length, at.serial)).toThrow(/was freed/);
    const view = other.viewAt(at.type, at.block, at.byteOffset, at.length, serial);
    expect(view).not.toBe(old);
    expect(other.describe(view)).toEqual({ ...at, serial });
    expect(() => other.describe(old)).toThrow(/was freed/);
    expect(() => other.free(old)).toThrow(/was freed/);
  });

  test('the buffer of a freed array does not stand for a later array whose other parts were named first', async () => {
    const other = await secondRealm(heap);
    const xs = sharedArray(Int32Array, 500);
    const at = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    const old = other.viewAt(at.type, at.block, at.byteOffset, at.length);
    free(xs);
    const ys = sharedArray(Int32Array, 500);
    expect(describe(ys)).toMatchObject({ block: at.block, byteOffset: at.byteOffset });
    const part = other.viewAt(at.type, at.block, at.byteOffset + 4, 10);
    const whole = other.viewAt(at.type, at.block, at.byteOffset, at.length);
    expect(whole).not.toBe(old);
    expect(whole.buffer).toBe(part.buffer);
  });

  test('an array freed there is known as freed here', async () => {
    const other = await secondRealm(heap);
    const xs = sharedArray(Int32Array, 5);
    const at = describe(xs) as NonNullable<ReturnType<typeof describe>>;
    other.free(other.viewAt(at.type, at.block, at.byteOffset, at.length));
    expect(() => describe(xs)).toThrow(/was freed/);
    expect(() => free(xs)).toThrow(/was freed/);
  });

  test('arrays, blobs and growth of one are seen by the other', async () => {
    const other = await secondRealm(heap);
    const offset = other.allocBytes(40 * 1024 * 1024, 7);
    other.bytesAt(offset, 4).set([1, 2, 3, 4]);
    expect([...heap.bytesAt(offset, 4)]).toEqual([1, 2, 3, 4]);
    expect(heap.freeTagged(7)).toBe(1);
    const xs = other.sharedArray(Uint8Array, [5, 6]);
    const at = other.describe(xs) as NonNullable<ReturnType<typeof describe>>;
    expect([...(viewAt(at.type, at.block, at.byteOffset, at.length) as Uint8Array)]).toEqual([5, 6]);
    expect(other.currentHeap().thread).toBe(other.thread);
    expect(other.kernelMemory()).toBe(heap.kernelMemory());
    expect(other.currentHeap().root[0]).toBe(heap.currentHeap().root[0]);
  });

  test('adopting a second heap is refused, adopting the same again is not', async () => {
    const other = await secondRealm(heap);
    expect(() => other.adoptHeap(heap.currentHeap().handle())).not.toThrow();
    const stranger = await secondRealm(heap).then(async () => {
      const { SharedHeap } = await import('../../../../src/core/memory/shared-heap.js');
      return SharedHeap.create({ maximumPages: [16], fixedBytes: [] }).handle();
    });
    expect(() => other.adoptHeap(stranger)).toThrow(/adopt before first use/);
  });
});

test('refuses values whose memory was taken away, and takes an empty view', () => {
  const gone = new Float64Array(2);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  expect(() => sharedArray(Float64Array, gone)).toThrow(
    /values is of type Float64Array on a buffer that was transferred/,
  );
  expect(sharedArray(Float64Array, new Float64Array(0)).length).toBe(0);
});
