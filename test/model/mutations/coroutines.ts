/** Bugs planted in what forks of coroutines need; all.ts says how. */
import {
  assignment,
  call,
  conditional,
  conditionOf,
  drop,
  first,
  hoist,
  ifOn,
  inline,
  loadAndStore,
  loop,
  plainStore,
  replace,
  startOf,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const TELL = 'src/core/worker/tell.ts';
const SCHEDULER = 'src/extensions/async/coroutine-scheduler.ts';
const KINDS = 'src/core/memory/record-kinds.ts';
const SLOT = 'src/core/worker/worker-slot.ts';
const STEAL = 'src/core/worker/steal.ts';
const SLEEP = 'src/core/worker/sleep.ts';

export const COROUTINE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a thief looks whether the forker sleeps before it links the record (A1)',
    changes: [hoist(TELL, 'tellCoroutine', conditionOf(ifOn('STATE_RUNNING')), loop('compareExchange'))],
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a thief links the record and wakes nobody (A1)',
    changes: [drop(TELL, 'tellCoroutine', ifOn('STATE_RUNNING'))],
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'records are linked without a compareExchange (A1)',
    changes: [plainStore(TELL, 'tellCoroutine', call('compareExchange'))],
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'the forker empties its list by a load and a store (A1)',
    changes: [loadAndStore(SCHEDULER, 'CoroutineScheduler.bringHome', call('exchange'))],
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'W_COMPLETED: a forker goes to sleep without a look at its list',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.hasWork', call('hasCompleted'))],
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a forker publishes forks and wakes nobody (S2)',
    changes: [
      drop(SCHEDULER, 'CoroutineScheduler.feed', first(call('wakeOne'))),
      drop(SCHEDULER, 'CoroutineScheduler.feed', call('wakeOne')),
    ],
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'C_ASYNC: thieves do not look into ready deques',
    changes: [replace(SLOT, 'WorkerSlot.victimCount', conditional('C_ASYNC'), '$2')],
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'the loop over ready deques leaves out the first worker',
    changes: [replace(SLOT, 'WorkerSlot.constructor', startOf(first(loop())), '2')],
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'R_NEXT: a record does not say that a coroutine has forked it',
    changes: [drop(KINDS, 'setOrigin', assignment('R_NEXT'))],
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a thief reads who has forked a record after it is completed (R2)',
    changes: [inline(STEAL, 'completeTask', 'origin')],
    caughtBy: 'steps: a record again',
  },
  {
    name: 'whoever completes the winner of a race tells nobody (A2)',
    changes: [drop(STEAL, 'completeTask', ifOn('OF_RACE', 'normal'))],
    caughtBy: 'coroutines: a race',
  },
  {
    name: 'a race is over, and nobody is asked to look (A2, C1)',
    changes: [drop('src/core/worker/requests.ts', 'endRace', call('requestOfAll'))],
    caughtBy: 'coroutines: a race',
  },
  {
    name: 'R_RACE: a fork does not name its race',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.#publish', call('setRace'))],
    caughtBy: 'coroutines: a race',
  },
  {
    name: 'a forker runs a published fork without taking it back',
    changes: [drop(SCHEDULER, 'CoroutineScheduler.tryClaim', ifOn('tryClaim'))],
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a worker whose coroutines wait looks before it registers (S2)',
    changes: [hoist(SLEEP, 'sleepInLoop', conditionOf(ifOn()), call('register'))],
    caughtBy: 'coroutines: a published fork',
  },
];
