/**
 * Inline functions of algorithms: they travel as text, and every thread compiles the text; runs on the thread that calls, and on all
 * that compute.
 *
 * The caller runs the compiled function too, and not the one that it was given. So an accidentally captured variable is an error for ten
 * elements as for ten million. A forkable travels by its registration and is not compiled.
 */
import { refuseRevoked } from '../errors.js';
import { compileSource } from './compile.js';
import { CURES, sourceOf } from './function-source.js';
import { type AnyFunction, asyncForkableOf, forkableOf, isBuiltin, WITH_CONTEXT } from './registry.js';
import { resolver, type ShippedFunction } from './resolver.js';

export type { ShippedFunction };

/** The kernels of this thread (kernel.ts), ready to travel. */
export const kernels = new WeakMap<object, (argument: string) => ShippedFunction>();

/**
 * Makes a function ready to travel.
 *
 * @param fn a forkable, or an inline function, which is compiled here at once
 * @param argument the name of the function in errors: "parallelMap's fn"; or a function that returns this name
 * @param mayAwait whether it may be an async function
 * @param mayYield whether it may be a generator function
 * @throws TypeError when it is no function, or cannot travel: the message names the argument, the reason and the cures;
 *   EvalError where compiling is forbidden; RangeError when the code table is full
 */
export function shipFunction(
  fn: unknown,
  argument: string | (() => string),
  { mayAwait = false, mayYield = false } = {},
): ShippedFunction {
  refuseRevoked(fn, typeof argument === 'string' ? argument : 'the function');
  const codes = resolver();
  const registered = forkableOf(fn) ?? (mayAwait ? asyncForkableOf(fn) : undefined);
  if (registered !== undefined) return { code: codes.table.idOfRegistration(registered) };
  if (typeof fn === 'function' && WITH_CONTEXT in fn)
    throw new TypeError(
      `furcate: ${typeof argument === 'string' ? argument : argument()} is a forkable with a context, which tasks alone take. Pass the forkable, and what is in its context as the option context.`,
    );
  const called = (): string => (typeof argument === 'string' ? argument : argument());
  const kernel = typeof fn === 'function' ? kernels.get(fn) : undefined;
  if (kernel !== undefined) return kernel(called());
  const text = typeof fn === 'function' ? Function.prototype.toString.call(fn) : '';
  const key = `${mayAwait ? 'await ' : ''}${mayYield ? 'yield ' : ''}${text}`;
  const known = codes.shipped.get(key);
  if (known !== undefined) return known;
  const name = called();
  const ship = { code: codes.adoptSource(...compile(sourceOf(fn, name, { mayAwait, mayYield }), name)) };
  codes.shipped.set(key, ship);
  return ship;
}

/** Compiles before the table gets an entry, because an entry that no thread can compile would stay for ever. */
const compile = (source: string, argument: string): [source: string, value: AnyFunction] => [
  source,
  strictly(() => compileSource(source), argument),
];

/** Compiles by `make`. @throws TypeError for a text that compiles outside of strict mode only */
export function strictly<T>(make: () => T, argument: string): T {
  try {
    return make();
  } catch (error) {
    if ((error as Error).name !== 'SyntaxError') throw error;
    throw new TypeError(
      `furcate: ${argument} cannot travel to the workers: in strict mode it does not compile (${(error as Error).message}). ${CURES}`,
      { cause: error },
    );
  }
}

/** Checks whether it is a user's forkable. Only a forkable can fork: an inline function cannot import `fork`. */
export function isForkable({ code }: ShippedFunction): boolean {
  const { kind, url } = resolver().table.entry(code);
  return kind === 'function' && !isBuiltin(url);
}
