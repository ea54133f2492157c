import { describe, expect, test } from 'vitest';
import { LocalArrays } from '../../../../src/algorithms/call/local-arrays.js';
import { SharedArrays } from '../../../../src/algorithms/call/shared-arrays.js';
import { CALLER_MEMORY_BYTES } from '../../../../src/algorithms/tuning.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { free, isShared, sharedArray } from '../../../../src/core/memory/shared-array.js';

const draftOf = (arrays: LocalArrays, shared: boolean, length: number): Float64Array =>
  arrays.output({ into: undefined, type: Float64Array, shared, length, mayBeShorter: true });

describe('the arrays of a call on its caller', () => {
  test('lie apart, whatever their types, and apart from those of a call within it', () => {
    const outer = new LocalArrays();
    const arrays: (Uint8Array | Float64Array | Uint32Array)[] = [
      outer.scratch(Uint8Array, 3),
      outer.scratch(Float64Array, 2),
      outer.scratch(Uint32Array, 1),
    ];
    const inner = new LocalArrays();
    arrays.push(inner.scratch(Float64Array, 5), draftOf(inner, false, 3));
    arrays.forEach((xs, i) => {
      xs.fill(i + 1);
    });
    inner.release();
    arrays.push(outer.scratch(Uint32Array, 7, 9));
    arrays.slice(0, 3).forEach((xs, i) => {
      expect([...xs]).toEqual(new Array(xs.length).fill(i + 1));
    });
    outer.release();
  });

  test('take the buffer that the last call of the thread gave back, and make none', () => {
    const first = new LocalArrays();
    const { buffer } = first.scratch(Int32Array, 3);
    first.release();
    const second = new LocalArrays();
    const within = new LocalArrays();
    expect(second.scratch(Float64Array, 100).buffer).toBe(buffer);
    expect(draftOf(second, true, 3).buffer).toBe(buffer);
    expect(within.scratch(Int32Array, 3).buffer).not.toBe(buffer); // in use
    second.release();
  });

  test('are filled as asked, although another call has left its values there', () => {
    const before = new LocalArrays();
    before.scratch(Int32Array, 100, -1);
    before.release();
    const arrays = new LocalArrays();
    expect([...arrays.scratch(Int32Array, 2, 0)]).toEqual([0, 0]);
    expect([...arrays.scratch(Float64Array, 1, 0.5)]).toEqual([0.5]);
    arrays.release();
  });

  test('are new arrays when the buffer is full', () => {
    const arrays = new LocalArrays();
    const first = arrays.scratch(Uint8Array, CALLER_MEMORY_BYTES, 1);
    const second = arrays.scratch(Uint8Array, 1, 2);
    const third = draftOf(arrays, false, 2).fill(3);
    expect(second.buffer).not.toBe(first.buffer);
    expect(arrays.delivered(third, 1)).toEqual(Float64Array.of(3));
    expect(first.every((x) => x === 1)).toBe(true);
    arrays.release();
  });

  test.each([true, false])('are copied to results of the right length (shared: %s)', (shared) => {
    for (const length of [0, 2, 3]) {
      const arrays = new LocalArrays();
      const draft = draftOf(arrays, shared, 3);
      draft.set([1, 2, 3]);
      const result = arrays.delivered(draft, length);
      arrays.release();
      draft.fill(0);
      expect(result).toEqual(Float64Array.of(1, 2, 3).subarray(0, length));
      expect(isShared(result)).toBe(shared);
      expect(shared || result.buffer.byteLength === result.byteLength).toBe(true);
    }
  });
});

describe('the arrays of a call that workers see', () => {
  test('stay allocated when the user frees one of them, until the call ends', () => {
    const xs = sharedArray(Float64Array, 100).fill(1);
    const before = heapStats().blocks;
    const arrays = new SharedArrays('parallelSort');
    arrays.inout(xs, 'xs');
    free(xs);
    expect(heapStats().blocks).toBe(before); // a sort that failed may still put all elements back
    arrays.release();
    expect(heapStats().blocks).toBe(before - 1);
  });

  test('are not kept allocated when an array is refused', () => {
    const [xs, ys] = [sharedArray(Float64Array, 10), sharedArray(Float64Array, 10)];
    free(xs);
    expect(() => new SharedArrays('parallelSort').inout(xs, 'xs')).toThrow(TypeError);
    sharedArray(Float64Array, 1);
    const before = heapStats().blocks;
    free(ys);
    expect(heapStats().blocks).toBe(before - 1);
  });
});
