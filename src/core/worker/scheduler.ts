/** Gives the short paths of fork and join their slow ones; importing it makes this realm able to run tasks. */

import { slow } from '../task/slow-paths.js';
import { attend } from './attention.js';
import { abandon, finish, helpQuiesce, poll, unfork } from './frames.js';
import { joinHandle, joinTask } from './join.js';
import { thread } from './seat.js';

export const isComputing = (): boolean => thread.seat !== null || thread.sequential;

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
  currentPool: () => thread.pool,
  publicCount: () => thread.seat?.deque.size ?? 0,
});
