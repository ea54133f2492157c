/**
 * The registry of a realm: classes of tasks, of errors and of plain values, and forkable functions, each by (URL, name).
 *
 * A module registers its classes and functions when it is imported, and need not export them. If a key is registered again (hot module
 * reload, test runners that evaluate modules again), its entry stays and gets the new value, so indices and numbers of the entry stay valid.
 * Two different functions of one key in one evaluation are a mistake: the second would silently run in place of the first. A module that
 * is evaluated again comes later than the microtask in which it was evaluated first, or has the same text (`require` after a reset).
 * An entry is an own property of its class and of the class's prototype. It is not inherited, because a subclass that was never
 * registered must not pass for its parent.
 */
import { refuseRevoked, show, TaskRegistrationError } from '../errors.js';
import { checkAsyncFunction, checkErrorClass, checkFunction, checkTaskClass, checkValueClass } from './class-check.js';
import { canonicalUrl, moduleUrl, placeOf } from './module-url.js';
import { supplier } from './supplier.js';

/** Begins the URLs of the library's own functions; their origin follows. */
const BUILTIN_URL = 'furcate:';

/** Checks whether a URL is of a function of the library itself. */
export const isBuiltin = (url: string): boolean => url.startsWith(BUILTIN_URL);

/** The origin that the URL of a built-in names; see supplier.ts. */
export const originOfBuiltin = (url: string): string => url.slice(BUILTIN_URL.length);

/** Any function or class; `never` for the arguments accepts them all. */
export type AnyFunction = (...args: never) => unknown;
type Registrable = AnyFunction | (abstract new (...args: never) => unknown);

/**
 * The property of a forkable function that holds its index in `functions`. `fork` reads it with one load. If `fork` is given null or
 * undefined, the engine's error names this property; a check would cost 6 % of a fork and join.
 */
export const FORKABLE: unique symbol = Symbol.for(
  'furcate.forkable: fork() takes a function made with forkable(import.meta.url, name, fn)',
) as never;
/** The property of an asynchronous forkable function that holds its index in `functions`. */
export const ASYNC_FORKABLE: unique symbol = Symbol.for('furcate.asyncForkable') as never;
/** The property of a function that `with` of a forkable has made. */
export const WITH_CONTEXT: unique symbol = Symbol.for('furcate.withContext') as never;
/** The own property of a registered class and of its prototype that holds their entry. */
const REGISTERED = Symbol.for('furcate.registered');

/** Says what a call does, by its arguments. It may throw when that is over. */
type NameOfCall = (...args: never) => string;

/** Names for calls of a library function, because users do not know the function by its name. */
export interface CallNames {
  /** For error messages. */
  readonly call?: NameOfCall;
  /** For who observes tasks: one for all calls that belong to the same thing of the user's, found in a time that does not depend on its size. */
  readonly label?: NameOfCall;
}

export interface Registered {
  readonly kind: RegisteredKind;
  /** The URL for `import()`: as given, or made of a path. */
  readonly url: string;
  readonly name: string;
  /** For a function, its index in `functions`. */
  readonly index: number;
  /** The latest class or function of this key. */
  value: Registrable;
  names?: CallNames | undefined;
  /** Set in entries of code that cannot be loaded; see resolver.ts. */
  readonly failure: undefined;
}

/** For each kind of code, the function that registers it and the check of what is registered. */
const KINDS = {
  class: { call: 'register', check: checkTaskClass },
  function: { call: 'forkable', check: checkFunction },
  'async function': { call: 'asyncForkable', check: checkAsyncFunction },
  error: { call: 'registerError', check: checkErrorClass },
  'value class': { call: 'registerClass', check: checkValueClass },
} as const;
export type RegisteredKind = keyof typeof KINDS;

/** Calls of a function of this kind are tasks. */
export const isFunctionKind = (kind: string): boolean => kind === 'function' || kind === 'async function';

export class CodeRegistry {
  /** The latest forkable functions by index: tasks call `functions[fn[FORKABLE]]`. */
  readonly functions: AnyFunction[] = [];
  readonly functionEntries: Registered[] = [];
  /** One entry for each key, in the order of their first registrations. */
  readonly entries: Registered[] = [];
  readonly #byKey = new Map<string, Registered>();
  /** Entries that were registered since the last microtask. */
  readonly #fresh = new Set<Registered>();

  /**
   * Registers code under (URL, name), or replaces the code of that key.
   *
   * @throws TypeError for a bad url or name, a value that is not of the kind, or a name that this evaluation of the module gave to another
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
    refuseRevoked(value, `${call}: the value`);
    check(value, call);
    const known = this.byKey(kind, place, name);
    if (known !== undefined && this.#fresh.has(known) && textOf(known.value) !== textOf(value)) {
      const both = `${excerptOf(known.value)} and ${excerptOf(value)}`;
      throw new TypeError(
        `furcate: ${call}: the module registers two things as '${name}', ${both}. Give each a name of its own.`,
      );
    }
    const entry = this.enter(kind, place, name, value);
    if (this.#fresh.size === 0) void Promise.resolve().then(() => this.#fresh.clear());
    this.#fresh.add(entry);
    return entry;
  }

  /** As `register`, unchecked: for the library's own code, whose checks would take each thread half a millisecond at its start. */
  enter(kind: RegisteredKind, place: string, name: string, value: Registrable): Registered {
    const key = keyOf(kind, place, name);
    let entry = this.#byKey.get(key);
    if (entry === undefined) {
      entry = { kind, url: place, name, index: this.functionEntries.length, value, failure: undefined };
      this.#byKey.set(key, entry);
      this.entries.push(entry);
      if (isFunctionKind(kind)) this.functionEntries.push(entry);
    }
    entry.value = value;
    if (isFunctionKind(kind)) this.functions[entry.index] = value as AnyFunction;
    if (kind === 'function') mark(value, FORKABLE, entry.index);
    else if (kind === 'async function') mark(value, ASYNC_FORKABLE, entry.index);
    else for (const target of [value, value.prototype as object]) mark(target, REGISTERED, entry);
    return entry;
  }

  byKey(kind: RegisteredKind, url: string, name: string): Registered | undefined {
    return this.#byKey.get(keyOf(kind, url, name));
  }

  /**
   * The only entry of that name among the user's, for workers whose bundle gave modules other URLs, and for other processes. The library's own
   * code has a name space of its own: its names must not stand for the user's, nor make them ambiguous.
   *
   * @throws TaskRegistrationError when several modules registered it
   */
  byNameOnly(kind: RegisteredKind, name: string): Registered | undefined {
    const found = this.entries.filter((one) => one.kind === kind && one.name === name && !isBuiltin(one.url));
    if (found.length <= 1) return found[0];
    const urls = found.map((entry) => placeOf(entry.url)).join(' and ');
    throw new TaskRegistrationError(
      `furcate: the name '${name}' is registered by ${urls}. In a bundled worker the name alone finds a ${kind}: give them different names.`,
    );
  }
}

const textOf = (value: Registrable): string => Function.prototype.toString.call(value);

/** The beginning of a text, in one line. */
export const excerptOf = (value: Registrable): string => {
  const text = textOf(value).replace(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
};

/** A URL has no spaces, so different keys have different texts. */
const keyOf = (kind: RegisteredKind, url: string, name: string): string => `${kind} ${canonicalUrl(url)} ${name}`;

function mark(target: object, property: symbol, value: unknown): void {
  if (!Object.hasOwn(target, property) && !Object.isExtensible(target)) {
    throw new TypeError(`furcate: a frozen class or function cannot be registered; register it before it is frozen.`);
  }
  Object.defineProperty(target, property, { value, configurable: true });
}

/** This realm's registry. */
export const registry = new CodeRegistry();

/** Checks whether a module has registered code in this realm. It may be evaluated still. */
export const hasCodeOf = (url: string): boolean =>
  registry.entries.some((entry) => canonicalUrl(entry.url) === canonicalUrl(url));

/** Registers code in this realm; see {@link CodeRegistry.register}. */
export const register = registry.register.bind(registry);

/** Mark that `forkable` adds to the type of a function. */
export interface ForkableMark {
  readonly [FORKABLE]: number;
  /**
   * The function with its last argument given: a context for all of its tasks, which is encoded once, and not once for each task that another
   * worker takes. Tasks hand it on as it is.
   *
   * @param context a plain object with what the tasks use: shared arrays, numbers, whatever an argument may be. It is copied at once
   * @returns a function for `invoke`, `fork` and `task`, which takes the other arguments
   * @throws TypeError for anything but a plain object; NotShareableError for a value that an argument cannot be
   * @example
   * export const total = forkable(import.meta.url, 'total', (lo: number, hi: number, data: { weights: Float64Array }): number => {
   *   if (hi - lo < 1_000) return data.weights.subarray(lo, hi).reduce((a, b) => a + b, 0);
   *   const mid = (lo + hi) >>> 1;
   *   const left = fork(total, lo, mid, data);
   *   return total(mid, hi, data) + join(left);
   * });
   * // in another module: await pool.invoke(total.with({ weights }), 0, weights.length)
   */
  with<F extends AnyFunction>(
    this: F,
    context: ContextOf<F>,
  ): F extends (...args: infer A) => infer R ? Forkable<BeforeContext<A>, R> : never;
}

/** Type of a function's last argument. All others must be given beside it. */
export type ContextOf<F> = F extends (...args: infer A) => unknown ? LastOf<Required<A>> : never;
type LastOf<A> = A extends readonly [...unknown[], infer Last] ? Last : never;
/** The arguments before the last one. */
export type BeforeContext<A extends unknown[]> = Required<A> extends [...infer Before, unknown] ? Before : never;

/** A function that workers know by (module, name): the user's own function, which can be called as before. */
export interface Forkable<A extends unknown[], R> extends ForkableMark {
  (...args: A): R;
}

/**
 * Registers a function of the library itself. A realm that lacks it asks its supplier for it.
 *
 */
export function builtin<A extends unknown[], R>(
  name: string,
  fn: (...args: A) => R,
  names?: CallNames,
): Forkable<A, R> {
  enterBuiltin('function', name, fn, names);
  return fn as Forkable<A, R>;
}

/** As `builtin`, for an asynchronous function: its first parameter is the scope. It may return a result without a promise. */
export function builtinAsync<A extends unknown[]>(
  name: string,
  fn: (scope: never, ...args: A) => unknown,
  names?: CallNames,
): typeof fn {
  enterBuiltin('async function', name, fn, names);
  return fn;
}

function enterBuiltin(kind: RegisteredKind, name: string, fn: AnyFunction, names: CallNames | undefined): void {
  const entry = registry.enter(kind, BUILTIN_URL + supplier.origin(), name, fn);
  entry.names = names;
}

/** Name of a function's call, of one kind. */
export function nameOfCall({ name, names }: Registered, args: readonly unknown[], kind: keyof CallNames): string {
  try {
    return names?.[kind]?.(...(args as never)) ?? name;
  } catch {
    return name; // what it belongs to is over
  }
}

/** Registers a class of plain values of the library itself. A realm that lacks it asks its supplier for it. */
export function builtinClass(name: string, Class: abstract new (...args: never) => object): void {
  registry.enter('value class', BUILTIN_URL + supplier.origin(), name, Class);
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
  const index = typeof fn === 'function' ? (fn as { readonly [FORKABLE]?: number })[FORKABLE] : undefined;
  return index === undefined ? undefined : registry.functionEntries[index];
}

/** As `forkableOf`, for an asynchronous one. */
export function asyncForkableOf(fn: unknown): Registered | undefined {
  const index = typeof fn === 'function' ? (fn as { readonly [ASYNC_FORKABLE]?: number })[ASYNC_FORKABLE] : undefined;
  return index === undefined ? undefined : registry.functionEntries[index];
}

/** Kind of forkable that a function is; undefined for one that is none. */
export const forkKind = (fn: unknown): 'sync' | 'async' | undefined =>
  forkableOf(fn) !== undefined ? 'sync' : asyncForkableOf(fn) !== undefined ? 'async' : undefined;

/** The name of a forkable of either kind; undefined for any other value. */
export const forkableName = (fn: unknown): string | undefined => (forkableOf(fn) ?? asyncForkableOf(fn))?.name;

/** The entry of an object's class, or of the nearest parent that is registered. */
export const nearestRegistrationOf = (value: object): Registered | undefined =>
  (value as { readonly [REGISTERED]?: Registered })[REGISTERED];

/** The entry of an object's class; undefined if only a parent of the class is registered. */
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
