/**
 * What this realm has registered under (URL, name): classes of tasks, of errors and of plain values, and forkable functions;
 * one per realm.
 *
 * Importing a module registers what it defines; no export is needed. Registering a key again replaces the value behind
 * the same entry (hot module reload, test runners that evaluate modules again): whoever holds the entry, by index, code
 * or property, gets the new value. A class that compiled fine but was never registered must not pass for its parent, so
 * an entry hangs on its class and prototype as their own property and is never looked up through inheritance.
 */
import { show, TaskRegistrationError } from '../errors.js';
import { checkErrorClass, checkFunction, checkTaskClass, checkValueClass } from './class-check.js';
import { canonicalUrl, moduleUrl } from './module-url.js';
import { partInEvaluation } from './parts.js';

/** Where the library's own functions live; the part follows. */
const BUILTIN_URL = 'furcate:';

/** Is it a function of the library itself? */
export const isBuiltin = (url: string): boolean => url.startsWith(BUILTIN_URL);

/** The part of the library that such a URL names; empty for the core, and where all is one part. */
export const partOfBuiltin = (url: string): string => url.slice(BUILTIN_URL.length);

/** Any function or class; `never` for the arguments accepts them all. */
export type AnyFunction = (...args: never) => unknown;
type Registrable = AnyFunction | (abstract new (...args: never) => unknown);

/**
 * Under this property a forkable function has its index among the functions: one load, the same for all functions.
 * The engine names it where `fork` is given null or undefined; a check there would cost 6 % of a fork and join.
 */
export const FORKABLE: unique symbol = Symbol.for(
  'furcate.forkable: fork() takes a function made with forkable(import.meta.url, name, fn)',
) as never;
/** Under this property a registered class and its prototype have their entry, as their own. */
const REGISTERED = Symbol.for('furcate.registered');

export interface Registered {
  readonly kind: RegisteredKind;
  /** As given, or made of a path: what `import()` takes. */
  readonly url: string;
  readonly name: string;
  /** Of a function: its place in `functions`. */
  readonly index: number;
  /** The latest class or function of this key. */
  value: Registrable;
  /** Set in entries that stand for code that cannot be had; see resolver.ts. */
  readonly failure: undefined;
}

/** What registers code of a kind, and what the code must look like. */
const KINDS = {
  class: { call: 'register', check: checkTaskClass },
  function: { call: 'forkable', check: checkFunction },
  error: { call: 'registerError', check: checkErrorClass },
  'value class': { call: 'registerClass', check: checkValueClass },
} as const;
export type RegisteredKind = keyof typeof KINDS;

export class CodeRegistry {
  /** The forkable functions as they are now, by index: what `functions[fn[FORKABLE]]` gives is called. */
  readonly functions: AnyFunction[] = [];
  readonly functionEntries: Registered[] = [];
  readonly #byKey = new Map<string, Registered>();
  readonly #inOrder: Registered[] = [];
  readonly #waiting = new Set<() => void>();

  /**
   * Registers code under (URL, name), or replaces what stood there.
   *
   * @throws TypeError for a bad url or name, or a value that is not of the kind
   */
  register(kind: RegisteredKind, url: string, name: string, value: Registrable): Registered {
    const { call: fn, check } = KINDS[kind];
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(
        `furcate: ${fn}(url, name) takes a name that is unique within the module; it was ${show(name)}.`,
      );
    }
    const call = `${fn}(url, '${name}')`;
    const place = moduleUrl(url, call);
    check(value, call);
    const entry = this.#put(kind, place, name, value);
    if (kind === 'function') mark(value, FORKABLE, entry.index);
    else for (const target of [value, value.prototype as object]) mark(target, REGISTERED, entry);
    for (const wake of this.#waiting) wake();
    return entry;
  }

  byKey(kind: RegisteredKind, url: string, name: string): Registered | undefined {
    return this.#byKey.get(keyOf(kind, url, name));
  }

  /**
   * The one entry of that name, for workers whose bundle gave modules other URLs.
   *
   * @throws TaskRegistrationError when several modules registered it
   */
  byNameOnly(kind: RegisteredKind, name: string): Registered | undefined {
    const found = this.#inOrder.filter((entry) => entry.kind === kind && entry.name === name);
    if (found.length <= 1) return found[0];
    const urls = found.map((entry) => entry.url).join(' and ');
    throw new TaskRegistrationError(
      `furcate: the name '${name}' is registered by ${urls}. In a bundled worker the name alone finds a ${kind}: give them different names.`,
    );
  }

  /** How many keys there are: a mark for `since`. */
  get size(): number {
    return this.#inOrder.length;
  }

  /** What was registered, under new keys, since `size` was `mark`. */
  since(mark: number): readonly Registered[] {
    return this.#inOrder.slice(mark);
  }

  /** What a module has registered so far. */
  registeredAt(url: string): readonly Registered[] {
    const place = canonicalUrl(url);
    return this.#inOrder.filter((entry) => canonicalUrl(entry.url) === place);
  }

  /** Calls `wake` at every registration, until the returned function is called. */
  onRegister(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #put(kind: RegisteredKind, url: string, name: string, value: Registrable): Registered {
    const key = keyOf(kind, url, name);
    let entry = this.#byKey.get(key);
    if (entry === undefined) {
      entry = { kind, url, name, index: this.functionEntries.length, value, failure: undefined };
      this.#byKey.set(key, entry);
      this.#inOrder.push(entry);
      if (kind === 'function') this.functionEntries.push(entry);
    }
    entry.value = value;
    if (kind === 'function') this.functions[entry.index] = value as AnyFunction;
    return entry;
  }
}

/** A space cannot be in a URL, so keys do not run into each other. */
const keyOf = (kind: RegisteredKind, url: string, name: string): string => `${kind} ${canonicalUrl(url)} ${name}`;

function mark(target: object, property: symbol, value: unknown): void {
  if (!Object.hasOwn(target, property) && !Object.isExtensible(target)) {
    throw new TypeError(`furcate: a frozen class or function cannot be registered; register it before it is frozen.`);
  }
  Object.defineProperty(target, property, { value, configurable: true });
}

/** This realm's registry. */
export const registry = new CodeRegistry();

/** Registers code in this realm; see {@link CodeRegistry.register}. */
export const register = registry.register.bind(registry);

/** A function that workers know by (module, name): the user's own function, which can be called as before. */
export interface Forkable<A extends unknown[], R> {
  (...args: A): R;
  readonly [FORKABLE]: number;
}

/** Registers a function of the library itself; a realm that lacks it evaluates the part that is being evaluated now. */
export function builtin<A extends unknown[], R>(name: string, fn: (...args: A) => R): Forkable<A, R> {
  registry.register('function', BUILTIN_URL + partInEvaluation(), name, fn);
  return fn as Forkable<A, R>;
}

/**
 * Makes an error class known under (module, name), so that an error thrown on another thread comes back with its class.
 * The constructor does not run there: message, cause, stack and own properties are restored.
 *
 * @param url `import.meta.url` of the module that defines the class (`__filename` in CommonJS)
 * @param name any name, unique within the module
 * @param Class a class that extends `Error`
 * @throws TypeError for a bad url, name or class
 * @example
 * export class ParseError extends Error {}
 * registerError(import.meta.url, 'ParseError', ParseError);
 */
export function registerError(url: string, name: string, Class: abstract new (...args: never) => Error): void {
  registry.register('error', url, name, Class);
}

/** The entry of a forkable function; undefined for any other value. */
export function forkableOf(fn: unknown): Registered | undefined {
  if (typeof fn !== 'function') return undefined;
  const index = (fn as { readonly [FORKABLE]?: number })[FORKABLE];
  return index === undefined ? undefined : registry.functionEntries[index];
}

/** The entry of the nearest registered class that an object is of. */
export const nearestRegistrationOf = (value: object): Registered | undefined =>
  (value as { readonly [REGISTERED]?: Registered })[REGISTERED];

/** The entry of the nearest registered class that an error is of. */
export function errorClassOf(error: object): Registered | undefined {
  const entry = nearestRegistrationOf(error);
  return entry?.kind === 'error' ? entry : undefined;
}

/** The entry that the class of an object has of its own; undefined where only a parent is registered. */
export function ownRegistrationOf(value: object): Registered | undefined {
  const prototype: object = Object.getPrototypeOf(value) ?? {};
  return Object.hasOwn(prototype, REGISTERED) ? nearestRegistrationOf(prototype) : undefined;
}

/**
 * The entry of a task's class.
 *
 * @throws TaskRegistrationError when the class itself was not registered, whatever its parents were
 */
export function registrationOf(task: object): Registered {
  const own = ownRegistrationOf(task);
  if (own !== undefined) return own;
  const name = Object.getPrototypeOf(task)?.constructor?.name || 'the task class';
  const above = nearestRegistrationOf(task);
  const parent = above === undefined ? '' : ` Its parent ${above.name} is; a subclass needs its own line.`;
  throw new TaskRegistrationError(
    `furcate: the class ${name} is not registered.${parent} Add to it: static { this.register(import.meta.url, '${name}'); }`,
  );
}
