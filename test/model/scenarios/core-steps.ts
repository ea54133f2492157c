/**
 * The same code in short pieces, small enough to exhaust: a thief that looks once or twice, a sleeper that sleeps once.
 */
import { C_PHASE, PHASE_CRASHED, REQUEST_STEAL, recordWord, STATE_IDLE } from '../../../src/core/memory/layout.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody, ThreadContext } from '../explorer/virtual-thread.js';
import { type Body, type GroupCase, groupScenario, layoutFor, sit } from './worker-group.js';

const asked = { requests: REQUEST_STEAL } as const;
const TINY = { ringLog2: 1, recordsPerSlot: 2 };

/** Steals from slot 1 and runs what it got, so often; no loop, no sleep. */
function thief(given: GroupCase, slot: number, turns: number, invocation?: number): ThreadBody {
  const layout = layoutFor(given);
  return {
    name: `thief ${slot}`,
    run(library, context) {
      const { own } = sit(given, layout, library, context, slot);
      library.setInvocation(own, invocation ?? -1);
      for (let turn = 0; turn < turns; turn++) {
        const record =
          invocation === undefined
            ? library.trySteal(own, 1, library.forIdle)
            : library.trySteal(own, 1, library.forJoin);
        if (typeof record === 'number' && record >= 0) library.runStolen(own, record);
      }
    },
  };
}

const noStop = { ends: false } as const;

/** A forker and thieves that take a few looks each. */
function withThieves(
  name: string,
  turns: readonly number[],
  body: (body: Body) => void,
  given: Partial<GroupCase>,
): Scenario {
  const group: GroupCase = {
    name,
    parallelism: 1 + turns.length,
    capacities: TINY,
    workers: [],
    ...asked,
    ...noStop,
    body,
    ...given,
  };
  return groupScenario({
    ...group,
    others: turns.map((count, k) => ({ ...thief(group, k + 2, count), slots: [k + 2] })),
  });
}

const joinAll =
  (order: readonly number[]) =>
  ({ library: { fork, join }, leaf, context }: Body): void => {
    const handles = order.map((_, k) => fork(leaf, k + 1));
    context.note(order.map((k) => join(handles[k - 1])).join(' '));
  };

/** A forker that publishes one task after the other, and a sleeper that runs them: it looks, registers, looks, sleeps. */
function withSleeper(name: string, tasks: number): Scenario {
  const given: GroupCase = {
    name,
    parallelism: 2,
    capacities: TINY,
    workers: [],
    ...noStop,
    body: ({ library: { fork, join }, leaf, context, flags, own }) => {
      for (let k = 1; k <= tasks; k++) {
        context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
        const handle = fork(leaf, k); // becomes public: nobody but the sleeper runs it
        context.until([flags], (words) => words[flags] === k);
        context.note(String(join(handle)));
      }
    },
    ran: Array.from({ length: tasks }, (_, k) => k + 1),
  };
  const layout = layoutFor(given);
  const sleeper = {
    name: 'sleeper',
    slots: [2],
    run(library: Library, context: ThreadContext) {
      const { own, flags } = sit(given, layout, library, context, 2);
      for (let ran = 0; ran < tasks; ) {
        const event = library.eventOf(own);
        const record = library.trySteal(own, 1, library.forIdle);
        if (typeof record !== 'number' || record < 0)
          library.sleep(own, STATE_IDLE, 10_000, event, () => library.hasWork(own, 1));
        else {
          library.runStolen(own, record);
          context.seam.store(own.words, flags, ++ran);
        }
      }
    },
  };
  return groupScenario({ ...given, others: [sleeper] });
}

export const STEPS: Readonly<Record<string, () => Scenario>> = {
  'one task, one thief': () =>
    withThieves('publish, steal, await, complete', [2], joinAll([1]), { ran: [1], notes: ['10'] }),
  'one task, two thieves': () =>
    withThieves('two thieves and the forker want one task', [1, 1], joinAll([1]), { ran: [1], notes: ['10'] }),
  'two tasks, one thief': () =>
    withThieves('two tasks joined oldest first', [3], joinAll([1, 2]), { ran: [1, 2], notes: ['10 20'] }),
  'a record again': () =>
    withThieves(
      'one record used twice: a thief with an old entry',
      [1],
      ({ library: { fork, join }, leaf, context, own }) => {
        context.note(String(join(fork(leaf, 1))));
        context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
        context.note(String(join(fork(leaf, 2))));
      },
      { capacities: { ringLog2: 0, recordsPerSlot: 1 }, ran: [1, 2], notes: ['10', '20'] },
    ),
  'the last generation': () =>
    withThieves(
      'a record whose generation wraps',
      [1],
      ({ library: { fork, join }, leaf, context, own }) => {
        context.note(String(join(fork(leaf, 1))));
        context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
        context.note(String(join(fork(leaf, 2))));
      },
      {
        capacities: { ringLog2: 0, recordsPerSlot: 1 },
        setUp: (cells, layout) => {
          cells[recordWord(layout, 1, 0)] = 0x7fff << 16;
        },
        ran: [1, 2],
        notes: ['10', '20'],
      },
    ),
  'the middle': () =>
    withThieves(
      'tasks run while their forker waits are not run again',
      [1],
      (body) => {
        const { library, leaf, context, own } = body;
        const handles = [1, 2, 3].map((k) => library.fork(leaf, k));
        context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
        library.checkpoint(); // the older two are public now
        context.note(handles.map((handle) => library.join(handle)).join(' '));
      },
      { requests: 0, ran: [1, 2, 3], notes: ['10 20 30'] },
    ),
  sleeper: () => withSleeper('a sleeper and a publisher', 1),
  'a sleeper, twice': () => withSleeper('a sleeper and a publisher, twice', 2),
  'a crash': () => {
    const given: GroupCase = {
      name: 'a thief dies at any point; the join that waits for it ends',
      parallelism: 2,
      capacities: TINY,
      workers: [],
      ...noStop,
      ...asked,
      body: ({ library: { fork, join }, leaf, context }) => {
        try {
          context.note(`joined ${join(fork(leaf, 1))}`);
        } catch (error) {
          context.note((error as Error).name);
        }
      },
      check: ({ notes }) => {
        const outcome = notes[0].filter((note) => !note.startsWith('ran')).join();
        if (outcome !== 'joined 10' && outcome !== 'WorkerCrashError' && outcome !== 'CancellationError') {
          throw new Error(`noted ${outcome}`);
        }
      },
    };
    const layout = layoutFor(given);
    const reaper: ThreadBody = {
      name: 'owner',
      run(library, context) {
        const memory = new library.ControlMemory(context.buffer, layout, 1);
        context.kill(1);
        // As WorkerGroup does it when a worker has died.
        context.seam.store(memory.words, C_PHASE, PHASE_CRASHED);
        library.requestOfAll(memory, 2);
        for (let slot = 0; slot <= layout.parallelism; slot++) library.wakeSlot(memory, slot);
      },
    };
    return groupScenario({
      ...given,
      others: [
        { ...thief(given, 2, 1), slots: [2] },
        { ...reaper, slots: [0, 3] },
      ],
    });
  },
};
