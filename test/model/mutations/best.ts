/** Bugs planted in the best so far; all.ts says how. */
import { binary, call, drop, ifOn, loadAndStore, moveBefore, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const CELL = 'src/flows/best/cell.ts';

export const BEST_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a better value becomes the current one by a load and a store (B1)',
    changes: [loadAndStore(CELL, 'offer', call('compareExchange', 'W_CURRENT'))],
    caughtBy: 'best: two threads',
  },
  {
    name: 'a slot is claimed by a load and a store',
    changes: [loadAndStore(CELL, 'claim', call('compareExchange', 'W_FREE'))],
    caughtBy: 'best: three threads',
  },
  {
    name: 'a slot is filled after it has become the current one (B1)',
    changes: [replace(CELL, 'offer', call('fill'), 'undefined')],
    caughtBy: 'best: two threads',
  },
  {
    name: 'a solution is read without a second look at the current slot (B2)',
    changes: [replace(CELL, 'solutionOf', binary('===', 'W_CURRENT'), 'true')],
    caughtBy: 'best: two threads',
  },
  {
    name: 'a value is read without a second look at the current slot (B2)',
    changes: [drop(CELL, 'freshValue', ifOn('W_CURRENT'))],
    caughtBy: 'best: a death',
  },
  {
    name: 'a value that was read before is taken for the best one although another slot is current (B4)',
    changes: [replace(CELL, 'bestValue', binary('===', 'W_CURRENT'), 'true')],
    caughtBy: 'best: two threads',
  },
  {
    name: 'the current slot is given back before it has been replaced (B3)',
    changes: [moveBefore(CELL, 'offer', call('release', 'SLOT_MASK'), call('compareExchange', 'W_CURRENT'))],
    caughtBy: 'best: two threads',
  },
  {
    name: 'an offer that comes too late keeps its slot',
    changes: [replace(CELL, 'offer', call('release', 'mine'), 'undefined')],
    caughtBy: 'best: three threads',
  },
];
