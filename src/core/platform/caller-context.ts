/**
 * The asynchronous context of a call: what `AsyncLocalStorage` holds, and `AsyncContext` where that exists; on the thread that calls.
 *
 * Promises and timers carry it along by themselves. What one loop calls for many calls does not: it would run in the context of the call that has
 * started the loop. So what may lead to a callback of the user is bound when it is handed to such a loop: listeners of reports, of signals and
 * of the end of a pool, jobs that take turns on this thread, and `createWorker`, which belongs to the pool.
 */
import { type ContextVariable, host } from './host.js';

type Callback = (...args: never[]) => unknown;

/** The proposal's classes. */
interface AsyncContext {
  readonly Variable?: new () => ContextVariable;
  readonly Snapshot?: { wrap<F extends Callback>(fn: F): F };
}

/** The function, in the context of now; the function itself where there are no contexts. */
export function inThisContext<F extends Callback>(fn: F): F {
  const { AsyncContext } = globalThis as { readonly AsyncContext?: AsyncContext };
  return AsyncContext?.Snapshot?.wrap(fn) ?? host().bindContext?.(fn) ?? fn;
}

/** A new variable, with undefined everywhere; undefined where there are no contexts. */
export function contextVariable(): ContextVariable | undefined {
  const { AsyncContext } = globalThis as { readonly AsyncContext?: AsyncContext };
  return AsyncContext?.Variable === undefined ? host().contextVariable?.() : new AsyncContext.Variable();
}
