/** The owner of a pool and its workers: roots that settle, callers that compute, close, cancel and crash. */
import { binary, type Change, replace, setTo } from '../../../scripts/changes/index.js';
import {
  C_MONITOR,
  C_SEARCHERS,
  C_SLEEPERS,
  layoutOf,
  REQUEST_CANCEL,
  slotWord,
  W_INVOCATION,
} from '../../../src/core/memory/layout.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody, ThreadContext } from '../explorer/virtual-thread.js';
import { nameWord } from './names.js';
import { define, type Tasks } from './pool-tasks.js';
import { expectAtRest, groupRules, leaveStale } from './rules.js';
import { serve } from './waking.js';
import { type Call, expectRuns, FLAGS, flagsOf, takeSlot } from './worker-group.js';

/** What the stub of the host has beside the host's own. */
export interface ModelHost {
  readonly timers: (() => void)[];
  readonly spawned: readonly { exit(code: number): void }[];
}

type WorkerGroup = InstanceType<Library['WorkerGroup']>;
type Invocations = InstanceType<Library['Invocations']>;

export interface Owner extends Tasks {
  readonly library: Library;
  readonly context: ThreadContext;
  readonly group: WorkerGroup;
  readonly invocations: Invocations;
  readonly flags: number;
}

export interface PoolCase {
  readonly name: string;
  readonly parallelism: number;
  readonly owner: (owner: Owner) => void;
  readonly ran?: readonly number[];
  readonly notes?: readonly string[];
  readonly check?: Scenario['check'];
  readonly timeouts?: Scenario['timeouts'];
  readonly checked?: boolean;
  /** Called by a worker that has left its loop in order. */
  readonly left?: (context: ThreadContext) => void;
  /** Does the scenario close the pool? By default. */
  readonly closes?: boolean;
}

const STARTED = 7;

export function poolScenario(given: PoolCase): Scenario {
  const { parallelism } = given;
  const layout = layoutOf(parallelism, { ringLog2: 2, recordsPerSlot: 4 });
  const flags = flagsOf(layout);
  const owner: ThreadBody = {
    name: 'owner',
    run(library, context) {
      const tasks = define(library, context, flags);
      const settings = {
        parallelism,
        name: 'model',
        checked: given.checked === true,
        preload: [],
        graceMs: Infinity,
        maxQueue: Infinity,
      };
      const invocations = new library.Invocations(settings as never, () => {});
      const { group } = invocations;
      group.start();
      context.seam.store(new Int32Array(context.buffer, 4 * flags, FLAGS), STARTED, 1);
      given.owner({ library, context, group, invocations, ...tasks, flags });
      if (given.closes === false || group.memory.hasCrashed) return;
      group.stop().catch(() => {});
      context.drain();
    },
  };
  const worker = (slot: number): ThreadBody => ({
    name: `worker ${slot}`,
    run(library, context) {
      define(library, context, flags);
      context.until([flags + STARTED], (words) => words[flags + STARTED] === 1);
      const own = takeSlot(given, layout, library, context, slot);
      library.setInvocation(own, -1); // as serve.ts does it
      void library.workLoop(own, () => Promise.resolve());
      if (library.leavesInOrder(own)) given.left?.(context);
    },
  });
  const workers = Array.from({ length: parallelism }, (_, k) => k + 1);
  return {
    name: given.name,
    words: flags + FLAGS,
    threads: [owner, ...workers.map(worker)],
    ...(given.timeouts === undefined ? {} : { timeouts: given.timeouts }),
    setUp: (cells) => leaveStale(layout, cells),
    check(end) {
      if (given.ran !== undefined) expectRuns(end.notes, given.ran);
      const own = end.notes[0].filter((note) => !note.startsWith('ran '));
      if (given.notes !== undefined && JSON.stringify(own) !== JSON.stringify(given.notes)) {
        throw new Error(`the owner noted ${own.join(', ')} and not ${given.notes.join(', ')}`);
      }
      given.check?.(end);
      if (given.closes !== false) expectAtRest(layout, end.words);
    },
    ...groupRules(layout, [[0, parallelism + 1], ...workers.map((slot) => [slot])]),
    nameOf: (at) => nameWord(layout, at),
  };
}

type CallTask = InstanceType<Library['CallTask']>;

/** Submits a call; the task tells how it ended. */
export function submit(
  { library, invocations }: Owner,
  fn: Call,
  k: number,
  options: object = {},
  worker = 0,
): CallTask {
  const task = new library.CallTask(library.indexOf(fn) as number, [k]);
  invocations.submit(task, options, 0, worker).catch(() => {});
  return task;
}

export const outcome = (task: CallTask): string => {
  const { $state, $result } = task as unknown as { $state: number; $result: unknown };
  return $state === 2 ? String($result) : `${$state} ${($result as Error | undefined)?.name}`;
};

/** An AbortSignal of a model, and what aborts it. */
export function signalOf(): { readonly signal: object; readonly abort: () => void } {
  let listen = (): void => {};
  const addEventListener = (_event: string, listener: () => void): void => {
    listen = listener;
  };
  return { signal: { reason: 0, addEventListener, removeEventListener() {} }, abort: () => listen() };
}

/** What `pool.invokeSync` does. */
export const callHere = ({ library, group }: Owner, body: () => number): number =>
  library.runOnCaller(group, { name: 'model', parallelism: group.settings.parallelism }, 'model', body);

const CASES: Readonly<Record<string, PoolCase>> = {
  'a root': {
    name: 'a root settles, and the pool closes',
    parallelism: 1,
    owner: (owner) => {
      const task = submit(owner, owner.leaf, 1);
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1],
    notes: ['10'],
  },
  'two roots': {
    name: 'two roots, two workers',
    parallelism: 2,
    owner: (owner) => {
      const tasks = [submit(owner, owner.leaf, 1), submit(owner, owner.leaf, 2)];
      owner.context.drain();
      owner.context.note(tasks.map(outcome).join(' '));
    },
    ran: [1, 2],
    notes: ['10 20'],
  },
  'two roots that meet': {
    name: 'two roots that need each other find two workers awake',
    parallelism: 2,
    owner: (owner) => {
      const { context, flags } = owner;
      context.until([C_SLEEPERS], (words) => words[C_SLEEPERS] >= 2);
      const first = submit(owner, owner.meeting, 1);
      // The second root is left to the searcher that takes the first.
      context.until([C_SEARCHERS, flags], (words) => words[C_SEARCHERS] > 0 || words[flags] > 0);
      const tasks = [first, submit(owner, owner.meeting, 2)];
      context.drain();
      owner.context.note(tasks.map(outcome).join(' '));
    },
    ran: [1, 2],
    notes: ['10 20'],
  },
  'after a cancellation': {
    name: 'a root and a caller in the record of a root that was cancelled',
    parallelism: 1,
    owner: (owner) => {
      const { context, group, library } = owner;
      const cancelOne = (): void => {
        const { signal, abort } = signalOf();
        const task = submit(owner, owner.endless, 1, { signal });
        const invocation = slotWord(group.memory.layout, 1) + W_INVOCATION;
        context.until([invocation], (words) => words[invocation] !== -1); // it has been taken
        abort();
        context.drain();
        context.note(outcome(task));
      };
      cancelOne();
      const task = submit(owner, owner.leaf, 1, { graceMs: 5 });
      context.drain();
      context.note(outcome(task));
      cancelOne();
      const result = callHere(owner, () => {
        library.checkpoint();
        return owner.leaf(2);
      });
      context.note(String(result));
    },
    ran: [1, 2],
    notes: ['3 AbortError', '10', '3 AbortError', '20'],
  },
  'a tree': {
    name: 'a root that forks, two workers',
    parallelism: 2,
    owner: (owner) => {
      const task = submit(owner, owner.parent, 1);
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1, 11, 12],
    notes: ['230'],
  },
  'a root that needs help': {
    name: 'a root whose tasks only others run finds a worker awake',
    parallelism: 2,
    owner: (owner) => {
      const task = submit(owner, owner.needy, 1);
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1, 2],
    notes: ['20'],
  },
  cancel: {
    name: 'an invocation cancelled at any moment settles, and nothing runs twice',
    parallelism: 1,
    owner: (owner) => {
      const { signal, abort } = signalOf();
      const task = submit(owner, owner.parent, 1, { signal });
      abort();
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    notes: ['3 AbortError'],
    check: ({ notes }) => {
      const ran = notes.flat().filter((note) => note.startsWith('ran '));
      if (new Set(ran).size < ran.length) throw new Error(`ran twice: ${ran}`);
    },
  },
  'a long root': {
    name: 'a root that looks at its checkpoints sees that it was cancelled',
    parallelism: 1,
    owner: (owner) => {
      const { signal, abort } = signalOf();
      const task = submit(owner, owner.endless, 1, { signal });
      owner.library.requestOfAll(owner.group.memory, REQUEST_CANCEL); // as if another invocation had been cancelled
      abort();
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    notes: ['3 AbortError'],
  },
  caller: {
    name: 'the caller computes, a worker helps',
    parallelism: 2,
    owner: (owner) => {
      owner.context.note(String(callHere(owner, () => owner.parent(1))));
    },
    ran: [1, 11, 12],
    notes: ['230'],
  },
  'the last worker': {
    name: 'the last worker rests while the caller computes, and runs a root afterwards',
    parallelism: 1,
    owner: (owner) => {
      owner.context.note(String(callHere(owner, () => owner.leaf(1))));
      const task = submit(owner, owner.leaf, 2);
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1, 2],
    notes: ['10', '20'],
  },
  'a root before a caller': {
    name: 'the last worker rests while the caller computes, and runs the root that was there before',
    parallelism: 1,
    owner: (owner) => {
      const task = submit(owner, owner.leaf, 2);
      owner.context.note(String(callHere(owner, () => owner.leaf(1))));
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1, 2],
    notes: ['10', '20'],
  },
  'a needy root beside a caller': {
    name: 'a root whose tasks only others run finds the last worker awake when the caller has ended',
    parallelism: 2,
    owner: (owner) => {
      const task = submit(owner, owner.needy, 2);
      callHere(owner, () => owner.leaf(1));
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    ran: [1, 2, 3],
    notes: ['30'],
  },
  'a caller that needs help': {
    name: 'a caller whose tasks only workers run finds one awake',
    parallelism: 2,
    owner: (owner) => {
      const { library, context, group, flags } = owner;
      callHere(owner, () => {
        const handle = library.fork(owner.counting, 1);
        serve({ library, context, layout: group.memory.layout, own: group.caller }, flags, 1);
        return library.join(handle);
      });
    },
    ran: [1],
  },
  'a caller beside a root': {
    name: 'a caller finds help while a root keeps another worker busy',
    parallelism: 3,
    owner: (owner) => {
      const { library, context, group, flags } = owner;
      context.until([C_SLEEPERS], (words) => words[C_SLEEPERS] >= 2); // all workers but one, at least
      const task = submit(owner, owner.long, 2);
      callHere(owner, () => {
        const handle = library.fork(owner.counting, 1);
        serve({ library, context, layout: group.memory.layout, own: group.caller }, flags, 1);
        return library.join(handle);
      });
      context.drain();
      context.note(outcome(task));
    },
    ran: [1, 2],
    notes: ['20'],
  },
  monitor: {
    name: 'a worker that watches the caller by short sleeps sees its second call',
    parallelism: 2,
    timeouts: { upToMs: 1, most: 1 },
    owner: (owner) => {
      const { library, context, group, flags } = owner;
      callHere(owner, () => owner.leaf(1));
      callHere(owner, () => {
        const handle = library.fork(owner.counting, 2);
        serve({ library, context, layout: group.memory.layout, own: group.caller }, flags, 1);
        return library.join(handle);
      });
    },
    ran: [1, 2],
  },
  'a monitor that leaves': {
    name: 'a caller finds help though the worker that watched it has taken a root',
    parallelism: 3,
    timeouts: { upToMs: 1, most: 0 },
    owner: (owner) => {
      const { library, context, group, flags } = owner;
      callHere(owner, () => owner.leaf(1));
      context.until([C_MONITOR, C_SLEEPERS], (words) => words[C_MONITOR] === 1 && words[C_SLEEPERS] >= 3);
      const task = submit(owner, owner.long, 2);
      callHere(owner, () => {
        const handle = library.fork(owner.counting, 3);
        serve({ library, context, layout: group.memory.layout, own: group.caller }, flags, 1);
        return library.join(handle);
      });
      context.drain();
      context.note(outcome(task));
    },
    ran: [1, 2, 3],
    notes: ['20'],
  },
  crash: {
    name: 'a worker dies at any moment: the others end, and the invocation settles',
    parallelism: 2,
    closes: false,
    owner: (owner) => {
      const task = submit(owner, owner.parent, 1);
      owner.context.kill(1);
      (owner.library.host() as unknown as ModelHost).spawned[0].exit(1);
      owner.invocations.abandonAll({ worker: { name: 'worker 1', error: undefined }, exitCode: 1, isReported: true });
      owner.context.drain();
      owner.context.note(outcome(task));
    },
    notes: ['3 WorkerCrashError'],
  },
};

/** For the monitor: it is on duty for a while after a call. */
export const MONITOR_ON_DUTY: readonly Change[] = [setTo('src/core/tuning.ts', 'MONITOR_MS', '20')];

/** For workers that rest in their event loops: tasks have left something behind. */
export const LOOP_IN_USE: readonly Change[] = [
  replace('src/core/worker/search.ts', 'isLoopInUse', binary('===', 'hasPending'), 'true'),
];

export const poolCase = (name: string): Scenario => poolScenario(CASES[name]);
export const POOL_CASES = Object.keys(CASES);
