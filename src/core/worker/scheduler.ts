/** Gives the short paths of fork and join their slow ones; importing it makes this realm able to run tasks. */

import { slow } from '../task/slow-paths.js';
import { attend } from './attention.js';
import { abandon, finish, helpQuiesce, poll, unfork } from './frames.js';
import { joinHandle, joinTask } from './join.js';
import { NO_INVOCATION, thread } from './seat.js';

/** Does this thread run a task? A worker between tasks, which imports a module for one, does not. */
export const isComputing = (): boolean =>
  thread.sequential || (thread.seat !== null && thread.invocation !== NO_INVOCATION);

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
  publicCount: () => thread.seat?.deque.size ?? 0,
});
