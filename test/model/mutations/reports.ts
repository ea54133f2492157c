/** Bugs planted in what reports and broadcasts need; all.ts says how. */
import {
  call,
  drop,
  hoist,
  ifOn,
  last,
  loadAndStore,
  moveAfter,
  name,
  plainStore,
  replace,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const REPORTS = 'src/extensions/reports/index.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const KINDS = 'src/core/memory/record-kinds.ts';
const IN_SIGHT = 'src/core/worker/in-sight.ts';
const HELP = 'src/core/worker/help.ts';

export const REPORT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a task reports and tells nobody (N1)',
    changes: [drop(REPORTS, 'report', call('tellOwner'))],
    caughtBy: 'reports: while a task runs',
  },
  {
    name: 'a task tells the owner before it links its report (N1)',
    changes: [moveAfter(REPORTS, 'report', last(ifOn()), call('link'))],
    caughtBy: 'reports: while a task runs',
  },
  {
    name: 'reports are linked without a compareExchange (N1)',
    changes: [plainStore(REPORTS, 'report', call('compareExchange'))],
    caughtBy: 'reports: two tasks',
  },
  {
    name: 'the owner takes reports by a load and a store (N1)',
    changes: [loadAndStore(REPORTS, 'ReportListener.#take', call('exchange'))],
    caughtBy: 'reports: a root',
  },
  {
    name: 'the owner hands over newer reports first',
    changes: [replace(REPORTS, 'ReportListener.#take', call('concat'), 'newer.reverse()')],
    caughtBy: 'reports: a root',
  },
  {
    name: 'a task whose listener has thrown links its report all the same',
    changes: [replace(REPORTS, 'report', name('NOBODY_LISTENS'), '$0 - 1')],
    caughtBy: 'reports: a listener that throws',
  },
  {
    name: 'the owner looks at the state of a root after its reports (N1)',
    changes: [hoist(INVOCATION, 'Invocations.#lookAt', call('#deliver'), call('stateOf'))],
    caughtBy: 'reports: a root',
  },
  {
    name: 'R_REPORTS: a root begins with the reports of another',
    changes: [drop(KINDS, 'openRoot', call('store', 'R_REPORTS'))],
    caughtBy: 'reports: a root',
  },
  {
    name: 'an owner fills an inbox and wakes nobody (S2)',
    changes: [drop(INVOCATION, 'Invocations.#publish', call('wakeSlot'))],
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'an idle worker goes to sleep without a look into its inbox (S2)',
    changes: [replace(IN_SIGHT, 'hasTakeableWork', call('hasWork', 'inbox'), 'false')],
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'a worker never looks into its inbox',
    changes: [drop(HELP, 'FIRST', name('addressed'))],
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'what is meant for a worker goes to the roots',
    changes: [replace(INVOCATION, 'Invocations.#inboxOf', call('OwnerDeque'), 'this.group.roots.deque')],
    caughtBy: 'reports: a broadcast',
  },
];
