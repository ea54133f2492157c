/** Bugs planted in the public deque; all.ts says how. */
import {
  assignment,
  binary,
  call,
  drop,
  first,
  ifOn,
  inside,
  last,
  loadAndStore,
  moveBefore,
  onlyIf,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const DEQUE = 'src/core/deque/public-deque.ts';

export const DEQUE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'push publishes the index before the entry (O1)',
    changes: [moveBefore(DEQUE, 'OwnerDeque.tryPush', call('store'), assignment('this.#ring'))],
    caughtBy: 'deque: pushed and popped',
  },
  {
    name: 'pop reads the top before it lowers the bottom (O2)',
    known: 'the Chase-Lev deque without the fence that Le et al. (2013) put into its take',
    changes: [moveBefore(DEQUE, 'OwnerDeque.pop', call('load', 'this.#top'), first(call('store')))],
    caughtBy: 'deque: two entries',
  },
  {
    name: 'a thief reads the bottom before the top (O2)',
    known: 'the order of loads in steal that Le et al. (2013) prove necessary',
    changes: [moveBefore(DEQUE, 'ThiefDeque.peek', call('load', 'W_BOTTOM'), call('load', 'W_TOP'))],
    caughtBy: 'deque: two entries',
  },
  {
    name: 'the owner takes the last entry without a compareExchange (O3)',
    changes: [replace(DEQUE, 'OwnerDeque.pop', binary('>', '0'), '$1 >= $2')],
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'a thief moves the top without a compareExchange (O3)',
    known: 'crossbeam-deque CVE-2021-32810: a task taken twice, another never',
    changes: [loadAndStore(DEQUE, 'ThiefDeque.tryTake', call('compareExchange'))],
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'pop of an empty deque leaves the bottom below the top',
    changes: [drop(DEQUE, 'OwnerDeque.pop', inside(ifOn('<', '0'), call('store')))],
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'pop that lost the last entry leaves the bottom below the top',
    changes: [onlyIf(DEQUE, 'OwnerDeque.pop', last(call('store')), 'won')],
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'a full ring is written over (I3)',
    changes: [replace(DEQUE, 'OwnerDeque.tryPush', binary('>', 'this.#mask'), '$1 > $2 + 1')],
    caughtBy: 'deque: full, at the wrap of 2^31',
  },
  {
    name: 'push compares indices that wrap without the wrap',
    known: 'Tokio #5041: counters of the queue that wrap',
    changes: [replace(DEQUE, 'OwnerDeque.tryPush', binary('|', '-'), '$1')],
    caughtBy: 'deque: full, at the wrap of 2^31',
  },
  {
    name: 'a thief compares indices that wrap without the wrap',
    known: 'Tokio #5041: counters of the queue that wrap',
    changes: [replace(DEQUE, 'ThiefDeque.peek', binary('|', '-'), '$1')],
    caughtBy: 'deque: the wrap of 2^31',
  },
];
