/**
 * Callbacks that wait until every worker that is being terminated has left. Any of them may have died with the heap's lock, and a thread that
 * took the lock now would wait in vain: it hears of their ends one after the other, and of none while it waits.
 */

import type { WorkerThread } from '../platform/host.js';

/** Workers that are being terminated. */
const ending = new Set<WorkerThread>();
let waiting: (() => void)[] = [];

export function terminate(worker: WorkerThread): void {
  ending.add(worker);
  worker.terminate();
}

/** To be called when a worker has left, however it ended. @param then what to do once no other one may have died with the lock */
export function hasEnded(worker: WorkerThread, then: () => void): void {
  ending.delete(worker);
  waiting.push(then);
  if (ending.size > 0) return;
  const due = waiting;
  waiting = [];
  for (const act of due) act();
}
