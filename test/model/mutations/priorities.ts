/** Bugs planted in how workers give way to roots that should not wait; all.ts says how. */
import {
  binary,
  call,
  conditionOf,
  copyAfter,
  drop,
  endOf,
  first,
  ifOn,
  insertAfter,
  insertBefore,
  loop,
  name,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const ACTIVATION = 'src/core/worker/activation.ts';
const HELP = 'src/core/worker/help.ts';
const GIVE_WAY = 'src/core/worker/give-way.ts';
const JOIN = 'src/core/worker/join.ts';
const WAIT = 'src/core/worker/wait.ts';
const SLEEP = 'src/core/worker/sleep.ts';
const AGEING = 'src/core/pool/ageing.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const KINDS = 'src/core/memory/record-kinds.ts';

export const PRIORITY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a caller keeps the low priority of the root that had its record',
    changes: [drop(KINDS, 'openCallersRoot', call('store', 'R_NEXT'))],
    caughtBy: 'priorities: a caller after a low root',
  },
  {
    name: 'a worker forgets the request after its look (S9)',
    changes: [copyAfter(GIVE_WAY, 'giveWay', call('and'), loop())],
    caughtBy: 'priorities: high roots in a row',
  },
  {
    name: 'an owner asks workers to give way before it has pushed the root (S9)',
    changes: [
      drop(INVOCATION, 'Invocations.#publish', binary('===', 'high')),
      drop(INVOCATION, 'Invocations.#publish', call('wakeOne')),
      insertBefore(
        INVOCATION,
        'Invocations.#publish',
        first(call('pinTo')),
        'if (queue === high) wakeForRoot(memory);',
      ),
    ],
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'a join of a function looks for no roots',
    changes: [drop(JOIN, 'joinHandle', call('giveWayIfAsked'))],
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'an owner pushes a root of high priority and asks nobody',
    changes: [drop(SLEEP, 'wakeForRoot', call('or', 'REQUEST_ROOT'))],
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'an owner leaves joins that sleep alone',
    changes: [drop(SLEEP, 'wakeForRoot', call('wakeState', 'STATE_JOINING'))],
    caughtBy: 'priorities: a join that sleeps',
  },
  {
    name: 'a join does not look for a request to give way before it sleeps',
    changes: [drop(WAIT, 'mayGoOn', call('mustGiveWay'))],
    caughtBy: 'priorities: a join that sleeps',
  },
  {
    name: 'a root of high priority lets another one in',
    changes: [drop(GIVE_WAY, 'giveWay', ifOn('thread.below'))],
    caughtBy: 'priorities: two high roots',
  },
  {
    name: 'a worker runs one root of high priority, and does not look for the next',
    changes: [replace(GIVE_WAY, 'giveWay', conditionOf(loop()), 'false')],
    caughtBy: 'priorities: two high roots',
  },
  {
    name: 'a join of a root runs tasks of the invocation below (I1)',
    changes: [replace(HELP, 'ownNewest', endOf(loop('local.floor')), '0')],
    caughtBy: 'priorities: a join on top',
  },
  {
    name: 'a root that clears a request to cancel clears it for the invocation below (C1)',
    changes: [drop(GIVE_WAY, 'runRoot', call('or', 'REQUEST_CANCEL'))],
    caughtBy: 'priorities: an abort below',
  },
  {
    name: 'W_INVOCATION: a worker that has run a root on top goes on to name that root',
    changes: [replace(ACTIVATION, 'name', call('setInvocation'), 'thread.invocation = $2')],
    caughtBy: 'priorities: an abort below',
  },
  {
    name: 'nobody is asked to run a root that has waited long',
    changes: [drop(AGEING, 'Ageing.#look', ifOn('areAllBusy'))],
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'C_AGED: no place counts as old',
    changes: [drop(AGEING, 'Ageing.#look', call('store', 'C_AGED'))],
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'C_AGED: workers are asked before they can see which roots are old (S9)',
    changes: [
      insertBefore(AGEING, 'Ageing.#look', call('store', 'C_AGED'), 'if (isAged) wakeForRoot(memory);'),
      insertAfter(AGEING, 'Ageing.#look', call('store', 'C_AGED'), 'if (isAged) return;'),
    ],
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'an idle worker does not look for roots of low priority',
    changes: [drop(HELP, 'TASKS_FIRST', name('lowRoot'))],
    caughtBy: 'priorities: a low root',
  },
  {
    name: 'a worker that runs an invocation of low priority does not look at normal roots',
    changes: [drop(GIVE_WAY, 'giveWay', binary('&&', 'normalRoots'))],
    caughtBy: 'priorities: a low root below',
  },
  {
    name: 'C_LOW: nobody is asked to give way to a normal root',
    changes: [drop(INVOCATION, 'Invocations.#publish', binary('&&'))],
    caughtBy: 'priorities: a low root below',
  },
];
