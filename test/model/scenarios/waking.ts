/**
 * Sleeping, waking and steal requests: a forker that never takes a task back waits until the workers have run all that is
 * public. If one of them stays asleep meanwhile, the forker waits for ever, which the explorer finds.
 */
import {
  C_SLEEPERS,
  REQUEST_STEAL,
  STATE_JOINING,
  slotWord,
  W_BOTTOM,
  W_STATE,
  W_TOP,
} from '../../../src/core/memory/layout.js';
import { isTaken, R_STATUS, STATE_MASK } from '../../../src/core/memory/records.js';
import type { Scenario } from '../explorer/scenario.js';
import { type Body, type Call, type GroupCase, groupScenario } from './worker-group.js';

/**
 * Serves thieves as a long body does, at its checkpoints, until `done`; those at which it would do nothing are left out.
 * Then waits until all that is public has been run.
 */
export function serve(
  { library, context, own, layout }: Pick<Body, 'library' | 'context' | 'own' | 'layout'>,
  done: number,
  count: number,
): void {
  const current = library.thread.own ?? own;
  const deque = slotWord(layout, current.slot);
  const { local } = library;
  while (local.split < local.sp) {
    // S5: while tasks are private and workers idle, some thief asks for them.
    context.until([done, current.requestsWord, C_SLEEPERS, deque + W_TOP], (words) => {
      const size = (words[deque + W_BOTTOM] - words[deque + W_TOP]) | 0;
      const feedsAll = words[C_SLEEPERS] > 0 && size >= words[C_SLEEPERS];
      return words[done] >= count || ((words[current.requestsWord] & REQUEST_STEAL) !== 0 && !feedsAll);
    });
    if (context.seam.load(new Int32Array(context.buffer, 4 * done, 1), 0) >= count) break;
    library.checkpoint();
  }
  context.until([done], (words) => words[done] >= count); // S2: somebody is awake for all that is public
}

/** A leaf that counts itself as done in the first flag. */
const counting = ({ library, context, flags, leaf }: Omit<Body, 'defined'>): Call =>
  library.forkable('model', 'counting', (k: number): number => {
    const result = leaf(k);
    context.seam.add(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
    return result;
  });

/** A leaf that ends only when `count` of them have begun: that many threads must be awake at once. */
const meeting =
  (count: number) =>
  ({ library, context, flags }: Omit<Body, 'defined'>): Call =>
    library.forkable('model', 'meeting', (k: number): number => {
      context.note(`ran ${k}`);
      const words = new Int32Array(context.buffer, 4 * flags, 2);
      context.seam.add(words, 1, 1);
      context.until([flags + 1], (all) => all[flags + 1] >= count);
      context.seam.add(words, 0, 1);
      return 10 * k;
    });

/** Stops until a thief has the first task: its forker would run it itself, and wait for a helper that is not there. */
function untilTaken({ own, context }: Pick<Body, 'own' | 'context'>): void {
  const status = own.records.wordOf(0) + R_STATUS;
  context.until([status], (words) => isTaken(words[status] & STATE_MASK));
}

/** Forks two tasks, serves until both have run, and joins them. */
function twoTasks(body: Body): void {
  const handles = [1, 2].map((k) => body.library.fork(body.defined as Call, k));
  serve(body, body.flags, 2);
  for (const handle of handles.reverse()) body.library.join(handle);
}

const CASES: Readonly<Record<string, GroupCase>> = {
  'one thief': {
    name: 'a worker takes what is forked, asleep or not',
    parallelism: 2,
    workers: [2],
    define: counting,
    body: twoTasks,
    ran: [1, 2],
  },
  'two batches': {
    name: 'a thief that slept between two batches is woken for the second',
    parallelism: 2,
    workers: [2],
    requests: 0,
    define: counting,
    body: (body) => {
      const { library, context, flags, own } = body;
      const handles = [1, 2, 3].map((k) => library.fork(body.defined as Call, k));
      context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
      library.checkpoint(); // two of three: one, and then one more
      const { split } = library.local;
      context.until([flags], (words) => words[flags] >= split);
      for (const handle of handles.reverse()) library.join(handle);
    },
    ran: [1, 2, 3],
  },
  'two thieves': {
    name: 'two tasks that need each other find two workers awake',
    parallelism: 3,
    workers: [2, 3],
    requests: 0,
    define: meeting(2),
    body: twoTasks,
    ran: [1, 2],
  },
  'a join that helps': {
    name: 'a join is awake for what its thief publishes',
    parallelism: 2,
    workers: [2],
    requests: 0,
    define: (body) => {
      const task = counting(body);
      const { library, context, flags } = body;
      return library.forkable('model', 'big', (k: number): number => {
        context.note(`ran ${k}`);
        const other = library.fork(task, 2);
        serve(body, flags, 1);
        return library.join(other);
      });
    },
    body: (body) => {
      const { library, context, own } = body;
      const big = library.fork(body.defined as Call, 1);
      context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
      library.checkpoint();
      untilTaken(body);
      context.note(String(library.join(big)));
    },
    ran: [1, 2],
    notes: ['20'],
  },
  'a big task': {
    name: 'a worker that starts something big while others sleep feeds them',
    parallelism: 3,
    workers: [2, 3],
    requests: 0,
    define: (body) => {
      const task = meeting(2)(body);
      const { library, context, flags } = body;
      return library.forkable('model', 'big', (k: number): number => {
        context.note(`ran ${k}`);
        const forker = slotWord(body.layout, 1) + W_STATE;
        context.until([forker], (words) => words[forker] === STATE_JOINING); // asleep, and able to help
        const one = library.fork(task, 2);
        const two = library.fork(task, 3);
        serve(body, flags, 2);
        return library.join(two) + library.join(one);
      });
    },
    body: (body) => {
      const { library, context, own } = body;
      const big = library.fork(body.defined as Call, 1);
      context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
      library.checkpoint();
      untilTaken(body);
      context.note(String(library.join(big)));
    },
    ran: [1, 2, 3],
    notes: ['50'],
  },
};

/** A worker that takes what the caller forks. */
const CALLER_FORKS: GroupCase = {
  ...CASES['one thief'],
  name: 'a worker takes what the caller forks, asleep or not',
  parallelism: 1,
  forker: 0,
  workers: [1],
};

/** A join that helps, whose forker is the caller. */
const CALLER_HELPS: GroupCase = {
  ...CASES['a join that helps'],
  name: 'a join of the caller is awake for what its thief publishes',
  parallelism: 1,
  forker: 0,
  workers: [1],
};

/**
 * One worker waits in a join for a task of the other's; only it can help the forker, from whom it has stolen nothing that it
 * waits for.
 */
const helpsForker = (forker: number, parallelism: number): GroupCase => ({
  name: `a join helps slot ${forker}, which is not its thief`,
  parallelism,
  forker,
  workers: [1, 2],
  requests: 0,
  define: (body) => {
    const { library, context, flags } = body;
    const counted = counting(body);
    const words = new Int32Array(context.buffer, 4 * flags, 2);
    const inner = library.forkable('model', 'inner', (k: number): number => {
      context.note(`ran ${k}`);
      context.seam.add(words, 1, 1);
      context.until([flags], (all) => all[flags] >= 1);
      return 10 * k;
    });
    const middle = library.forkable('model', 'middle', (k: number): number => {
      context.note(`ran ${k}`);
      const own = library.thread.own as Body['own'];
      const handle = library.fork(inner, k + 1);
      context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
      library.checkpoint();
      untilTaken({ ...body, own });
      return library.join(handle);
    });
    return { counted, middle };
  },
  body: (body) => {
    const { library, context, own, flags } = body;
    const { counted, middle } = body.defined as { readonly counted: Call; readonly middle: Call };
    const first = library.fork(middle, 1);
    context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
    library.checkpoint();
    context.until([flags + 1], (words) => words[flags + 1] >= 1); // one worker is in `inner`, the other in `middle`
    const second = library.fork(counted, 3);
    serve(body, flags, 1);
    context.note(`${library.join(second)} ${library.join(first)}`);
  },
  ran: [1, 2, 3],
  notes: ['30 20'],
});

const ALL: Readonly<Record<string, GroupCase>> = {
  ...CASES,
  'a thief of the caller': CALLER_FORKS,
  'a caller that helps': CALLER_HELPS,
  'a join beside a caller': helpsForker(0, 2),
  'a join beside the last worker': helpsForker(3, 3),
};

export const wakingScenario = (name: string, changes: Partial<GroupCase> = {}): Scenario =>
  groupScenario({ ...ALL[name], ...changes });

export const WAKING_CASES = Object.keys(ALL);
