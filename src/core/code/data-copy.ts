/**
 * Copies of structured data with a say in what is not data: functions, views, errors; runs on every thread.
 *
 * The platform's `structuredClone` throws at the first function, copies plain typed arrays in silence and names no path.
 * This one walks what it accepts (plain objects and arrays, Map, Set, Date, RegExp, bigint, boxed primitives, cycles) and
 * asks its rules about the rest. Getters are read once.
 *
 * What stands for something else in the copy is a *mark*, `{ 'furcate:mark': kind, value }`, plain data that any
 * serializer carries. An object of the user's that looks like one is wrapped in a mark itself, so none is mistaken.
 */

import { handleName, isError, isInstance, isMap, isSet, tagOf } from './object-kind.js';

const MARK = 'furcate:mark';
/** Around an object of the user's that has the key itself. */
const VERBATIM = 'verbatim';
/** In the place of an instance of a class: `{ of, fields }`. */
const INSTANCE = 'instance';

/** A rule's answer: leave the property, element or entry out. */
export const DROP: unique symbol = Symbol('furcate.drop');

export interface CopyRules {
  /** Functions and classes. */
  onFunction(fn: object, path: () => string): unknown;
  /** Typed arrays and DataViews. */
  onView(view: ArrayBufferView, path: () => string): unknown;
  /** Errors of any class and realm. */
  onError(error: object, path: () => string): unknown;
  /**
   * Instances of classes: what names the class in the copy, plain data other than undefined; undefined to copy the own
   * enumerable properties and forget the class, as the platform does.
   */
  onInstance(value: object, path: () => string): unknown;
  /** What has no data: symbols, promises, weak collections, buffers, handles of the platform. `what` names it. */
  onOther(value: unknown, what: string, path: () => string): unknown;
}

/** How marks are opened. */
interface Opening {
  /** What a mark of a kind stands for; kinds that are not there are left as they are. */
  readonly readers: Readonly<Record<string, (value: unknown) => unknown>>;
  /** A new instance of the class that `onInstance` named, without its fields. */
  newInstance(of: unknown): object;
  /** Told of each object of the copy once it has all its properties, elements or entries, and of what it is a copy of. */
  finish?(copy: object, original: object): void;
}

interface Mark {
  readonly [MARK]: string;
  readonly value: unknown;
}

export const mark = (kind: string, value: unknown): object => ({ [MARK]: kind, value }) satisfies Mark;

/** Sets a property as data, although the prototype may have a setter of that name, as it has for `__proto__`. */
function setOwn(target: object, key: string, value: unknown): void {
  if (key in target) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else (target as Record<string, unknown>)[key] = value;
}

/** A copy of an object that holds no other objects; undefined for any other object. */
function wholeCopy(value: object, tag: string): object | undefined {
  switch (tag) {
    case 'Date':
      return new Date((value as Date).getTime());
    case 'RegExp':
      return new RegExp((value as RegExp).source, (value as RegExp).flags);
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
      return Object(value.valueOf());
    default:
      return undefined;
  }
}

class Copier {
  readonly #root: unknown;
  /** What paths begin with. */
  readonly #name: string;
  readonly #rules: CopyRules;
  readonly #opening: Opening | undefined;
  readonly #copies = new Map<object, unknown>();

  constructor(root: unknown, name: string, rules: CopyRules, opening?: Opening) {
    this.#root = root;
    this.#name = name;
    this.#rules = rules;
    this.#opening = opening;
  }

  copy(value: unknown): unknown {
    if (typeof value === 'function') return this.#rules.onFunction(value, this.#pathOf(value));
    if (typeof value === 'symbol') return this.#rules.onOther(value, 'a symbol', this.#pathOf(value));
    if (typeof value !== 'object' || value === null) return value;
    if (this.#copies.has(value)) return this.#copies.get(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype && Array.isArray(value)) return this.#array(value); // most are one of the two
    if (prototype === Object.prototype && tagOf(value) === 'Object') return this.#plain(value);
    return this.#other(value);
  }

  /** The path is searched for when it is asked for, which is rare: keeping it at each step would slow every copy. */
  #pathOf(value: unknown): () => string {
    return () => pathTo(this.#root, this.#name, (part) => part === value) ?? this.#name;
  }

  #other(value: object): unknown {
    const path = this.#pathOf(value);
    if (ArrayBuffer.isView(value)) return this.#remember(value, this.#rules.onView(value, path));
    if (isError(value)) return this.#remember(value, this.#rules.onError(value, path));
    const tag = tagOf(value);
    const handle = handleName(tag);
    if (handle !== undefined) return this.#remember(value, this.#rules.onOther(value, handle, path));
    const of = isInstance(value) ? this.#rules.onInstance(value, path) : undefined;
    if (of !== undefined) return this.#instance(value, of);
    if (Array.isArray(value)) return this.#array(value);
    if (isMap(value)) return this.#map(value);
    if (isSet(value)) return this.#set(value);
    const whole = wholeCopy(value, tag);
    return whole === undefined ? this.#plain(value) : this.#finished(this.#remember(value, whole), value);
  }

  /** Objects with children are remembered before their children are copied, since those may lead back to them. */
  #remember<T>(value: object, copy: T): T {
    this.#copies.set(value, copy);
    return copy;
  }

  #finished<T extends object>(copy: T, original: object): T {
    this.#opening?.finish?.(copy, original);
    return copy;
  }

  #instance(value: object, of: unknown): object {
    const fields: object = {};
    const copy = this.#remember(value, mark(INSTANCE, { of, fields }));
    this.#fill(fields, value);
    return copy;
  }

  #array(value: readonly unknown[]): unknown[] {
    const copy: unknown[] = this.#remember(value, new Array(value.length));
    for (let i = 0; i < value.length; i++) {
      if (!(i in value)) continue;
      const element = this.copy(value[i]);
      copy[i] = element === DROP ? undefined : element;
    }
    return this.#finished(copy, value);
  }

  #map(value: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const copy = this.#remember(value, new Map<unknown, unknown>());
    for (const entry of value) {
      const [key, element] = entry.map((part) => this.copy(part));
      if (key !== DROP && element !== DROP) copy.set(key, element);
    }
    return this.#finished(copy, value);
  }

  #set(value: ReadonlySet<unknown>): Set<unknown> {
    const copy = this.#remember(value, new Set<unknown>());
    for (const part of value) {
      const element = this.copy(part);
      if (element !== DROP) copy.add(element);
    }
    return this.#finished(copy, value);
  }

  #plain(value: object): unknown {
    if (!Object.hasOwn(value, MARK)) return this.#properties(value, value);
    if (this.#opening !== undefined) return this.#openMark(value as Mark, this.#opening);
    const inner: { [MARK]: string; value?: unknown } = this.#remember(value, { [MARK]: VERBATIM });
    inner.value = this.#properties(value, {});
    return inner;
  }

  #openMark(found: Mark, { readers, newInstance }: Opening): unknown {
    const { [MARK]: kind, value } = found;
    if (kind === VERBATIM) return this.#properties(value as object, found);
    if (kind === INSTANCE) {
      const { of, fields } = value as { of: unknown; fields: object };
      const made = this.#remember(found, newInstance(of));
      this.#fill(made, fields);
      return this.#finished(made, fields);
    }
    const reader = readers[kind];
    return reader === undefined ? this.#properties(found, found) : this.#remember(found, reader(value));
  }

  /** Copies the own enumerable properties; the copy stands for `original` wherever that is met again. */
  #properties(value: object, original: object): object {
    const copy: object = this.#remember(original, {});
    this.#fill(copy, value);
    return this.#finished(copy, value);
  }

  #fill(copy: object, value: object): void {
    for (const key of Object.keys(value)) {
      const property = this.copy((value as Record<string, unknown>)[key]);
      if (property !== DROP) setOwn(copy, key, property);
    }
  }
}

/** Copies `value`, with marks where the rules put them. `name` is what its path begins with in errors. */
export const copyData = (value: unknown, name: string, rules: CopyRules): unknown =>
  new Copier(value, name, rules).copy(value);

/** Rules that leave everything as it is, for copies of which only some kinds matter. */
export const KEEP: CopyRules = {
  onFunction: (fn) => fn,
  onView: (view) => view,
  onError: (error) => error,
  onInstance: () => undefined,
  onOther: (value) => value,
};

/** Copies what `copyData` gave, with marks replaced by what they stand for. Views stay the same objects. */
export const openData = (value: unknown, opening: Opening): unknown => new Copier(value, '', KEEP, opening).copy(value);

export const isMark = (part: unknown, kind: string, value: unknown): boolean =>
  (part as Partial<Mark> | undefined)?.[MARK] === kind && (part as Mark).value === value;

/** Where in data, copied or not, the first part is that `matches`, as errors show a path; undefined if there is none. */
export function pathTo(data: unknown, root: string, matches: (part: unknown) => boolean): string | undefined {
  const seen = new Set<object>();
  const search = (part: unknown, path: string): string | undefined => {
    if (matches(part)) return path;
    if (typeof part !== 'object' || part === null || seen.has(part) || ArrayBuffer.isView(part)) return undefined;
    seen.add(part);
    for (const [step, child] of stepsOf(part)) {
      const found = search(child, path + step);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(data, root);
}

/** What an object holds, each with its step of the path; marks are seen through. */
function stepsOf(part: object): [step: string, child: unknown][] {
  if (isMap(part)) {
    return [...part].flatMap(([key, child]) => [
      [` (key ${shownKey(key)} of the Map)`, key],
      [`.get(${shownKey(key)})`, child],
    ]);
  }
  if (isSet(part)) return [...part].map((child) => [' (a member of the Set)', child]);
  const kind = (part as Partial<Mark>)[MARK];
  if (kind === VERBATIM) return stepsOf((part as Mark).value as object);
  if (kind === INSTANCE) return stepsOf(((part as Mark).value as { fields: object }).fields);
  if (Array.isArray(part)) return Object.entries(part).map(([index, child]) => [`[${index}]`, child]);
  return Object.entries(part).map(([key, child]) => [
    IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    child,
  ]);
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

const shownKey = (key: unknown): string =>
  typeof key === 'string' ? JSON.stringify(key) : typeof key === 'object' ? '(an object)' : String(key);
