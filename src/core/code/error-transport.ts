/**
 * Exceptions on their way from the thread that threw to the thread that joins, as structured data; runs on both.
 *
 * `structuredClone` keeps an error's message and loses its class, its own properties and, in some engines, its stack.
 * Here an error becomes a list of nodes that name each other by index, so that causes may be shared and cyclic. It comes
 * back as a real error (made by the built-in constructor of its base, with the prototype of its class): engines know it
 * as one. Constructors of user classes do not run.
 */
import { OWN_ERRORS } from '../errors.js';
import { constructorOfType, typeOfView } from '../memory/element-types.js';
import { type CopyRules, copyData, DROP, mark, openData } from './data-copy.js';
import { isError, isOnSharedMemory } from './object-kind.js';
import { errorClassOf, type Registered, registry } from './registry.js';
import { newInstance, tryNameOfClass } from './value-class.js';

const NODE_MARK = 'node';
const DOM_EXCEPTION = 'DOMException';
const BUILT_IN = new Set(
  'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Error'.split(' '),
);

type PackedProperty = readonly [key: string, value: unknown, enumerable: boolean];

interface PackedNode {
  /** Constructor that makes it: a built-in's name, or DOMException. */
  readonly base: string;
  /** Class on top of that: of the library, or registered by (URL, name). */
  readonly own?: string;
  readonly registered?: readonly [url: string, name: string];
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly properties: readonly PackedProperty[];
}

/** Anything thrown, as plain data that `structuredClone`, `v8.serialize` and the like carry. */
export interface PackedThrown {
  /** The error is `nodes[0]`; there are none where something else was thrown. */
  readonly nodes: readonly PackedNode[];
  readonly value?: unknown;
}

export interface PackOptions {
  /** Put before the stack: where it was thrown, as in `'[worker 2] '`. */
  readonly stackPrefix?: string;
}

/** The value of a property, or undefined where reading it throws. */
function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : String(value);

/** Stands for an error whose packing was cut off, by the end of the stack for one. */
const UNREADABLE: PackedNode = {
  base: 'Error',
  name: 'Error',
  message: 'furcate: an error that cannot be read',
  properties: [],
};

/** Own properties that errors have without showing them. */
const HIDDEN = ['cause', 'errors'];

class Packer {
  readonly nodes: PackedNode[] = [];
  readonly #indices = new Map<object, number>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Functions and what is not data are left out; copies of plain typed arrays are what data is. */
  readonly #rules: CopyRules = {
    onFunction: () => DROP,
    onView: (view) => (isOnSharedMemory(view) ? view : copyOfView(view)),
    onError: (error) => mark(NODE_MARK, this.indexOf(error)),
    onInstance: tryNameOfClass,
    onOther: (value, what) => (what === 'an ArrayBuffer' ? (value as ArrayBuffer).slice(0) : DROP),
  };

  copy(value: unknown): unknown {
    try {
      return copyData(value, '', this.#rules);
    } catch {
      return DROP; // a getter in it threw
    }
  }

  indexOf(error: object): number {
    const known = this.#indices.get(error);
    if (known !== undefined) return known;
    const index = this.nodes.length;
    this.#indices.set(error, index);
    this.nodes.push(UNREADABLE); // before what it refers to, so that a cycle ends here
    this.nodes[index] = this.#pack(error);
    return index;
  }

  #pack(error: object): PackedNode {
    const registered = errorClassOf(error);
    const stack = read(error, 'stack');
    return {
      base: baseOf(error),
      own: ownNameOf(error),
      registered: registered && [registered.url, registered.name],
      name: textOf(read(error, 'name')),
      message: textOf(read(error, 'message')),
      stack: typeof stack === 'string' ? this.#prefix + stack : undefined,
      properties: this.#properties(error),
    };
  }

  #properties(error: object): PackedProperty[] {
    const properties: PackedProperty[] = [];
    const shown = Object.keys(error).filter((key) => key !== 'stack');
    const hidden = HIDDEN.filter((key) => Object.hasOwn(error, key) && !shown.includes(key));
    for (const key of [...hidden, ...shown]) {
      const value = this.copy(read(error, key));
      if (value !== DROP) properties.push([key, value, shown.includes(key)]);
    }
    return properties;
  }
}

/** Prototypes from the nearest on. */
function* prototypesOf(error: object): Generator<object> {
  for (
    let p: unknown = Object.getPrototypeOf(error);
    typeof p === 'object' && p !== null;
    p = Object.getPrototypeOf(p)
  ) {
    yield p;
  }
}

const constructorOf = (prototype: object): unknown =>
  Object.hasOwn(prototype, 'constructor') ? prototype.constructor : undefined;

function baseOf(error: object): string {
  if (Object.prototype.toString.call(error) === `[object ${DOM_EXCEPTION}]`) return DOM_EXCEPTION;
  for (const prototype of prototypesOf(error)) {
    const Class = constructorOf(prototype);
    if (typeof Class !== 'function' || !BUILT_IN.has(Class.name)) continue;
    if (/\[native code\]\s*\}$/.test(Function.prototype.toString.call(Class))) return Class.name; // of any realm
  }
  return 'Error';
}

/** The library's own class, of whatever copy of the library. */
function ownNameOf(error: object): string | undefined {
  const [prototype] = prototypesOf(error);
  const Class = prototype && constructorOf(prototype);
  if (typeof Class !== 'function' || !Object.hasOwn(OWN_ERRORS, Class.name)) return undefined;
  const { is } = OWN_ERRORS[Class.name] as unknown as { is(value: unknown): boolean };
  return is(error) ? Class.name : undefined;
}

/**
 * Makes structured data of anything thrown. Never throws: what cannot be copied is left out.
 *
 * @param thrown an error, or any value
 */
export function packError(thrown: unknown, { stackPrefix = '' }: PackOptions = {}): PackedThrown {
  const packer = new Packer(stackPrefix);
  if (isError(thrown)) {
    packer.indexOf(thrown);
    return { nodes: packer.nodes };
  }
  const value = packer.copy(thrown);
  if (value !== DROP) return { nodes: packer.nodes, value };
  packer.nodes.length = 0;
  packer.indexOf(
    new TypeError(
      `furcate: a task threw ${typeof thrown === 'object' ? 'a value' : `a ${typeof thrown}`} that cannot leave its worker; throw an Error.`,
    ),
  );
  return { nodes: packer.nodes };
}

/** The error, or other value, that `packError` took. */
export function unpackError({ nodes, value }: PackedThrown): unknown {
  const errors = nodes.map(errorOf);
  const opening = {
    readers: { [NODE_MARK]: (index: unknown) => errors[index as number] },
    newInstance: newInstanceIfKnown,
  };
  for (const [i, { properties, name, stack }] of nodes.entries()) {
    const error = errors[i] as Error;
    for (const [key, copy, enumerable] of properties) define(error, key, openData(copy, opening), enumerable);
    if (read(error, 'name') !== name) define(error, 'name', name, false);
    if (stack !== undefined) define(error, 'stack', stack, false);
  }
  return errors.length > 0 && value === undefined ? errors[0] : openData(value, opening);
}

/** A property of an error is not worth losing the error: where its class is not loaded, it is a plain object. */
function newInstanceIfKnown(of: unknown): object {
  try {
    return newInstance(of);
  } catch {
    return {};
  }
}

type AnyErrorClass = new (...args: never) => Error;

function errorOf({ base, own, registered, name, message }: PackedNode): Error {
  const globals = globalThis as unknown as Record<string, AnyErrorClass | undefined>;
  const Base = globals[base] ?? Error;
  if (base === DOM_EXCEPTION) return Reflect.construct(Base, [message, name]);
  const Class = own === undefined ? classOf(registered)?.value : OWN_ERRORS[own];
  const args = message === '' ? [] : [message];
  return Reflect.construct(Base, base === 'AggregateError' ? [[], ...args] : args, (Class ?? Base) as AnyErrorClass);
}

/** The class under that name in this realm; bundles give modules other URLs, so one of that name alone will do. */
function classOf(registered: readonly [string, string] | undefined): Registered | undefined {
  if (registered === undefined) return undefined;
  const [url, name] = registered;
  const exact = registry.byKey('error', url, name);
  if (exact !== undefined) return exact;
  try {
    return registry.byNameOnly('error', name);
  } catch {
    return undefined; // several: its base has to do
  }
}

function define(error: Error, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, enumerable, writable: true, configurable: true });
}

/** Of the plain class of its type: the constructor of a subclass is the user's, and that of `Buffer` is deprecated. */
function copyOfView(view: ArrayBufferView): ArrayBufferView {
  const Class = (constructorOfType(typeOfView(view)) ?? DataView) as new (buffer: ArrayBufferLike) => ArrayBufferView;
  return new Class(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}
