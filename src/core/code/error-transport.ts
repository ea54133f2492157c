/**
 * Exceptions on their way from the thread that threw to the thread that joins, as structured data; runs on both.
 *
 * `structuredClone` keeps an error's message and loses its class, its own properties and, in some engines, its stack.
 * Here an error becomes a list of nodes that name each other by index, so that causes may be shared and cyclic. It comes
 * back as a real error (made by the built-in constructor of its base, with the prototype of its class): engines know it
 * as one. Constructors of user classes do not run.
 */
import { brandOf, OWN_ERRORS } from '../errors.js';
import { constructorOfType, typeOfView } from '../memory/element-types.js';
import { type CopyRules, copyData, DROP, mark, openData } from './data-copy.js';
import { classesFrom, isError, isNative, isOnSharedMemory, tagOf } from './object-kind.js';
import { errorClassOf, type Registered, registry } from './registry.js';
import { nameOfClass, newInstance, refusalOf } from './value-class.js';

const NODE_MARK = 'node';
const DOM_EXCEPTION = 'DOMException';
const BUILT_IN = new Set(
  'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Error'.split(' '),
);

interface PackedNode {
  /** Constructor that makes it: a built-in's name, or DOMException. */
  readonly base: string;
  /** Class on top of that: of the library, or registered by (URL, name). */
  readonly own?: string;
  readonly registered?: readonly [url: string, name: string];
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly properties: readonly (readonly [key: string, value: unknown, enumerable: boolean])[];
}

/** Anything thrown, as plain data that `structuredClone`, `v8.serialize` and the like carry. */
export interface PackedThrown {
  /** The error is `nodes[0]`; there are none where something else was thrown. */
  readonly nodes: readonly PackedNode[];
  readonly value?: unknown;
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

function pack(error: object, copy: (value: unknown) => unknown): PackedNode {
  const registered = errorClassOf(error);
  const stack = read(error, 'stack');
  const shown = Object.keys(error).filter((key) => key !== 'stack');
  const hidden = HIDDEN.filter((key) => Object.hasOwn(error, key) && !shown.includes(key));
  return {
    base: baseOf(error),
    own: brandOf(Object.getPrototypeOf(error)),
    registered: registered && [registered.url, registered.name],
    name: textOf(read(error, 'name')),
    message: textOf(read(error, 'message')),
    stack: typeof stack === 'string' ? stack : undefined,
    properties: [...hidden, ...shown]
      .map((key) => [key, copy(read(error, key)), shown.includes(key)] as const)
      .filter(([, value]) => value !== DROP),
  };
}

function baseOf(error: object): string {
  if (tagOf(error) === DOM_EXCEPTION) return DOM_EXCEPTION;
  for (const Class of classesFrom(Object.getPrototypeOf(error))) {
    if (BUILT_IN.has(Class.name) && isNative(Class)) return Class.name; // of any realm
  }
  return 'Error';
}

/**
 * Makes structured data of anything thrown. Never throws: what cannot be copied is left out.
 *
 * @param thrown an error, or any value
 */
export function packError(thrown: unknown): PackedThrown {
  const nodes: PackedNode[] = [];
  const indices = new Map<object, number>();
  const indexOf = (error: object): number => {
    const known = indices.get(error);
    if (known !== undefined) return known;
    const index = nodes.push(UNREADABLE) - 1; // before what it refers to, so that a cycle ends here
    indices.set(error, index);
    nodes[index] = pack(error, copy);
    return index;
  };
  /** Functions and what is not data are left out; copies of plain typed arrays are what data is. */
  const rules: CopyRules = {
    onFunction: () => DROP,
    onView: (view) => (isOnSharedMemory(view) ? view : copyOfView(view)),
    onError: (error) => mark(NODE_MARK, indexOf(error)),
    onInstance: (instance) => (refusalOf(instance) === undefined ? nameOfClass(instance) : undefined),
    onOther: (value, what) => (what === 'an ArrayBuffer' ? (value as ArrayBuffer).slice(0) : DROP),
  };
  const copy = (value: unknown): unknown => {
    try {
      return copyData(value, '', rules);
    } catch {
      return DROP; // a getter in it threw
    }
  };
  const value = isError(thrown) ? DROP : copy(thrown);
  if (value !== DROP) return { nodes, value };
  nodes.length = 0;
  const what = typeof thrown === 'object' ? 'a value' : `a ${typeof thrown}`;
  indexOf(
    isError(thrown)
      ? thrown
      : new TypeError(`furcate: a task threw ${what} that cannot leave its worker; throw an Error.`),
  );
  return { nodes };
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
