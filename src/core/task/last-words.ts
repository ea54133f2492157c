/**
 * Errors that tasks threw, in the words of their records: for a full heap, which has no room for a blob, and for a host whose serializer fails;
 * runs on every thread.
 *
 * The words hold some 200 bytes: class and name of an error, and its message, which is shortened. A registered class whose URL is too long
 * becomes its built-in base. Stack, cause and other properties are left out. Of what is no error, texts and other plain values are kept.
 */
import { completeError, describeError, type ErrorDescription, newError, STACKLESS } from '../code/error-transport.js';
import { isError } from '../code/object-kind.js';
import type { ControlMemory } from '../memory/control.js';
import {
  FORM_LAST_WORDS,
  MAX_VALUES,
  R_BLOB_BYTES,
  R_FORM,
  R_RESULT,
  R_VALUES,
  VALUE_WORDS,
} from '../memory/records.js';
import { freeBlob } from './values.js';

const ROOM_BYTES = (R_VALUES + MAX_VALUES * VALUE_WORDS - R_RESULT) * 4;

/** A message is not made shorter than this for the sake of a class (UTF-16 units). */
const TELLING_UNITS = 50;

/** An error as an array of more than one element, anything else as one of one or none. */
type Words = readonly [
  message?: unknown,
  base?: string,
  own?: string,
  name?: string,
  registered?: ErrorDescription['registered'],
];

const bytesOf = (told: Words): Uint8Array => new TextEncoder().encode(JSON.stringify(told));

/** The words of an error, as many as there is room for: rather a short message than another class. */
function ofError(error: object): Uint8Array {
  const { base, own = '', name, registered, message } = describeError(error);
  const withMessage = (units: number, last: Words[4]): Uint8Array => {
    const shown = message.length > units ? `${message.slice(0, units)}...` : message;
    return bytesOf([shown, base, own, name.slice(0, TELLING_UNITS), last]);
  };
  for (const [last, fewest] of [[registered, TELLING_UNITS] as const, [undefined, 0] as const]) {
    for (let units = ROOM_BYTES; units >= fewest; units -= 10) {
      const bytes = withMessage(units, last);
      if (bytes.length <= ROOM_BYTES) return bytes;
    }
  }
  return bytesOf(['', base]);
}

function ofValue(value: unknown, instead: object): Uint8Array {
  if (isError(value)) return ofError(value);
  if (value === undefined) return bytesOf([]);
  if (typeof value === 'string') return bytesOf([value.slice(0, ROOM_BYTES / 8)]);
  return ['number', 'boolean'].includes(typeof value) || value === null ? bytesOf([value]) : ofError(instead);
}

/**
 * Writes what was thrown, which takes no room on the heap.
 *
 * @param instead the error to tell of in the place of an object that is no error
 */
export function writeLastWords(memory: ControlMemory, w: number, thrown: unknown, instead: object): void {
  freeBlob(memory, w);
  const bytes = ofValue(thrown, instead);
  new Uint8Array(memory.buffer, (w + R_RESULT) * 4, ROOM_BYTES).set(bytes); // plain: this thread has taken the record
  memory.words[w + R_BLOB_BYTES] = bytes.length;
  memory.words[w + R_FORM] = FORM_LAST_WORDS;
}

/** Reads the error that `writeLastWords` wrote. */
export function readLastWords(memory: ControlMemory, w: number): unknown {
  const bytes = new Uint8Array(memory.buffer, (w + R_RESULT) * 4, memory.words[w + R_BLOB_BYTES]).slice(); // decoders refuse shared bytes
  const [message, base, own, name = '', registered] = JSON.parse(new TextDecoder().decode(bytes)) as Words;
  if (base === undefined) return message;
  const description: ErrorDescription = {
    base,
    own: own || undefined,
    registered: registered ?? undefined, // null in JSON
    name,
    message: message as string,
    stack: STACKLESS,
    hidden: [],
  };
  const error = newError(description);
  completeError(error, description);
  return error;
}
