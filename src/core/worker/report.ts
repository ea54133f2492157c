/** `report`: news of a task that runs, for `onReport` of its invocation; runs on every thread. Protocol: N1 in README.md. */
import { hasPart, part, publishPart } from '../code/parts.js';
import { builtin } from '../code/registry.js';
import { load } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { rootsSlot } from '../memory/layout.js';
import type { Pins } from '../memory/pins.js';
import { NOBODY_LISTENS, R_REPORTS, recordOf } from '../memory/records.js';
import { coroutines } from './coroutines.js';
import { NO_INVOCATION, thread, type WorkerSlot } from './worker-slot.js';

/** What takes the reports of one invocation; on the owner. */
export interface Listener {
  /**
   * Hands over what was reported, in order, for some milliseconds.
   *
   * @param record of the root
   * @param isLast whether there is no later time for it
   * @returns false if reports are left, for the next turn of the event loop
   * @throws what `onReport` throws; then it takes no more
   */
  deliver(record: number, isLast: boolean): boolean;
}

/** Evaluates the part, which replaces the functions below by its own. */
function loaded(): typeof reports {
  part('reports');
  return reports;
}

/** What the part `reports` (core/reports) does, which a thread loads at the first report that it makes or waits for. */
export const reports = {
  /** Links a value into the list of a root, whose head is the word `list`. */
  send: (memory: ControlMemory, list: number, value: unknown): void => loaded().send(memory, list, value),
  /**
   * Undefined in a bundle without the part: nothing in such a program can report.
   *
   * @param pins of the invocation, which may go on with the arrays that it reports
   * @param again is called in the next turn of the event loop if reports are left
   */
  listen(
    memory: ControlMemory,
    onReport: (value: unknown) => void,
    pins: Pins,
    again: () => void,
  ): Listener | undefined {
    if (!hasPart('reports')) return undefined;
    publishPart('reports');
    return loaded().listen(memory, onReport, pins, again);
  },
};

/**
 * Tells the thread that invoked the running task how far the task is: `onReport` of `pool.invoke(task, { onReport })` is called there with
 * a copy of the value. Reports arrive in the order in which they were made, before the result, also if the task fails or its worker
 * dies later. Where nobody listens it does nothing: without `onReport`, under `invokeSync`, in a SequentialExecutor, outside of pools.
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
 * // in another module: await pool.invoke(task(hashAll, paths), { onReport: (path) => console.log(path) })
 */
export function report(value: unknown): void {
  if (thread.invocation !== NO_INVOCATION) sendReport(thread.own, thread.invocation, value);
  else if (coroutines.live > 0)
    throw new Error('furcate: report() in an asynchronous task. Use its scope: scope.report().');
  else if (thread.own !== null)
    throw new Error('furcate: report() outside a task: its invocation has ended. Call it before the task returns.');
}

builtin('report', report); // so that it travels in a context

/** Sends a value to `onReport` of an invocation. @param own null without a pool */
export function sendReport(own: WorkerSlot | null, invocation: number, value: unknown): void {
  if (own === null) return;
  const { words, memory } = own;
  const list = recordOf(memory.layout, rootsSlot(memory.layout), invocation) + R_REPORTS;
  if (load(words, list) !== NOBODY_LISTENS) reports.send(memory, list, value);
}
