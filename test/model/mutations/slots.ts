/** Loops over the slots of a worker group that leave one out at either end, and words of the tables that are not written; all.ts says how. */
import {
  assignment,
  binary,
  type Change,
  call,
  drop,
  endOf,
  ifOn,
  insertBefore,
  inside,
  last,
  loop,
  name,
  onlyIf,
  replace,
  startOf,
} from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const REQUESTS = 'src/core/worker/requests.ts';
const SLEEP = 'src/core/worker/sleep.ts';
const WAIT = 'src/core/worker/wait.ts';
const CALLER_WATCH = 'src/core/worker/caller-watch.ts';
const IN_SIGHT = 'src/core/worker/in-sight.ts';
const SEARCH = 'src/core/worker/search.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const ACTIVATION = 'src/core/worker/activation.ts';
const TELL = 'src/core/worker/tell.ts';
const HELP = 'src/core/worker/help.ts';
const CALLER = 'src/core/pool/caller.ts';
const KINDS = 'src/core/memory/record-kinds.ts';
const GROUP = 'src/core/pool/worker-group.ts';

interface Loop {
  /** What it does, and to which slots. */
  readonly name: string;
  readonly file: string;
  readonly of: string;
  readonly ends: readonly End[];
}

/** An end that is moved, what is left out by that, and the scenario that misses it. */
type End = readonly [moved: Moved, leaves: string, caughtBy: string, bound?: number];
type Moved = (file: string, of: string) => Change;

const from =
  (start: string): Moved =>
  (file, of) =>
    replace(file, of, startOf(loop()), start);
const to =
  (end: string): Moved =>
  (file, of) =>
    replace(file, of, endOf(loop()), end);

/** The last worker is before the roots, which end what is counted while there are no spares. */
const BEFORE_LAST = '$0 - 2';

const LOOPS: readonly Loop[] = [
  {
    name: 'a searcher that stops looks who may need its help',
    file: CALLER_WATCH,
    of: 'wakeInstead',
    ends: [
      [from('1'), 'the caller', 'pool: a caller beside a root', 1],
      [to('own.normalRoots'), 'the roots', 'pool: two roots that meet'],
    ],
  },
  {
    name: 'a worker asks all that compute',
    file: CALLER_WATCH,
    of: 'askForWork',
    ends: [
      [from('2'), 'the first worker', 'waking: one thief'],
      [to(BEFORE_LAST), 'the last worker', 'pool: a root that needs help'],
    ],
  },
  {
    name: 'a worker looks for work before it sleeps',
    file: IN_SIGHT,
    of: 'hasTakeableWork',
    ends: [
      [from('1'), 'the caller', 'waking: a thief of the caller'],
      [to('own.normalRoots'), 'the roots', 'pool: a root'],
      [
        (file, of) =>
          insertBefore(file, of, ifOn('hasWork'), 'if (victim === own.memory.layout.parallelism) continue;'),
        'the last worker',
        'pool: a root that needs help',
      ],
    ],
  },
  {
    name: 'the last worker looks whether another computes',
    file: SEARCH,
    of: 'workAwaits',
    ends: [
      [from('2'), 'the first worker', 'pool: a needy root beside a caller'],
      [to('$0 - 3'), 'the last but one', 'pool: a needy root beside a caller'],
    ],
  },
  {
    name: 'all are asked to look at their invocation',
    file: REQUESTS,
    of: 'requestOfAll',
    ends: [[to(BEFORE_LAST), 'the last worker', 'pool: a long root']],
  },
  {
    name: 'a waker looks who sleeps',
    file: SLEEP,
    of: 'wakeState',
    ends: [
      [from('1'), 'the caller', 'waking: a caller that helps'],
      [to(BEFORE_LAST), 'the last worker', 'waking: one thief'],
    ],
  },
  {
    name: 'a join looks for work before it sleeps',
    file: WAIT,
    of: 'mayGoOn',
    ends: [
      [from('1'), 'the caller', 'waking: a join beside a caller', 1],
      [to(BEFORE_LAST), 'the last worker', 'waking: a join that helps'],
    ],
  },
  {
    name: 'a join looks whom it can help',
    file: HELP,
    of: 'taskOfOthers',
    ends: [
      [from('1'), 'the caller', 'waking: a join beside a caller'],
      [to(BEFORE_LAST), 'the last worker', 'waking: a join beside the last worker'],
    ],
  },
  {
    name: 'a worker group begins with nobody in an invocation',
    file: GROUP,
    of: 'WorkerGroup.constructor',
    ends: [
      [from('1'), 'the caller', 'pool: a root'],
      [to('$0 - 1'), 'the roots', 'pool: a root'],
    ],
  },
  {
    name: 'a pool that closes wakes all',
    file: GROUP,
    of: 'WorkerGroup.wakeAll',
    ends: [[to('this.settings.parallelism'), 'the last worker', 'pool: a root']],
  },
  {
    name: 'a searcher tries all in turn',
    file: HELP,
    of: 'runTaskOfOthers',
    ends: [
      [
        (file, of) => replace(file, of, binary('%'), '$1 % ($2 - 1)'),
        'the last worker',
        'pool: a root that needs help',
      ],
    ],
  },
];

const WORDS: readonly Mutation[] = [
  {
    name: 'W_INVOCATION: a thread does not name the invocation that it works for',
    changes: [replace(ACTIVATION, 'attach', call('setInvocation'), 'thread.invocation = $2')],
    caughtBy: 'pool: a root that needs help',
  },
  {
    name: 'W_INVOCATION: a worker names its invocation when it has ended',
    changes: [replace(ACTIVATION, 'detach', call('putBack'), 'Object.assign(thread, $1)')],
    caughtBy: 'pool: a root',
  },
  {
    name: 'W_INVOCATION: a caller names its invocation when it has ended',
    changes: [replace(ACTIVATION, 'leave', call('putBack'), 'Object.assign(thread, $1)')],
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_SEARCHERS: a searcher that goes to sleep stays registered',
    changes: [drop(SEARCH, 'search', call('endSearch'))],
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_COMPLETED: a root that completes is not counted',
    changes: [drop(TELL, 'tellOwner', call('add', 'C_COMPLETED'))],
    caughtBy: 'pool: a root',
  },
  {
    name: 'C_CALLER_COMPUTES: a caller says for ever that it computes',
    changes: [drop(CALLER, 'runOnCaller', last(call('store', 'C_CALLER_COMPUTES')))],
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_MONITOR: the monitor takes a root, and leaves the caller to its watch',
    changes: [drop(CALLER_WATCH, 'stopMonitoring', call('store', 'C_MONITOR'))],
    caughtBy: 'pool: a monitor that leaves',
    bound: 1,
  },
  {
    name: 'C_MONITOR: the monitor takes a root, and does not look at a caller that relied on it',
    changes: [drop(CALLER_WATCH, 'stopMonitoring', ifOn('computes'))],
    caughtBy: 'pool: a monitor that leaves',
  },
  {
    name: 'R_CANCEL: a root begins with the cancellation of another',
    changes: [drop(KINDS, 'openRoot', call('store', 'R_CANCEL'))],
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_CANCEL: the grace of a root is taken for a cancellation',
    changes: [replace(KINDS, 'reasonOf', call('Math.max'), '$2')],
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_CANCEL: a caller begins with the cancellation of another',
    changes: [drop(KINDS, 'openCallersRoot', call('store', 'R_CANCEL'))],
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_INVOCATION: a fork keeps the invocation of the task before it',
    changes: [
      replace(
        PUBLISH,
        'tryPublish',
        inside(call('publishRecord'), name('thread.invocation')),
        'own.words[own.records.wordOf(entry) + R_INVOCATION]',
      ),
    ],
    caughtBy: 'waking: a join that helps',
  },
  {
    name: 'R_INVOCATION: a root keeps the invocation of the task before it',
    changes: [onlyIf(PUBLISH, 'publishRecord', assignment('R_INVOCATION'), 'invocation !== entry')],
    caughtBy: 'pool: a long root',
  },
];

export const SLOT_MUTATIONS: readonly Mutation[] = [
  ...LOOPS.flatMap(({ name, file, of, ends }) =>
    ends.map(([moved, leaves, caughtBy, bound]) => ({
      name: `${name}, and leaves out ${leaves}`,
      changes: [moved(file, of)],
      caughtBy,
      ...(bound === undefined ? {} : { bound }),
    })),
  ),
  ...WORDS,
];
