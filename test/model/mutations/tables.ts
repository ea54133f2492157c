/** Bugs planted in shared tables; all.ts says how. */
import { call, loadAndStore, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const TABLE = 'src/algorithms/containers/key-table.ts';

export const TABLE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a key is put into a cell that another thread has taken (K1)',
    changes: [replace(TABLE, 'insertFrom', call('tryTake'), '(this.tryTake(cell, held), true)')],
    caughtBy: 'tables: two threads',
  },
  {
    name: 'a thread goes on to the next generation without the seal (K1)',
    changes: [replace(TABLE, 'insertFrom', call('trySeal'), 'true')],
    caughtBy: 'tables: two threads',
  },
  {
    name: 'a special key is put there by a load and a store (K3)',
    changes: [loadAndStore(TABLE, 'insert', call('compareExchange', 'W_SPECIALS'))],
    caughtBy: 'tables: a key that looks free',
  },
];
