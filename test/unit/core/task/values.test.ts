import { beforeAll, describe, expect, test } from 'vitest';
import { NotShareableError } from '../../../../src/core/errors.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { lastExternal, setShareBuffer } from '../../../../src/core/memory/external-buffers.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { layoutOf, recordWord } from '../../../../src/core/memory/layout.js';
import { R_VALUES } from '../../../../src/core/memory/records.js';
import { sharedArray, type TypedArray } from '../../../../src/core/memory/shared-array.js';
import {
  freeBlob,
  fromBytes,
  readBlob,
  readValue,
  toBytes,
  tryWriteValue,
  writeBlob,
} from '../../../../src/core/task/values.js';
import { CODECS, hostWithCodec } from '../../../helpers/codecs.js';

const useCodec = hostWithCodec();

const LAYOUT = layoutOf(1, { ringLog2: 4, recordsPerSlot: 4 });
const memory = new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 77);
const RECORD = recordWord(LAYOUT, 1, 2);
const AT = RECORD + R_VALUES;

/** Writes a value over words that hold something else, and reads it again. */
function through(value: unknown, current?: unknown): unknown {
  memory.words.fill(-1, AT, AT + 4);
  expect(tryWriteValue(memory, AT, value)).toBe(true);
  return readValue(memory, AT, current);
}

describe('a value in four words', () => {
  test('is every number as it was, -0 and the extremes too', () => {
    const numbers = [
      0,
      -0,
      1,
      -1,
      0.1,
      2 ** 31 - 1,
      -(2 ** 31),
      2 ** 31,
      2 ** 32,
      2 ** 53,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
    ];
    for (const x of [...numbers, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
      expect(Object.is(through(x), x)).toBe(true);
    }
  });

  test('is undefined, null or a boolean', () => {
    for (const value of [undefined, null, true, false]) expect(through(value)).toBe(value);
  });

  test('is a view on the heap, on the same bytes, of the same type', () => {
    const types = [
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
      BigInt64Array,
      BigUint64Array,
    ];
    for (const Type of types) {
      const whole: TypedArray = sharedArray(Type as typeof Int32Array, 16) as TypedArray;
      for (const view of [whole, whole.subarray(3, 9), whole.subarray(16)]) {
        const back = through(view) as TypedArray;
        expect(back.constructor).toBe(Type);
        expect([back.byteOffset, back.length]).toEqual([view.byteOffset, view.length]);
        expect(through(view, view)).toBe(view); // kept, where it is the same
        if (view.length === 0) continue;
        back[0] = (Type.name.startsWith('Big') ? 5n : 5) as never;
        expect(Number(view[0])).toBe(5);
      }
    }
  });

  test('is a view on a buffer of the user where this thread may introduce it', () => {
    const sharedId: number[] = [];
    const buffer = new SharedArrayBuffer(64);
    setShareBuffer(undefined);
    expect(tryWriteValue(memory, AT, new Int32Array(buffer))).toBe(false);
    setShareBuffer((id) => sharedId.push(id));
    const back = through(new Int32Array(buffer, 8, 4)) as Int32Array;
    expect([back.buffer === buffer, back.byteOffset, back.length]).toEqual([true, 8, 4]);
    expect(sharedId).toEqual([lastExternal()]);
    through(new Float64Array(buffer));
    expect(sharedId).toHaveLength(1);
    setShareBuffer(undefined);
    expect((through(new Uint8Array(buffer)) as Uint8Array).length).toBe(64); // known by now
  });

  test('replaces a view of another type, place or length', () => {
    setShareBuffer(() => {});
    const buffer = new SharedArrayBuffer(64);
    const current = new Int32Array(buffer, 8, 4);
    expect(through(new Int32Array(buffer, 8, 4), current)).toBe(current);
    for (const other of [new Float32Array(buffer, 8, 4), new Int32Array(buffer, 4, 4), new Int32Array(buffer, 8, 3)]) {
      expect(through(other, current)).toStrictEqual(other);
    }
    setShareBuffer(undefined);
  });

  test('is nothing else', () => {
    for (const value of [
      'text',
      1n,
      {},
      [],
      new Float64Array(2),
      new DataView(new SharedArrayBuffer(8)),
      () => 1,
      Symbol('s'),
    ]) {
      expect(tryWriteValue(memory, AT, value)).toBe(false);
    }
  });
});

describe.each(CODECS)('a blob of %s', (_, codec) => {
  beforeAll(() => useCodec(codec));

  test('gives back structured data of any kind, views on shared memory as such', () => {
    const shared = sharedArray(Float64Array, 8);
    const part = shared.subarray(2, 5);
    const cyclic: Record<string, unknown> = { date: new Date(5), text: 'ä\u{1f600}', big: -(2n ** 70n), part };
    cyclic['self'] = cyclic;
    const value = [
      cyclic,
      new Map<unknown, unknown>([[1, new Set([part])]]),
      /x+/giu,
      Array(2),
      new Error('e'),
      new Uint8Array([1, 2]),
    ];
    writeBlob(memory, RECORD, toBytes(value));
    const [object, map, regexp, sparse, error, bytes] = fromBytes(readBlob(memory, RECORD)) as unknown[];
    const { self, part: back, ...rest } = object as typeof cyclic;
    expect(self).toBe(object);
    expect(rest).toEqual({ date: new Date(5), text: 'ä\u{1f600}', big: -(2n ** 70n) });
    (back as Float64Array)[0] = 9;
    expect(shared[2]).toBe(9);
    const [inMap] = (map as Map<number, Set<Float64Array>>).get(1) as Set<Float64Array>;
    expect((inMap as Float64Array)[0]).toBe(9);
    expect(regexp).toEqual(/x+/giu);
    expect(sparse).toStrictEqual(Array(2));
    expect(error).toEqual(new Error('e'));
    expect(bytes).toStrictEqual(new Uint8Array([1, 2]));
    freeBlob(memory, RECORD);
  });

  test('replaces the one before, and is freed once', () => {
    freeBlob(memory, RECORD);
    const before = heapStats().blocks;
    writeBlob(memory, RECORD, toBytes('one'));
    writeBlob(memory, RECORD, toBytes('two'));
    expect(fromBytes(readBlob(memory, RECORD))).toBe('two');
    expect(heapStats().blocks).toBe(before + 1);
    freeBlob(memory, RECORD);
    freeBlob(memory, RECORD);
    expect(heapStats().blocks).toBe(before);
  });

  test('keeps a DataView on shared memory one', () => {
    setShareBuffer(() => {});
    const view = new DataView(new SharedArrayBuffer(32), 4, 8);
    const back = fromBytes(toBytes({ view })) as { view: DataView };
    back.view.setUint8(1, 6);
    expect([back.view.byteLength, view.getUint8(1)]).toEqual([8, 6]);
    setShareBuffer(undefined);
  });

  test('refuses what the runtime cannot clone, and buffers without a view', () => {
    const port = new MessageChannel().port1;
    for (const value of [() => 1, Symbol('s'), new WeakMap(), (function* () {})(), new SharedArrayBuffer(8), port]) {
      expect(() => toBytes([value])).toThrow(NotShareableError);
    }
    port.close();
    const failing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new RangeError('the getter');
      },
    });
    expect(() => toBytes(failing)).toThrow(new RangeError('the getter'));
  });
});
