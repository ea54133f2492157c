/**
 * The `context` of an algorithm: the values that its functions may use beside their arguments. The calling thread ships it, and each
 * thread that computes opens it once for each call; the caller does so, too.
 *
 * Data is copied, so no thread sees writes of another thread. Writes to the copies would be lost, so they are refused
 * (context-guard.ts), and so is a plain typed array. Arrays on shared memory stay shared. Functions travel as source, instances of
 * registered classes with their class.
 */
import { fateOf, freedError, GONE, isShared } from '../memory/shared-array.js';
import { ContextGuard, WAY_OUT } from './context-guard.js';
import { Copier, type CopyRule, functionMark, isMarkOf, openData, pathTo } from './data-copy.js';
import { isPlain, tagOf } from './object-kind.js';
import { shipFunction } from './shipped-function.js';
import { notShareable } from './value-class.js';

/** A context as structured data: typed arrays in it are on shared memory, anything else is plain. */
export interface ShippedContext {
  readonly data: unknown;
  /** Ids of the functions and classes in it: a thread needs them all before it can open the context. */
  readonly codes: readonly number[];
}

/** The guards of the contexts that this thread has opened. A context without arrays has none. */
const guards = new WeakMap<ShippedContext, ContextGuard>();

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
  const rule: CopyRule = (value, what, where) => {
    if (typeof value === 'function') {
      const { code } = shipFunction(value, where);
      copier.codes.add(code);
      return functionMark(code);
    }
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
  return { data: copier.copy(context, rule, (path) => argument + path), codes: [...copier.codes] };
}

const CURES: Readonly<Record<string, string>> = {
  'a Promise': 'Await it before the call.',
  'an ArrayBuffer': 'Use sharedArray().',
  'a SharedArrayBuffer': 'Pass a typed array over it.',
};

/**
 * The context as this thread's functions get it: a fresh copy at each call, which refuses writes.
 *
 * @throws TaskRegistrationError where the module of a forkable or class in it is not loaded here
 */
export function openContext(ship: ShippedContext): Record<string, unknown> {
  const guard = guards.get(ship) ?? new ContextGuard();
  const opened = openData(ship.data, guard.protect);
  if (!guard.isEmpty) guards.set(ship, guard);
  return opened as Record<string, unknown>;
}

/**
 * Checks whether functions have written to arrays of a context on this thread. To be called after each piece of work.
 *
 * @param called the name of the functions in errors
 * @param atOnce checks in any case; otherwise long arrays are checked less often
 * @throws TypeError that names the array
 */
export function checkContext(ship: ShippedContext, called: string, atOnce: boolean): void {
  const changed = guards.get(ship)?.changed(atOnce);
  if (changed === undefined) return;
  const [original, how] = changed;
  const path = pathTo(ship.data, 'context', (part) => part === original);
  throw new TypeError(`furcate: ${called} wrote to ${path}, which ${how}. ${WAY_OUT}`);
}

/** Where in a context the function with this code is; undefined if it is not. */
export const pathOfFunction = ({ data }: ShippedContext, code: number): string | undefined =>
  pathTo(data, 'context', (part) => isMarkOf(part, code));

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return typeof value;
  return `an instance of ${(value as object).constructor?.name || 'a class'}`;
}
