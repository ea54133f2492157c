/** The walk over a value that makes a copy of it: for copies that leave a thread, and for what is opened from them; runs on every thread. */
import { isMap, isPlain, isSet, tagOf } from './object-kind.js';

/** A rule's answer: leave the property, element or entry out. */
export const DROP: unique symbol = Symbol('furcate.drop');

/** Sets a property as data, although the prototype may have a setter of that name, as it has for `__proto__`. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key in target) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else (target as Record<string, unknown>)[key] = value;
}

/**
 * Whether an array has more than its elements, as the result of a regular expression has its `index`. Engines count values several times
 * faster than they name keys.
 *
 * @param holes how many of its elements are not there
 */
export const hasMore = (array: readonly unknown[], holes: number): boolean =>
  array.length <= LONG_ARRAY && Object.values(array).length !== array.length - holes;

/** Whether a key is not that of an element. */
const isNoIndex = (key: string): boolean => String(Number(key) >>> 0) !== key || Number(key) === 2 ** 32 - 1;

/** A copy of an object that holds no other objects; undefined for any other object. */
function wholeCopy(value: object): object | undefined {
  const tag = tagOf(value);
  if (tag === 'Date') return new Date((value as Date).getTime());
  if (tag === 'RegExp') return new RegExp((value as RegExp).source, (value as RegExp).flags);
  return ['Number', 'String', 'Boolean', 'BigInt'].includes(tag) ? Object(value.valueOf()) : undefined;
}

/**
 * How deep objects are copied inside each other before the rest is put off, so that no chain of objects overflows the stack. A level takes
 * less than 1 KB of it.
 */
const MAX_DEPTH = 64;

/** What a longer array has besides its elements is left out: to look for it takes longer the longer the array is. So does the portable codec. */
export const LONG_ARRAY = 4096;

/** What a copy is filled with. */
const PROPERTIES = 0;
const ELEMENTS = 1;
const ENTRIES = 2;
const MEMBERS = 3;
type Contents = typeof PROPERTIES | typeof ELEMENTS | typeof ENTRIES | typeof MEMBERS;

type PutOff = [copy: object, original: object, contents: Contents];

/** The walk over a value that both directions share. */
export abstract class Walk {
  readonly #copies = new Map<object, unknown>();
  #depth = 0;
  /** Copies that are not filled yet, because they are too deep in the value, each with its original. */
  #later: PutOff[] | undefined;
  /** Called for each object of the copy once it has all its properties, elements or entries. */
  protected finish: ((copy: object, original: object) => void) | undefined;

  /** Copies a plain object, of whatever realm. */
  protected abstract plain(value: object): unknown;
  /** Copies a value that is neither a plain object nor an array of this realm. */
  protected abstract other(value: unknown): unknown;

  protected walk(value: unknown): unknown {
    if (typeof value === 'function' || typeof value === 'symbol') return this.other(value);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#copies.has(value)) return this.#copies.get(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype && Array.isArray(value)) return this.data(value); // most are one of the two
    if (isPlain(value) && tagOf(value) === 'Object') return this.plain(value);
    return this.other(value);
  }

  /** Copies a value to its end, and fills what was put off meanwhile. */
  protected whole(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return this.walk(value);
    const [depth, outer] = [this.#depth, this.#later];
    this.#later = undefined;
    try {
      const copy = this.walk(value);
      if (this.#later !== undefined) this.#fillAll(this.#later);
      return copy;
    } finally {
      this.#depth = depth;
      this.#later = outer;
    }
  }

  #fillAll(later: readonly PutOff[]): void {
    for (const [copy, original, contents] of later) this.#fill(copy, original, contents); // these may put off others
  }

  protected finished<T extends object>(copy: T, original: object): T {
    this.finish?.(copy, original);
    return copy;
  }

  /** To be called before an object's children are copied, because they may lead back to it. */
  protected remember<T>(value: object, copy: T): T {
    this.#copies.set(value, copy);
    return copy;
  }

  /** Copies an object as data. The copy has no class but one of the language's. */
  protected data(value: object): object {
    if (Array.isArray(value)) return this.filled(this.remember(value, new Array(value.length)), value, ELEMENTS);
    if (isMap(value)) return this.filled(this.remember(value, new Map()), value, ENTRIES);
    if (isSet(value)) return this.filled(this.remember(value, new Set()), value, MEMBERS);
    const whole = wholeCopy(value);
    return whole === undefined ? this.properties(value) : this.finished(this.remember(value, whole), value);
  }

  protected properties(value: object): object {
    return this.filled(this.remember(value, {}), value);
  }

  /** Fills a copy with what `original` has: now, or later if it is too deep in the value. */
  protected filled<T extends object>(copy: T, original: object, contents: Contents = PROPERTIES): T {
    if (this.#depth === MAX_DEPTH) {
      this.#later ??= [];
      this.#later.push([copy, original, contents]);
      return copy;
    }
    this.#depth++;
    this.#fill(copy, original, contents);
    this.#depth--;
    return copy;
  }

  #fill(copy: object, original: object, contents: Contents): void {
    if (contents === PROPERTIES) this.fill(copy, original, Object.keys(original));
    else if (contents === ELEMENTS) this.#fillArray(copy as unknown[], original as unknown[]);
    else if (contents === ENTRIES) this.#fillMap(copy as Map<unknown, unknown>, original as Map<unknown, unknown>);
    else this.#fillSet(copy as Set<unknown>, original as Set<unknown>);
    this.finish?.(copy, original);
  }

  #fillArray(copy: unknown[], original: readonly unknown[]): void {
    let holes = 0;
    for (let i = 0; i < original.length; i++) {
      if (!(i in original)) {
        holes++;
        continue;
      }
      const element = this.walk(original[i]);
      copy[i] = element === DROP ? undefined : element;
    }
    if (hasMore(original, holes)) this.fill(copy, original, Object.keys(original).filter(isNoIndex));
  }

  #fillMap(copy: Map<unknown, unknown>, original: ReadonlyMap<unknown, unknown>): void {
    for (const entry of original) {
      const [key, element] = entry.map((part) => this.walk(part));
      if (key !== DROP && element !== DROP) copy.set(key, element);
    }
  }

  #fillSet(copy: Set<unknown>, original: ReadonlySet<unknown>): void {
    for (const part of original) {
      const element = this.walk(part);
      if (element !== DROP) copy.add(element);
    }
  }

  /** Copies properties of `original`. */
  protected fill(copy: object, original: object, keys: readonly string[]): void {
    for (const key of keys) {
      const property = this.walk((original as Record<string, unknown>)[key]);
      if (property !== DROP) setOwn(copy, key, property);
    }
  }
}
