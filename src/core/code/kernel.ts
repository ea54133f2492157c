/**
 * Kernels: inline functions with the values that they capture, compiled once on each thread; runs on every thread.
 *
 * V8 takes what a closure captures, and nobody assigns, for a constant: the place and length of an array, a number. What a function gets in
 * its context it loads and checks in each call. So the text of a kernel stands in a function whose parameters are the captured names, which each
 * thread compiles and calls once for each kernel:
 *
 * ```
 * (db, query) => ((i, k) => ...)      the source in the code table: one for all kernels of that text
 *      |
 *      |  with the values of one kernel, on each thread that meets it
 *      v
 * (i, k) => ...                       what `compiled` gives
 * ```
 *
 * Parameters and no pattern, whose names V8 checks at each use; and compiled anew for each kernel, because V8 folds the variables of a closure that is the
 * only one of its code. The thread that made a kernel keeps it for as long as the program does. Other threads keep those that they used last.
 */
import { refuseRevoked } from '../errors.js';
import { NO_TYPE, type TypedArray, typeOfView } from '../memory/element-types.js';
import { fateOf, freedError, GONE, nonOwning } from '../memory/shared-array.js';
import { host } from '../platform/host.js';
import { compileSource } from './compile.js';
import { openContext, shipContext } from './context.js';
import { sourceOf } from './function-source.js';
import { isPlain } from './object-kind.js';
import { type AnyFunction, forkKind } from './registry.js';
import { type Captured, resolver, type ShippedFunction } from './resolver.js';
import { kernels, strictly } from './shipped-function.js';
import { isReference, type Token, tokensOf } from './tokens.js';

/** Number of kernels of other threads that a thread keeps. */
const MAX_KEPT = 64;
/** Time for which a thread keeps an unused kernel of another thread (milliseconds). */
const KEEP_MS = 30_000;

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Any function. Two types with different parameters give a parameter without a type none: of one alone, it would be `never`. */
type Inline = ((...args: never) => unknown) | ((first: never, ...rest: never[]) => unknown);

interface KeptKernel {
  readonly fn: AnyFunction;
  usedMs: number;
}

/** Kernels of other threads, the one that was used last at the end. */
const kept = new Map<number, KeptKernel>();
/** Kernels of this thread. */
const own = new WeakMap<Captured, AnyFunction>();

let latest = Math.floor(Math.random() * 2 ** 52);

/**
 * Binds an inline function to the values that it captures, for algorithms: shared arrays and numbers are constants of its compiled code, on every
 * thread. Loops over captured arrays run up to twice as fast as those that get them through `context`.
 *
 * @param fn an inline function, synchronous, that reads the captured values by their names. It travels as source text, so its other variables must be
 *   its own, its parameters or globals. It gets what the algorithm passes
 * @param captured an object with the values by those names: what a `context` may hold. They are taken as they are now, and `fn` cannot assign them
 * @returns a function for any algorithm or pipeline, in the place of `fn`; it can be called, too
 * @throws TypeError when `fn` cannot travel, uses none of the names, or assigns one; NotShareableError for a typed array that is not shared, or
 *   another value that a context cannot hold; EvalError where compiling is forbidden
 * @remarks Make a kernel once, outside of the loop that uses it: each thread compiles it once. Memory is given back when the kernel is dropped. A bundler
 * that minifies renames variables, but not the names of `captured`: pass a function with a `context` there, or keep names.
 * @example
 * const weights = sharedArray(Float64Array, [0.2, 0.3, 0.5]);
 * const weighted = kernel((x: number, i: number) => x * weights[i % weights.length], { weights });
 * await parallelMap(xs, weighted);
 */
export function kernel<F extends Inline>(fn: F, captured: Readonly<Record<string, unknown>>): F;
export function kernel(fn: AnyFunction, captured: Readonly<Record<string, unknown>>): AnyFunction {
  refuseRevoked(fn, 'fn of kernel()');
  refuseRevoked(captured, 'captured of kernel()');
  if (forkKind(fn) !== undefined || kernels.has(fn))
    throw new TypeError(
      'furcate: kernel(): fn is a forkable or a kernel already. Pass an inline function, or the forkable itself to the algorithm.',
    );
  const text = sourceOf(fn, 'fn of kernel()');
  if (typeof captured !== 'object' || captured === null || !isPlain(captured) || Array.isArray(captured))
    throw new TypeError(
      'furcate: kernel(): captured must be a plain object with the values that fn captures, by name: kernel((i) => xs[i], { xs }).',
    );
  const names = Object.keys(captured);
  check(captured, tokensOf(text));
  return bound(text, names, captured);
}

/** @throws TypeError */
function check(captured: Readonly<Record<string, unknown>>, tokens: readonly Token[]): void {
  const names = Object.keys(captured);
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined)
    throw new TypeError(`furcate: kernel(): captured has the key '${wrong}', which is no name of a variable.`);
  const uses = tokens.flatMap(({ text }, i) => (names.includes(text) && isReference(tokens, i) ? [i] : []));
  // Bun puts the value of a constant in the place of its name.
  if (names.some((name) => Object(captured[name]) === captured[name]) && uses.length === 0)
    throw new TypeError(
      `furcate: kernel(): fn uses none of the captured names (${names.join(', ')}). Give what it captures by the names that it has there. If a bundler ` +
        'has renamed its variables, keep names, or pass a function (x, i, { xs }) => ... and the option context: { xs }.',
    );
  const assigned = uses.find((i) => isAssigned(tokens, i));
  if (assigned !== undefined)
    throw new TypeError(
      `furcate: kernel(): fn assigns ${tokens[assigned]?.text}, which is captured: each thread would change its own copy. Write to a shared array, or return the value.`,
    );
}

/** Checks whether the name at a token is assigned, and not declared, there. */
export function isAssigned(tokens: readonly Token[], at: number): boolean {
  const text = (i: number): string => tokens[i]?.text ?? '';
  if (['let', 'const', 'var'].includes(text(at - 1))) return false;
  const [next, after] = [text(at + 1), text(at + 2)];
  if ([next, text(at - 1)].some((one) => one === '++' || one === '--')) return true;
  if (next === '=') return after !== '=';
  if (!'+-*/%&|^<>?'.includes(next) || next === '') return false;
  if (after === '=') return !'<>'.includes(next);
  return after === next && (text(at + 3) === '=' || (after === '>' && text(at + 4) === '=' && text(at + 3) === '>'));
}

/** A kernel of a text, in which these names stand for the values of an object. */
export function bound(text: string, names: readonly string[], values: Readonly<Record<string, unknown>>): AnyFunction {
  const context = shipContext(values, 'captured');
  const source = `((${names}) => (${text}\n))`;
  const captured: Captured = { id: ++latest, names, context };
  const made = make(source, captured.id, valuesOf(captured));
  own.set(captured, made);
  const code = resolver().table.idOf('source', source, '');
  const arrays = Object.entries(values).filter((each): each is [string, TypedArray] => ArrayBuffer.isView(each[1]));
  kernels.set(made, (argument) => {
    for (const [name, array] of arrays)
      if (fateOf(array) === GONE) throw freedError(`${name}, captured by ${argument}`);
    return { code, captured };
  });
  return made;
}

const make = (source: string, id: number, values: readonly unknown[]): AnyFunction =>
  strictly(() => (compileSource(source, id) as (...values: unknown[]) => AnyFunction)(...values), 'fn of kernel()');

/** The values that a kernel gets on this thread, in the order of its names. */
function valuesOf({ names, context }: Captured): unknown[] {
  const values = openContext(context);
  return names.map((name) => values[name]);
}

/** A view that keeps no bytes of the heap alive: the thread that made the kernel does, and pins hold them for a call. */
const lasting = (value: unknown): unknown =>
  ArrayBuffer.isView(value) && typeOfView(value) !== NO_TYPE ? nonOwning(value as TypedArray) : value;

/**
 * The function to call on this thread: the same object for the same source, and for the same kernel.
 *
 * @throws TaskRegistrationError where its module is not loaded here
 */
export function compiled({ code, captured }: ShippedFunction): AnyFunction {
  if (captured === undefined) return resolver().valueOf(code) as AnyFunction;
  return own.get(captured) ?? keptOf(code, captured);
}

function keptOf(code: number, captured: Captured): AnyFunction {
  const { id } = captured;
  let known = kept.get(id);
  if (known === undefined) {
    known = { fn: make(resolver().table.entry(code).url, id, valuesOf(captured).map(lasting)), usedMs: 0 };
  }
  kept.delete(id);
  kept.set(id, known);
  known.usedMs = host().nowMs();
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return known.fn;
}

/** Drops kernels that have not been used for long; called by idle workers. */
export function forgetOldKernels(): void {
  for (const [id, { usedMs }] of kept) {
    if (host().nowMs() - usedMs < KEEP_MS) return;
    kept.delete(id);
  }
}
