/** Bugs planted in blocking sections and spare threads; all.ts says how. */
import {
  binary,
  call,
  copyAfter,
  drop,
  first,
  hoist,
  ifOn,
  inside,
  number,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const BLOCKING = 'src/extensions/spares/blocking.ts';
const SEARCH = 'src/core/worker/search.ts';
const START = 'src/extensions/spares/start.ts';
const ROLE = 'src/core/worker/role.ts';
const SLOT = 'src/core/worker/worker-slot.ts';
const CONTROL = 'src/core/memory/control.ts';

export const SPARE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a section begins without publishing what its thread has forked',
    changes: [drop(BLOCKING, 'runBlocked', first(call('publishAll')))],
    caughtBy: 'spares: a section',
  },
  {
    name: 'what a section forks stays private',
    changes: [drop(BLOCKING, 'runBlocked', call('or', 'REQUEST_PUBLISH'))],
    caughtBy: 'spares: a section that forks',
  },
  {
    name: 'a thread goes on to publish all that it forks when its section has ended',
    changes: [drop(BLOCKING, 'runBlocked', call('and', 'REQUEST_PUBLISH'))],
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare is woken before the thread counts as blocked (S10)',
    changes: [
      copyAfter(BLOCKING, 'lendWorker', call('add', 'C_BLOCKED'), first(ifOn('C_SPARES'))),
      replace(BLOCKING, 'lendWorker', first(call('add', 'C_BLOCKED')), 'load($1, $2)'),
    ],
    caughtBy: 'spares: a section',
  },
  {
    name: 'a section wakes no spare (S10)',
    changes: [drop(BLOCKING, 'lendWorker', first(call('wakeSlot')))],
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare does not look again before it sleeps (S10)',
    changes: [replace(SEARCH, 'rest', call('sleep'), 'sleep($1, $2, $3, $4, () => false)')],
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare reads its event word after its last look (S10)',
    changes: [replace(SEARCH, 'rest', call('sleep'), '$5() || sleep($1, $2, $3, eventOf($1), () => false)')],
    caughtBy: 'spares: a section',
  },
  {
    name: 'C_BLOCKED: a section that has ended still counts',
    changes: [replace(BLOCKING, 'lendWorker', call('sub', 'C_BLOCKED'), 'load($1, $2)')],
    caughtBy: 'spares: a section',
  },
  {
    name: 'the first spare computes in every place, and the second in none',
    changes: [replace(ROLE, 'roleOf', binary('>', 'C_BLOCKED'), '$1 >= $2 && $1 !== 1')],
    caughtBy: 'spares: a spare that blocks',
  },
  {
    name: 'thieves do not look into the deques of spares',
    changes: [drop(SLOT, 'WorkerSlot.victimCount', ifOn())],
    caughtBy: 'spares: a spare that blocks',
  },
  {
    name: 'thieves look into the deques of spares, but not of the last one',
    changes: [replace(SLOT, 'WorkerSlot.victimCount', inside(ifOn(), binary('+')), '$0 - 2')],
    caughtBy: 'spares: a spare that forks',
  },
  {
    name: 'a loop over slots leaves out the last spare',
    changes: [replace(CONTROL, 'ControlMemory.slots', number(1), '0')],
    caughtBy: 'spares: a section',
  },
  {
    name: 'a section looks for its spare before the thread counts as blocked (S11)',
    changes: [hoist(BLOCKING, 'lendWorker', first(call('load', 'C_SPARES')), call('add', 'C_BLOCKED'))],
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'a section does not ask for a spare that has left',
    changes: [drop(BLOCKING, 'lendWorker', ifOn('maxSpares'))],
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'the owner does not look for blocked threads when a spare has left (S11)',
    changes: [drop(START, 'gone', call('start'))],
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'C_SPARES: a spare leaves without taking itself off',
    changes: [replace(START, 'leave', call('compareExchange', 'C_SPARES'), 'load($1, $2)')],
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'C_SPARES: the owner starts a spare that nobody sees',
    changes: [drop(START, 'start', ifOn('compareExchange'))],
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'a caller that blocks still keeps the last worker from computing (S6)',
    changes: [drop(BLOCKING, 'lendCaller', first(call('store')))],
    caughtBy: 'spares: a caller that blocks',
  },
  {
    name: 'a caller that blocks does not wake the last worker (S6)',
    changes: [drop(BLOCKING, 'lendCaller', call('wakeLast'))],
    caughtBy: 'spares: a caller that blocks',
  },
];
