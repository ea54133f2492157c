/**
 * Copies of structured data with a say in what is not data: functions, views, errors; runs on every thread.
 *
 * The platform's `structuredClone` throws at the first function, copies plain typed arrays in silence and names no path.
 * This one walks what it accepts (plain objects and arrays, Map, Set, Date, RegExp, bigint, boxed primitives, cycles;
 * of other objects the own enumerable properties, as the platform does) and asks its rules about the rest. Getters are
 * read once.
 *
 * What stands for something else in the copy is a *mark*, `{ 'furcate:mark': kind, value }`, plain data that any
 * serializer carries. An object of the user's that looks like one is wrapped in a mark itself, so none is mistaken.
 */

const MARK = 'furcate:mark';
/** Around an object of the user's that has the key itself. */
const VERBATIM = 'verbatim';

/** A rule's answer: leave the property, element or entry out. */
export const DROP: unique symbol = Symbol('furcate.drop');

export interface CopyRules {
  /** Functions and classes. */
  onFunction(fn: object, path: () => string): unknown;
  /** Typed arrays and DataViews. */
  onView(view: ArrayBufferView, path: () => string): unknown;
  /** Errors of any class and realm. */
  onError(error: object, path: () => string): unknown;
  /** What has no data: symbols, promises, weak collections, buffers, handles of the platform. `what` names it. */
  onOther(value: unknown, what: string, path: () => string): unknown;
}

/** What a mark of a kind stands for; kinds that are not there are left as they are. */
export type MarkReaders = Readonly<Record<string, (value: unknown) => unknown>>;

interface Mark {
  readonly [MARK]: string;
  readonly value: unknown;
}

export const mark = (kind: string, value: unknown): object => ({ [MARK]: kind, value }) satisfies Mark;

/** Objects whose meaning is not in their properties. */
const NOT_DATA = new Set(
  (
    'Promise WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer Generator AsyncGenerator ' +
    'MessagePort MessageChannel BroadcastChannel Worker Blob File FileList URL URLSearchParams Headers Request Response ' +
    'ReadableStream WritableStream TransformStream AbortSignal AbortController CryptoKey ImageData ImageBitmap ' +
    'OffscreenCanvas EventTarget Window global WebAssembly.Memory WebAssembly.Module WebAssembly.Instance ' +
    'WebAssembly.Table WebAssembly.Global Intl.Collator Intl.NumberFormat Intl.DateTimeFormat'
  ).split(' '),
);

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

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

/** Is it an object of no class, in any realm? */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Is the view on memory that threads share? */
export const isOnSharedMemory = (view: ArrayBufferView): boolean => tagOf(view.buffer) === 'SharedArrayBuffer';

/** Errors of any realm, and what only inherits from one. */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const tag = tagOf(value);
  return tag === 'Error' || tag === 'DOMException' || (tag === 'Object' && inheritsFromError(value));
}

function inheritsFromError(value: object): boolean {
  if (isPlain(value)) return false;
  for (
    let p: unknown = Object.getPrototypeOf(value);
    typeof p === 'object' && p !== null;
    p = Object.getPrototypeOf(p)
  ) {
    if (
      tagOf(p) === 'Error' ||
      (Object.hasOwn(p, 'constructor') && (p.constructor as { name?: unknown }).name === 'Error')
    ) {
      return true;
    }
  }
  return false;
}

/** Sets a property as data, `__proto__` too. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else (target as Record<string, unknown>)[key] = value;
}

class Copier {
  readonly #rules: CopyRules;
  readonly #readers: MarkReaders | undefined;
  readonly #copies = new Map<object, unknown>();
  /** An element's index, a property's name, or a step as it is shown. */
  readonly #path: (number | string | { readonly shown: string })[];

  constructor(root: string, rules: CopyRules, readers: MarkReaders | undefined) {
    this.#path = [{ shown: root }];
    this.#rules = rules;
    this.#readers = readers;
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
    if (Array.isArray(value)) return this.#array(value);
    if (ArrayBuffer.isView(value)) return this.#remember(value, this.#rules.onView(value, this.#where));
    const tag = tagOf(value);
    switch (tag) {
      case 'Object':
        if (inheritsFromError(value)) break;
        return this.#plain(value);
      case 'Date':
        return this.#remember(value, new Date((value as Date).getTime()));
      case 'RegExp':
        return this.#remember(value, new RegExp((value as RegExp).source, (value as RegExp).flags));
      case 'Map':
        if (hasSlot(value, mapSize)) return this.#map(value as Map<unknown, unknown>);
        return this.#plain(value);
      case 'Set':
        if (hasSlot(value, setSize)) return this.#set(value as Set<unknown>);
        return this.#plain(value);
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt':
        return this.#remember(value, Object(value.valueOf()));
    }
    if (isError(value)) return this.#remember(value, this.#rules.onError(value, this.#where));
    if (NOT_DATA.has(tag) || / Iterator$/.test(tag)) {
      return this.#remember(
        value,
        this.#rules.onOther(value, /^[AEIOU]/.test(tag) ? `an ${tag}` : `a ${tag}`, this.#where),
      );
    }
    return this.#plain(value);
  }

  #remember(value: object, copy: unknown): unknown {
    this.#copies.set(value, copy);
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
    return copy;
  }

  #map(value: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const copy = new Map<unknown, unknown>();
    this.#copies.set(value, copy);
    for (const [key, element] of value) {
      const shown =
        typeof key === 'string' ? JSON.stringify(key) : typeof key === 'object' ? '(an object)' : String(key);
      const keyCopy = this.#at({ shown: ` (key ${shown} of the Map)` }, key);
      const elementCopy = this.#at({ shown: `.get(${shown})` }, element);
      if (keyCopy !== DROP && elementCopy !== DROP) copy.set(keyCopy, elementCopy);
    }
    return copy;
  }

  #set(value: ReadonlySet<unknown>): Set<unknown> {
    const copy = new Set<unknown>();
    this.#copies.set(value, copy);
    for (const element of value) {
      const elementCopy = this.#at({ shown: ' (a member of the Set)' }, element);
      if (elementCopy !== DROP) copy.add(elementCopy);
    }
    return copy;
  }

  #plain(value: object): unknown {
    if (!Object.hasOwn(value, MARK)) return this.#properties(value, value);
    const reader = this.#readers?.[(value as Mark)[MARK]];
    if (reader !== undefined) return this.#remember(value, reader((value as Mark).value));
    if (this.#readers === undefined) {
      const inner: { value?: unknown } & Record<string, unknown> = { [MARK]: VERBATIM };
      this.#copies.set(value, inner);
      inner.value = this.#properties(value, {});
      return inner;
    }
    return (value as Mark)[MARK] === VERBATIM
      ? this.#properties((value as Mark).value as object, value)
      : this.#properties(value, value);
  }

  /** Copies the own enumerable properties; the copy stands for `original` wherever that is met again. */
  #properties(value: object, original: object): object {
    const copy: object = {};
    this.#copies.set(original, copy);
    for (const key of Object.keys(value)) {
      const property = this.#at(key, (value as Record<string, unknown>)[key]);
      if (property !== DROP) setOwn(copy, key, property);
    }
    return copy;
  }

  #at(step: number | string | { readonly shown: string }, value: unknown): unknown {
    this.#path.push(step);
    const copy = this.copy(value);
    this.#path.pop();
    return copy;
  }
}

function shownStep(step: number | string | { readonly shown: string }): string {
  if (typeof step === 'object') return step.shown;
  if (typeof step === 'number') return `[${step}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** Copies `value`, with marks where the rules put them. `root` is what its path begins with in errors. */
export const copyData = (value: unknown, root: string, rules: CopyRules): unknown =>
  new Copier(root, rules, undefined).copy(value);

const KEEP: CopyRules = {
  onFunction: (fn) => fn,
  onView: (view) => view,
  onError: (error) => error,
  onOther: (value) => value,
};

/** Copies what `copyData` gave, with marks replaced by what they stand for. Views stay the same objects. */
export const openData = (value: unknown, readers: MarkReaders): unknown => new Copier('', KEEP, readers).copy(value);
