/** Bugs planted in the ranges of lanes; all.ts says how. */
import {
  assignment,
  call,
  drop,
  ifOn,
  insertBefore,
  inside,
  loop,
  moveBefore,
  plainStore,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const RANGES = 'src/algorithms/schedule/ranges.ts';

export const RANGES_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an owner claims without compareExchange',
    changes: [plainStore(RANGES, 'claim', call('compareExchange'))],
    caughtBy: 'ranges: one lane has all',
    bound: 2,
  },
  {
    name: 'an owner writes lo beside the hi that is there by then',
    changes: [
      replace(RANGES, 'claim', call('compareExchange'), '(store($1, $2, rangeOf(end, endOf(load($1, $2)))), $3)'),
    ],
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief lowers the end of a range by a plain store',
    changes: [plainStore(RANGES, 'steal', call('compareExchange'))],
    caughtBy: 'ranges: two lanes',
  },
  {
    name: 'a thief forgets to store what it took',
    changes: [drop(RANGES, 'steal', call('store'))],
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief stores what it means to take, and then takes it',
    changes: [moveBefore(RANGES, 'steal', call('store'), ifOn('compareExchange'))],
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief stores all that it took, its first tiles too',
    changes: [replace(RANGES, 'steal', call('store'), 'store($1, $2, rangeOf(middle, hi))')],
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'the least failure is written without compareExchange',
    changes: [plainStore(RANGES, 'noteFailure', call('compareExchange'))],
    caughtBy: 'ranges: two that fail',
  },
  {
    name: 'a failure that comes second is forgotten',
    changes: [insertBefore(RANGES, 'noteFailure', inside(loop(), assignment()), 'return;')],
    caughtBy: 'ranges: two that fail',
  },
];
