/** Gives fork and join their slow paths: importing this module makes the realm able to run tasks. */

import { slow } from '../task/slow-paths.js';
import { joinHandle, joinTask } from './join.js';
import { attend } from './requests.js';
import { abandon, finish, helpQuiesce, poll, unfork } from './scope-exit.js';
import { NO_INVOCATION, thread } from './worker-slot.js';

/** Does this thread run a task? A worker that imports a module between two tasks does not. */
export const isComputing = (): boolean =>
  thread.sequential || (thread.own !== null && thread.invocation !== NO_INVOCATION);

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
