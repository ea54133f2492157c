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

import { handleName, isError, isInstance, tagOf } from './object-kind.js';

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

/** What a mark of a kind stands for; kinds that are not there are left as they are. */
export type MarkReaders = Readonly<Record<string, (value: unknown) => unknown>>;

/** How marks are opened. */
export interface Opening {
  readonly readers: MarkReaders;
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

const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => number;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;

/** A tag can be claimed by any class; the accessor looks at the object itself. */
function hasSlot(value: object, read: () => unknown): boolean {
  try {
    read.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Sets a property as data, `__proto__` too. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else (target as Record<string, unknown>)[key] = value;
}

/** The same for an object whose prototype may have a setter of that name. */
function defineOwn(target: object, key: string, value: unknown): void {
  if (key in target) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else setOwn(target, key, value);
}

class Copier {
  readonly #rules: CopyRules;
  readonly #opening: Opening | undefined;
  readonly #copies = new Map<object, unknown>();
  /** An element's index, a property's name, or a step as it is shown. */
  readonly #path: (number | string | { readonly shown: string })[];

  constructor(root: string, rules: CopyRules, opening: Opening | undefined) {
    this.#path = [{ shown: root }];
    this.#rules = rules;
    this.#opening = opening;
  }

  copy(value: unknown): unknown {
    if (typeof value === 'function') return this.#rules.onFunction(value, this.#where);
    if (typeof value === 'symbol') return this.#rules.onOther(value, 'a symbol', this.#where);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#copies.has(value)) return this.#copies.get(value);
    return this.#object(value);
  }

  readonly #where = (): string => this.#path.map(shownStep).join('');

  #object(value: object): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype && Array.isArray(value)) return this.#array(value); // most are one of the two
    if (prototype === Object.prototype && tagOf(value) === 'Object') return this.#plain(value);
    return this.#other(value);
  }

  #other(value: object): unknown {
    if (ArrayBuffer.isView(value)) return this.#remember(value, this.#rules.onView(value, this.#where));
    const tag = tagOf(value);
    if (isError(value)) return this.#remember(value, this.#rules.onError(value, this.#where));
    const handle = handleName(tag);
    if (handle !== undefined) return this.#remember(value, this.#rules.onOther(value, handle, this.#where));
    const of = isInstance(value) ? this.#rules.onInstance(value, this.#where) : undefined;
    return of === undefined ? this.#data(value, tag) : this.#instance(value, of);
  }

  #data(value: object, tag: string): unknown {
    if (Array.isArray(value)) return this.#array(value);
    switch (tag) {
      case 'Date':
        return this.#whole(value, new Date((value as Date).getTime()));
      case 'RegExp':
        return this.#whole(value, new RegExp((value as RegExp).source, (value as RegExp).flags));
      case 'Map':
        if (hasSlot(value, mapSize)) return this.#map(value as Map<unknown, unknown>);
        break;
      case 'Set':
        if (hasSlot(value, setSize)) return this.#set(value as Set<unknown>);
        break;
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt':
        return this.#whole(value, Object(value.valueOf()));
    }
    return this.#plain(value);
  }

  #remember(value: object, copy: unknown): unknown {
    this.#copies.set(value, copy);
    return copy;
  }

  /** A copy that is complete at once. */
  #whole(value: object, copy: object): object {
    this.#copies.set(value, copy);
    return this.#finished(copy, value);
  }

  #finished<T extends object>(copy: T, original: object): T {
    this.#opening?.finish?.(copy, original);
    return copy;
  }

  #instance(value: object, of: unknown): object {
    const fields: object = {};
    const copy = mark(INSTANCE, { of, fields });
    this.#copies.set(value, copy); // before the fields, which may lead back to it
    this.#fill(fields, value, setOwn);
    return copy;
  }

  #array(value: readonly unknown[]): unknown[] {
    const copy: unknown[] = new Array(value.length);
    this.#copies.set(value, copy);
    for (let i = 0; i < value.length; i++) {
      if (!(i in value)) continue;
      const element = this.#at(i, value[i]);
      copy[i] = element === DROP ? undefined : element;
    }
    return this.#finished(copy, value);
  }

  #map(value: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const copy = new Map<unknown, unknown>();
    this.#copies.set(value, copy);
    for (const [key, element] of value) {
      const shown = shownKey(key);
      const keyCopy = this.#at({ shown: ` (key ${shown} of the Map)` }, key);
      const elementCopy = this.#at({ shown: `.get(${shown})` }, element);
      if (keyCopy !== DROP && elementCopy !== DROP) copy.set(keyCopy, elementCopy);
    }
    return this.#finished(copy, value);
  }

  #set(value: ReadonlySet<unknown>): Set<unknown> {
    const copy = new Set<unknown>();
    this.#copies.set(value, copy);
    for (const element of value) {
      const elementCopy = this.#at({ shown: ' (a member of the Set)' }, element);
      if (elementCopy !== DROP) copy.add(elementCopy);
    }
    return this.#finished(copy, value);
  }

  #plain(value: object): unknown {
    if (!Object.hasOwn(value, MARK)) return this.#properties(value, value);
    if (this.#opening !== undefined) return this.#openMark(value as Mark, this.#opening);
    const inner: { value?: unknown } & Record<string, unknown> = { [MARK]: VERBATIM };
    this.#copies.set(value, inner);
    inner.value = this.#properties(value, {});
    return inner;
  }

  #openMark(found: Mark, { readers, newInstance }: Opening): unknown {
    const { [MARK]: kind, value } = found;
    if (kind === VERBATIM) return this.#properties(value as object, found);
    if (kind === INSTANCE) {
      const { of, fields } = value as { of: unknown; fields: object };
      const made = newInstance(of);
      this.#copies.set(found, made);
      this.#fill(made, fields, defineOwn);
      return this.#finished(made, fields);
    }
    const reader = readers[kind];
    return reader === undefined ? this.#properties(found, found) : this.#remember(found, reader(value));
  }

  /** Copies the own enumerable properties; the copy stands for `original` wherever that is met again. */
  #properties(value: object, original: object): object {
    const copy: object = {};
    this.#copies.set(original, copy);
    this.#fill(copy, value, setOwn);
    return this.#finished(copy, value);
  }

  #fill(copy: object, value: object, set: typeof setOwn): void {
    for (const key of Object.keys(value)) {
      const property = this.#at(key, (value as Record<string, unknown>)[key]);
      if (property !== DROP) set(copy, key, property);
    }
  }

  #at(step: number | string | { readonly shown: string }, value: unknown): unknown {
    this.#path.push(step);
    const copy = this.copy(value);
    this.#path.pop();
    return copy;
  }
}

const shownKey = (key: unknown): string =>
  typeof key === 'string' ? JSON.stringify(key) : typeof key === 'object' ? '(an object)' : String(key);

function shownStep(step: number | string | { readonly shown: string }): string {
  if (typeof step === 'object') return step.shown;
  if (typeof step === 'number') return `[${step}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** Copies `value`, with marks where the rules put them. `root` is what its path begins with in errors. */
export const copyData = (value: unknown, root: string, rules: CopyRules): unknown =>
  new Copier(root, rules, undefined).copy(value);

/** Rules that leave everything as it is, for copies of which only some kinds matter. */
export const KEEP: CopyRules = {
  onFunction: (fn) => fn,
  onView: (view) => view,
  onError: (error) => error,
  onInstance: () => undefined,
  onOther: (value) => value,
};

/** Copies what `copyData` gave, with marks replaced by what they stand for. Views stay the same objects. */
export const openData = (value: unknown, opening: Opening): unknown => new Copier('', KEEP, opening).copy(value);

export const isMark = (part: object, kind: string, value: unknown): boolean =>
  (part as Partial<Mark>)[MARK] === kind && (part as Mark).value === value;

/** Where in copied data the first object is that `matches`, as errors show a path; undefined if there is none. */
export function pathTo(data: unknown, root: string, matches: (part: object) => boolean): string | undefined {
  const seen = new Set<object>();
  const search = (part: unknown, path: string): string | undefined => {
    if (typeof part !== 'object' || part === null || seen.has(part) || ArrayBuffer.isView(part)) return undefined;
    if (matches(part)) return path;
    seen.add(part);
    for (const [step, child] of stepsOf(part)) {
      const found = search(child, path + step);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(data, root);
}

/** What copied data holds, each with its step of the path; marks are seen through. */
function stepsOf(part: object): [step: string, child: unknown][] {
  if (part instanceof Map) return [...part].map(([key, child]) => [`.get(${shownKey(key)})`, child]);
  if (part instanceof Set) return [...part].map((child) => [' (a member of the Set)', child]);
  const kind = (part as Partial<Mark>)[MARK];
  if (kind === VERBATIM) return stepsOf((part as Mark).value as object);
  if (kind === INSTANCE) return stepsOf(((part as Mark).value as { fields: object }).fields);
  const isArray = Array.isArray(part);
  return Object.entries(part).map(([key, child]) => [shownStep(isArray ? Number(key) : key), child]);
}
