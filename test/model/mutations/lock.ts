/** Bugs planted in the lock of the shared heap; all.ts says how. */
import type { Mutation } from './mutation.js';

const HEAP_LOCK = 'src/core/memory/heap-lock.ts';

export const LOCK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the lock is taken by a load and a store (L1)',
    file: HEAP_LOCK,
    from: '    if (compareExchange(this.#words, W_LOCK, 0, this.#self) === 0) return; // L1, pairs with release',
    to: '    if (load(this.#words, W_LOCK) === 0 && exchange(this.#words, W_LOCK, this.#self) !== -1) return;',
    caughtBy: 'lock: two threads',
  },
  {
    name: 'a waiter that spins takes the lock whoever holds it',
    file: HEAP_LOCK,
    from: 'if (load(words, W_LOCK) === 0 && compareExchange(words, W_LOCK, 0, this.#self) === 0) return;',
    to: 'if (load(words, W_LOCK) === 0 && exchange(words, W_LOCK, this.#self) !== -1) return;',
    caughtBy: 'lock: three threads',
  },
  {
    name: 'the lock of a dead thread is taken over as if its section were whole',
    file: HEAP_LOCK,
    from: `    if (compareExchange(this.#words, W_LOCK, held, this.#self | CONTENDED) !== held) return false;
    this.#words[W_TORN] = 1; // plain: we hold the lock
`,
    to: '    if (compareExchange(this.#words, W_LOCK, held, this.#self | CONTENDED) !== held) return false;\n',
    caughtBy: 'lock: a death',
  },
];
