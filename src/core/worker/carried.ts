/** `carried`: a value that the caller gives along with an invocation, for all of its tasks; runs on every thread. */
import { builtin } from '../code/registry.js';
import { carriedBlock, rootOf } from '../memory/record-kinds.js';
import { contextVariable } from '../platform/caller-context.js';
import type { ContextVariable } from '../platform/host.js';
import { hooks } from './extension.js';
import { NO_INVOCATION, thread, type WorkerSlot } from './worker-slot.js';

/**
 * The value that the running task's invocation was given as its option `carry`, such as the id of a request for log lines: in the task itself and
 * in all that it forks, on every thread. Undefined where nothing is carried, and outside of tasks.
 *
 * Tasks of one invocation on one thread get the same copy: read it, and leave it as it is. After an `await`, an asynchronous task uses
 * `scope.carried()`. On Node, Bun and Deno, `carried()` works there, too: each runs what follows an `await` in the context of what was before. An inline
 * function of an algorithm gets it through its context: `{ context: { carried } }`.
 *
 * @throws TaskRegistrationError where the value holds an instance of a class whose module is not loaded on this thread; Error after an
 *   `await` in an asynchronous task, where the platform has no `AsyncLocalStorage`
 * @example
 * export const priceOf = forkable(import.meta.url, 'priceOf', (item: Item): number => {
 *   console.log(`request ${carried<{ requestId: string }>()?.requestId}: ${item.name}`);
 *   return computePrice(item);
 * });
 * // in another module: await pool.with({ carry: { requestId } }).invoke(priceOf, item)
 */
export function carried<T = unknown>(): T | undefined;
export function carried(): unknown {
  if (thread.invocation !== NO_INVOCATION) return carriedBy(thread.own, thread.invocation);
  return ofCoroutines?.get();
}

builtin('carried', carried); // so that it travels in a context

/** The value that an invocation carries. @param own null without a pool */
export function carriedBy(own: WorkerSlot | null, invocation: number): unknown {
  if (own === null) return hooks.carriedHere(invocation);
  const { words, memory } = own;
  const block = carriedBlock(words, rootOf(memory.layout, invocation));
  return block === 0 ? undefined : hooks.carried(block);
}

/** The value that the asynchronous task carries to which the code belongs that runs now. Undefined until one has carried something. */
let ofCoroutines: ContextVariable | undefined;

let begun: { readonly value: unknown } | undefined;
/** For platforms without contexts: asynchronous tasks find what they carry until they wait for something. */
const untilTheyWait: ContextVariable = {
  run(value, begin) {
    const outer = begun;
    begun = { value };
    try {
      return begin();
    } finally {
      begun = outer;
    }
  },
  get() {
    if (begun === undefined && hooks.awaits())
      throw new Error(
        'furcate: carried() after an await. Read it before, or use the scope of the task: scope.carried().',
      );
    return begun?.value;
  },
};

/** Begins an asynchronous task, all of whose code is to find what its invocation carries. */
export function carrying<R>(value: unknown, begin: () => R): R {
  if (value !== undefined) ofCoroutines ??= contextVariable() ?? untilTheyWait;
  return ofCoroutines === undefined ? begin() : ofCoroutines.run(value, begin); // a task that carries nothing may begin in the context of another
}
