/**
 * Asynchronous tasks, whose bodies may await; runs on every thread. This file has what programs name: the class, the functions, and the
 * types of a scope. What runs them is in extensions/async.
 */
import { ASYNC, TASK } from '../code/brands.js';
import {
  ASYNC_FORKABLE,
  type BeforeContext,
  type ContextOf,
  type Forkable,
  type ForkableMark,
  register,
  registry,
} from '../code/registry.js';
import type { AbortSignalLike } from './abort-signal.js';
import { isCallTask } from './call-task.js';
import { type ForkJoinTask, FRESH, nameOf } from './fork-join-task.js';
import { offerContexts } from './with-context.js';

declare const FORK: unique symbol;

/** Result of `scope.fork`, which `scope.join` takes: one fork, of the task whose scope made it. */
export interface ScopeFork<R> {
  readonly [FORK]: R;
}

/** The platform's `AbortSignal`, where the program's types have one. */
export type ScopeSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike;

/** The results of forks, each at its place. */
export type JoinedAll<Forks extends readonly ScopeFork<unknown>[]> = {
  -readonly [I in keyof Forks]: Forks[I] extends ScopeFork<infer R> ? R : never;
};

/** Outcomes of forks, each at its place. */
export type SettledAll<Forks extends readonly ScopeFork<unknown>[]> = {
  -readonly [I in keyof Forks]: Forks[I] extends ScopeFork<infer R> ? PromiseSettledResult<R> : never;
};

/** A task, as `invokeAny` takes it. */
export type AnyTask = ForkJoinTask<unknown> | AsyncTask<unknown>;

/** A function made with `forkable` or `asyncForkable`. */
export type AnyForkable = (ForkableMark | AsyncForkableMark) & ((...args: never) => unknown);

/** Work that awaits nothing: what `invokeSync` takes. */
export type SyncWork = ForkJoinTask<unknown> | (ForkableMark & ((...args: never) => unknown));

/** The arguments of a function made with `forkable` or `asyncForkable`: without the scope. */
export type ArgumentsOf<F> = [F] extends [never]
  ? unknown[]
  : F extends AsyncForkable<infer A, unknown>
    ? A
    : F extends Forkable<infer A, unknown>
      ? A
      : never;

/** The result of a task, or of the call of a function made with `forkable` or `asyncForkable`. */
export type ResultOf<Work> =
  Work extends ForkJoinTask<infer R>
    ? R
    : Work extends AsyncTask<infer R>
      ? R
      : Work extends AsyncForkable<never, infer R>
        ? R
        : Work extends Forkable<never, infer R>
          ? R
          : never;

/**
 * Arguments after the work in a call that takes a task, or a function with its arguments. One signature for all of these, because of several
 * the compiler blames the wrong one.
 */
export type ArgumentsAfter<Work, AfterTask extends unknown[] = []> = [Work] extends [AnyForkable]
  ? ArgumentsOf<Work>
  : AfterTask;

/**
 * Operations of one asynchronous task: it may fork tasks and await them. It is valid until the task has completed.
 *
 * A runtime cannot know, after an `await`, to which task the code that goes on belongs. So the scope is a parameter.
 */
export interface Scope {
  /**
   * Makes a task available to all workers, and returns at once.
   *
   * @param work a function made with `asyncForkable` or `forkable`; or a task object that was not started
   * @param args for a function its arguments
   * @throws Error once the task of this scope has completed; CancellationError once it is cancelled; TypeError for anything else
   */
  fork<W extends AnyTask | AnyForkable>(work: W, ...args: ArgumentsAfter<W>): ScopeFork<ResultOf<W>>;
  /**
   * The result of a fork. It runs here if nobody has started it.
   *
   * @param fork what `fork` of this scope has returned
   * @throws (rejects with) what the task threw; CancellationError if it was cancelled; Error for the fork of another scope
   */
  join<R>(fork: ScopeFork<R>): Promise<R>;
  /**
   * The results of several forks; when all are done, rejects with the failure of the first of them that failed.
   *
   * @param forks what `fork` of this scope has returned, in the order of the results
   */
  joinAll<const Forks extends readonly ScopeFork<unknown>[]>(forks: Forks): Promise<JoinedAll<Forks>>;
  /**
   * Outcomes of several forks, when all are done: as `Promise.allSettled`.
   *
   * @param forks what `fork` of this scope has returned, in the order of what is told of them
   */
  joinAllSettled<const Forks extends readonly ScopeFork<unknown>[]>(forks: Forks): Promise<SettledAll<Forks>>;
  /**
   * Runs tasks beside each other, and gives the result of the first that succeeds. The others are cancelled: those that have not begun never do,
   * those that run stop at their next fork, join or `checkpoint()`, with all that they have forked, and the signals of asynchronous ones abort.
   * The promise settles when they have stopped.
   *
   * @param tasks tasks that were not started. The first one comes first where no other worker is free
   * @throws (rejects with) AggregateError with all errors in the order of the tasks, if all fail; TypeError for what is no list of tasks
   */
  invokeAny<const Tasks extends readonly AnyTask[]>(tasks: Tasks): Promise<ResultOf<Tasks[number]>>;
  /**
   * Gives this worker to others for a moment: to forks and tasks that wait for it, to timers and sockets. For bodies that compute for long between
   * two awaits.
   *
   * @throws (rejects with) CancellationError once the task is cancelled; Error once it has completed
   */
  yield(): Promise<void>;
  /**
   * Tells the thread that invoked the task how far it is: as `report` in a synchronous task.
   *
   * @param value anything that can be cloned
   * @throws NotShareableError, RangeError as `report`; Error once the task of this scope has completed
   */
  report(value: unknown): void;
  /**
   * Returns the value that the task's invocation carries: as `carried` in a synchronous task. @throws Error once the task of this scope
   * has completed
   */
  carried<T = unknown>(): T | undefined;
  /** Aborts when the task is cancelled: with its invocation, or because the task that forked it failed. For `fetch` and the like. */
  readonly signal: ScopeSignal;
}

/** Mark that `asyncForkable` adds to the type of a function. */
export interface AsyncForkableMark {
  readonly [ASYNC_FORKABLE]: number;
  /** As `with` of a `forkable`. */
  with<F extends (...args: never) => unknown>(
    this: F,
    context: ContextOf<F>,
  ): F extends (scope: Scope, ...args: infer A) => Promise<infer R> ? AsyncForkable<BeforeContext<A>, R> : never;
}

/** A function made with `asyncForkable`. */
export interface AsyncForkable<A extends unknown[], R> extends AsyncForkableMark {
  (scope: Scope, ...args: A): Promise<R>;
}

/**
 * The last parameters of a signature that is for functions made with `asyncForkable` alone: there are none. For other functions one is missing, so
 * that the compiler passes the signature by, takes no types of parameters from it, and does not mention it in errors.
 */
export type OnlyScoped<F> = [F] extends [AsyncForkableMark] ? [] : [never];

/** Any function for `asyncForkable`. It is the type of a method, because the parameters of methods may be of any type. */
export type ScopedFunction = { method(scope: Scope, ...args: unknown[]): Promise<unknown> }['method'];

/** Scopes are told by this property, because another copy of the library may have made them. */
export const RUN_JOB: unique symbol = Symbol.for('furcate.runJob') as never;

/** A scope, with what the library itself asks of it. */
export interface InnerScope extends Scope {
  /** Forks the root of a job, and joins it; `signal` cancels it, with its reason. */
  [RUN_JOB]<R>(root: ForkJoinTask<R>, dependencies: number, signal?: AbortSignalLike): Promise<R>;
  /** Aborts its signal, cancels what it has forked, and after the grace ends the task with `error`, unless that has ended. */
  cancel(error: unknown): void;
}

/** The scope of a task object that runs. */
export const SCOPE: unique symbol = Symbol.for('furcate.scope') as never;

/** A task object, and its scope while it runs. */
interface Scoped {
  [SCOPE]?: Scope | undefined;
}

export const putScope = (task: object, scope: Scope | undefined): void => {
  (task as Scoped)[SCOPE] = scope;
};

/** Never throws: the body may have frozen its task. */
export function dropScope(task: object): void {
  try {
    (task as Scoped)[SCOPE] = undefined;
  } catch {
    // then the scope stays, and says that its task has completed
  }
}

const scopeOf = (task: object): Scope | undefined => (task as Scoped)[SCOPE];

/** The scope that a value is, or that it has as a task object that runs; undefined for anything else. */
export function innerScopeOf(value: unknown): InnerScope | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return RUN_JOB in value ? (value as InnerScope) : (scopeOf(value) as InnerScope | undefined);
}

const noScope = (task: object): Error =>
  new Error(
    `furcate: a ${nameOf(task)} uses its scope while it does not run. Start it with await pool.invoke(task), or by this.fork(task) in the task that forks it.`,
  );

/** @throws Error for a task that does not run */
function openScope(task: object): Scope {
  const scope = scopeOf(task);
  if (scope === undefined) throw noScope(task);
  return scope;
}

/**
 * A task whose body may await. Its own methods are its scope: `this.fork(task)`, `await this.join(fork)`.
 *
 * It stays on the worker that has begun it; the tasks that it forks are taken by any worker. While it waits, that worker runs others.
 *
 * @example
 * export class Crawl extends AsyncTask<number> {
 *   static { this.register(import.meta.url, 'Crawl'); }
 *   constructor(readonly url: string) { super(); }
 *   async compute(): Promise<number> {
 *     const page = await (await fetch(this.url, { signal: this.signal })).text();
 *     const links = linksOf(page).map((url) => this.fork(new Crawl(url)));
 *     return (await this.joinAll(links)).reduce((a, b) => a + b, 1);
 *   }
 * }
 */
export abstract class AsyncTask<T = unknown> implements Scope {
  /** @internal */ declare $state: number;
  /** @internal */ declare $result: unknown;

  constructor() {
    this.$state = FRESH;
    this.$result = undefined;
    putScope(this, undefined); // here, so that a class may seal its tasks
  }

  /** The work itself; runs once, on any worker. */
  abstract compute(): Promise<T>;

  /** As `ForkJoinTask.register`. */
  static register(this: abstract new (...args: never[]) => AsyncTask<unknown>, url: string, name: string): void {
    register('class', url, name, this);
  }

  fork<W extends AnyTask | AnyForkable>(...work: [work: W, ...args: ArgumentsAfter<W>]): ScopeFork<ResultOf<W>> {
    const scope = openScope(this);
    return scope.fork(...work);
  }

  join<R>(fork: ScopeFork<R>): Promise<R> {
    return scopeOf(this)?.join(fork) ?? Promise.reject(noScope(this));
  }

  joinAll<const Forks extends readonly ScopeFork<unknown>[]>(forks: Forks): Promise<JoinedAll<Forks>> {
    return scopeOf(this)?.joinAll(forks) ?? Promise.reject(noScope(this));
  }

  joinAllSettled<const Forks extends readonly ScopeFork<unknown>[]>(forks: Forks): Promise<SettledAll<Forks>> {
    return scopeOf(this)?.joinAllSettled(forks) ?? Promise.reject(noScope(this));
  }

  invokeAny<const Tasks extends readonly AnyTask[]>(tasks: Tasks): Promise<ResultOf<Tasks[number]>> {
    return scopeOf(this)?.invokeAny(tasks) ?? Promise.reject(noScope(this));
  }

  yield(): Promise<void> {
    return scopeOf(this)?.yield() ?? Promise.reject(noScope(this));
  }

  report(value: unknown): void {
    openScope(this).report(value);
  }

  carried<T = unknown>(): T | undefined {
    return openScope(this).carried<T>();
  }

  get signal(): ScopeSignal {
    return openScope(this).signal;
  }
}

for (const brand of [TASK, ASYNC]) Object.defineProperty(AsyncTask.prototype, brand, { value: true });

/**
 * Makes an asynchronous function forkable: known to every worker under (module, name).
 *
 * @param url `import.meta.url` of the module that defines it (`__filename` in CommonJS)
 * @param name any name, unique within the module; no export is needed
 * @param fn the function; its first parameter is the scope of the call. Give the others types, also those with default values
 * @returns `fn` itself
 * @throws TypeError for a bad url, name or function
 * @example
 * export const crawl = asyncForkable(import.meta.url, 'crawl', async (scope, url: string): Promise<number> => {
 *   const page = await (await fetch(url, { signal: scope.signal })).text();
 *   const links = linksOf(page).map((link) => scope.fork(crawl, link));
 *   return (await scope.joinAll(links)).reduce((a, b) => a + b, 1);
 * });
 * // in another module: await pool.invoke(crawl, 'https://example.org')
 */
export function asyncForkable<F extends ScopedFunction>(url: string, name: string, fn: F): F & AsyncForkableMark {
  register('async function', url, name, fn);
  return offerContexts(fn) as F & AsyncForkableMark;
}

/** Checks whether this task is asynchronous: an `AsyncTask`, or the call of an asynchronous function. */
export const isAsync = (task: object): boolean =>
  isCallTask(task) ? registry.functionEntries[task.index].kind === 'async function' : ASYNC in task;
