/** Loops over the slots of a worker group that leave one out at either end, and words of the tables that are not written; all.ts says how. */
import type { Mutation } from './mutation.js';

const REQUESTS = 'src/core/worker/requests.ts';
const IDLE = 'src/core/worker/sleep.ts';
const WAIT = 'src/core/worker/wait.ts';
const LOOP = 'src/core/worker/search.ts';
const SLOT = 'src/core/worker/worker-slot.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const ACTIVATION = 'src/core/worker/activation.ts';
const TELL = 'src/core/worker/tell.ts';
const CALLER = 'src/core/pool/caller.ts';
const GROUP = 'src/core/pool/worker-group.ts';
const INVOCATION = 'src/core/pool/invocation.ts';

interface Loop {
  /** What it does, and to which slots. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  /** Each end that is moved, what is left out by that, and the scenario that misses it. */
  readonly ends: readonly (readonly [to: string, leaves: string, caughtBy: string, bound?: number])[];
}

const LOOPS: readonly Loop[] = [
  {
    name: 'a searcher that stops looks who may need its help',
    file: LOOP,
    from: 'for (let victim = 0, count = own.victimCount; victim < count; victim++) {\n    const { slot }',
    ends: [
      [
        'for (let victim = 1, count = own.victimCount; victim < count; victim++) {\n    const { slot }',
        'the caller',
        'pool: a caller beside a root',
        1,
      ],
      [
        'for (let victim = 0, count = own.normalRoots; victim < count; victim++) {\n    const { slot }',
        'the roots',
        'pool: two roots that meet',
      ],
    ],
  },
  {
    name: 'a worker asks all that compute',
    file: LOOP,
    from: 'for (let slot = 1, { slots } = memory; slot < slots; slot++) {',
    ends: [
      ['for (let slot = 2, { slots } = memory; slot < slots; slot++) {', 'the first worker', 'waking: one thief'],
      [
        'for (let slot = 1; slot < memory.layout.parallelism; slot++) {',
        'the last worker',
        'pool: a root that needs help',
      ],
    ],
  },
  {
    name: 'a worker looks for work before it sleeps',
    file: LOOP,
    from: 'for (let victim = 0, count = own.victimCount; victim < count; victim++) {\n    if (own',
    ends: [
      [
        'for (let victim = 1, count = own.victimCount; victim < count; victim++) {\n    if (own',
        'the caller',
        'waking: a thief of the caller',
      ],
      [
        'for (let victim = 0, count = own.normalRoots; victim < count; victim++) {\n    if (own',
        'the roots',
        'pool: a root',
      ],
      [
        'for (let victim = 0, count = own.victimCount; victim < count; victim++) {\n    if (victim === own.memory.layout.parallelism) continue;\n    if (own',
        'the last worker',
        'pool: a root that needs help',
      ],
    ],
  },
  {
    name: 'the last worker looks whether another computes',
    file: LOOP,
    from: 'for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {',
    ends: [
      [
        'for (let slot = 2, { slots } = own.memory; slot < slots; slot++) {',
        'the first worker',
        'pool: a needy root beside a caller',
      ],
      [
        'for (let slot = 1; slot < own.memory.layout.parallelism - 1; slot++) {',
        'the last but one',
        'pool: a needy root beside a caller',
      ],
    ],
  },
  {
    name: 'all are asked to look at their invocation',
    file: REQUESTS,
    from: 'for (let slot = 0; slot < slots; slot++) or(',
    ends: [['for (let slot = 0; slot < layout.parallelism; slot++) or(', 'the last worker', 'pool: a long root']],
  },
  {
    name: 'a waker looks who sleeps',
    file: IDLE,
    from: 'for (let slot = 0; slot < slots; slot++) {',
    ends: [
      ['for (let slot = 1; slot < slots; slot++) {', 'the caller', 'waking: a caller that helps'],
      ['for (let slot = 0; slot < layout.parallelism; slot++) {', 'the last worker', 'waking: one thief'],
    ],
  },
  {
    name: 'a join looks for work before it sleeps',
    file: WAIT,
    from: 'for (let slot = 0, { slots } = memory; slot < slots; slot++) {',
    ends: [
      [
        'for (let slot = 1, { slots } = memory; slot < slots; slot++) {',
        'the caller',
        'waking: a join beside a caller',
        1,
      ],
      [
        'for (let slot = 0; slot < memory.layout.parallelism; slot++) {',
        'the last worker',
        'waking: a join that helps',
      ],
    ],
  },
  {
    name: 'a join looks whom it can help',
    file: WAIT,
    from: 'for (let slot = 0, { slots } = own.memory; slot < slots; slot++) {',
    ends: [
      [
        'for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {',
        'the caller',
        'waking: a join beside a caller',
      ],
      [
        'for (let slot = 0; slot < own.memory.layout.parallelism; slot++) {',
        'the last worker',
        'waking: a join beside the last worker',
      ],
    ],
  },
  {
    name: 'a worker group begins with nobody in an invocation',
    file: GROUP,
    from: 'for (let slot = 0; slot <= rootsSlot(layout); slot++) {',
    ends: [
      ['for (let slot = 1; slot <= rootsSlot(layout); slot++) {', 'the caller', 'pool: a root'],
      ['for (let slot = 0; slot < rootsSlot(layout); slot++) {', 'the roots', 'pool: a root'],
    ],
  },
  {
    name: 'a pool that closes wakes all',
    file: GROUP,
    from: 'for (let slot = 0, { slots } = this.memory; slot < slots; slot++) wakeSlot(',
    ends: [
      ['for (let slot = 0; slot < this.settings.parallelism; slot++) wakeSlot(', 'the last worker', 'pool: a root'],
    ],
  },
  {
    name: 'a searcher tries all in turn',
    file: 'src/core/worker/find-task.ts',
    from: '(start + k) % workers : k;',
    ends: [['(start + k) % (workers - 1) : k;', 'the last worker', 'pool: a root that needs help']],
  },
];

const WORDS: readonly Mutation[] = [
  {
    name: 'W_INVOCATION: a thread does not name the invocation that it works for',
    file: ACTIVATION,
    from: '  else setInvocation(own, invocation);\n',
    to: '  else thread.invocation = invocation;\n',
    caughtBy: 'pool: a root that needs help',
  },
  {
    name: 'W_INVOCATION: a worker names its invocation when it has ended',
    file: ACTIVATION,
    from: '  name(invocation);\n  thread.dependencies',
    to: '  thread.invocation = invocation;\n  thread.dependencies',
    caughtBy: 'pool: a root',
  },
  {
    name: 'W_INVOCATION: a caller names its invocation when it has ended',
    file: ACTIVATION,
    from: '  name(under.invocation);\n',
    to: '  thread.invocation = under.invocation;\n',
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_SEARCHERS: a searcher that goes to sleep stays registered',
    file: LOOP,
    from: '      sub(words, C_SEARCHERS, 1); // S2: before its last look, which is to come\n',
    to: '',
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_SETTLED: a root that settles is not counted',
    file: TELL,
    from: '  add(words, C_SETTLED, 1); // S8: after the record is settled; N1: after the report is linked\n',
    to: '',
    caughtBy: 'pool: a root',
  },
  {
    name: 'C_CALLER_COMPUTES: a caller says for ever that it computes',
    file: CALLER,
    from: "    store(words, C_CALLER_COMPUTES, 0); // S6: before the look at the last worker's state\n",
    to: '',
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'C_MONITOR: the monitor takes a root, and leaves the caller to its watch',
    file: LOOP,
    from: '  store(words, C_MONITOR, 0); // S4: before the look at the caller, which may have relied on it\n',
    to: '',
    caughtBy: 'pool: a monitor that leaves',
    bound: 1,
  },
  {
    name: 'C_MONITOR: the monitor takes a root, and does not look at a caller that relied on it',
    file: LOOP,
    from: '  if (computes(own, CALLER_SLOT)) wakeHelper(memory);\n',
    to: '',
    caughtBy: 'pool: a monitor that leaves',
  },
  {
    name: 'R_CANCEL: a root begins with the cancellation of another',
    file: INVOCATION,
    from: '    store(memory.words, roots.records.wordOf(entry) + R_CANCEL, graceWord(graceMs));\n',
    to: '',
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_CANCEL: the grace of a root is taken for a cancellation',
    file: SLOT,
    from: '    return Math.max(0, this.cancelWordOf(invocation));',
    to: '    return this.cancelWordOf(invocation);',
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_CANCEL: a caller begins with the cancellation of another',
    file: CALLER,
    from: '  store(words, record + R_CANCEL, 0);\n',
    to: '',
    caughtBy: 'pool: after a cancellation',
  },
  {
    name: 'R_INVOCATION: a fork keeps the invocation of the task before it',
    file: PUBLISH,
    from: 'publishRecord(own, entry, taskAt(k, task), thread.invocation, thread.dependencies)',
    to: 'publishRecord(own, entry, taskAt(k, task), own.words[own.records.wordOf(entry) + R_INVOCATION], thread.dependencies)',
    caughtBy: 'waking: a join that helps',
  },
  {
    name: 'R_INVOCATION: a root keeps the invocation of the task before it',
    file: PUBLISH,
    from: '  words[record + R_INVOCATION] = invocation; // plain: not public yet\n',
    to: '  if (invocation !== entry) words[record + R_INVOCATION] = invocation;\n',
    caughtBy: 'pool: a long root',
  },
];

export const SLOT_MUTATIONS: readonly Mutation[] = [
  ...LOOPS.flatMap(({ name, file, from, ends }) =>
    ends.map(([to, leaves, caughtBy, bound]) => ({
      name: `${name}, and leaves out ${leaves}`,
      file,
      from,
      to,
      caughtBy,
      ...(bound === undefined ? {} : { bound }),
    })),
  ),
  ...WORDS,
];
