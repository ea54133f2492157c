/**
 * Modules that define tasks and also start the program; runs in workers.
 *
 * Workers import the main module if it defines tasks. It would make a pool in each worker, whose workers would import it again, without
 * end. So a worker starts nothing outside of tasks. A constructor or synchronous call throws a sentinel, which ends the module's
 * evaluation; what the module has registered before counts. A call that returns a promise returns one that never settles, which stops an
 * async function there without an unhandled rejection. One warning in each process explains this.
 */

import { IN_A_BUNDLE, isOnTheWeb } from './explain-import.js';

const SENTINEL = Symbol.for('furcate.main-module');

/** Called with the name of each refused call, if this thread is a worker of a pool; undefined in other threads. */
let refusing: ((what: string) => void) | undefined;

/** Marks this thread as a worker of a pool, which starts nothing outside of tasks. */
export function enterWorker(onRefusal: ((what: string) => void) | undefined): void {
  refusing = onRefusal;
}

/** A module that is imported. */
export interface Loading {
  /** Calls of the module that this worker has refused. */
  readonly refused: string[];
  /** Called one event-loop turn after a call whose promise never settles. */
  onStall: () => void;
}

/** The imports under way. */
export const loadings = new Set<Loading>();

/** True while this thread imports a module for a task. */
export const isLoading = (): boolean => loadings.size > 0;

function isRefused(what: string): boolean {
  if (refusing === undefined) return false;
  for (const { refused } of loadings) refused.push(what);
  refusing(what);
  return true;
}

/**
 * Throws the sentinel if this thread is a worker. The pool's constructor and the Sync forms call it, outside of tasks.
 *
 * @param what names the call: 'new ForkJoinPool()'
 */
export function guardMainModule(what: string): void {
  if (!isRefused(what)) return;
  throw Object.assign(new Error(`furcate: ${what} was reached in a worker. ${mainModuleCure()}.`), {
    [SENTINEL]: true,
  });
}

/**
 * As `guardMainModule`, for calls that return a promise: if this thread is a worker, returns a promise that never settles. A rejection
 * would be unhandled in an async function that nobody awaits, or would reach a `catch` that ends the process.
 */
export function stallMainModule(what: string): Promise<never> | undefined {
  if (!isRefused(what)) return undefined;
  for (const { onStall } of loadings) setTimeout(onStall, 0);
  return new Promise<never>(() => {});
}

/** Checks whether an error is the sentinel, or has the sentinel among its causes. */
export function isMainModuleSentinel(error: unknown): boolean {
  for (let e = error, depth = 0; typeof e === 'object' && e !== null && depth < 8; depth++) {
    if (SENTINEL in e) return true;
    e = (e as { cause?: unknown }).cause;
  }
  return false;
}

/**
 * Imports a module for its tasks on a thread that is no worker, and keeps the program that the module may be from starting: calls do nothing
 * meanwhile, as in workers.
 *
 * @param load imports the module
 * @param warn gets the warning for the first call that is refused
 * @throws what the import throws
 */
export async function importTasks(
  load: () => Promise<unknown>,
  url: string,
  warn: (text: string) => void,
): Promise<void> {
  const refused: string[] = [];
  const outer = refusing;
  refusing = (what) => {
    if (refused.length === 1) warn(mainModuleWarning(what, url));
  };
  const loading: Loading = { refused, onStall() {} };
  loadings.add(loading);
  try {
    await new Promise<void>((resolve, reject) => {
      loading.onStall = resolve; // it awaits a call that does nothing, for ever
      load().then(
        () => resolve(),
        (error: unknown) => (isMainModuleSentinel(error) ? resolve() : reject(error)),
      );
    });
  } finally {
    loadings.delete(loading);
    refusing = outer;
  }
}

/** Cure for a module that defines tasks and starts the program. */
export const mainModuleCure = (): string =>
  'Workers import the module that defines a task, and this one starts the program as well. Move its tasks into a module of their own' +
  (isOnTheWeb()
    ? `; ${IN_A_BUNDLE}`
    : ' (in a bundle: an entry of its own), or start the program only on the main thread: if (isMainThread) { ... }, ' +
      'with isMainThread from node:worker_threads');

/** Explanation for an error that ends a worker, where the worker has imported the program itself. */
export const importedProgram = (url: string): string =>
  `this worker imported ${url}, the program itself. ${mainModuleCure()}`;

/** The warning for the first call that is refused. */
export const mainModuleWarning = (what: string, url: string): string =>
  `furcate: a worker imported ${url}, which calls ${what} at the top level; that call does nothing there. ${mainModuleCure()}.`;
