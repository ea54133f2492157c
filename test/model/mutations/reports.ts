/** Bugs planted in what reports and broadcasts need; all.ts says how. */
import type { Mutation } from './mutation.js';

const REPORTS = 'src/extensions/reports/index.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const SEARCH = 'src/core/worker/search.ts';

export const REPORT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a task reports and tells nobody (N1)',
    file: REPORTS,
    from: '    if (next === 0) tellOwner(memory); // else the thread that found the list empty tells it\n',
    to: '',
    caughtBy: 'reports: while a task runs',
  },
  {
    name: 'a task tells the owner before it links its report (N1)',
    file: REPORTS,
    from: `      link(block, next);
    } while (compareExchange(words, list, next, block) !== next); // N1: before the owner is told
    if (next === 0) tellOwner(memory); // else the thread that found the list empty tells it`,
    to: `      link(block, next);
      if (next === 0) tellOwner(memory);
    } while (compareExchange(words, list, next, block) !== next);`,
    caughtBy: 'reports: while a task runs',
  },
  {
    name: 'reports are linked without a compareExchange (N1)',
    file: REPORTS,
    from: '    } while (compareExchange(words, list, next, block) !== next); // N1: before the owner is told',
    to: '      store(words, list, block);\n    } while (next < 0);',
    caughtBy: 'reports: two tasks',
  },
  {
    name: 'the owner takes reports by a load and a store (N1)',
    file: REPORTS,
    from: '    let block = exchange(this.#memory.words, list, head); // N1: pairs with `send`',
    to: '    let block = load(this.#memory.words, list);\n    store(this.#memory.words, list, head);',
    caughtBy: 'reports: a root',
  },
  {
    name: 'the owner hands over newer reports first',
    file: REPORTS,
    from: '    this.#taken = newer.concat(this.#taken);',
    to: '    this.#taken = newer.reverse();',
    caughtBy: 'reports: a root',
  },
  {
    name: 'a task whose listener has thrown links its report all the same',
    file: REPORTS,
    from: '      if (next === NOBODY_LISTENS) {',
    to: '      if (next === NOBODY_LISTENS - 1) {',
    caughtBy: 'reports: a listener that throws',
  },
  {
    name: 'the owner looks at the state of a root after its reports (N1)',
    file: INVOCATION,
    from: `    const state = stateOf(memory.words, record); // N1: before the look at its reports
    if (this.#deliver(invocation, record, false) && (state === DONE || state === FAILED))`,
    to: `    const isDelivered = this.#deliver(invocation, record, false);
    const state = stateOf(memory.words, record);
    if (isDelivered && (state === DONE || state === FAILED))`,
    caughtBy: 'reports: a root',
  },
  {
    name: 'R_REPORTS: a root begins with the reports of another',
    file: INVOCATION,
    from: '    store(memory.words, roots.records.wordOf(entry) + R_REPORTS, head);\n',
    to: '',
    caughtBy: 'reports: a root',
  },
  {
    name: 'an owner fills an inbox and wakes nobody (S2)',
    file: INVOCATION,
    from: '    if (worker > 0) wakeSlot(memory, worker);\n    else if (',
    to: '    if (worker > 0) return true;\n    if (',
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'an idle worker goes to sleep without a look into its inbox (S2)',
    file: SEARCH,
    from: '  return hasWork(own, own.inbox);',
    to: '  return false;',
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'a worker never looks into its inbox',
    file: 'src/core/worker/find-task.ts',
    from: '  const addressed = tryTakeFrom(own, own.inbox);\n',
    to: '  const addressed = NOTHING;\n',
    caughtBy: 'reports: a broadcast',
  },
  {
    name: 'what is meant for a worker goes to the roots',
    file: INVOCATION,
    from: 'new OwnerDeque(words, layout, worker, INBOX_DEQUE)',
    to: 'this.group.roots.deque',
    caughtBy: 'reports: a broadcast',
  },
];
