/**
 * Finds what in a value cannot be given to another worker, before it is serialised; runs on the thread that encodes.
 *
 * The runtime's serializer silently copies plain typed arrays and forgets classes. Fields and arguments of a task may hold
 * neither; its result may hold copies of arrays. Instances of registered classes are noted, because they need another form.
 */
import { handleName, isError, isInstance, isOnSharedMemory } from '../code/object-kind.js';
import { classCodeOf, type Refusal, refusalOf } from '../code/value-class.js';

export interface Unshareable extends Refusal {
  /** Where in the value it was found; '' for the value itself. */
  readonly path: string;
}

const CURE = 'Use sharedArray() for data, and registered tasks or forkable() for code.';

export class ShareCheck {
  /** Numbers of the classes whose instances were found. */
  readonly classes = new Set<number>();
  #seen = new Set<object>();

  /** The first thing in a field or argument that cannot be shared. */
  inField(value: unknown): Unshareable | undefined {
    this.#seen = new Set();
    return this.#find(value, '', true);
  }

  /** The first thing in a result that would arrive as something else. The serializer refuses what it cannot copy. */
  inResult(value: unknown): Unshareable | undefined {
    this.#seen = new Set();
    return this.#find(value, '', false);
  }

  #find(value: unknown, path: string, isField: boolean): Unshareable | undefined {
    if (typeof value !== 'object' || value === null) {
      const kind = typeof value;
      if (!isField || (kind !== 'function' && kind !== 'symbol')) return undefined;
      return refused(path, `is a ${kind}`);
    }
    if (this.#seen.has(value)) return undefined;
    this.#seen.add(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype && Array.isArray(value)) return this.#children(value, 'Array', path, isField);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (prototype !== Object.prototype || kind !== 'Object') {
      const found = this.#classed(value, kind, path, isField);
      if (found !== undefined || ArrayBuffer.isView(value)) return found;
    }
    return this.#children(value, kind, path, isField);
  }

  /** What is wrong with an object that is not a plain one. */
  #classed(value: object, kind: string, path: string, isField: boolean): Unshareable | undefined {
    if (ArrayBuffer.isView(value)) {
      if (!isField || isOnSharedMemory(value)) return undefined;
      return refused(path, `is a ${value.constructor.name} on unshared memory`);
    }
    if (kind === 'SharedArrayBuffer') return undefined;
    const handle = handleName(kind);
    if (handle !== undefined) return isField || kind !== 'ArrayBuffer' ? refused(path, `is ${handle}`) : undefined;
    if (Symbol.for('furcate.task') in value) return refused(path, 'is a task');
    if (isError(value) || !isInstance(value)) return undefined;
    const refusal = refusalOf(value);
    if (refusal !== undefined) return { path, ...refusal };
    this.classes.add(classCodeOf(value));
    return undefined;
  }

  #children(value: object, kind: string, path: string, isField: boolean): Unshareable | undefined {
    const children: Iterable<[unknown, unknown]> =
      kind === 'Map'
        ? (value as Map<unknown, unknown>)
        : kind === 'Set'
          ? (value as Set<unknown>).entries()
          : Object.entries(value);
    for (const [key, child] of children) {
      const inKey = kind === 'Map' ? this.#find(key, `a key of ${path}`, isField) : undefined;
      if (inKey !== undefined) return inKey;
      if (typeof child !== 'object' && typeof child !== 'function' && typeof child !== 'symbol') continue;
      const found = this.#find(child, placeOf(key, value, kind, path), isField);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const refused = (path: string, what: string): Unshareable => ({
  path,
  reason: `${what}, which other workers cannot share`,
  cure: CURE,
});

/** The place of a child. The key of a Map may be anything, even an object that cannot be converted to a string. */
function placeOf(key: unknown, holder: object, kind: string, path: string): string {
  if (kind === 'Set') return `an element of ${path}`;
  if (Array.isArray(holder)) return `${path}[${key}]`;
  return typeof key === 'object' && key !== null ? `${path}, under a key that is an object` : `${path}.${String(key)}`;
}
