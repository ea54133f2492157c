/** Bugs planted in pools and their owners; all.ts says how. */
import { call, drop, ifOn, insertBefore, last, moveBefore, name, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const REQUESTS = 'src/core/worker/requests.ts';
const SEARCH = 'src/core/worker/search.ts';
const SLEEP = 'src/core/worker/sleep.ts';
const STEAL = 'src/core/worker/steal.ts';
const TELL = 'src/core/worker/tell.ts';
const CALLER = 'src/core/pool/caller.ts';
const CANCELLATION = 'src/core/pool/cancellation.ts';
const GROUP = 'src/core/pool/worker-group.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const WATCH = 'src/core/pool/root-watch.ts';

export const POOL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a worker does not look whether the pool closes before it sleeps (S7)',
    changes: [drop(SEARCH, 'lastLook', ifOn('isStopping'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'a closing pool wakes its workers before it says that it closes (S7)',
    changes: [moveBefore(GROUP, 'WorkerGroup.#end', call('wakeAll'), call('store', 'C_PHASE'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'a root is counted as completed before it is (S8)',
    changes: [
      replace(STEAL, 'completeTask', name('tellOwner'), 'nobodyWaits'),
      insertBefore(STEAL, 'completeTask', call('complete'), 'if (isOfRoots(memory, $2)) tellOwner(memory);'),
    ],
    caughtBy: 'pool: a root',
  },
  {
    name: 'the owner looks at its roots before it reads the count that it waits on (S8)',
    changes: [moveBefore(WATCH, 'RootWatch.#watch', call('#look'), call('load', 'C_COMPLETED'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'a worker completes a root and tells nobody (S8)',
    changes: [drop(TELL, 'tellOwner', call('notify'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'an owner publishes a root and wakes nobody',
    changes: [drop(INVOCATION, 'Invocations.#publish', call('wakeOne'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'a thread reads why it was cancelled before it clears its bit (C1)',
    changes: [moveBefore(REQUESTS, 'seeCancellation', call('cancellation'), call('and'))],
    caughtBy: 'pool: a long root',
  },
  {
    name: 'an owner asks for requests before it says why (C1)',
    changes: [moveBefore(CANCELLATION, 'Cancellation.cancel', call('requestOfAll'), call('setReason'))],
    caughtBy: 'pool: a long root',
  },
  {
    name: 'the owner cancels a root that a worker may have taken, without asking its record',
    changes: [replace(INVOCATION, 'Invocations.#tryWithdraw', call('tryClaim'), 'stateOf($1, $2) === PUBLIC')],
    caughtBy: 'pool: cancel',
  },
  {
    name: 'a caller looks for the monitor before it names its invocation (S4)',
    changes: [moveBefore(CALLER, 'runOnCaller', ifOn('C_MONITOR'), call('attach'))],
    caughtBy: 'pool: a caller that needs help',
    bound: 2,
  },
  {
    name: 'a caller that is done leaves the last worker asleep (S6)',
    changes: [drop(CALLER, 'runOnCaller', call('wakeLast'))],
    caughtBy: 'pool: a root before a caller',
  },
  {
    name: 'a caller looks at the last worker before it says that it is done (S6)',
    changes: [moveBefore(CALLER, 'runOnCaller', call('wakeLast'), last(call('store', 'C_CALLER_COMPUTES')))],
    caughtBy: 'pool: a root before a caller',
  },
  {
    name: 'the last worker goes to sleep without a last look while the caller computes (S2)',
    changes: [replace(SEARCH, 'lastLook', call('workAwaits'), 'false')],
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'the last worker goes to sleep beside a worker that it has not asked, while the caller computes (S5)',
    changes: [drop(SEARCH, 'workAwaits', ifOn('computes'))],
    caughtBy: 'pool: a needy root beside a caller',
  },
  {
    name: 'a worker goes to sleep in its event loop without a last look (S2, S7)',
    changes: [replace(SEARCH, 'rest', call('look'), 'false')],
    caughtBy: 'pool: a root, in the loop',
  },
  {
    name: 'a worker that sleeps in its event loop waits for another change than the next (S1)',
    changes: [replace(SLEEP, 'sleepInLoop', call('eventChanged'), 'eventChanged($1, eventOf($1))')],
    caughtBy: 'pool: a root, in the loop',
  },
  {
    name: 'a crash wakes nobody',
    changes: [drop(GROUP, 'WorkerGroup.#noteCrash', call('wakeAll'))],
    caughtBy: 'pool: crash',
  },
];
