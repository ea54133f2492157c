/**
 * Tells what an object is, whichever realm made it: plain data, an error, an instance of a class, a handle of the platform; runs on
 * every thread.
 */

/** Tags of data, of errors, and of instances of the user's classes; also the classes whose instances any copy of structured data keeps. */
const OF_LANGUAGE = new Set(
  'Object Array Map Set Date RegExp Number String Boolean BigInt Error DOMException'.split(' '),
);

/** Tags of the platform's objects that have no global class of that name. */
const CLASSLESS = /(Iterator|Generator)$|^(WebAssembly|Intl)\.|^global$/;

export const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** Returns true if an object has no class, in any realm. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** A tag can be claimed by any class; the accessor of the size looks at the object itself. */
function hasSize(value: object, { prototype }: { readonly prototype: object }): boolean {
  try {
    Reflect.get(prototype, 'size', value);
    return true;
  } catch {
    return false;
  }
}

export const isMap = (value: object): value is Map<unknown, unknown> => tagOf(value) === 'Map' && hasSize(value, Map);
export const isSet = (value: object): value is Set<unknown> => tagOf(value) === 'Set' && hasSize(value, Set);

/** Number of elements of a Map or a Set; undefined for anything else. */
export const sizeOf = (value: object): number | undefined => (isMap(value) || isSet(value) ? value.size : undefined);

// biome-ignore lint/complexity/noBannedTypes: what typeof calls a function, before anything else is known
export type Callable = Function;

export const isFunction = (value: unknown): value is Callable => typeof value === 'function';

/** Returns true if a function is the engine's own, bound, or a proxy. */
export const isNative = (fn: Callable): boolean =>
  /\{\s*\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(fn));

/** The class of a prototype and its parents, up to those of the language. */
export function* classesFrom(prototype: unknown): Generator<Callable> {
  for (let p = prototype; typeof p === 'object' && p !== null; p = Object.getPrototypeOf(p)) {
    const owner: unknown = Object.hasOwn(p, 'constructor') ? p.constructor : undefined;
    if (isFunction(owner)) yield owner;
  }
}

/** Checks whether a prototype is that of a class of errors, in any realm. */
export const isErrorPrototype = (prototype: unknown): boolean =>
  [...classesFrom(prototype)].some(({ name }) => name === 'Error');

/** Checks whether a value is an error of any realm, or inherits from one. */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const tag = tagOf(value);
  if (tag !== 'Object') return tag === 'Error' || tag === 'DOMException';
  return !isPlain(value) && isErrorPrototype(Object.getPrototypeOf(value));
}

/**
 * Name of a value that is more than its properties: 'a function', 'a Float64Array', 'a Promise'; undefined for any other. An object of
 * the platform is told by its tag, which is the name of a global class.
 */
export function handleName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const tag = tagOf(value);
  const isOfPlatform = CLASSLESS.test(tag) || isFunction((globalThis as Record<string, unknown>)[tag]);
  return ArrayBuffer.isView(value) || (isOfPlatform && !OF_LANGUAGE.has(tag)) ? withArticle(tag) : undefined;
}

export const withArticle = (name: string): string => (/^([AEIO]|U(?!int|RL))/.test(name) ? `an ${name}` : `a ${name}`);

/**
 * Checks whether a copy of an object's properties would lose its class: true for instances of a user's class, even if it extends
 * `Map` or `Array`, and for an object whose prototype is an object of the user's. Not for views, errors and handles.
 */
export function isInstance(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || isPlain(value)) return false;
  const owner: unknown = Object.hasOwn(prototype as object, 'constructor') && (prototype as object).constructor;
  return !(isFunction(owner) && OF_LANGUAGE.has(owner.name) && isNative(owner));
}

/**
 * Checks whether a class, or one above it, has a method or an accessor of that name. Data from elsewhere must not stand in the place of either.
 * Runs no code of the class.
 */
export function standsInClass(prototype: object | null, key: string): boolean {
  for (let p = prototype; p !== null; p = Object.getPrototypeOf(p)) {
    const found = Object.getOwnPropertyDescriptor(p, key);
    if (found !== undefined) return isFunction(found.value) || found.get !== undefined || found.set !== undefined;
  }
  return false;
}
