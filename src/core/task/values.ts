/**
 * One value in four words of a record, or many in a blob on the shared heap; runs on every thread.
 *
 * ```
 * word 0              1                  2 .. 3
 * tag | type << 8     block or buffer    double, or byte offset and length (elements)
 * tag | count << 8    first double       -
 * ```
 *
 * Numbers, booleans, null, undefined and views on shared memory cross in tens of nanoseconds, short arrays of numbers in
 * some hundred. Everything else is rare, since only published tasks are encoded, and goes through the runtime's
 * structured serializer: 5 us, and 40 to 110 with cold caches, as at the end of a reduction, where it took 0.4 ms in all.
 */
import { isInstance } from '../code/object-kind.js';
import { NotShareableError } from '../errors.js';
import type { ControlMemory } from '../memory/control.js';
import { constructorOfType, NO_TYPE, type TypedArrayConstructor, typeOfView } from '../memory/element-types.js';
import { externalBuffer, externalId } from '../memory/external-buffers.js';
import { bytesAt } from '../memory/heap.js';
import { R_BLOB, R_BLOB_BYTES } from '../memory/records.js';
import { describe, isNonOwning, nonOwningView, viewAt } from '../memory/shared-array.js';
import { host, type ViewCodec } from '../platform/host.js';

const TAG_UNDEFINED = 0;
const TAG_NULL = 1;
const TAG_FALSE = 2;
const TAG_TRUE = 3;
const TAG_NUMBER = 4;
const TAG_HEAP_VIEW = 5;
const TAG_EXTERNAL_VIEW = 6;
const TAG_NUMBERS = 7;

/** Writes a value that fits into four words at `w`; false when it does not fit. */
export function tryWriteValue(memory: ControlMemory, w: number, value: unknown): boolean {
  const words = memory.words; // plain accesses: the record is not public yet, or taken by this thread
  switch (typeof value) {
    case 'number':
      words[w] = TAG_NUMBER;
      memory.doubles[(w >> 1) + 1] = value;
      return true;
    case 'undefined':
      words[w] = TAG_UNDEFINED;
      return true;
    case 'boolean':
      words[w] = value ? TAG_TRUE : TAG_FALSE;
      return true;
    case 'object':
      if (value === null) {
        words[w] = TAG_NULL;
        return true;
      }
      return ArrayBuffer.isView(value) && tryWriteView(words, w, value);
    default:
      return false;
  }
}

/**
 * Writes an array of numbers that fits between words `from` and `end`, which are free; `w` says where it is. False when it is
 * not such an array, or has properties of its own.
 */
export function tryWriteNumbers(memory: ControlMemory, w: number, value: unknown, from: number, end: number): boolean {
  if (!Array.isArray(value) || 2 * value.length > end - from || isInstance(value)) return false;
  const at = from >> 1;
  for (let k = 0; k < value.length; k++) {
    const x: unknown = value[k];
    if (typeof x !== 'number') return false;
    memory.doubles[at + k] = x;
  }
  if (Object.keys(value).length !== value.length) return false;
  memory.words[w] = TAG_NUMBERS | (value.length << 8);
  memory.words[w + 1] = at;
  return true;
}

function tryWriteView(words: Int32Array, w: number, view: ArrayBufferView): boolean {
  const on = describe(view);
  if (on !== undefined) {
    words[w] = TAG_HEAP_VIEW | (on.type << 8);
    words[w + 1] = on.block;
    words[w + 2] = on.byteOffset;
    words[w + 3] = on.length;
    return true;
  }
  const type = typeOfView(view);
  const id = isSharedBuffer(view.buffer) ? externalId(view.buffer) : undefined;
  if (type === NO_TYPE || id === undefined) return false;
  words[w] = TAG_EXTERNAL_VIEW | (type << 8);
  words[w + 1] = id;
  words[w + 2] = view.byteOffset;
  words[w + 3] = (view as Uint8Array).length;
  return true;
}

/** Reads what `tryWriteValue` or `tryWriteNumbers` wrote. `current` is kept when it is a view on the same elements. */
export function readValue(memory: ControlMemory, w: number, current?: unknown): unknown {
  const words = memory.words;
  const tag = words[w] & 0xff;
  switch (tag) {
    case TAG_NUMBER:
      return normal(memory.doubles[(w >> 1) + 1]);
    case TAG_NULL:
      return null;
    case TAG_FALSE:
      return false;
    case TAG_TRUE:
      return true;
    case TAG_NUMBERS: {
      const numbers: number[] = [];
      for (let k = 0; k < words[w] >>> 8; k++) numbers.push(normal(memory.doubles[words[w + 1] + k]));
      return numbers;
    }
    case TAG_HEAP_VIEW: {
      const [type, block, byteOffset, length] = [words[w] >>> 8, words[w + 1], words[w + 2] >>> 0, words[w + 3] >>> 0];
      if (ArrayBuffer.isView(current)) {
        const on = describe(current);
        if (on?.type === type && on.block === block && on.byteOffset === byteOffset && on.length === length)
          return current;
      }
      return viewAt(type, block, byteOffset, length);
    }
    case TAG_EXTERNAL_VIEW: {
      const [type, byteOffset, length] = [words[w] >>> 8, words[w + 2] >>> 0, words[w + 3] >>> 0];
      const buffer = externalBuffer(words[w + 1]);
      if (ArrayBuffer.isView(current) && current.buffer === buffer && typeOfView(current) === type) {
        if (current.byteOffset === byteOffset && (current as Uint8Array).length === length) return current;
      }
      return new (constructorOfType(type) as TypedArrayConstructor)(buffer, byteOffset, length);
    }
    default:
      return undefined;
  }
}

/** Integers come back as integers: a double in an integer field makes V8 recompile the class (20 % at P=2). */
const normal = (x: number): number => {
  const i = x | 0;
  return i === x && (i !== 0 || 1 / x > 0) ? i : x;
};

const HEAP = 1;
const EXTERNAL = 2;
const NON_OWNING = 3;

const views: ViewCodec = {
  encode(view) {
    if (isNonOwning(view)) return [NON_OWNING, typeOfView(view), 0, view.byteOffset, (view as Uint8Array).length];
    const on = describe(view);
    if (on !== undefined) return [HEAP, on.type, on.block, on.byteOffset, on.length];
    if (!isSharedBuffer(view.buffer)) return undefined;
    const length = (view as Partial<Uint8Array>).length ?? view.byteLength; // a DataView has no elements
    return [EXTERNAL, typeOfView(view), sharedId(view.buffer), view.byteOffset, length];
  },
  decode([kind, type, memory, byteOffset, length]) {
    if (kind === HEAP) return viewAt(type, memory, byteOffset, length);
    if (kind === NON_OWNING) return nonOwningView(type, byteOffset, length);
    const View = constructorOfType(type) ?? DataView;
    return new (View as TypedArrayConstructor)(externalBuffer(memory), byteOffset, length);
  },
  encodeBuffer: (buffer) => sharedId(buffer),
  decodeBuffer: (id) => externalBuffer(id),
};

function sharedId(buffer: SharedArrayBuffer): number {
  const id = externalId(buffer);
  if (id === undefined) {
    throw new NotShareableError(
      'furcate: a SharedArrayBuffer made in a worker cannot be passed on. Use sharedArray(), which every worker sees.',
    );
  }
  return id;
}

/** Any structured-clonable value as bytes; views on shared memory stay shared. */
export const toBytes = (value: unknown): Uint8Array => host().serialize(value, views);

export const fromBytes = (bytes: Uint8Array): unknown => host().deserialize(bytes, views);

/** Puts a value into a blob that the record at `w` owns from now on. */
export function writeBlob(memory: ControlMemory, w: number, value: unknown): void {
  const bytes = toBytes(value);
  freeBlob(memory, w);
  const at = memory.allocate(bytes.byteLength);
  bytesAt(at, bytes.byteLength).set(bytes);
  memory.words[w + R_BLOB] = at / 16;
  memory.words[w + R_BLOB_BYTES] = bytes.byteLength;
}

export function readBlob(memory: ControlMemory, w: number): unknown {
  const at = (memory.words[w + R_BLOB] >>> 0) * 16;
  return fromBytes(bytesAt(at, memory.words[w + R_BLOB_BYTES]).slice()); // a copy: decoders refuse shared bytes
}

export function freeBlob(memory: ControlMemory, w: number): void {
  const at = memory.words[w + R_BLOB] >>> 0;
  if (at === 0) return;
  memory.words[w + R_BLOB] = 0;
  memory.free(at * 16);
}

const isSharedBuffer = (buffer: ArrayBufferLike): buffer is SharedArrayBuffer =>
  Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';
