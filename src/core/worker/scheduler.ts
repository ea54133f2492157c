/** Gives fork and join their slow paths: importing this module makes the realm able to run tasks. */

import { show } from '../errors.js';
import { CallTask } from '../task/call-task.js';
import { refuseFreed } from '../task/codec.js';
import { CANCELLED, type ForkJoinTask, FRESH, isTask, startedTwice } from '../task/fork-join-task.js';
import { indexOf } from '../task/function-task.js';
import { slow } from '../task/slow-paths.js';
import { joinHandle, joinTask } from './join.js';
import { attend } from './requests.js';
import { abandon, finish, helpQuiesce, poll, unfork } from './scope-exit.js';
import { NO_INVOCATION, thread } from './worker-slot.js';

/** Does this thread run a task? A worker that imports a module between two tasks does not. */
export const isComputing = (): boolean => thread.invocation !== NO_INVOCATION;

/** The task that `call` is given, as a task object or as a forkable function with its arguments; checked. */
export function rootTask(call: string, work: unknown, args: unknown[]): ForkJoinTask<unknown> {
  const index = indexOf(work);
  const task = index === undefined ? work : new CallTask<unknown>(index, args);
  if (!isTask(task)) {
    throw new TypeError(
      `furcate: ${call}() takes a task, or a function made with forkable(import.meta.url, name, fn); it was given ${show(task)}.`,
    );
  }
  if (isComputing()) {
    throw new Error(`furcate: ${call}() inside a task. A task cannot await: use task.invoke(), or fork() and join().`);
  }
  if (task.$state === CANCELLED) throw task.$result;
  if (task.$state !== FRESH) throw startedTwice(task, call);
  refuseFreed(task);
  return task;
}

function requirePool(what: string): void {
  if (isComputing()) return;
  throw new Error(
    `furcate: ${what}() outside a pool. Start with await pool.invoke(task) or pool.invokeSync(task), and call it inside compute().`,
  );
}

Object.assign(slow, {
  attend,
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
