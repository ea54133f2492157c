/** Gives fork and join their slow paths: importing this module makes the realm able to run tasks. */

import { refuseRevoked, show } from '../errors.js';
import { isAsync } from '../task/async-task.js';
import { CallTask } from '../task/call-task.js';
import { refuseFreed } from '../task/codec.js';
import { CANCELLED, type ForkJoinTask, FRESH, isTask, nameOf, startedTwice } from '../task/fork-join-task.js';
import { asyncIndexOf, indexOf } from '../task/function-task.js';
import { slow } from '../task/slow-paths.js';
import { callOf } from '../task/with-context.js';
import { joinHandle, joinTask } from './join.js';
import { isComputing, isInTask } from './place.js';
import { outsideError, serveRequests } from './requests.js';
import { abandon, finish, helpQuiesce, poll, unfork } from './scope-exit.js';
import { thread } from './worker-slot.js';

export { isComputing, isInTask };

/** @throws Error for an asynchronous task where nothing could await it */
export function refuseAsync(call: string, task: ForkJoinTask<unknown>): void {
  if (!isAsync(task)) return;
  throw new Error(
    `furcate: ${call} of ${nameOf(task)}, which is asynchronous: a thread that blocks cannot run what it awaits. Use await pool.invoke(), or scope.fork() in an asynchronous task.`,
  );
}

/** The task that `call` is given, as a task object or as a forkable function with its arguments. */
export function taskOf(call: string, work: unknown, args: unknown[]): ForkJoinTask<unknown> {
  refuseRevoked(work, `what ${call}() was given`);
  const [of, all] = callOf(work, args);
  const index = indexOf(of) ?? asyncIndexOf(of);
  const task = index === undefined ? work : new CallTask<unknown>(index, all);
  if (isTask(task)) return task;
  throw new TypeError(
    `furcate: ${call}() takes a task, or a function made with forkable() or asyncForkable(); it was given ${show(task)}.`,
  );
}

/** @throws what a cancelled task has in place of a result; Error if it was started before, or holds what was freed */
export function requireFresh(call: string, task: ForkJoinTask<unknown>): void {
  if (task.$state === CANCELLED) throw task.$result;
  if (task.$state !== FRESH) throw startedTwice(task, call);
  refuseFreed(task);
}

/** The task that `call` is given outside of tasks; checked. */
export function rootTask(call: string, work: unknown, args: unknown[]): ForkJoinTask<unknown> {
  const task = taskOf(call, work, args);
  if (isInTask()) {
    const cure = isComputing()
      ? 'A task cannot await: use task.invoke(), or fork() and join().'
      : 'In an asynchronous task, use scope.fork() and await scope.join().';
    throw new Error(`furcate: ${call}() inside a task. ${cure}`);
  }
  requireFresh(call, task);
  return task;
}

function requirePool(what: string): void {
  if (!isComputing()) throw outsideError(`${what}()`);
}

Object.assign(slow, {
  serveRequests,
  joinTask,
  joinHandle,
  finish,
  abandon,
  unfork,
  poll,
  requirePool,
  helpQuiesce,
  currentPool: () => (isComputing() ? thread.pool : undefined),
  publicCount: () => thread.own?.deque.size ?? 0,
});
