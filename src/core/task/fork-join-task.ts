/**
 * Task objects in the style of Java's `ForkJoinTask`; runs on every thread that computes.
 *
 * `fork` and `join` are the hottest code of the library. A fork is a store into the private stack. A join of the newest fork
 * runs the task in place, within a try, so that a body that throws leaves nothing behind. V8 must not inline the body there:
 * beside an exception handler it does not inline `super()`, and fib(32) takes 105 ms instead of 63.
 * Source: Java's ForkJoinTask for names and meanings; docs/correctness.md, under Conformance, says where we differ.
 */

import { ASYNC, TASK } from '../code/brands.js';
import { register } from '../code/registry.js';
import { recompile } from '../code/specialize.js';
import { local, renewStack } from '../deque/private-stack.js';
import { CancellationError, refuseRevoked, show } from '../errors.js';
import { asyncFork, inspect, slow, unwind } from './slow-paths.js';
import { asStackError } from './stack-end.js';
import type { Synchronous } from './synchronous.js';
import { unwritable } from './unwritable.js';

/** `$state`: negative while forked (-1 - position on the private stack), else one of these. */
export const FRESH = 0;
export const RUNNING = 1;
export const COMPLETED = 2;
export const EXCEPTIONAL = 3;
export const CANCELLED = 4;

/** Functions and state that the fast paths of `fork` and `join` use: their makers are recompiled for each class. */
const shared = {
  local,
  slow,
  renewStack,
  forkAgain,
  bodyThrew,
  inspect: (result: unknown, task: object): void => inspect(result, () => nameOf(task)),
};
type SharedState = typeof shared;

/** A template, see specialize.ts. Its numbers are FRESH, HANDLE_MASK, and the forks between two renewals of the stack. */
const makeFork = ({ local, slow, renewStack, forkAgain }: SharedState) =>
  function fork(this: ForkJoinTask<unknown>): ForkJoinTask<unknown> {
    if (this.$state !== 0) return forkAgain(this);
    const forks = (local.forks + 1) & 0x3fffffff;
    local.forks = forks;
    if ((forks & 0xffff) === 0) renewStack();
    const i = local.sp;
    this.$state = -1 - i;
    local.stack[i] = this;
    local.sp = i + 1;
    if (local.requests[0] !== 0) slow.serveRequests(); // plain: a hint, seen promptly
    return this;
  };

/** A template, see specialize.ts. Its number is COMPLETED. */
const makeJoin = ({ local, slow, inspect, bodyThrew }: SharedState) =>
  function join(this: ForkJoinTask<unknown>): unknown {
    const i = local.sp - 1;
    const base = local.base;
    if (local.stack[i] !== this || i < base || local.requests[0] !== 0) return slow.joinTask.call(slow, this);
    local.stack[i] = null;
    local.sp = i;
    local.base = i;
    try {
      const body = slow.never ?? this.compute; // V8 must not inline it, see above
      const result = body.call(this);
      if (typeof result !== 'number') inspect(result, this);
      if (local.sp !== i) slow.finish.call(slow, i);
      local.base = base;
      this.$state = 2;
      this.$result = result;
      return result;
    } catch (error) {
      local.base = base; // first: the stack may not suffice for the rest
      throw bodyThrew(this, i, base, error);
    }
  };

/** A task that any worker of its pool may run, and whose forker joins it: see `RecursiveTask` and `RecursiveAction`. */
export interface ForkJoinTask<T> {
  /**
   * Makes this task available to other workers and returns it at once. The forker joins it, in any order.
   *
   * @returns this task, which must be left alone until it is joined
   * @throws Error outside a pool, or if it was forked or run before; a task that was cancelled is not queued, its join tells
   */
  fork(): this;

  /**
   * The result of this task, run here if nobody has started it, else waited for (helping meanwhile).
   *
   * @throws what `compute` threw; CancellationError if it was cancelled; Error if it was never forked or another task forked it
   */
  join(): T;
}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: each class gets its own fork and join, which the interface declares
export abstract class ForkJoinTask<T> {
  /** @internal */ declare $state: number;
  /** @internal The result, or what was thrown. */ declare $result: unknown;

  constructor() {
    this.$state = 0; // FRESH, as a literal: V8 would load the bundle's variable for every task
    this.$result = undefined;
  }

  /** The work itself; runs once, on any worker, and returns the result (never a promise). */
  abstract compute(): T;

  /**
   * Makes this class known under (module, name), so that workers can import it. Call it in a static block:
   * `static { this.register(import.meta.url, 'Fib'); }`
   *
   * @param url `import.meta.url` of the module that defines the class (`__filename` in CommonJS)
   * @param name any name, unique within the module; no export is needed
   * @throws TypeError for a bad url or name, or a class without `compute` or with `#private` fields
   */
  static register<R>(
    this: abstract new (
      ...args: never[]
    ) => ForkJoinTask<unknown> & { compute(): Synchronous<R> },
    url: string,
    name: string,
  ): void {
    register('class', url, name, this);
    specialise(this.prototype);
  }

  /**
   * Runs this task here and now, as `fork` and `join` in one.
   *
   * @throws what `compute` threw; Error outside a pool, or if it was forked or run before
   */
  invoke(): T {
    if (this.$state !== FRESH) {
      if (this.$state < 0 || this.$state === RUNNING) throw startedTwice(this, 'invoke');
      return reportOf(this);
    }
    slow.requirePool('invoke');
    return runTask(this);
  }

  /** Waits for this task like `join`, but neither returns its result nor throws its failure. */
  quietlyJoin(): void {
    try {
      this.join();
    } catch (error) {
      if (!this.isCompletedAbnormally) throw error; // never forked, or forked by another task: the caller's mistake
    }
  }

  /** Takes the fork back if nobody has started it; the task may then be forked again. */
  tryUnfork(): boolean {
    if (this.$state >= 0 || !slow.unfork(this)) return false;
    this.$state = FRESH;
    return true;
  }

  /** Cancels this task if nobody has started it: its join throws a CancellationError. True if it is cancelled. */
  cancel(): boolean {
    if (this.$state < 0 && !slow.unfork(this)) return false;
    if (this.$state > FRESH) return this.isCancelled;
    this.$state = CANCELLED;
    this.$result = new CancellationError(`furcate: ${nameOf(this)} was cancelled.`);
    return true;
  }

  /** The result if it completed normally, else undefined. Never waits. */
  getRawResult(): T | undefined {
    return polled(this) === COMPLETED ? (this.$result as T) : undefined;
  }

  /** Returns what the task threw, a CancellationError if it was cancelled, else undefined. Never waits. */
  getException(): unknown {
    return polled(this) > COMPLETED ? this.$result : undefined;
  }

  get isDone(): boolean {
    return polled(this) > RUNNING;
  }

  get isCompletedNormally(): boolean {
    return polled(this) === COMPLETED;
  }

  get isCompletedAbnormally(): boolean {
    return polled(this) > COMPLETED;
  }

  get isCancelled(): boolean {
    const state = polled(this);
    return state === CANCELLED || (state === EXCEPTIONAL && CancellationError.is(this.$result));
  }

  /**
   * Makes a finished (or never started) task ready to be forked again; its fields stay as they are.
   *
   * @throws Error while it is forked or running
   */
  reinitialize(): void {
    const state = polled(this);
    if (state < 0 || state === RUNNING) throw startedTwice(this, 'reinitialize');
    this.$state = FRESH;
    this.$result = undefined;
  }

  /**
   * Runs all tasks, on several workers where there are some, and returns when all are done.
   *
   * @throws the failure of the first argument that failed, after all are done; before any is started, TypeError for what
   *   is no task, Error for one that was started before or is given twice
   */
  static invokeAll(...tasks: ForkJoinTask<unknown>[]): void {
    slow.requirePool('invokeAll');
    for (const [i, task] of tasks.entries()) {
      refuseRevoked(task, `argument ${i + 1} of invokeAll()`);
      if (isTask(task)) {
        if (ASYNC in task) throw asyncFork(`invokeAll() of a ${nameOf(task)}`);
        continue;
      }
      throw new TypeError(`furcate: invokeAll() takes tasks; argument ${i + 1} is ${show(task)}.`);
    }
    const twice = new Set(tasks).size < tasks.length;
    const started = tasks.find(
      (task, i) => (task.$state !== FRESH && task.$state !== CANCELLED) || (twice && tasks.indexOf(task) < i),
    );
    if (started !== undefined) throw startedTwice(started, 'invokeAll');
    invokeEach(tasks);
  }

  /** Returns true if the caller is running inside a task of a pool. */
  static inForkJoinPool(): boolean {
    return slow.currentPool() !== undefined;
  }

  /** Tasks that this worker has forked and nobody has started, about: a cheap measure for "enough forked". */
  static getQueuedTaskCount(): number {
    return local.sp - local.split + slow.publicCount();
  }

  /** Tasks queued here beyond what idle workers have asked for: all that are private still. */
  static getSurplusQueuedTaskCount(): number {
    return local.sp - local.split;
  }

  /** The pool that runs the calling task: its name and parallelism; undefined outside of tasks. */
  static getPool(): { readonly name: string; readonly parallelism: number } | undefined {
    return slow.currentPool();
  }

  /** Runs other tasks of this invocation until none is queued or running that this worker could wait for. */
  static helpQuiesce(): void {
    slow.requirePool('helpQuiesce');
    slow.helpQuiesce();
  }
}

/** All forms of `fork` and `join` that the library made. */
const made = new WeakSet<object>();

/** Leaves a `fork` or `join` of the user's alone, which the prototype may have or inherit. */
function define(prototype: object, name: 'fork' | 'join', value: object): void {
  const present = (prototype as Partial<Record<string, object>>)[name];
  if (Object.hasOwn(prototype, name) || (present !== undefined && !made.has(present))) return;
  made.add(value);
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
}

define(ForkJoinTask.prototype, 'fork', makeFork(shared));
define(ForkJoinTask.prototype, 'join', makeJoin(shared));

/** Gives a class its own `fork` and `join`, so that V8 sees one class in each: with 20 classes 36 ns a pair instead of 53. */
function specialise(prototype: object): void {
  define(prototype, 'fork', recompile(makeFork)(shared));
  define(prototype, 'join', recompile(makeJoin)(shared));
}

/**
 * A task with a result.
 *
 * @example
 * export class Fib extends RecursiveTask<number> {
 *   static { this.register(import.meta.url, 'Fib'); }
 *   n: number;
 *   constructor(n: number) { super(); this.n = n; }
 *   compute(): number {
 *     if (this.n < 2) return this.n;
 *     const left = new Fib(this.n - 1).fork();
 *     const right = new Fib(this.n - 2).compute();
 *     return left.join() + right;
 *   }
 * }
 * // in another module: await pool.invoke(new Fib(32))
 */
export abstract class RecursiveTask<T = unknown> extends ForkJoinTask<T> {}

/** A task without a result, run for what it writes into shared arrays. */
export abstract class RecursiveAction extends ForkJoinTask<void> {}

/** Tasks are told by a brand and not by their class, because another copy of the library may have made them. */
Object.defineProperty(ForkJoinTask.prototype, TASK, { value: true });

/** Checks whether a value is a task object of either kind, of whatever copy of the library. */
export const isTask = (value: unknown): value is ForkJoinTask<unknown> =>
  typeof value === 'object' && value !== null && (value as { [TASK]?: boolean })[TASK] === true;

/** Runs the body of a task, which is on no stack, in a frame of its own. */
export function runTask<T>(task: ForkJoinTask<T>): T {
  const i = local.sp;
  const base = local.base;
  local.base = i;
  try {
    task.$state = RUNNING;
    if (local.requests[0] !== 0) slow.serveRequests();
    const result = task.compute();
    inspect(result, () => nameOf(task));
    if (local.sp !== i) slow.finish(i);
    local.base = base;
    task.$state = COMPLETED;
    task.$result = result;
    return result;
  } catch (error) {
    local.base = base; // first: the stack may not suffice for the rest
    throw bodyThrew(task, i, base, error);
  }
}

function bodyThrew(task: ForkJoinTask<unknown>, from: number, base: number, error: unknown): unknown {
  let thrown = error;
  try {
    task.$state = EXCEPTIONAL; // first: with no stack left, `unwind` throws again, and the frame above unwinds
    task.$result = error;
    thrown = asStackError(error);
    if (thrown !== error) task.$result = thrown;
  } catch (cause) {
    thrown = unwritable(nameOf(task), cause);
  }
  return unwind(from, base, thrown);
}

/** Writes the state of a task, and how it ended; returns the error if that is impossible. */
export function mark(task: ForkJoinTask<unknown>, state: number, result?: unknown): Error | undefined {
  try {
    task.$state = state;
    task.$result = result;
    return undefined;
  } catch (cause) {
    return unwritable(nameOf(task), cause);
  }
}

/** Runs all of these tasks, which were checked, and throws the failure of the first that failed. */
export function invokeEach(tasks: readonly ForkJoinTask<unknown>[]): void {
  for (let i = tasks.length - 1; i > 0; i--) tasks[i].fork();
  let failure: ForkJoinTask<unknown> | undefined;
  for (const [i, task] of tasks.entries()) {
    try {
      if (i === 0) task.invoke();
      else task.join();
    } catch (error) {
      if (!task.isCompletedAbnormally) throw error;
      failure ??= task;
    }
  }
  if (failure !== undefined) throw failure.$result;
}

/** The outcome of a finished task: its result, or a throw. */
export function reportOf<T>(task: ForkJoinTask<T>): T {
  if (task.$state > COMPLETED) throw task.$result;
  return task.$result as T;
}

/** The state of a task, which is brought home if another thread has finished it. */
function polled(task: ForkJoinTask<unknown>): number {
  if (task.$state < 0) slow.poll(task);
  return task.$state;
}

/** The property that holds the name of a task whose class has no telling name. */
export const NAME: unique symbol = Symbol.for('furcate.name') as never;

/** The name of a task for messages: that of its class, or of its function. */
export const nameOf = (task: object): string =>
  (task as { readonly [NAME]?: string })[NAME] ?? (task.constructor?.name || 'a task');

/** As in Java, forking a task that was cancelled does nothing, and its join throws. */
function forkAgain(task: ForkJoinTask<unknown>): ForkJoinTask<unknown> {
  if (task.$state !== CANCELLED) throw startedTwice(task, 'fork');
  slow.requirePool('fork');
  return task;
}

export function startedTwice(task: ForkJoinTask<unknown>, call: string): Error {
  const states = ['is given twice', 'is running', 'has run', 'has failed', 'is given twice'];
  const what = states[task.$state] ?? 'is forked already';
  return new Error(
    `furcate: ${call}() of a ${nameOf(task)} that ${what}. A task runs once: make a new one, or call reinitialize() after its join.`,
  );
}
