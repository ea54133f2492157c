/**
 * Function tasks, for the finest grain; runs on every thread that computes.
 *
 * A fork stores a function index and up to four numbers into arrays and returns a number; it makes no object. Other arguments
 * go into one more array, which is slower. The handle counts forks, so handles grow with the stack, and each names one fork
 * only: a stale handle finds nothing.
 */
import { ASYNC_FORKABLE, FORKABLE, type Forkable, type ForkableMark, register, registry } from '../code/registry.js';
import { ARGS_IN_EXTRA, growStack, HANDLE_MASK, local } from '../deque/private-stack.js';
import { show } from '../errors.js';
import { asyncFork, inspect, slow, unwind } from './slow-paths.js';
import type { Synchronous, SynchronousFunction } from './synchronous.js';

declare const FORK: unique symbol;

export type { Forkable, ForkableMark };

/** What `fork` gives and `join` takes: valid once, in the task that forked it, until that task returns. */
export type Fork<R> = number & { readonly [FORK]: R };

type AnyFunction = (...args: unknown[]) => unknown;

interface Indexed {
  readonly [FORKABLE]?: number;
}

/** This realm's forkable functions; `fn` on the private stack indexes it. */
export const functions = registry.functions as unknown as AnyFunction[];

/**
 * Makes a function forkable: known to every worker under (module, name).
 *
 * @param url `import.meta.url` of the module that defines it (`__filename` in CommonJS)
 * @param name any name, unique within the module; no export is needed
 * @param fn the function, synchronous; up to four number arguments and a number result are the fast path
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
export function forkable(url: string, name: string, fn: AnyFunction): AnyFunction {
  register('function', url, name, fn);
  return fn;
}

/** The index of an asynchronous forkable function, or undefined for any other value. */
export const asyncIndexOf = (fn: unknown): number | undefined =>
  typeof fn === 'function' ? (fn as { readonly [ASYNC_FORKABLE]?: number })[ASYNC_FORKABLE] : undefined;

/** The index of a forkable function, or undefined for any other value. */
export const indexOf = (fn: unknown): number | undefined =>
  typeof fn === 'function' ? (fn as Indexed)[FORKABLE] : undefined;

/** What `fork` and `join` read. */
const shared = { local, slow, functions, FORKABLE, HANDLE_MASK };

/**
 * Makes `fork` and `join`. What they read are parameters, because V8 takes a parameter that nothing assigns for a constant.
 * esbuild declares the constants of a module by `var`, which V8 loads each time: fib(30) then took 32 ms instead of 17.
 */
function makeCalls({ local, slow, functions, FORKABLE: key, HANDLE_MASK }: typeof shared): {
  fork(fn: unknown, a?: unknown): number;
  join<R>(handle: Fork<R>): R;
} {
  function fork(fn: unknown, a?: unknown): number {
    const index = (fn as Indexed | null | undefined)?.[key as typeof FORKABLE];
    const i = local.sp;
    // biome-ignore lint/complexity/noArguments: a rest array would be an object a fork; V8 folds arguments.length away
    if (arguments.length !== 2 || typeof a !== 'number' || index === undefined || i >= local.capacity) {
      // biome-ignore lint/complexity/noArguments: short, because V8 inlines small functions only
      return forkOther.apply(null, arguments as unknown as [unknown, ...unknown[]]);
    }
    local.a0[i] = a;
    const handle = (local.forks + 1) & HANDLE_MASK;
    local.forks = handle;
    local.handles[i] = handle;
    local.fn[i] = (index << 3) | 1;
    local.sp = i + 1;
    if (local.requests[0] !== 0) slow.attend(); // plain: a hint, seen promptly
    return handle;
  }

  function join<R>(handle: Fork<R>): R {
    const i = local.sp - 1;
    const base = local.base;
    // A negative handle stands for positions that hold no private call.
    if (local.handles[i] !== handle || handle < 0 || i < base || local.requests[0] !== 0) {
      return slow.joinHandle.call(slow, handle) as R;
    }
    local.handles[i] = -1;
    local.sp = i;
    local.base = i;
    try {
      const word = local.fn[i];
      const fn = functions[word >> 3];
      const result = (word & 7) === 1 ? fn(local.a0[i]) : (slow.never ?? callOther).call(null, fn, i);
      if (typeof result !== 'number') (slow.never ?? inspectOf).call(null, result, word >> 3);
      if (local.sp !== i) slow.finish.call(slow, i);
      local.base = base;
      return result as R;
    } catch (error) {
      local.base = base; // first: the stack may not suffice for the rest
      throw unwind(i, base, error);
    }
  }

  return { fork, join };
}

const calls = makeCalls(shared);

/**
 * Makes a call available to other workers and returns at once.
 *
 * @param fn a function made with `forkable`
 * @param args its arguments: up to four numbers are the fast path; others must be what tasks can carry
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

const inspectOf = (result: unknown, index: number): void => inspect(result, () => registry.functionEntries[index].name);

/** The arguments that position `i` of the private stack holds. */
export function argumentsOf(i: number): unknown[] {
  const count = local.fn[i] & 7;
  if (count === ARGS_IN_EXTRA) return local.extra[i] as unknown[];
  const args = [local.a0[i], local.a1[i], local.a2[i], local.a3[i]];
  args.length = count;
  return args;
}

/** A call with other arguments than one number. Apart, because V8 inlines small functions only. */
function callOther(fn: AnyFunction, i: number): unknown {
  switch (local.fn[i] & 7) {
    case 0:
      return fn();
    case 2:
      return fn(local.a0[i], local.a1[i]);
    case 3:
      return fn(local.a0[i], local.a1[i], local.a2[i]);
    case 4:
      return fn(local.a0[i], local.a1[i], local.a2[i], local.a3[i]);
    default: {
      const args = argumentsOf(i);
      local.extra[i] = undefined;
      return fn(...args);
    }
  }
}

/** `fork` with other arguments than one number. */
function forkOther(fn: unknown, ...args: unknown[]): number {
  const index = indexOf(fn);
  if (index === undefined) throw notForkable(fn);
  if (local.sp >= local.capacity) growStack();
  const i = local.sp;
  const count = args.length;
  let kind = count;
  if (count > 4 || !args.every((arg) => typeof arg === 'number')) {
    kind = ARGS_IN_EXTRA;
    local.extra[i] = args;
  } else {
    if (count > 0) local.a0[i] = args[0];
    if (count > 1) local.a1[i] = args[1];
    if (count > 2) local.a2[i] = args[2];
    if (count > 3) local.a3[i] = args[3];
  }
  const handle = (local.forks + 1) & HANDLE_MASK;
  local.forks = handle;
  local.handles[i] = handle;
  local.fn[i] = (index << 3) | kind;
  local.sp = i + 1;
  if (local.requests[0] !== 0) slow.attend();
  return handle;
}

function notForkable(fn: unknown): TypeError {
  if (asyncIndexOf(fn) !== undefined) return asyncFork(`fork() of ${(fn as AnyFunction).name}`);
  const what = typeof fn === 'function' ? `the function '${fn.name || 'anonymous'}'` : show(fn);
  return new TypeError(
    `furcate: fork() takes a function made with forkable(import.meta.url, name, fn); it was given ${what}.`,
  );
}
