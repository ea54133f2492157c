/**
 * The `context` of an algorithm: what its functions may use beside their arguments; shipped on the thread that calls,
 * opened once a call on each that computes, the caller included.
 *
 * Data is copied, so that no thread sees another's writes to it: the caller's original neither. Writes to the copies would be
 * lost, so they are refused (context-guard.ts), and a plain typed array is. Arrays on shared memory stay shared. Functions
 * travel as source, instances of registered classes with their class.
 */
import { NotShareableError } from '../errors.js';
import { fateOf, freedError, GONE, isShared } from '../memory/shared-array.js';
import { ContextGuard, WAY_OUT } from './context-guard.js';
import { type CopyRules, copyData, isMark, mark, openData, pathTo } from './data-copy.js';
import { type PackedThrown, packError, unpackError } from './error-transport.js';
import { isPlain } from './object-kind.js';
import { compiled, shipFunction } from './shipped-function.js';
import { nameOfClass, newInstance, refusalOf, refusedInstance } from './value-class.js';

/** A context as structured data: typed arrays in it are on shared memory, anything else is plain. */
export interface ShippedContext {
  readonly data: unknown;
  /** Ids of the functions and classes in it: a thread needs them all before it can open the context. */
  readonly codes: readonly number[];
}

const FUNCTION_MARK = 'function';
const ERROR_MARK = 'error';

const READERS = {
  [FUNCTION_MARK]: (code: unknown) => compiled({ code: code as number }),
  [ERROR_MARK]: (packed: unknown) => Object.freeze(unpackError(packed as PackedThrown)),
};

/** What guards the arrays of the contexts that this thread has opened; none for a context without arrays. */
const guards = new WeakMap<ShippedContext, ContextGuard>();

/**
 * Takes a snapshot of a context that can travel.
 *
 * @param context a plain object, or undefined for none
 * @param argument what to call it in an error: 'context'
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
  const codes: number[] = [];
  const rules: CopyRules = {
    onFunction(fn, path) {
      const { code } = shipFunction(fn, path);
      codes.push(code);
      return mark(FUNCTION_MARK, code);
    },
    onView(view, path) {
      if (fateOf(view) === GONE) throw freedError(path());
      if (isShared(view)) return view;
      const type = view.constructor.name;
      throw refused(
        path(),
        `is a ${type} that is not shared: each worker would write to a copy of its own. Make it with ` +
          (type === 'DataView' ? 'a shared buffer' : `sharedArray(${type}, ...)`),
      );
    },
    onError: (error) => mark(ERROR_MARK, packError(error)),
    onInstance(instance, path) {
      const refusal = refusalOf(instance);
      if (refusal !== undefined) throw refusedInstance(path(), refusal);
      const name = nameOfClass(instance);
      codes.push(name.code);
      return name;
    },
    onOther(_value, what, path) {
      throw refused(path(), `is ${what}, which workers cannot be given.${CURE_BY_KIND[what] ?? ''}`);
    },
  };
  return { data: copyData(context, argument, rules), codes };
}

/**
 * The context as this thread's functions get it: a fresh copy at each call, which refuses writes.
 *
 * @throws TaskRegistrationError where the module of a forkable or class in it is not loaded here
 */
export function openContext(ship: ShippedContext): Record<string, unknown> {
  const guard = guards.get(ship) ?? new ContextGuard();
  const opened = openData(ship.data, { readers: READERS, newInstance, finish: guard.protect });
  if (!guard.isEmpty) guards.set(ship, guard);
  return opened as Record<string, unknown>;
}

/**
 * Looks whether functions have written to arrays of a context on this thread. To be called after each piece of work.
 *
 * @param called what errors call the functions
 * @param atOnce looks in any case; otherwise the longer the arrays are, the less often
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
  pathTo(data, 'context', (part) => isMark(part, FUNCTION_MARK, code));

const CURE_BY_KIND: Readonly<Record<string, string>> = {
  'a Promise': ' Await it before the call.',
  'an ArrayBuffer': ' Use sharedArray().',
  'a SharedArrayBuffer': ' Pass a typed array over it.',
};

const refused = (path: string, problem: string): NotShareableError =>
  new NotShareableError(`furcate: ${path} ${problem}${problem.endsWith('.') ? '' : '.'}`, { path });

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return typeof value;
  return `an instance of ${(value as object).constructor?.name || 'a class'}`;
}
