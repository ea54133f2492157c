/**
 * The `context` of an algorithm: the values that its functions may use beside their arguments. The calling thread ships it, and each
 * thread that computes opens it once for each call; the caller does so, too.
 *
 * Data is copied, so no thread sees writes of another thread. Arrays on shared memory stay shared, and a plain typed array is refused.
 * Functions travel as source, instances of registered classes with their class.
 *
 * Writes to the copies would be lost, so they are reported. Plain objects are frozen, and the writing methods of Map, Set and Date throw.
 * Arrays with elements are not frozen, because V8 reads frozen arrays five to seven times slower (a loop over 64 weights: 14 ms, 90
 * frozen). They are compared with their originals between the pieces of work. A RegExp may be written to, because matching changes its
 * `lastIndex`. Views are on shared memory.
 */
import { fateOf, freedError, GONE, isShared } from '../memory/shared-array.js';
import { Copier, type CopyRule, openData } from './data-copy.js';
import { functionMark, isMarkOf } from './data-marks.js';
import { pathTo } from './data-path.js';
import { isPlain, tagOf } from './object-kind.js';
import { Crosses, crossingOf, onlyTransferable } from './platform-objects.js';
import { shipFunction } from './shipped-function.js';
import { notShareable } from './value-class.js';

/** A context as structured data: typed arrays in it are on shared memory, anything else is plain. */
export interface ShippedContext {
  readonly data: unknown;
  /** Ids of the functions and classes in it: a thread needs them all before it can open the context. */
  readonly codes: readonly number[];
}

/** The cure at the end of each error. */
export const WAY_OUT =
  'What is in `context` is a copy that each thread has for itself, so a write to it would be lost. ' +
  'Write to a shared array, sharedArray(Float64Array, n), or return the value.';

/** Elements compared after each piece of work, on average. Longer arrays are compared after several pieces. */
const ELEMENTS_PER_PIECE = 128;
/** Cost of comparing an array, apart from its elements (elements). */
const ARRAY_ELEMENTS = 4;

/** For each class, its writing methods as methods that only throw; not enumerable, so that copies do without. */
const FORBIDDEN: Record<string, PropertyDescriptorMap> = {};
for (const { name: kind, prototype } of [Map, Set, Date]) {
  const methods: PropertyDescriptorMap = {};
  for (const method of Object.getOwnPropertyNames(prototype).filter((name) => /^(set|add|delete|clear)/.test(name))) {
    const value = (): never => {
      throw new TypeError(`furcate: ${method}() of a ${kind} in \`context\`. ${WAY_OUT}`);
    };
    methods[method] = { value };
  }
  FORBIDDEN[kind] = methods;
}

interface WatchedArray {
  readonly array: readonly unknown[];
  /** The elements that it must have: its original, or a copy if the original holds marks. */
  readonly before: readonly unknown[];
  readonly original: object;
}

/** The arrays of one context as one thread has it. */
interface Guard {
  readonly watched: WatchedArray[];
  /** Cost of comparing them all (elements). */
  elements: number;
  /** Elements that may be compared now. */
  credit: number;
}

/** The guards of the contexts that this thread has opened. A context without arrays has none. */
const guards = new WeakMap<ShippedContext, Guard>();

/**
 * Takes a snapshot of a context that can travel.
 *
 * @param context a plain object, or undefined for none
 * @param argument the name of the context in errors: 'context'
 * @throws TypeError when it is not a plain object, or a function in it cannot travel; NotShareableError for a typed array
 *   that is not shared, or a value that is not data; both name the path: `context.xs`
 */
export function shipContext(context: unknown, argument: string): ShippedContext {
  if (context === undefined) return { data: {}, codes: [] };
  if (typeof context !== 'object' || context === null || Array.isArray(context) || !isPlain(context)) {
    throw new TypeError(
      `furcate: ${argument} must be a plain object, { name: value }, that holds what the functions use; it was ${shown(context)}.`,
    );
  }
  const copier = new Copier();
  const kept: object[] = [];
  const rule: CopyRule = (value, what, where) => {
    if (typeof value === 'function') {
      const { code, captured } = shipFunction(value, where);
      if (captured !== undefined) {
        const cure = 'Put the function that it was made of there, and what it captures beside it.';
        throw notShareable(where(), { reason: 'is a kernel, which algorithms take as their function only', cure });
      }
      copier.codes.add(code);
      return functionMark(code);
    }
    const crossing = crossingOf(value);
    if (crossing !== undefined) {
      kept.push(value as object);
      return new Crosses(crossing);
    }
    const transfer = onlyTransferable(value);
    if (transfer !== undefined) {
      const cure =
        'A context goes to all workers: let a value hold it, and name it in what the option transfer returns.';
      throw notShareable(where(), { reason: transfer, cure });
    }
    if (what === 'a SharedArrayBuffer') return value;
    if (!ArrayBuffer.isView(value)) {
      throw notShareable(where(), { reason: `is ${what}, which workers cannot be given`, cure: CURES[what] ?? '' });
    }
    if (fateOf(value) === GONE) throw freedError(where());
    if (isShared(value)) return value;
    const shared = value instanceof DataView ? 'a shared buffer' : `sharedArray(${tagOf(value)}, ...)`;
    throw notShareable(where(), {
      reason: `is ${what} that is not shared: each worker would write to a copy of its own`,
      cure: `Make it with ${shared}.`,
    });
  };
  const ship = { data: copier.copy(context, rule, (path) => argument + path), codes: [...copier.codes] };
  if (kept.length > 0) keptBy.set(ship, kept);
  return ship;
}

/** Objects of the platform that a context names by numbers: not collected as long as the context is needed. */
const keptBy = new WeakMap<ShippedContext, object[]>();

const CURES: Readonly<Record<string, string>> = {
  'a Promise': 'Await it before the call.',
  'an ArrayBuffer': 'Use sharedArray().',
};

/**
 * The context as this thread's functions get it: a fresh copy at each call, which refuses writes.
 *
 * @throws TaskRegistrationError where the module of a forkable or class in it is not loaded here
 */
export function openContext(ship: ShippedContext): Record<string, unknown> {
  const guard = guards.get(ship) ?? { watched: [], elements: 0, credit: 0 };
  const opened = openData(ship.data, { finish: (copy, original) => protect(guard, copy, original) });
  if (guard.watched.length > 0) guards.set(ship, guard);
  return opened as Record<string, unknown>;
}

/** Protects an object of the copy that is complete. */
function protect(guard: Guard, copy: object, original: object): void {
  if (Array.isArray(copy) && copy.length > 0) {
    const hasMarks = difference(copy, original as unknown[]) !== undefined;
    guard.watched.push({ array: copy, before: hasMarks ? copy.slice() : (original as unknown[]), original });
    guard.elements += copy.length + ARRAY_ELEMENTS;
  } else if (!(copy instanceof RegExp)) {
    Object.freeze(Object.defineProperties(copy, FORBIDDEN[tagOf(copy)] ?? {}));
  }
}

/**
 * Checks whether functions have written to arrays of a context on this thread. To be called after each piece of work.
 *
 * @param called the name of the functions in errors
 * @param atOnce checks in any case, unless nothing has run since the last check; otherwise long arrays are checked less often
 * @throws TypeError that names the array
 */
export function checkContext(ship: ShippedContext, called: string, atOnce: boolean): void {
  const guard = guards.get(ship);
  if (guard === undefined) return;
  if (!atOnce) guard.credit -= ELEMENTS_PER_PIECE;
  if (atOnce ? guard.credit === guard.elements : guard.credit > 0) return;
  guard.credit = guard.elements;
  for (const { array, before, original } of guard.watched) {
    const how = difference(array, before);
    if (how === undefined) continue;
    const path = pathTo(ship.data, 'context', (part) => part === original);
    throw new TypeError(`furcate: ${called} wrote to ${path}, which ${how}. ${WAY_OUT}`);
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

/** Path within a context of the function with this code; undefined if the context does not hold it. */
export const pathOfFunction = ({ data }: ShippedContext, code: number): string | undefined =>
  pathTo(data, 'context', (part) => isMarkOf(part, code));

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return typeof value;
  return `an instance of ${(value as object).constructor?.name || 'a class'}`;
}
