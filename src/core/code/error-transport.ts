/**
 * Errors as structured data, and back; runs on the thread that throws and on the thread that joins.
 *
 * `structuredClone` keeps an error's message and loses its class, its own properties and, in some engines, its stack. Here an
 * error comes back as a real error, which engines know as one: the built-in constructor of its base makes it, with the prototype
 * of its class. Constructors of the user's classes do not run. data-copy.ts carries causes and other properties.
 */
import { brandOf, OWN_ERRORS } from '../errors.js';
import { classesFrom, isNative, tagOf } from './object-kind.js';
import { nearestRegistrationOf, registry } from './registry.js';

const DOM_EXCEPTION = 'DOMException';
const BUILT_IN = new Set(
  'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Error'.split(' '),
);

/** Own properties that errors have without showing them. Some engines give each error its place: `line`, `fileName` and the like. */
export const HIDDEN = [
  'cause',
  'errors',
  ...Object.getOwnPropertyNames(new Error('furcate: a sample')).filter((key) => key !== 'stack' && key !== 'message'),
];

/** A copy of an error whose class is not registered lacks its methods. This one is wanted where errors are logged, and may leave out what JSON cannot hold. */
export const TO_JSON = 'toJSON';

/** Returns the JSON form that an error gives of itself; undefined if it gives none. */
export function jsonOf(error: object): unknown {
  try {
    const toJson = read(error, TO_JSON);
    return typeof toJson === 'function' ? toJson.call(error) : undefined;
  } catch {
    return undefined;
  }
}

/** Data from which an error is made, apart from its own properties; and those of `HIDDEN` that are not enumerable. */
export type ErrorDescription = ReturnType<typeof describeError> & { readonly hidden: readonly string[] };

/** The value of a property, or undefined where reading it throws. */
export function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : String(value);

export function describeError(error: object) {
  const registered = nearestRegistrationOf(error);
  const stack = read(error, 'stack');
  return {
    /** Constructor that makes it: a built-in's name, or DOMException. */
    base: baseOf(error),
    /** Class on top of that: of the library, or registered by (URL, name). */
    own: brandOf(Object.getPrototypeOf(error)),
    registered: registered?.kind === 'error' ? ([registered.url, registered.name] as const) : undefined,
    name: textOf(read(error, 'name')),
    message: textOf(read(error, 'message')),
    stack: typeof stack === 'string' ? stack : undefined,
  };
}

function baseOf(error: object): string {
  if (tagOf(error) === DOM_EXCEPTION) return DOM_EXCEPTION;
  for (const Class of classesFrom(Object.getPrototypeOf(error))) {
    if (BUILT_IN.has(Class.name) && isNative(Class)) return Class.name; // of any realm
  }
  return 'Error';
}

type AnyErrorClass = new (...args: never) => Error;

/**
 * An error of that class and message, which `completeError` completes once it has its properties. A description may come from another process: it
 * chooses among the classes of errors of the language, of the library, and those that are registered.
 */
export function newError({ base, own, registered, name, message }: ErrorDescription): Error {
  const globals = globalThis as unknown as Record<string, AnyErrorClass | undefined>;
  const Base = (BUILT_IN.has(base) || base === DOM_EXCEPTION ? globals[base] : undefined) ?? Error;
  if (base === DOM_EXCEPTION) return Reflect.construct(Base, [message, name]);
  const Class = own === undefined || !Object.hasOwn(OWN_ERRORS, own) ? registeredClass(registered) : OWN_ERRORS[own];
  const args = message === '' ? [] : [message];
  return Reflect.construct(Base, base === 'AggregateError' ? [[], ...args] : args, (Class ?? Base) as AnyErrorClass);
}

/** The class under that name in this realm. Bundles give modules other URLs, so the only class of that name will do, too. */
function registeredClass([url, name]: readonly [string?, string?] = []): unknown {
  if (url === undefined || name === undefined) return undefined;
  try {
    return (registry.byKey('error', url, name) ?? registry.byNameOnly('error', name))?.value;
  } catch {
    return undefined; // several classes have that name: the base has to do
  }
}

/** The stack in the description of an error whose stack was left out. */
export const STACKLESS = '';

/** Sets what the properties of an error do not tell. */
export function completeError(error: Error, { name, message, stack, hidden }: ErrorDescription): void {
  for (const key of hidden) if (Object.hasOwn(error, key)) Object.defineProperty(error, key, { enumerable: false });
  if (read(error, 'name') !== name) define(error, 'name', name);
  if (stack === STACKLESS) define(error, 'stack', `${name}: ${message}`);
  else if (stack !== undefined) define(error, 'stack', stack);
}

const define = (error: Error, key: string, value: string): void => {
  Object.defineProperty(error, key, { value, writable: true, configurable: true });
};
