/**
 * Inline functions of algorithms on their way to the workers: text there, compiled again everywhere; runs on the thread
 * that calls, and on all that compute.
 *
 * The caller runs the compiled form too, never the function it was given: what was captured by accident is missing at
 * ten elements as at ten million. A forkable travels by its registration instead, and needs no compiling.
 */
import { compileSource } from './compile.js';
import { CURES, sourceOf } from './function-source.js';
import { type AnyFunction, forkableOf, isBuiltin } from './registry.js';
import { resolver } from './resolver.js';

/** A function as plain data: its id in the code table. */
export interface ShippedFunction {
  readonly code: number;
}

/** Sources seen by this realm, as the engine shows them: the checks run once for each. Bounded as the table is. */
let shipped = new Map<string, ShippedFunction>();
let shippedBy: unknown;

/**
 * Makes a function ready to travel.
 *
 * @param fn a forkable, or an inline function, which is compiled here at once
 * @param argument what to call it in an error: "parallelMap's fn"; a function gives the text when it is needed
 * @throws TypeError when it is no function, or cannot travel: the message names the argument, the reason and the cures;
 *   EvalError where compiling is forbidden; RangeError when the code table is full
 */
export function shipFunction(fn: unknown, argument: string | (() => string)): ShippedFunction {
  const codes = resolver();
  if (shippedBy !== codes) {
    shipped = new Map();
    shippedBy = codes;
  }
  const registered = forkableOf(fn);
  if (registered !== undefined) return { code: codes.table.idOfRegistration(registered) };
  const text = typeof fn === 'function' ? Function.prototype.toString.call(fn) : '';
  const known = shipped.get(text);
  if (known !== undefined) return known;
  const called = typeof argument === 'string' ? argument : argument();
  const ship = { code: codes.adoptSource(...compile(sourceOf(fn, called), called)) };
  shipped.set(text, ship);
  return ship;
}

/** Compiled before the table hears of it: an entry that no thread can compile would stay for ever. */
function compile(source: string, argument: string): [source: string, value: AnyFunction] {
  try {
    return [source, compileSource(source)];
  } catch (error) {
    if ((error as Error).name !== 'SyntaxError') throw error;
    throw new TypeError(
      `furcate: ${argument} cannot travel to the workers: in strict mode it does not compile (${(error as Error).message}). ${CURES}`,
      { cause: error },
    );
  }
}

/** Whether it is a forkable of the user's: only those can fork, since an inline function has `fork` from nowhere. */
export function isForkable({ code }: ShippedFunction): boolean {
  const { kind, url } = resolver().table.entry(code);
  return kind === 'function' && !isBuiltin(url);
}

/**
 * The function to call on this thread: the same object for the same source.
 *
 * @throws TaskRegistrationError where its module is not loaded here
 */
export function compiled(ship: ShippedFunction): AnyFunction {
  return resolver().valueOf(ship.code) as AnyFunction;
}
