/** Values as bytes; runs on every thread. */
import { NotShareableError } from '../../errors.js';
import { typeOfView } from '../../memory/element-types.js';
import type { ViewCodec } from '../host.js';
import type { ByteWriter } from './byte-writer.js';
import {
  ARRAY,
  BOXED,
  BUFFER,
  DATE,
  DENSE,
  DOM_EXCEPTION,
  DOUBLES,
  ERROR,
  ERRORS,
  FALSE,
  FIRST_SHAPE,
  HOLE,
  INTEGERS,
  LONG_ARRAY,
  MAP,
  MAX_DEPTH,
  NULL,
  OBJECT,
  REFERENCE,
  REGEXP,
  SET,
  SHARED_VIEW,
  SPARSE,
  TRUE,
  UNDEFINED,
  VIEW,
} from './format.js';
import { HANDLE, holds, kindOf, tagOf, unboxed } from './kind.js';
import { ObjectTable } from './object-table.js';
import { ShapeTable } from './shape-table.js';

/** Shorter arrays of numbers are written value by value. */
const MIN_BLOCK = 8;
/** Number of elements of a long array that tell whether it is sparse. */
const SAMPLES = 64;

const refused = (what: string): NotShareableError => new NotShareableError(`furcate: ${what} could not be cloned.`);

type Properties = Readonly<Record<string, unknown>>;

/** A buffer that may be resizable, which the library's version of the language does not know yet. */
type Resizable = ArrayBuffer & { readonly resizable?: boolean; readonly maxByteLength?: number };

export class ValueWriter {
  readonly #out: ByteWriter;
  readonly #views: ViewCodec;
  readonly #isProxy: ((value: object) => boolean) | undefined;
  readonly #objects = new ObjectTable();
  readonly #shapes = new ShapeTable();
  #depth = 0;
  /** Objects whose contents are put off. */
  readonly #later: object[] = [];

  constructor(out: ByteWriter, views: ViewCodec, isProxy: ((value: object) => boolean) | undefined) {
    this.#out = out;
    this.#views = views;
    this.#isProxy = isProxy;
  }

  /** @throws NotShareableError for what cannot be cloned; what a getter throws */
  writeAll(value: unknown): void {
    this.#write(value);
    for (const object of this.#later) this.#contents(kindOf(object), object); // their own may be put off, too
  }

  #write(value: unknown): void {
    const out = this.#out;
    switch (typeof value) {
      case 'string':
        out.string(value);
        break;
      case 'number':
        out.number(value);
        break;
      case 'object':
        if (value === null) out.byte(NULL);
        else this.#object(value);
        break;
      case 'boolean':
        out.byte(value ? TRUE : FALSE);
        break;
      case 'undefined':
        out.byte(UNDEFINED);
        break;
      case 'bigint':
        out.bigint(value);
        break;
      case 'function':
        throw refused(Function.prototype.toString.call(value));
      default:
        throw refused(String(value));
    }
  }

  #object(value: object): void {
    const known = this.#objects.numberOf(value);
    if (known !== undefined) {
      this.#out.byte(REFERENCE);
      this.#out.varint(known);
      return;
    }
    if (this.#isProxy?.(value)) throw refused('#<Proxy>');
    const kind = kindOf(value);
    if (kind !== OBJECT && kind !== ARRAY && this.#special(kind, value)) return;
    if (kind === OBJECT || kind === ARRAY) this.#out.byte(kind);
    if (this.#depth === MAX_DEPTH) {
      this.#later.push(value);
      return;
    }
    this.#depth++;
    this.#contents(kind, value);
    this.#depth--;
  }

  /** Writes the head of an object of a rarer kind; returns whether that is all of it. */
  #special(kind: number, value: object): boolean {
    const out = this.#out;
    if (kind === HANDLE) throw refused(`#<${tagOf(value)}>`);
    if (kind !== VIEW) out.byte(kind);
    switch (kind) {
      case MAP:
      case SET:
        return false;
      case ERROR:
        out.byte(Math.max(0, ERRORS.indexOf(`${(value as Error).name}`)));
        return false;
      case VIEW:
        this.#view(value as ArrayBufferView);
        break;
      case BUFFER:
        this.#buffer(value as ArrayBuffer);
        break;
      case DATE:
        out.double(holds.Date.call(value) as number);
        break;
      case REGEXP:
        out.string(holds.RegExp.call(value) as string);
        out.string((value as RegExp).flags);
        break;
      case BOXED:
        this.#write(unboxed(value));
        break;
      case DOM_EXCEPTION: {
        const { message, name, stack } = value as DOMException;
        for (const text of [message, name, stack]) out.string(`${text}`);
      }
    }
    return true;
  }

  #contents(kind: number, value: object): void {
    switch (kind) {
      case OBJECT:
        this.#properties(value as Properties, Object.keys(value));
        break;
      case ARRAY:
        this.#array(value as unknown[]);
        break;
      case ERROR:
        this.#error(value as Error);
        break;
      default:
        this.#entries(kind, value);
    }
  }

  /** The entries of a Map or Set, as they are when the writer comes to it. */
  #entries(kind: number, value: object): void {
    const parts: unknown[] = [];
    if (kind === MAP) Map.prototype.forEach.call(value, (part, key) => parts.push(key, part));
    else Set.prototype.forEach.call(value, (part) => parts.push(part));
    this.#out.varint(parts.length);
    for (const part of parts) this.#write(part);
  }

  #properties(object: Properties, keys: readonly string[]): void {
    const out = this.#out;
    const shape = this.#shapes.numberOf(keys);
    out.varint(shape);
    if (shape < FIRST_SHAPE) {
      out.varint(keys.length);
      for (const key of keys) out.string(key);
    }
    for (let i = 0; i < keys.length; i++) {
      const value = object[keys[i]];
      // The getter of an earlier property may have deleted this one.
      const mayLack = value === undefined || typeof value === 'function';
      if (mayLack && !Object.hasOwn(object, keys[i])) out.byte(HOLE);
      else this.#write(value);
    }
  }

  #array(array: readonly unknown[]): void {
    const out = this.#out;
    const { length } = array;
    const isLong = length > LONG_ARRAY;
    const keys = isLong ? undefined : Object.keys(array);
    if (keys === undefined ? isSparse(array) : 2 * keys.length < length) {
      out.byte(SPARSE);
      out.varint(length);
      this.#properties(array as unknown as Properties, keys ?? Object.keys(array));
      return;
    }
    if (length >= MIN_BLOCK && (isLong || keys?.length === length) && this.#tryNumbers(array)) return;
    out.byte(DENSE);
    out.varint(length);
    let holes = 0;
    for (let i = 0; i < length; i++) {
      const value = array[i];
      if (value !== undefined || Object.hasOwn(array, i)) this.#write(value);
      else {
        out.byte(HOLE);
        holes++;
      }
    }
    const hasOthers = keys !== undefined && (keys.length !== length || holes > 0);
    this.#properties(array as unknown as Properties, hasOthers ? keys.filter(isNoIndex) : []);
  }

  #tryNumbers(array: readonly unknown[]): boolean {
    let areIntegers = true;
    for (let i = 0; i < array.length; i++) {
      const value = array[i];
      if (typeof value !== 'number') return false;
      if ((value | 0) !== value || (value === 0 && 1 / value < 0)) areIntegers = false;
    }
    const out = this.#out;
    out.byte(areIntegers ? INTEGERS : DOUBLES);
    out.varint(array.length);
    if (areIntegers) out.integers(array as readonly number[]);
    else out.doubles(array as readonly number[]);
    return true;
  }

  #error(error: Error): void {
    const out = this.#out;
    const [message, cause] = [dataOf(error, 'message'), dataOf(error, 'cause')];
    const { stack } = error;
    if (message === undefined) out.byte(HOLE);
    else out.string(`${message.value}`);
    if (typeof stack === 'string') out.string(stack);
    else out.byte(HOLE);
    if (cause === undefined) out.byte(HOLE);
    else this.#write(cause.value);
  }

  #buffer(buffer: Resizable): void {
    const bytes = bytesOf(buffer, 0, buffer.byteLength);
    this.#out.varint(bytes.length);
    this.#out.varint(buffer.resizable === true ? (buffer.maxByteLength as number) + 1 : 0);
    this.#out.raw(bytes);
  }

  #view(view: ArrayBufferView): void {
    const out = this.#out;
    const shared = this.#views.encode(view);
    if (shared !== undefined) {
      out.byte(SHARED_VIEW);
      out.varint(shared.length);
      for (const number of shared) out.double(number);
      return;
    }
    const bytes = bytesOf(view.buffer, view.byteOffset, view.byteLength);
    out.byte(VIEW);
    out.byte(typeOfView(view) + 1);
    out.varint(bytes.length);
    out.raw(bytes);
  }
}

/** Checks whether most elements of a long array are not there, as far as a sample tells. */
function isSparse(array: readonly unknown[]): boolean {
  let holes = 0;
  for (let i = 0; i < SAMPLES; i++) if (!Object.hasOwn(array, Math.floor((i * array.length) / SAMPLES))) holes++;
  return 2 * holes > SAMPLES;
}

/** Checks whether a key is not that of an element. */
const isNoIndex = (key: string): boolean => String(Number(key) >>> 0) !== key || Number(key) === 2 ** 32 - 1;

/** An own property that has a value and no getter. */
function dataOf(error: Error, key: string): { readonly value?: unknown } | undefined {
  const found = Object.getOwnPropertyDescriptor(error, key);
  return found !== undefined && 'value' in found ? found : undefined;
}

function bytesOf(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array {
  try {
    return new Uint8Array(buffer, offset, length);
  } catch {
    throw refused('An ArrayBuffer is detached and'); // or it has shrunk
  }
}
