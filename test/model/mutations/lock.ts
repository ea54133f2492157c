/** Bugs planted in the lock of the shared heap; all.ts says how. */
import { assignment, call, drop, inside, loadAndStore, loop, plainStore } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const HEAP_LOCK = 'src/core/memory/heap-lock.ts';

export const LOCK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the lock is taken by a load and a store (L1)',
    changes: [loadAndStore(HEAP_LOCK, 'HeapLock.acquire', call('compareExchange'))],
    caughtBy: 'lock: two threads',
  },
  {
    name: 'a waiter that spins takes the lock whoever holds it',
    changes: [plainStore(HEAP_LOCK, 'HeapLock.#acquireContended', inside(loop('SPINS'), call('compareExchange')))],
    caughtBy: 'lock: three threads',
  },
  {
    name: 'the lock of a dead thread is taken over as if its section were whole',
    changes: [drop(HEAP_LOCK, 'HeapLock.#take', assignment('W_TORN'))],
    caughtBy: 'lock: a death',
  },
];
