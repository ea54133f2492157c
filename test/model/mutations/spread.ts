/** Bugs planted in which thread begins an asynchronous task; all.ts says how. */
import { call, drop, ifOn, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const SPREAD = 'src/extensions/async/spread.ts';
const SCHEDULER = 'src/extensions/async/coroutine-scheduler.ts';

export const SPREAD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a thread leaves a fork for ever to one that does not come',
    changes: [drop(SPREAD, 'Spread.leaves', ifOn('SPREAD_MS'))],
    caughtBy: 'coroutines: a fork that is left in vain',
  },
  {
    name: 'a thread begins what another one should',
    changes: [replace(SPREAD, 'Spread.leaves', call('load', 'W_WAITING'), 'own')],
    caughtBy: 'coroutines: a fork for a free thread',
  },
  {
    name: 'a thread leaves a fork, and keeps it to itself',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.#leaves', call('feed'))],
    caughtBy: 'coroutines: a fork for a free thread',
  },
  {
    name: 'a published fork that is left is not put back',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.#runNewest', call('tryPush'))],
    caughtBy: 'coroutines: a fork for a free thread',
  },
  {
    name: 'a published fork that is left is put back, and nobody is woken (S2)',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.#runNewest', call('wakeOne'))],
    caughtBy: 'coroutines: a fork for a free thread',
    known: 'this project: a thief that looked just then slept on, and the forker began the task itself after 4 ms',
  },
  {
    name: 'a thread leaves a fork to one that computes',
    changes: [replace(SPREAD, 'Spread.leaves', call('invocationOf'), 'NO_INVOCATION')],
    caughtBy: 'coroutines: a fork beside a thread that computes',
  },
  {
    name: 'a thread leaves a fork to one that takes no tasks',
    changes: [drop(SPREAD, 'Spread.leaves', ifOn('STATE_WAITING'))],
    caughtBy: 'coroutines: a fork beside a thread that rests',
  },
];
