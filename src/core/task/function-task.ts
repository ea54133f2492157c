/**
 * Function tasks, for the finest grain; runs on every thread that computes.
 *
 * A fork stores a function and up to four arguments into the `Call` of its position and returns a number; it makes no object. More
 * arguments go into an array, which is slower. The handle counts forks, so handles grow with the stack, and each names one fork
 * only: a stale handle finds nothing.
 *
 * A join always passes four arguments, of which the last may be undefined. Only functions see the difference that read `arguments` or have
 * a rest parameter: their calls go the way of those with more than four.
 */
import { ASYNC_FORKABLE, FORKABLE, type Forkable, type ForkableMark, register, registry } from '../code/registry.js';
import { growStack, HANDLE_MASK, local } from '../deque/private-stack.js';
import { show } from '../errors.js';
import { countsArguments } from './counts-arguments.js';
import { asyncFork, inspect, type SlowPaths, slow, unwind } from './slow-paths.js';
import type { Synchronous, SynchronousFunction } from './synchronous.js';
import { callOf, offerContexts } from './with-context.js';

declare const FORK: unique symbol;

export type { Forkable, ForkableMark };

/** Result of `fork`, which `join` takes: valid once, in the task that forked it, until that task returns. */
export type Fork<R> = number & { readonly [FORK]: R };

type TaskFunction = (...args: unknown[]) => unknown;

interface Indexed {
  readonly [FORKABLE]?: number;
}

/** This realm's forkable functions; `fn` on the private stack indexes it. */
export const functions = registry.functions as unknown as TaskFunction[];

/**
 * Makes a function forkable: known to every worker under (module, name).
 *
 * @param url `import.meta.url` of the module that defines it (`__filename` in CommonJS)
 * @param name any name, unique within the module; no export is needed
 * @param fn the function, synchronous; up to four arguments and a number result are the fast path
 * @returns `fn` itself, with its own type. To fork or invoke a generic function, say its type argument: `fork(first<number>, xs)`
 * @throws TypeError for a bad url, name or function
 * @example
 * export const fib = forkable(import.meta.url, 'fib', (n: number): number => {
 *   if (n < 2) return n;
 *   const left = fork(fib, n - 1);
 *   const right = fib(n - 2);
 *   return join(left) + right;
 * });
 * // in another module: await pool.invoke(fib, 32)
 */
export function forkable<F extends SynchronousFunction>(url: string, name: string, fn: F): F & ForkableMark;
export function forkable<A extends unknown[], R>(
  url: string,
  name: string,
  fn: (...args: A) => Synchronous<R>,
): Forkable<A, R>;
export function forkable(url: string, name: string, fn: TaskFunction): TaskFunction {
  register('function', url, name, fn);
  return offerContexts(fn);
}

/** The index of an asynchronous forkable function, or undefined for any other value. */
export const asyncIndexOf = (fn: unknown): number | undefined =>
  typeof fn === 'function' ? (fn as { readonly [ASYNC_FORKABLE]?: number })[ASYNC_FORKABLE] : undefined;

/** The index of a forkable function, or undefined for any other value. */
export const indexOf = (fn: unknown): number | undefined =>
  typeof fn === 'function' ? (fn as Indexed)[FORKABLE] : undefined;

/** An own property of functions for which a call with further arguments, all undefined, is the same call. */
const PADDED: unique symbol = Symbol('furcate.padded') as never;

interface Padded {
  readonly [PADDED]?: true;
}

/**
 * Makes `fork` and `join`. What they read are parameters, because V8 takes a parameter that nothing assigns for a constant.
 * esbuild declares the constants of a module by `var`, which V8 loads each time: fib(30) then took 32 ms instead of 17. They are
 * no pattern, whose names V8 checks at each use: it inlines by the length of the bytecode.
 */
function makeCalls(
  state: typeof local,
  calls: typeof local.calls,
  slow: SlowPaths,
  key: typeof PADDED,
  mask: number,
  unwind: (from: number, base: number, error: unknown) => unknown,
  forkOther: (fn: unknown, ...args: unknown[]) => number,
  inspectOf: (result: unknown, fn: unknown) => void,
): {
  fork(fn: unknown, a?: unknown, b?: unknown, c?: unknown, d?: unknown): number;
  join<R>(handle: Fork<R>): R;
} {
  function fork(fn: unknown, a?: unknown, b?: unknown, c?: unknown, d?: unknown): number {
    const local = state; // in a register
    const i = local.sp;
    // biome-ignore lint/complexity/noArguments: a rest array would be an object a fork; V8 folds arguments.length away
    if (arguments.length > 5 || i >= calls.length) return forkOther.apply(null, arguments as never);
    const call = calls[i];
    if (call.fn !== fn) {
      // biome-ignore lint/complexity/noArguments: short, because V8 inlines small functions only
      if ((fn as Padded | null | undefined)?.[key] === undefined) return forkOther.apply(null, arguments as never);
      call.fn = fn as TaskFunction;
    }
    call.a = a;
    call.b = b;
    call.c = c;
    call.d = d;
    const handle = (local.forks + 1) & mask;
    local.forks = call.handle = handle;
    local.sp = i + 1;
    if (local.requests[0] !== 0) slow.serveRequests(); // plain: a hint, seen promptly
    return handle;
  }

  function join<R>(handle: Fork<R>): R {
    const local = state;
    const i = local.sp - 1;
    const base = local.base;
    if (i < base || i >= calls.length) return slow.joinHandle.call(slow, handle) as R;
    const call = calls[i];
    // A negative handle stands for positions that hold no private call.
    if (call.handle !== handle || handle < 0 || local.requests[0] !== 0) return slow.joinHandle.call(slow, handle) as R;
    call.handle = -1;
    local.sp = local.base = i;
    try {
      const fn = call.fn;
      // Each argument may be garbage once the call has it. One variable for them and the result: more make the frame larger, and nesting less deep.
      let value: unknown;
      // biome-ignore-start lint/complexity/noCommaOperator: see above
      // biome-ignore-start lint/suspicious/noAssignInExpressions: see above
      value = fn(
        ((value = call.a), (call.a = 0), value),
        ((value = call.b), (call.b = 0), value),
        ((value = call.c), (call.c = 0), value),
        ((value = call.d), (call.d = 0), value),
      );
      // biome-ignore-end lint/complexity/noCommaOperator: see above
      // biome-ignore-end lint/suspicious/noAssignInExpressions: see above
      if (typeof value === 'object') (slow.never ?? inspectOf).call(null, value, fn);
      if (local.sp !== i) slow.finish.call(slow, i);
      local.base = base;
      return value as R;
    } catch (error) {
      local.base = base; // first: the stack may not suffice for the rest
      throw unwind(i, base, error);
    }
  }

  return { fork, join };
}

const calls = makeCalls(local, local.calls, slow, PADDED, HANDLE_MASK, unwind, forkOther, (result, fn) =>
  inspectOf(result, fn),
);

/**
 * Makes a call available to other workers and returns at once.
 *
 * @param fn a function made with `forkable`
 * @param args its arguments, which must be what tasks can carry; up to four are the fast path
 * @returns a handle for `join`, a number
 * @throws Error outside a pool; TypeError when `fn` is not forkable
 */
export const fork = calls.fork as <A extends unknown[], R>(fn: Forkable<A, R>, ...args: A) => Fork<R>;

/**
 * The result of a forked call, run here if nobody has started it, else waited for (helping meanwhile).
 *
 * @param handle what `fork` gave, in this task; once
 * @throws what the function threw; TypeError for what is no number; Error for a handle that is stale or another task's
 */
export const join: <R>(handle: Fork<R>) => R = calls.join;

function inspectOf(result: unknown, fn: unknown): void {
  if (fn !== spread) inspect(result, () => registry.functionEntries[indexOf(fn) as number].name); // `spread` has done so
}

/** Stands for a function that a join cannot call with four arguments: calls it with those in an array. */
const spread = ((fn: TaskFunction, args: unknown[]): unknown => {
  const result = fn(...args);
  inspectOf(result, fn);
  return result;
}) as TaskFunction;

/** The index of the function, and the arguments, that position `i` of the private stack holds. */
export function callAt(i: number): [index: number, args: unknown[]] {
  const { fn, a, b, c, d } = local.calls[i];
  if (fn === spread) return [indexOf(a) as number, b as unknown[]];
  const args = [a, b, c, d];
  while (args.length > 0 && args[args.length - 1] === undefined) args.pop();
  return [indexOf(fn) as number, args];
}

/** Checks whether a call of this function may be filled up with undefined. */
function isPadded(fn: object): boolean {
  if (Object.hasOwn(fn, PADDED)) return true;
  if (countsArguments(fn as TaskFunction) || !Object.isExtensible(fn)) return false;
  Object.defineProperty(fn, PADDED, { value: true });
  return true;
}

/** `fork` where it is not the fastest: with more than four arguments, of a function for the first time, on a stack that must grow. */
function forkOther(fn: unknown, ...args: unknown[]): number {
  if (indexOf(fn) === undefined) {
    const [of, all] = callOf(fn, args);
    if (indexOf(of) === undefined) throw notForkable(of);
    return calls.fork(of, ...(all as [unknown]));
  }
  if (local.sp >= local.calls.length) growStack();
  const i = local.sp;
  const call = local.calls[i];
  if (args.length <= 4 && isPadded(fn as object)) {
    call.fn = fn as TaskFunction;
    [call.a, call.b, call.c, call.d] = args;
  } else {
    call.fn = spread;
    call.a = fn;
    call.b = args;
    call.c = call.d = undefined;
  }
  const handle = (local.forks + 1) & HANDLE_MASK;
  local.forks = handle;
  call.handle = handle;
  local.sp = i + 1;
  if (local.requests[0] !== 0) slow.serveRequests();
  return handle;
}

function notForkable(fn: unknown): TypeError {
  if (asyncIndexOf(fn) !== undefined) return asyncFork(`fork() of ${(fn as TaskFunction).name}`);
  const what = typeof fn === 'function' ? `the function '${fn.name || 'anonymous'}'` : show(fn);
  return new TypeError(
    `furcate: fork() takes a function made with forkable(import.meta.url, name, fn); it was given ${what}.`,
  );
}
