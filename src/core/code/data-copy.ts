/**
 * Copies of values that cross threads: fields, arguments, results, contexts, errors; runs on every thread.
 *
 * The platform's `structuredClone` throws at the first function, copies plain typed arrays silently, forgets classes and names no
 * path. A `Copier` copies plain data in the same way. It keeps errors and instances of registered classes, and asks a rule about
 * everything else. It reads a getter once, unless it is an element of an array.
 *
 * Where the copy cannot hold a value itself, it holds a *mark*: a plain object that any serializer carries and that `openData`
 * replaces. A user's object that looks like a mark travels inside a mark, so it is not taken for one.
 */

import type { TypedArray } from '../memory/element-types.js';
import { isHeap, sharedCopy } from '../memory/shared-array.js';
import { type CopyRule, KEEP_DATA, PROXY, unproxied, WHOLE_HEAP } from './copy-rule.js';
import { DROP, hasMore, isNoIndex, setOwn, wholeCopy } from './data-contents.js';
import { BUFFER, ERROR, FUNCTION, INSTANCE, type Mark, mark, PLATFORM, SHARED, VERBATIM } from './data-marks.js';
import { MARK, pathTo } from './data-path.js';
import { ALL, type Detail, MESSAGE } from './error-detail.js';
import {
  completeError,
  describeError,
  type ErrorDescription,
  HIDDEN,
  jsonOf,
  newError,
  read,
  STACKLESS,
  TO_JSON,
} from './error-transport.js';
import { handleName, isError, isInstance, isMap, isPlain, isSet, standsInClass, tagOf } from './object-kind.js';
import { arrived, Crosses, type Crossing } from './platform-objects.js';
import { resolver } from './resolver.js';
import { refusalOfRevoked } from './revoked.js';
import { CONTEXT, contextAt, contextMark } from './task-contexts.js';
import { type ClassName, nameOfClass, newInstance, notShareable, refusalOf } from './value-class.js';

export type { CopyRule };

/**
 * Depth to which objects are copied inside each other before the rest is put off, so that no chain of objects overflows the stack. A level
 * takes less than 1 KB of it.
 */
const MAX_DEPTH = 64;

/** Kinds of contents with which a copy is filled. */
const PROPERTIES = 0;
const ELEMENTS = 1;
const ENTRIES = 2;
const MEMBERS = 3;
type Contents = typeof PROPERTIES | typeof ELEMENTS | typeof ENTRIES | typeof MEMBERS;

type PutOff = [copy: object, original: object, contents: Contents];

/** The walk over a value that both directions share. */
abstract class Walk {
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

/** Makes copies that can leave the thread. Values that one copier copies share what they shared before. */
export class Copier extends Walk {
  /** Numbers of the classes and functions in the copies: a thread needs this code before it opens them. */
  readonly codes = new Set<number>();
  /** Gives what stands for a class in the copies: by default its number in the code table of this process. */
  numberOf = (code: number): number => code;
  /** True if contexts of function tasks stay what they are. In other processes, and in errors, they are data. */
  keepsContexts = true;
  /** True if a copy has a mark for something. If none has, the originals mean the same on every thread. */
  isMarked = false;
  /** True if a copy has any mark, so that it must be opened even where it was made. */
  #hasMarks = false;
  #root: unknown;
  #rule!: CopyRule;
  #name!: (path: string) => string;
  /** Copies errors for this copier. It has a memory of its own, because a rule must see what an error may hold. */
  #errors: Copier | undefined;
  /** True if this copier copies errors and what they hold: it refuses nothing, and leaves out what cannot travel. */
  #isOfErrors = false;
  #detail: Detail = ALL;
  /** Number of errors that the walk is inside of. */
  #depth = 0;

  /**
   * A copy of `value`.
   *
   * @param name what errors call the part at a path; the path of the value itself is ''
   * @throws NotShareableError for an instance of a class that is not registered, and what the rule throws
   */
  copy(value: unknown, rule: CopyRule, name: (path: string) => string): unknown {
    this.#root = value;
    this.#rule = rule;
    this.#name = name;
    try {
      return this.whole(value);
    } catch (error) {
      throw refusalOfRevoked(value, name) ?? error;
    }
  }

  /** Returns what a thread gets for copies that it has made. Views that the rule has kept are the same objects. */
  opened(copies: unknown): unknown {
    return this.isMarked || this.#hasMarks ? openData(copies) : copies;
  }

  /** A copy of what was thrown. What cannot travel is left out of it. */
  thrown(value: unknown, detail: Detail = ALL): unknown {
    this.isMarked = true;
    this.#errors ??= new Copier();
    this.#errors.#isOfErrors = true;
    this.#errors.keepsContexts = false;
    this.#errors.#detail = detail;
    const copier = this.#errors;
    const copy = isError(value) ? copier.#pack(value) : copier.#tryPack(value);
    if (copy !== DROP) return copy;
    const what = typeof value === 'object' ? 'a value' : `a ${typeof value}`;
    return copier.#pack(new TypeError(`furcate: a task threw ${what} that cannot leave its worker; throw an Error.`));
  }

  protected plain(value: object): unknown {
    const context = this.keepsContexts ? contextMark(value, this.codes) : undefined;
    if (context === undefined)
      return Object.hasOwn(value, MARK) ? this.#marked(value, VERBATIM, undefined) : this.properties(value);
    this.isMarked = true;
    return this.remember(value, context);
  }

  protected other(value: unknown): unknown {
    const what = handleName(value);
    if (what !== undefined) {
      const kept = this.#rule(value, what, () => this.#placeOf(value));
      const instead = kept === value && what === 'a SharedArrayBuffer' ? this.#buffer(kept as SharedArrayBuffer) : kept;
      if (instead instanceof Crosses) {
        this.isMarked = true;
        return this.remember(value as object, mark(PLATFORM, instead.crossing, {}));
      }
      return typeof value === 'object' ? this.remember(value as object, instead) : instead;
    }
    const object = value as object;
    if (isError(object)) return this.#isOfErrors ? this.#error(object) : this.remember(object, this.thrown(object));
    const raw = unproxied(object);
    if (raw !== object && !this.#isOfErrors) {
      if (raw === undefined) throw notShareable(this.#placeOf(object), PROXY);
      return this.remember(object, this.walk(raw));
    }
    if (!isInstance(object)) return this.data(object);
    const refusal = refusalOf(object);
    if (refusal !== undefined && this.#isOfErrors) return this.data(object);
    if (refusal !== undefined) throw notShareable(this.#placeOf(object), refusal);
    const name = nameOfClass(object);
    this.codes.add(name.code);
    return this.#marked(object, INSTANCE, { ...name, code: this.numberOf(name.code) });
  }

  #pack(thrown: unknown): unknown {
    return this.copy(thrown, KEEP_DATA, String);
  }

  /** As `#pack`; `DROP` for what cannot be copied, such as an object with a getter that throws. */
  #tryPack(value: unknown): unknown {
    try {
      return this.#pack(value);
    } catch {
      return DROP;
    }
  }

  #error(error: object): unknown {
    if (this.#depth === MAX_ERROR_DEPTH) return DROP;
    const hasMore = this.#detail !== MESSAGE;
    const shown = hasMore ? Object.keys(error).filter((key) => key !== 'stack') : [];
    const hidden = HIDDEN.filter((key) => hasMore && Object.hasOwn(error, key) && !shown.includes(key));
    const described = { ...describeError(error), hidden };
    if (this.#detail !== ALL) described.stack = STACKLESS;
    const found = this.remember(error, mark(ERROR, described, {}));
    this.#depth++;
    for (const key of [...hidden, ...shown]) {
      const property = this.#tryPack(read(error, key));
      if (property !== DROP) setOwn(found.fields, key, property);
    }
    const json = hasMore && described.registered === undefined ? this.#tryPack(jsonOf(error)) : undefined;
    if (json !== undefined && json !== DROP) {
      setOwn(found.fields, TO_JSON, json);
      hidden.push(TO_JSON);
    }
    this.#depth--;
    return found;
  }

  #marked(value: object, kind: string, of: unknown): object {
    if (kind !== VERBATIM) this.isMarked = true;
    this.#hasMarks = true;
    const found = this.remember(value, mark(kind, of, {}));
    this.filled(found.fields, value);
    return found;
  }

  #buffer(buffer: SharedArrayBuffer): Mark {
    const view = new Uint8Array(buffer);
    if (isHeap(view)) throw notShareable(this.#placeOf(buffer), WHOLE_HEAP);
    this.isMarked = true;
    return mark(BUFFER, view, {});
  }

  /** The path is searched for only when an error needs it: keeping it at each step would slow every copy. */
  #placeOf(value: unknown): string {
    return this.#name(pathTo(this.#root, '', (part) => part === value) ?? '');
  }
}

/** Greatest depth of a cause or property, in errors; what is deeper is left out, because serializers recurse. */
const MAX_ERROR_DEPTH = 100;

/** Puts back what the marks of a copy stand for. Views stay the same objects. */
class Opener extends Walk {
  /** Number of errors that the walk is inside of. */
  #errors = 0;
  #codeOf!: (id: number) => number;

  open(value: unknown, { finish, codeOf = (id) => id }: Opening): unknown {
    this.finish = finish;
    this.#codeOf = codeOf;
    return this.whole(value);
  }

  protected plain(value: object): unknown {
    if (!Object.hasOwn(value, MARK)) return this.properties(value);
    const { [MARK]: kind, value: of, fields } = value as Mark;
    if (kind === BUFFER) return (of as Uint8Array).buffer;
    if (kind === CONTEXT) return contextAt(of as Uint8Array, openData);
    if (kind === FUNCTION) return resolver().valueOf(this.#codeOf(of as number));
    if (kind === PLATFORM) return this.remember(value, arrived(of as Crossing));
    if (kind === SHARED) return this.remember(value, sharedCopy(of as TypedArray));
    if (kind === ERROR) return this.#error(value as Mark, of as ErrorDescription);
    const made = kind === INSTANCE ? this.#newInstance(of as ClassName) : {};
    return this.filled(this.remember(value, made), fields);
  }

  protected other(value: unknown): unknown {
    return handleName(value) === undefined ? this.data(value as object) : value;
  }

  #error(found: Mark, description: ErrorDescription): Error {
    const error = this.remember(found, newError(description));
    this.#errors++;
    for (const [key, property] of Object.entries(found.fields)) {
      if (standsInClass(Object.getPrototypeOf(error), key)) continue;
      const copy = this.whole(property); // nothing is put off beyond the error
      setOwn(error, key, key === TO_JSON && description.hidden.includes(TO_JSON) ? () => copy : copy);
    }
    this.#errors--;
    completeError(error, description);
    return this.finished(error, found.fields);
  }

  /** Inside an error, an instance whose class is not loaded is a plain object: a property is not worth losing the error. */
  #newInstance(name: ClassName): object {
    try {
      return newInstance({ ...name, code: this.#codeOf(name.code) });
    } catch (error) {
      if (this.#errors === 0) throw error;
      return {};
    }
  }
}

/** Callbacks for opening a copy. */
interface Opening {
  /** Called for each object once it has all its properties, elements or entries, with what it is a copy of. */
  readonly finish?: (copy: object, original: object) => void;
  /** The number in this process's code table of code that a copy from another process names by `id`. */
  readonly codeOf?: (id: number) => number;
}

/**
 * Returns the value that a copy stands for.
 *
 * @throws TaskRegistrationError where the module of a function or class in it is not loaded on this thread
 */
export const openData = (value: unknown, opening: Opening = {}): unknown => new Opener().open(value, opening);

/** A copy of anything thrown, for `openData`. */
export const packError = (thrown: unknown): unknown => new Copier().thrown(thrown);
