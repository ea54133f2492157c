/**
 * Forks of coroutines: the ready deque, the list of completed records, and the sleep of a worker whose coroutines wait. The coroutine itself is
 * left out: its thread serves its forks until all have ended.
 */

import { type Change, setTo } from '../../../scripts/changes/index.js';
import {
  C_SLEEPERS,
  dequeWord,
  READY_DEQUE,
  REQUEST_CANCEL,
  STATE_IDLE,
  STATE_WAITING,
  slotWord,
  W_BOTTOM,
  W_COMPLETED,
  W_INVOCATION,
  W_STATE,
  W_TOP,
} from '../../../src/core/memory/layout.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import { type Body, type Call, type GroupCase, groupScenario, ROOT } from './worker-group.js';

const NO_INVOCATION = -1;

interface Serving {
  readonly publishes?: boolean;
  /** How many coroutines wait meanwhile. */
  readonly waiting?: number;
  /** Whether what is left is left until another thread has run it; for a source that is changed by `ENDLESS_PATIENCE`. */
  readonly isPatient?: boolean;
}

/** Offers forks, and serves and sleeps as the loop of a worker does, until all have ended. */
function serveForks(
  { library, context, own, defined, leaf }: Body,
  count: number,
  { publishes = false, waiting = 0, isPatient = false }: Serving = {},
): void {
  library.setInvocation(own, NO_INVOCATION);
  const thread = new library.CoroutineScheduler(own, undefined);
  thread.announce(own);
  for (let k = 0; k < waiting; k++) thread.spread?.waits(1);
  let ended = 0;
  const parent = {
    invocation: ROOT,
    race: 0,
    forkEnded: (fork: { value: unknown }) => {
      ended++;
      context.note(`ended ${fork.value}`);
    },
  };
  const index = library.indexOf(defined ?? leaf) ?? (library.asyncIndexOf(defined) as number);
  for (let k = 1; k <= count; k++) thread.offer(new library.CoroutineFork(parent, new library.CallTask(index, [k]), 0));
  if (publishes) feedAll(context, thread, own, count);
  const completed = slotWord(own.memory.layout, own.slot) + W_COMPLETED;
  while (ended < count) {
    if (thread.serve() || ended === count) continue;
    if (isPatient) {
      context.until([completed], (words) => words[completed] !== 0);
      continue;
    }
    sleepInLoop(library, thread);
  }
}

/** As a worker does whose coroutines wait. */
function sleepInLoop(library: Library, thread: InstanceType<Library['CoroutineScheduler']>): void {
  const own = thread.own as Body['own'];
  const look = (): boolean => thread.hasWork || library.lastLook(own, 'helper', STATE_IDLE);
  void library.sleepInLoop(own, STATE_IDLE, library.eventOf(own), look, () => () => {});
}

/** Publishes one fork after the other, as soon as `feed` does: when the published ones do not suffice for all that sleep. */
function feedAll(
  context: Body['context'],
  thread: InstanceType<Library['CoroutineScheduler']>,
  own: Body['own'],
  count: number,
): void {
  const ready = dequeWord(own.memory.layout, own.slot, READY_DEQUE);
  for (let k = 0; k < count; k++) {
    context.until([C_SLEEPERS, ready + W_TOP, ready + W_BOTTOM], (words) => {
      const size = words[ready + W_BOTTOM] - words[ready + W_TOP];
      return size === 0 || size < words[C_SLEEPERS];
    });
    thread.feed(own);
  }
}

/** A thread leaves an asynchronous task for ever, as long as another one is free and has fewer: what it runs itself, no other thread could have begun. */
export const ENDLESS_PATIENCE: readonly Change[] = [setTo('src/core/tuning.ts', 'SPREAD_MS', '1e9')];

type Fork = InstanceType<Library['CoroutineFork']>;

/** A race between a leaf and a task that ends by a checkpoint only, as a coroutine holds it. */
function holdRace({ library, context, own, defined, leaf }: Body): void {
  library.setInvocation(own, NO_INVOCATION);
  const thread = new library.CoroutineScheduler(own, undefined);
  thread.announce(own);
  let ended = 0;
  const parent = { invocation: ROOT, race: 0, forkEnded: () => void ended++ };
  const race = new library.Race<Fork>(own, 0, 2, (fork, reason) => {
    if (fork.state === 3) return; // it has ended
    if (thread.tryClaim(fork)) fork.end(true, reason);
    else thread.cancelStarted(fork, reason);
  });
  const calls = [leaf, defined as Call].map((fn) => new library.CallTask(library.indexOf(fn) as number, [1]));
  race.forks.push(...calls.map((task) => new library.CoroutineFork(parent, task, 0, race)));
  for (const fork of race.forks) thread.offer(fork);
  thread.feed(own, true);
  while (ended < 2) {
    if (thread.serve() || ended === 2) continue;
    sleepInLoop(library, thread);
  }
  context.note(`won ${race.winner?.value}`);
}

/** Ends by a checkpoint that sees a cancellation. */
const untilCancelled = ({ library, context }: Omit<Body, 'defined'>): Call =>
  library.forkable('model', 'untilCancelled', (): number => {
    const { requestsWord } = library.thread.own as { requestsWord: number };
    for (;;) {
      context.until([requestsWord], (words) => ((words[requestsWord] as number) & REQUEST_CANCEL) !== 0);
      library.checkpoint();
    }
  });

/** An asynchronous leaf. */
const later = ({ library, context }: Omit<Body, 'defined'>): unknown =>
  library.asyncForkable('model', 'later', ((_scope: unknown, k: number): number => {
    context.note(`ran ${k}`);
    return 10 * k; // no promise: nothing awaits in a model
  }) as never);

/** A leaf that ends only when two of them have begun. */
const meeting = ({ library, context, flags }: Omit<Body, 'defined'>): Call =>
  library.forkable('model', 'meeting', (k: number): number => {
    context.note(`ran ${k}`);
    context.seam.add(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
    context.until([flags], (words) => words[flags] >= 2);
    return 10 * k;
  });

const sorted = (notes: readonly string[]): string =>
  notes
    .filter((note) => note.startsWith('ended'))
    .sort()
    .join(', ');

function ends(count: number): Pick<GroupCase, 'ran' | 'check'> {
  const ks = Array.from({ length: count }, (_, k) => k + 1);
  const due = ks.map((k) => `ended ${10 * k}`).join(', ');
  return {
    ran: ks,
    check: ({ notes }) => {
      if (sorted(notes[0] as readonly string[]) !== due)
        throw new Error(`${sorted(notes[0] as readonly string[])}, not ${due}`);
    },
  };
}

/** One fork, which its forker would rather leave to the other thread, whose header says that it cannot begin anything. */
const besideOneWith = (word: number, value: number): Omit<GroupCase, 'name'> => ({
  parallelism: 2,
  workers: [],
  define: later,
  setUp: (cells, layout) => {
    cells[slotWord(layout, 2) + word] = value;
  },
  body: (body) => serveForks(body, 1, { waiting: 2, isPatient: true }),
  ends: false,
  ran: [1],
});

const CASES: Readonly<Record<string, GroupCase>> = {
  'one fork, one thief': {
    name: 'a fork is run once, here or there, and its forker hears of it',
    parallelism: 2,
    workers: [2],
    body: (body) => serveForks(body, 1),
    ...ends(1),
  },
  'two forks, one thief': {
    name: 'two forks are run once each, here or there',
    parallelism: 2,
    workers: [2],
    body: (body) => serveForks(body, 2),
    ...ends(2),
  },
  'a published fork': {
    name: 'a forker that sleeps while a thief runs its fork is told of it',
    parallelism: 2,
    workers: [2],
    body: (body) => serveForks(body, 1, { publishes: true }),
    ...ends(1),
  },
  'a race': {
    name: 'the winner of a race ends the other task, on whatever thread each of them runs',
    parallelism: 2,
    workers: [2],
    define: untilCancelled,
    body: holdRace,
    ran: [1],
    notes: ['won 10'],
  },
  'two thieves': {
    name: 'two published forks that need each other run at once',
    parallelism: 3,
    workers: [2, 3],
    define: meeting,
    body: (body) => serveForks(body, 2, { publishes: true }),
    ...ends(2),
  },
  'a fork that is left': {
    name: 'an asynchronous fork that its forker leaves to a thief with fewer coroutines is run once, here or there',
    parallelism: 2,
    workers: [2],
    define: later,
    body: (body) => serveForks(body, 2, { waiting: 2 }),
    ...ends(2),
  },
  'a fork that is left in vain': {
    name: 'a forker runs the asynchronous forks that it has left to a thread which does not come',
    parallelism: 2,
    workers: [],
    define: later,
    body: (body) => serveForks(body, 2, { waiting: 2 }),
    ...ends(2),
  },
  'a fork for a free thread': {
    name: 'an asynchronous fork begins on the thread that is free and has fewer coroutines',
    parallelism: 2,
    workers: [2],
    define: later,
    body: (body) => serveForks(body, 1, { waiting: 2, isPatient: true }),
    ...ends(1),
    check: ({ notes }) => {
      if (notes[1]?.includes('ran 1') !== true) throw new Error('its forker began it');
    },
  },
  'a fork beside a thread that computes': {
    name: 'a forker runs its asynchronous fork at once where the other thread computes',
    ...besideOneWith(W_INVOCATION, ROOT),
  },
  'a fork beside a thread that rests': {
    name: 'a forker runs its asynchronous fork at once where the other thread takes no tasks',
    ...besideOneWith(W_STATE, STATE_WAITING),
  },
};

export const coroutineScenario = (name: string): Scenario => groupScenario(CASES[name] as GroupCase);
