/** Bugs planted in sleeping, waking and steal requests; all.ts says how. */
import {
  call,
  conditionOf,
  drop,
  hoist,
  ifOn,
  inside,
  last,
  moveBefore,
  not,
  plainStore,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const SLEEP = 'src/core/worker/sleep.ts';
const CALLER_WATCH = 'src/core/worker/caller-watch.ts';
const SEARCH = 'src/core/worker/search.ts';
const WAIT = 'src/core/worker/wait.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const STEAL = 'src/core/worker/steal.ts';

export const WAKING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a sleeper looks before it registers (S2)',
    known: 'oneTBB #2136: a wake-up lost between the last look and the sleep',
    changes: [hoist(SLEEP, 'sleep', conditionOf(ifOn()), call('register'))],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper does not look again (S2)',
    known: 'oneTBB #2136: a wake-up lost between the last look and the sleep',
    changes: [replace(SLEEP, 'sleep', conditionOf(ifOn()), 'true')],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies before it changes the word (S1)',
    changes: [moveBefore(SLEEP, 'wakeSlot', call('notify'), call('add'))],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies without changing the word (S1)',
    changes: [drop(SLEEP, 'wakeSlot', call('add'))],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper waits on what its event word holds when it goes to sleep (S1)',
    changes: [replace(SLEEP, 'sleep', call('wait'), 'wait($1, $2, load($1, $2), $4)')],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies the wrong word',
    changes: [replace(SLEEP, 'wakeSlot', call('notify'), 'notify($1, $2 + 1)')],
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper that was claimed takes itself off the list too (S3)',
    changes: [drop(SLEEP, 'deregister', not())],
    caughtBy: 'waking: one thief',
  },
  {
    name: 'wakers claim a sleeper without a compareExchange (S3)',
    changes: [plainStore(SLEEP, 'wakeState', call('compareExchange'))],
    caughtBy: 'steps: a sleeper, twice',
  },
  {
    name: 'a publisher looks for sleepers after its first batch only (S2)',
    known: 'this project, before 0.1.0',
    changes: [drop(PUBLISH, 'publishHalf', last(call('wakeOne')))],
    caughtBy: 'waking: two batches',
  },
  {
    name: 'a publisher clears its request after it has looked for sleepers (S5)',
    changes: [
      drop(PUBLISH, 'publishHalf', call('feedSleepers')),
      replace(PUBLISH, 'publishHalf', call('and'), 'load($1, C_SLEEPERS) > 0 ? feedSleepers(own) : $0'),
    ],
    caughtBy: 'waking: one thief',
  },
  {
    name: 'a worker that starts a task does not think of those asleep (S5)',
    changes: [drop(STEAL, 'enterInvocation', call('feedSleepers'))],
    caughtBy: 'pool: a root that needs help',
  },
  {
    name: 'an idle worker asks nobody once it is registered (S5)',
    changes: [drop(SEARCH, 'lastLook', call('askForWork'))],
    caughtBy: 'waking: one thief',
  },
  {
    name: 'a join asks nobody once it is registered (S5)',
    known: 'this project, until these models found it',
    changes: [drop(WAIT, 'lastLook', call('askOthers'))],
    caughtBy: 'waking: a join beside a caller',
  },
  {
    name: 'the last searcher wakes idle workers only, not a join that could help (S2)',
    known: 'this project, until these models found it',
    changes: [replace(CALLER_WATCH, 'wakeInstead', inside(call('wakeOne'), call('invocationOf')), 'NO_INVOCATION')],
    caughtBy: 'waking: a big task',
    bound: 1,
  },
  {
    name: 'the last worker goes to rest though a caller relied on its search (S4)',
    known: 'this project, until these models found it',
    changes: [drop(SEARCH, 'rest', call('wakeInstead'))],
    caughtBy: 'pool: a caller that needs help',
    bound: 2,
  },
  {
    name: 'a searcher that takes a task does not think of a caller that relied on it (S4)',
    known: 'this project, until these models found it',
    changes: [drop(CALLER_WATCH, 'wakeInstead', ifOn('sparesCaller'))],
    caughtBy: 'pool: a caller beside a root',
    bound: 1,
  },
];
