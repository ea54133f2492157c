/** `checkpoint`, for loops of the library and of users; runs on every thread that computes. */
import { builtin } from '../code/registry.js';
import { hasLeftStack, local } from '../deque/private-stack.js';
import { load } from '../memory/atomics.js';
import { REQUEST_OBSERVE } from '../memory/layout.js';
import { hooks } from './extension.js';
import { giveWayIfAsked } from './give-way.js';
import { hasIdle } from './in-sight.js';
import { isAwaiting } from './place.js';
import { serveRequests } from './requests.js';
import { thread } from './worker-slot.js';

/**
 * Lets a long task take part in the pool: throws once its invocation is cancelled, gives forked tasks of this worker to others
 * that have nothing to do, and runs invocations of high priority. Joins and the algorithms' own loops do so by themselves. Call it
 * in loops of your own that take longer than a `graceMs`, an abort or such an invocation may. It costs about as much as an empty
 * call. Outside of a task, and where an algorithm runs on the caller, it does nothing. Without threads it looks at the clock: a time-out ends
 * a task there, and a signal that the task itself aborts. No other can abort while the task keeps the thread.
 *
 * In an asynchronous task it only looks whether the task is cancelled, and only up to the first `await`. Later nobody knows whose code
 * calls it. Use `scope.signal.throwIfAborted()` there.
 *
 * An inline function of an algorithm gets it through its context: `{ context: { checkpoint } }`.
 *
 * @throws CancellationError once the invocation is cancelled: by its signal, its time-out, or the end of its pool; Error after an `await`
 * @example
 * export const solve = forkable(import.meta.url, 'solve', (state: number): number => {
 *   while (!isSolved(state)) {
 *     checkpoint();
 *     state = improve(state);
 *   }
 *   return state;
 * });
 */
export function checkpoint(): void {
  if (load(local.requests, 0) === 0) return; // not plain: JavaScriptCore reads a plain word once for all rounds of a loop that only calls this
  if (isAwaiting()) hooks.checkpoint();
  else loopCheckpoint();
}

/** `checkpoint` of the library's own loops, which asynchronous tasks may run, too. */
export function loopCheckpoint(): void {
  if (local.requests[0] === 0 || hasLeftStack()) return;
  serveRequests();
  giveWayIfAsked();
}

/**
 * Returns true if somebody waits for this thread to end its task, or to share what it has. `others`: threads that have nothing to do, while it has forked
 * nothing that they could take; a request alone outlasts their need. `coroutines`: asynchronous tasks that have begun here, which go on only when the stack is
 * empty.
 */
export const isAskedBy = (who: 'others' | 'coroutines'): boolean =>
  who === 'coroutines'
    ? hooks.awaits()
    : (local.requests[0] & ~REQUEST_OBSERVE) !== 0 &&
      (thread.own === null
        ? thread.observer?.asks?.() === true
        : local.sp === local.split && thread.own.deque.size === 0 && hasIdle(thread.own));

builtin('checkpoint', checkpoint); // so that it travels in a context
