/** Bugs planted in the units of scans and filters; all.ts says how. */
import {
  binary,
  call,
  conditionOf,
  copyBefore,
  ifOn,
  loadAndStore,
  moveBefore,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const CHAIN = 'src/algorithms/schedule/lookback.ts';

export const CHAIN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a unit is taken by a load and a store',
    changes: [loadAndStore(CHAIN, 'takeUnit', call('add', 'W_NEXT'))],
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is said to be looked at before it was',
    changes: [copyBefore(CHAIN, 'takeUnit', call('or', 'LOOKED'), call('look'))],
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is said to be folded before its carries are written',
    changes: [moveBefore(CHAIN, 'carryOnFrom', call('or', 'FOLDED'), call('carryOn'))],
    caughtBy: 'chain: two threads, units of two blocks',
  },
  {
    name: 'whoever makes a unit known does not look whether it was looked at',
    changes: [replace(CHAIN, 'carryOnFrom', binary('===', 'LOOKED'), '$1 >= $2')],
    caughtBy: 'chain: two threads',
  },
  {
    name: 'the two words of a unit are set by a load and a store',
    changes: [loadAndStore(CHAIN, 'takeUnit', call('or', 'LOOKED'))],
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is finished whether it is folded or not',
    changes: [replace(CHAIN, 'takeUnit', conditionOf(ifOn('isFoldedSoon')), 'true')],
    caughtBy: 'chain: two threads',
  },
];
