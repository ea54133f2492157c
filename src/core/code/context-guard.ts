/**
 * Reports writes to a context, which would be lost silently; runs on every thread that computes.
 *
 * A thread's context is a copy, so no other thread sees what a function writes to it. Plain objects are frozen, and the writing
 * methods of Map, Set and Date throw. Arrays with elements are not frozen, because V8 reads frozen arrays five to seven times slower (a
 * loop over 64 weights: 14 ms, 90 frozen). They are compared with their originals between the pieces of work. A RegExp may be
 * written to, because matching changes its `lastIndex`. Views are on shared memory.
 */
import { tagOf } from './object-kind.js';

/** The cure at the end of each error. */
export const WAY_OUT =
  'What is in `context` is a copy that each thread has for itself, so a write to it would be lost. ' +
  'Write to a shared array, sharedArray(Float64Array, n), or return the value.';

/** Elements compared after each piece of work, on average. Longer arrays are compared after several pieces. */
const ELEMENTS_PER_PIECE = 128;
/** Cost of comparing an array, apart from its elements (elements). */
const ARRAY_ELEMENTS = 4;

/** The writing methods of a class as methods that only throw; not enumerable, so that copies do without. */
const forbid = (kind: string, methods: readonly string[]): PropertyDescriptorMap =>
  Object.fromEntries(
    methods.map((method) => {
      const value = (): never => {
        throw new TypeError(`furcate: ${method}() of a ${kind} in \`context\`. ${WAY_OUT}`);
      };
      return [method, { value }];
    }),
  );

const FORBIDDEN: Readonly<Record<string, PropertyDescriptorMap>> = {
  Map: forbid('Map', ['set', 'delete', 'clear']),
  Set: forbid('Set', ['add', 'delete', 'clear']),
  Date: forbid(
    'Date',
    Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set')),
  ),
};

interface Watched {
  readonly array: readonly unknown[];
  /** The elements that it must have: its original, or a copy if the original holds marks. */
  readonly before: readonly unknown[];
  readonly original: object;
}

/** The arrays of one context as one thread has it. */
export class ContextGuard {
  readonly #watched: Watched[] = [];
  #elements = 0;
  /** Elements that may be compared now. */
  #credit = 0;

  /** Protects an object of the copy that is complete. */
  readonly protect = (copy: object, original: object): void => {
    if (Array.isArray(copy) && copy.length > 0) this.#watch(copy, original as unknown[]);
    else if (!(copy instanceof RegExp)) Object.freeze(Object.defineProperties(copy, FORBIDDEN[tagOf(copy)] ?? {}));
  };

  get isEmpty(): boolean {
    return this.#watched.length === 0;
  }

  /**
   * Checks whether an array was written to, if enough pieces of work have run since the last check.
   *
   * @param atOnce checks in any case, unless nothing has run since the last check
   * @returns the original of an array that has changed, and how; undefined if no change was found
   */
  changed(atOnce: boolean): readonly [original: object, how: string] | undefined {
    if (!atOnce) this.#credit -= ELEMENTS_PER_PIECE;
    if (atOnce ? this.#credit === this.#elements : this.#credit > 0) return undefined;
    this.#credit = this.#elements;
    for (const { array, before, original } of this.#watched) {
      const how = difference(array, before);
      if (how !== undefined) return [original, how];
    }
    return undefined;
  }

  #watch(array: unknown[], original: unknown[]): void {
    const before = difference(array, original) === undefined ? original : array.slice();
    this.#watched.push({ array, before, original });
    this.#elements += array.length + ARRAY_ELEMENTS;
  }
}

function difference(array: readonly unknown[], before: readonly unknown[]): string | undefined {
  const { length } = before;
  if (array.length !== length) return `had length ${length} and has ${array.length}`;
  for (let i = 0; i < length; i++) {
    const now = array[i];
    const then = before[i];
    if (now !== then && !(Number.isNaN(now) && Number.isNaN(then))) return `has another element ${i}`;
  }
  return undefined;
}
