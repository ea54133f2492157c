/**
 * Blocking sections: a blocked thread waits for what only a spare can run. If the spare stays asleep, or is not there, it waits for ever,
 * which the explorer finds.
 */
import { C_SPARES, REQUEST_PUBLISH, slotWord, W_REQUESTS } from '../../../src/core/memory/layout.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';
import { callHere, poolScenario } from './pool.js';
import { serve } from './waking.js';
import {
  type Body,
  type Call,
  flagsOf,
  type GroupCase,
  groupScenario,
  layoutFor,
  sit,
  stopGroup,
} from './worker-group.js';

/** The slot of the first spare where there is one worker. */
const SPARE = 3;

/** A leaf that counts itself as done in the first flag. */
const counting = ({ library, context, flags, leaf }: Omit<Body, 'defined'>): Call =>
  library.forkable('model', 'counting', (k: number): number => {
    const result = leaf(k);
    context.seam.add(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
    return result;
  });

/** Blocks until so many leaves have run. */
const untilRun = ({ context, flags }: Pick<Body, 'context' | 'flags'>, count: number): void =>
  context.until([flags], (words) => words[flags] >= count);

/** Forks one task, and blocks until a leaf has run. */
const blocksOnce: GroupCase['body'] = (body) => {
  const { library, defined, context } = body;
  const handle = library.fork(defined as Call, 1);
  library.blocking(() => untilRun(body, 1));
  context.note(String(library.join(handle)));
};

const withSpares = (count: number): Pick<GroupCase, 'parallelism' | 'maxSpares' | 'workers' | 'setUp'> => ({
  parallelism: 1,
  maxSpares: count,
  workers: Array.from({ length: count }, (_, k) => SPARE + k),
  setUp: (cells) => {
    cells[C_SPARES] = count;
  },
});

/** A thread takes back its own request. */
const noRequestLeft: GroupCase['check'] = ({ words }, layout) => {
  if ((words[slotWord(layout, 1) + W_REQUESTS] & REQUEST_PUBLISH) !== 0) throw new Error('REQUEST_PUBLISH is left');
};

const CASES: Readonly<Record<string, GroupCase>> = {
  'a section': {
    name: 'a spare runs what a blocked thread has forked',
    ...withSpares(1),
    define: counting,
    body: blocksOnce,
    ran: [1],
    notes: ['10'],
    check: noRequestLeft,
  },
  'a section that forks': {
    name: 'a spare runs what is forked in a section',
    ...withSpares(1),
    define: counting,
    body: (body) => {
      const { library, defined, context } = body;
      library.blocking(() => {
        const handle = library.fork(defined as Call, 1);
        untilRun(body, 1);
        context.note(String(library.join(handle)));
      });
    },
    ran: [1],
    notes: ['10'],
    check: noRequestLeft,
  },
  'two sections': {
    name: 'a spare rests between two sections, and serves both',
    ...withSpares(1),
    define: counting,
    body: (body) => {
      const { library, defined, context } = body;
      for (const k of [1, 2]) {
        const handle = library.fork(defined as Call, k);
        library.blocking(() => untilRun(body, k));
        context.note(String(library.join(handle)));
      }
    },
    ran: [1, 2],
    notes: ['10', '20'],
  },
  'a spare that forks': {
    name: 'a worker runs what a spare has forked, and the other way round',
    parallelism: 2,
    maxSpares: 1,
    workers: [2, 4],
    setUp: (cells) => {
      cells[C_SPARES] = 1;
    },
    define: (body) => {
      const leaf = counting(body);
      const { library, context, flags, layout } = body;
      return library.forkable('model', 'needy', (k: number): number => {
        context.note(`ran ${k}`);
        const handle = library.fork(leaf, k + 1);
        serve({ library, context, layout, own: body.own }, flags, 1);
        return library.join(handle);
      });
    },
    body: blocksOnce,
    ran: [1, 2],
    notes: ['20'],
  },
  'a spare that blocks': {
    name: 'a second spare runs what the first has forked and waits for',
    ...withSpares(2),
    define: (body) => {
      const leaf = counting(body);
      const { library, context } = body;
      return library.forkable('model', 'blocks', (k: number): number => {
        context.note(`ran ${k}`);
        const handle = library.fork(leaf, k + 1);
        library.blocking(() => untilRun(body, 1));
        return library.join(handle);
      });
    },
    body: blocksOnce,
    ran: [1, 2],
    notes: ['20'],
  },
};

/** Words of the last case, behind the one that leaves count in. */
const WANTED = 1;
const LEFT = 2;
const STARTED = 3;
const OVER = 4;

/**
 * A spare that leaves at once when it rests, and a section that begins meanwhile: the owner starts the spare anew. Its second life is
 * a thread of its own in the model.
 */
function leavingScenario(): Scenario {
  const given: GroupCase = {
    name: 'a section that begins while the spare leaves finds another spare',
    parallelism: 1,
    maxSpares: 1,
    workers: [],
    define: counting,
    body: (body) => {
      const { library, defined, context, own, flags } = body;
      const words = new Int32Array(context.buffer, 4 * flags, 8);
      own.onBlocked = (spares) => void context.seam.store(words, WANTED, spares);
      const handle = library.fork(defined as Call, 1);
      library.blocking(() => untilRun(body, 1));
      context.note(String(library.join(handle)));
      context.seam.store(words, OVER, 1);
      stopGroup(body);
    },
    ends: false,
    ran: [1],
    notes: ['10'],
    setUp: (cells) => {
      cells[C_SPARES] = 1;
    },
    others: [
      { ...life('the first life of the spare', undefined), slots: [SPARE] },
      { ...life('the second life of the spare', STARTED), slots: [SPARE] },
      { name: 'owner', slots: [0, 2, SPARE], run: own },
    ],
  };
  const layout = layoutFor(given);
  const flags = flagsOf(layout);

  function life(name: string, after: number | undefined): ThreadBody {
    return {
      name,
      run(library, context) {
        const words = new Int32Array(context.buffer, 4 * flags, 8);
        if (after !== undefined) {
          context.until([flags + after, flags + OVER], (all) => all[flags + after] + all[flags + OVER] > 0);
          if (context.seam.load(words, after) === 0) return;
        }
        const body = sit(given, layout, library, context, SPARE);
        body.own.keepAliveMs = 0;
        library.setInvocation(body.own, -1);
        void library.workLoop(body.own, () => Promise.resolve());
        context.seam.add(words, LEFT, 1);
      },
    };
  }

  function own(library: Parameters<ThreadBody['run']>[0], context: Parameters<ThreadBody['run']>[1]): void {
    const words = new Int32Array(context.buffer, 4 * flags, 8);
    const memory = new library.ControlMemory(context.buffer, layout, 1);
    let alive = true;
    const home = {
      memory,
      settings: { name: 'model', checked: false },
      lacksSpares: false,
      threadOf: () => (alive ? {} : undefined),
      startMember: () => {
        alive = true;
        context.seam.store(words, STARTED, 1);
      },
    };
    const { load } = context.seam;
    const wanted = (): void => {
      if (load(words, WANTED) > 0) library.startSpares(home, load(words, WANTED));
    };
    context.until(
      [flags + WANTED, flags + LEFT, flags + OVER],
      (all) => all[flags + WANTED] + all[flags + LEFT] + all[flags + OVER] > 0,
    );
    if (load(words, LEFT) === 0) wanted();
    context.until([flags + LEFT, flags + OVER], (all) => all[flags + LEFT] + all[flags + OVER] > 0);
    if (load(words, LEFT) === 0) return;
    alive = false;
    library.spareGone(home, true, undefined);
    if (load(words, STARTED) > 0) return;
    context.until([flags + WANTED, flags + OVER], (all) => all[flags + WANTED] + all[flags + OVER] > 0);
    wanted();
  }

  return groupScenario(given);
}

const callerScenario = (): Scenario =>
  poolScenario({
    name: 'the last worker, which rests for the caller, runs what a blocked caller waits for',
    parallelism: 1,
    owner: (owner) => {
      const { library, context, flags } = owner;
      const result = callHere(owner, () => {
        const handle = library.fork(owner.counting, 1);
        library.blocking(() => untilRun({ context, flags }, 1));
        return library.join(handle);
      });
      context.note(String(result));
    },
    ran: [1],
    notes: ['10'],
  });

const OTHERS: Readonly<Record<string, () => Scenario>> = {
  'a spare that leaves': leavingScenario,
  'a caller that blocks': callerScenario,
};

export const spareScenario = (name: string): Scenario => OTHERS[name]?.() ?? groupScenario(CASES[name] as GroupCase);

export const SPARE_CASES = [...Object.keys(CASES), ...Object.keys(OTHERS)];
