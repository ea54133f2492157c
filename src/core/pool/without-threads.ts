/** Pools where there are no threads, or none that share memory; runs on the thread that makes them. */
import { heapAvailable } from '../memory/heap.js';
import { host } from '../platform/host.js';
import { CallingThread } from './calling-thread.js';

const NO_SHARED_MEMORY = 'this runtime cannot share memory between threads';

let isWarned = false;

/**
 * Checks whether tasks can run on workers. Where they cannot, everything runs on the thread that calls, and one warning says why and what
 * to do. Asked when a pool is made, never at import.
 */
export function threadsAvailable(): boolean {
  const why = host().lacksThreads?.() ?? (heapAvailable() ? undefined : NO_SHARED_MEMORY);
  if (why === undefined) return true;
  if (!isWarned)
    host().warn(`furcate: ${why}. So tasks and algorithms run one after the other on the thread that calls.`);
  isWarned = true;
  return false;
}

/** The core of such a pool. A program may invoke in a loop: its event loop gets a turn at each, as with workers. */
export class PoolWithoutThreads extends CallingThread {
  protected override readonly givesTurns = true;
}
