/**
 * One value in four words of a record, or many values in a blob on the shared heap; runs on every thread.
 *
 * ```
 * word 0                           1                       2 .. 3
 * tag                              -                       a double
 * tag | count << 8                 first double            -
 * tag | kind << 8 | type << 16     block or buffer         byte offset and length (elements) of a view
 *     | serial << 24
 * ```
 *
 * Numbers, booleans, null, undefined and views on shared memory cross in tens of nanoseconds, short arrays of numbers in a few
 * hundred. Everything else goes through the runtime's structured serializer. It takes 5 us, and 40 to 110 us with cold caches.
 * That is rare, because only published tasks are encoded.
 */
import { openData } from '../code/data-copy.js';
import { isInstance } from '../code/object-kind.js';
import { bytesOfContext, contextAt } from '../code/task-contexts.js';
import { EXTERNAL, NO_BUFFER, placeOf, viewOf } from '../code/view-codec.js';
import type { ControlMemory } from '../memory/control.js';
import { NO_TYPE } from '../memory/element-types.js';
import { bytesAt } from '../memory/heap.js';
import { RECORD_WORDS } from '../memory/layout.js';
import { FORM_VALUES, R_BLOB, R_BLOB_BYTES, R_FORM } from '../memory/records.js';

export { fromBytes, toBytes } from '../code/view-codec.js';

const TAG_UNDEFINED = 0;
const TAG_NULL = 1;
const TAG_FALSE = 2;
const TAG_TRUE = 3;
const TAG_NUMBER = 4;
const TAG_VIEW = 5;
const TAG_NUMBERS = 6;
/** A context of function tasks, which is written as the view of its bytes. */
const TAG_CONTEXT = 7;

/** The greatest number that a word holds. */
const MAX_WORD = 2 ** 32 - 1;

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
      return ArrayBuffer.isView(value) ? tryWriteView(words, w, value, TAG_VIEW) : tryWriteContext(words, w, value);
    default:
      return false;
  }
}

/**
 * Writes an array of numbers into the free words `from` to `end`, and its place into the words at `w`. False when it does not
 * fit, is no such array, or has properties of its own.
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

function tryWriteContext(words: Int32Array, w: number, value: object): boolean {
  const bytes = bytesOfContext(value);
  return bytes !== undefined && tryWriteView(words, w, bytes, TAG_CONTEXT);
}

function tryWriteView(words: Int32Array, w: number, view: ArrayBufferView, tag: number): boolean {
  const place = placeOf(view);
  if (place === undefined) return false;
  const [kind, type, memory, byteOffset, length, serial] = place;
  if (type === NO_TYPE || (kind === EXTERNAL && memory === NO_BUFFER)) return false;
  if (byteOffset > MAX_WORD || length > MAX_WORD) return false; // a user's own buffer may be so long: the serializer takes it
  words[w] = tag | (kind << 8) | (type << 16) | (serial << 24);
  words[w + 1] = memory;
  words[w + 2] = byteOffset;
  words[w + 3] = length;
  return true;
}

/** Reads what `tryWriteValue` or `tryWriteNumbers` wrote. Returns `current` itself if it is a view on the same elements. */
export function readValue(memory: ControlMemory, w: number, current?: unknown): unknown {
  const words = memory.words;
  switch (words[w] & 0xff) {
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
    case TAG_CONTEXT:
      return contextAt(viewOf(placeIn(words, w)) as Uint8Array, openData);
    case TAG_VIEW: {
      const place = placeIn(words, w);
      const isSame = ArrayBuffer.isView(current) && placeOf(current)?.every((number, i) => number === place[i]);
      return isSame === true ? current : viewOf(place);
    }
    default:
      return undefined;
  }
}

/** The place that `tryWriteView` wrote. */
function placeIn(words: Int32Array, w: number): number[] {
  const tag = words[w];
  return [(tag >>> 8) & 0xff, (tag >>> 16) & 0xff, words[w + 1], words[w + 2] >>> 0, words[w + 3] >>> 0, tag >>> 24];
}

/** Integers are read as integers: a double in a field that held integers makes V8 recompile the class (20 % at P=2). */
const normal = (x: number): number => {
  const i = x | 0;
  return i === x && (i !== 0 || 1 / x > 0) ? i : x;
};

/** Puts bytes into a blob that the record at `w` owns from now on. */
export function writeBlob(memory: ControlMemory, w: number, bytes: Uint8Array): void {
  freeBlob(memory, w);
  const at = memory.allocate(bytes.byteLength);
  bytesAt(at, bytes.byteLength).set(bytes);
  memory.words[w + R_BLOB] = at / 16;
  memory.words[w + R_BLOB_BYTES] = bytes.byteLength;
}

/** Number of bytes that a record and its blob hold. */
export const bytesOfRecord = ({ words }: ControlMemory, w: number): number =>
  4 * RECORD_WORDS + (words[w + R_FORM] === FORM_VALUES || words[w + R_BLOB] === 0 ? 0 : words[w + R_BLOB_BYTES]);

/** A copy, because decoders refuse shared bytes. */
export function readBlob(memory: ControlMemory, w: number): Uint8Array {
  const at = (memory.words[w + R_BLOB] >>> 0) * 16;
  return bytesAt(at, memory.words[w + R_BLOB_BYTES]).slice();
}

export function freeBlob(memory: ControlMemory, w: number): void {
  const at = memory.words[w + R_BLOB] >>> 0;
  if (at === 0) return;
  memory.words[w + R_BLOB] = 0;
  memory.free(at * 16);
}
