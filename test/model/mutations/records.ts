/** Bugs planted in records and publication; all.ts says how. */
import {
  assignment,
  call,
  conditional,
  conditionOf,
  hoist,
  inside,
  loadAndStore,
  moveBefore,
  replace,
  returning,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const RECORDS = 'src/core/memory/records.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const STEAL = 'src/core/worker/steal.ts';

export const RECORD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a record changes hands by a load and a store (R1)',
    known: 'crossbeam-deque CVE-2021-32810: a task run twice',
    changes: [loadAndStore(RECORDS, 'move', call('compareExchange'))],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'the generation stays when a record is freed (P4)',
    changes: [replace(RECORDS, 'OwnerRecords.release', conditional('MAX_GENERATION'), '$3 - 1')],
    caughtBy: 'steps: a record again',
  },
  {
    name: 'the generation grows beyond its bits',
    known: 'Tokio #5041: counters of the queue that wrap',
    changes: [replace(RECORDS, 'OwnerRecords.release', conditional('MAX_GENERATION'), '$3')],
    caughtBy: 'steps: the last generation',
  },
  {
    name: 'completion stores where it must exchange: the mark of a forker that sleeps is lost (P3)',
    changes: [replace(RECORDS, 'complete', call('exchange'), '(store($1, $2, $3), status)')],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a task is done before its outcome is written (P2)',
    changes: [
      replace(STEAL, 'completeTask', conditionOf(inside(call('complete'), conditional())), '!failed'),
      moveBefore(STEAL, 'completeTask', call('complete'), call('encodeOutcome')),
    ],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'the thief reads the record once more after it is done (R2)',
    known: 'Rayon #768: a latch used after its owner was free to drop it',
    changes: [
      replace(STEAL, 'completeTask', returning('tellCoroutine'), 'return words[record + 8] < 0 ? nobodyWaits : $1;'), // its result
    ],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a record is public before it is filled in (P1)',
    changes: [moveBefore(PUBLISH, 'publishRecord', call('setPublic'), assignment('R_INVOCATION'))],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'an entry is pushed before its record is public (I4)',
    changes: [hoist(PUBLISH, 'publishRecord', call('tryPush'), call('setPublic'))],
    caughtBy: 'waking: one thief',
  },
];
