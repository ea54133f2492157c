/** `report`: news of a task that runs, for `onReport` of its invocation; runs on every thread. Protocol: N1 in README.md. */
import { builtin } from '../code/registry.js';
import { load } from '../memory/atomics.js';
import { NOBODY_LISTENS, reportsOf, rootOf } from '../memory/record-kinds.js';
import { hooks } from './extension.js';
import { NO_INVOCATION, thread, type WorkerSlot } from './worker-slot.js';

/**
 * Tells the thread that invoked the running task how far the task is: `onReport` of `pool.invoke(task, { onReport })` is called there with
 * a copy of the value. Reports arrive in the order in which they were made, before the result, also if the task fails or its worker
 * dies later. Where nobody listens it does nothing: without `onReport`, under `invokeSync`, outside of pools.
 *
 * An asynchronous task uses `scope.report`. An inline function of an algorithm gets it through its context: `{ context: { report } }`.
 *
 * @param value numbers, strings, plain objects: what a task may return
 * @throws NotShareableError for a value that cannot leave its thread; RangeError when reports that nobody has taken fill the shared heap;
 *   Error on a worker outside of a synchronous task
 * @example
 * export const hashAll = forkable(import.meta.url, 'hashAll', (paths: string[]): string[] =>
 *   paths.map((path) => {
 *     report(path);
 *     return hash(path);
 *   }));
 * // in another module: await pool.with({ onReport: (path) => console.log(path) }).invoke(hashAll, paths)
 */
export function report(value: unknown): void {
  if (thread.invocation !== NO_INVOCATION) sendReport(thread.own, thread.invocation, value);
  else if (hooks.awaits()) throw new Error('furcate: report() in an asynchronous task. Use its scope: scope.report().');
  else if (thread.own !== null)
    throw new Error('furcate: report() outside a task: its invocation has ended. Call it before the task returns.');
}

builtin('report', report); // so that it travels in a context

/** Sends a value to `onReport` of an invocation. @param own null without a pool */
export function sendReport(own: WorkerSlot | null, invocation: number, value: unknown): void {
  if (own === null) {
    hooks.reportHere(invocation, value);
    return;
  }
  const { words, memory } = own;
  const list = reportsOf(rootOf(memory.layout, invocation));
  if (load(words, list) !== NOBODY_LISTENS) hooks.report(memory, list, value);
}
