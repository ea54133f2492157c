/** Values from bytes; runs on every thread. */
import { constructorOfType } from '../../memory/element-types.js';
import type { ViewCodec } from '../host.js';
import { ByteReader } from './byte-reader.js';
import {
  ARRAY,
  BIGINT,
  BIGINT_64,
  BOXED,
  BUFFER,
  DATE,
  DOM_EXCEPTION,
  DOUBLE,
  DOUBLES,
  ERROR,
  ERRORS,
  FALSE,
  FIRST_SHAPE,
  HOLE,
  INTEGER,
  INTEGERS,
  MAP,
  MAX_DEPTH,
  NEW_SHAPE,
  NULL,
  OBJECT,
  REFERENCE,
  REGEXP,
  SET,
  SHARED_VIEW,
  SHORT_STRING,
  SMALL_INTEGER,
  SPARSE,
  TRUE,
  UNDEFINED,
  UTF8,
  UTF16,
  VERSION,
  VIEW,
} from './format.js';

/** Read where an element or property is not there. */
const NOTHING = Symbol('furcate.nothing');

interface ReadShape {
  readonly keys: readonly string[];
  /** True if a key is one that every object inherits: an assignment to `__proto__` calls a setter, and others fail if they are frozen. */
  readonly isOdd: boolean;
}

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

const unreadable = (what: string): Error =>
  new Error(`furcate: these bytes are no value of this version of the library (${what}).`);

export class ValueReader {
  readonly #in: ByteReader;
  readonly #views: ViewCodec;
  readonly #objects: object[] = [];
  readonly #shapes: ReadShape[] = [];
  #depth = 0;
  /** Objects whose contents come later, and their kinds. */
  readonly #later: [kind: number, object: object][] = [];

  constructor(bytes: Uint8Array, views: ViewCodec) {
    this.#in = new ByteReader(bytes);
    this.#views = views;
  }

  /** @throws Error for bytes that are not those of a value */
  readAll(): unknown {
    const version = this.#in.byte();
    if (version !== VERSION) throw unreadable(`version ${version}`);
    const value = this.#read();
    for (const [kind, object] of this.#later) this.#contents(kind, object); // grows meanwhile
    return value;
  }

  #read(): unknown {
    const tag = this.#in.byte();
    if (tag >= SMALL_INTEGER) return tag - SMALL_INTEGER;
    if (tag >= SHORT_STRING) return this.#in.ascii(tag - SHORT_STRING);
    switch (tag) {
      case UNDEFINED:
        return undefined;
      case NULL:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case INTEGER:
        return this.#in.integer();
      case DOUBLE:
        return this.#in.double();
      case UTF8:
        return this.#in.utf8();
      case UTF16:
        return this.#in.utf16();
      case HOLE:
        return NOTHING;
      case OBJECT:
        return this.#nested(tag, {});
      case ARRAY:
        return this.#nested(tag, []);
      case REFERENCE:
        return this.#known(this.#in.varint());
      default:
        return this.#rare(tag);
    }
  }

  #rare(tag: number): unknown {
    const bytes = this.#in;
    switch (tag) {
      case BIGINT_64:
        return bytes.bigint64();
      case BIGINT: {
        const digits = this.#string();
        return digits.startsWith('-') ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
      }
      case MAP:
        return this.#nested(tag, new Map());
      case SET:
        return this.#nested(tag, new Set());
      case ERROR:
        return this.#nested(tag, newError(bytes.byte()));
      case DATE:
        return this.#remember(new Date(bytes.double()));
      case REGEXP:
        return this.#remember(new RegExp(this.#string(), this.#string()));
      case BOXED:
        return this.#remember(Object(this.#read()));
      case BUFFER:
        return this.#remember(this.#buffer(bytes.varint(), bytes.varint() - 1));
      case VIEW:
        return this.#remember(this.#view(bytes.byte() - 1));
      case DOM_EXCEPTION: {
        const exception = this.#remember(new DOMException(this.#string(), this.#string()));
        define(exception, 'stack', this.#string(), false);
        return exception;
      }
      case SHARED_VIEW: {
        const numbers: number[] = [];
        for (let count = bytes.varint(); count > 0; count--) numbers.push(bytes.double());
        return this.#remember(this.#views.decode(numbers));
      }
      default:
        throw unreadable(`tag ${tag}`);
    }
  }

  #string(): string {
    const text = this.#read();
    if (typeof text !== 'string') throw unreadable('a string is missing');
    return text;
  }

  #known(id: number): object {
    const object = this.#objects[id];
    if (object === undefined) throw unreadable(`object ${id}`);
    return object;
  }

  #remember<T extends object>(object: T): T {
    this.#objects.push(object);
    return object;
  }

  #nested(kind: number, object: object): object {
    this.#objects.push(object); // before its contents, which may lead back to it
    if (this.#depth === MAX_DEPTH) {
      this.#later.push([kind, object]);
      return object;
    }
    this.#depth++;
    this.#contents(kind, object);
    this.#depth--;
    return object;
  }

  #contents(kind: number, object: object): void {
    switch (kind) {
      case OBJECT:
        this.#properties(object as Record<string, unknown>);
        break;
      case ARRAY:
        this.#array(object as unknown[]);
        break;
      case MAP:
        for (let count = this.#in.varint(); count > 0; count -= 2)
          (object as Map<unknown, unknown>).set(this.#read(), this.#read());
        break;
      case SET:
        for (let count = this.#in.varint(); count > 0; count--) (object as Set<unknown>).add(this.#read());
        break;
      default:
        this.#error(object as Error);
    }
  }

  #properties(object: Record<string, unknown>): void {
    const { keys, isOdd } = this.#shape();
    for (let i = 0; i < keys.length; i++) {
      const value = this.#read();
      if (value === NOTHING) continue;
      if (isOdd) define(object, keys[i], value, true);
      else object[keys[i]] = value;
    }
  }

  #shape(): ReadShape {
    const where = this.#in.varint();
    if (where >= FIRST_SHAPE) {
      const known = this.#shapes[where - FIRST_SHAPE];
      if (known === undefined) throw unreadable(`shape ${where}`);
      return known;
    }
    const keys: string[] = [];
    for (let count = this.#in.varint(); count > 0; count--) keys.push(this.#string());
    const shape = { keys, isOdd: keys.some((key) => INHERITED.has(key)) };
    if (where === NEW_SHAPE) this.#shapes.push(shape);
    return shape;
  }

  #array(array: unknown[]): void {
    const form = this.#in.byte();
    const length = this.#in.varint();
    if (form === INTEGERS || form === DOUBLES) {
      const block = form === INTEGERS ? this.#in.integers(length) : this.#in.doubles(length);
      for (let i = 0; i < length; i++) array.push(block[i]);
      return;
    }
    if (form !== SPARSE) {
      for (let i = 0; i < length; i++) {
        const value = this.#read();
        if (value === NOTHING) array.length++;
        else array.push(value);
      }
    } else array.length = length;
    this.#properties(array as unknown as Record<string, unknown>);
  }

  #error(error: Error): void {
    const [message, stack, cause] = [this.#read(), this.#read(), this.#read()];
    define(error, 'stack', stack === NOTHING ? undefined : stack, false);
    if (message !== NOTHING) define(error, 'message', message, false);
    if (cause !== NOTHING) define(error, 'cause', cause, false);
  }

  #buffer(length: number, maxByteLength: number): ArrayBuffer {
    const { buffer } = this.#in.raw(length);
    if (maxByteLength < 0) return buffer;
    const growable = Reflect.construct(ArrayBuffer, [length, { maxByteLength }]) as ArrayBuffer;
    new Uint8Array(growable).set(new Uint8Array(buffer));
    return growable;
  }

  #view(type: number): ArrayBufferView {
    const { buffer } = this.#in.raw(this.#in.varint());
    const Type = constructorOfType(type);
    return Type === undefined ? new DataView(buffer) : new Type(buffer);
  }
}

function newError(number: number): Error {
  const Class = (globalThis as unknown as Record<string, new () => Error>)[ERRORS[number]];
  if (Class === undefined) throw unreadable(`error ${number}`);
  return new Class();
}

/** Sets an own property, even if a prototype has a setter of that name. */
function define(object: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable, configurable: true });
}
