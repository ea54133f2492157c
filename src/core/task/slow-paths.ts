/**
 * Slow paths on which the fast paths of fork and join fall back: filled in by the scheduler of this realm (core/worker).
 *
 * Tasks cannot import the scheduler, because the scheduler imports them. The hottest functions are called through `.call`, which
 * V8 does not inline for lack of a known target. What V8 inlines of rare paths is missing where it counts: function tasks took
 * 49 ms that way, and take 40.
 */
import { local } from '../deque/private-stack.js';
import { asStackError } from './stack-end.js';

/** A `ForkJoinTask`, whose module imports this one. */
type Task = object;

const unset = (): never => {
  throw new Error('furcate: the scheduler is not loaded.');
};

export type SlowPaths = typeof slow;

export const slow = {
  /** Always undefined, which V8 cannot know: it does not inline what is called through `slow.never ?? f`. */
  never: unset as unknown as undefined,
  /** Called when the request word is set: publishes tasks, sees a cancellation, or explains that there is no pool. */
  serveRequests: unset as () => void,
  /** Joins a task that is not the newest private one of the running body. */
  joinTask: unset as (task: Task) => unknown,
  joinHandle: unset as (handle: unknown) => unknown,
  /** A body returned, and has not joined its forks at `from` and above: completes them. */
  finish: unset as (from: number) => void,
  /** A body threw: cancels its forks that have not started, waits for the others, and empties its frame. */
  abandon: unset as (from: number) => void,
  /** Takes a forked task back if nobody has started it. */
  unfork: unset as (task: Task) => boolean,
  /** Fetches the result of a forked task if it is done already. */
  poll: unset as (task: Task) => void,
  /** Throws where a task cannot be run: outside a pool. */
  requirePool: unset as (what: string) => void,
  helpQuiesce: unset as () => void,
  /** The pool whose task this thread runs, if any. */
  currentPool: (() => undefined) as () => { readonly name: string; readonly parallelism: number } | undefined,
  /** Number of published tasks that nobody has taken. */
  publicCount: () => 0,
};
slow.never = undefined; // changed once, because V8 takes a field that never changes for a constant

/** Ends the frame of a body that threw, and makes `base` the base of the stack again; returns the error, that of a used-up stack in our words. */
export function unwind(from: number, base: number, error: unknown): unknown {
  local.base = from;
  try {
    if (local.sp !== from) slow.abandon(from);
  } finally {
    local.base = base;
  }
  return asStackError(error);
}

/** The error for a synchronous task that forks an asynchronous one. */
export const asyncFork = (what: string): TypeError =>
  new TypeError(
    `furcate: ${what}, which is asynchronous, in a synchronous task: its join would block what it awaits. Make this task asynchronous too (asyncForkable, AsyncTask), and use its scope.`,
  );

/** Checks whether a value is a promise, of any realm or library. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/**
 * Takes a value that an error refuses: if it is a promise, nobody else will await it. Without this its rejection would end the thread, and
 * with a worker the invocations beside it.
 */
export function disown(refused: unknown): void {
  try {
    if (isPromise(refused)) refused.then(undefined, () => {});
  } catch {
    // the `then` of a thenable is the user's code
  }
}

const SYNCHRONOUS = 'Tasks are synchronous: return the value itself, and await before pool.invoke() or after it.';

/** Refuses the promise of an asynchronous body, because nobody would wait for it. */
export function inspect(result: unknown, nameOf: () => string, cure = SYNCHRONOUS): void {
  if (!isPromise(result)) return;
  disown(result);
  throw new TypeError(`furcate: ${nameOf()} returned a promise. ${cure}`);
}
