/** Forks that are published, stolen, taken back, joined in any order, and run once. */
import { REQUEST_PUBLISH, REQUEST_STEAL } from '../../../src/core/memory/layout.js';
import type { RecursiveTask } from '../../../src/core/task/fork-join-task.js';
import type { WorkerSlot } from '../../../src/core/worker/worker-slot.js';
import { type Body, type Call, expectRuns, type GroupCase, groupScenario } from './worker-group.js';

type NumberTask = RecursiveTask<number> & { n: number };

const asked = { requests: REQUEST_STEAL } as const;

/** Forks leaves 1 to n and joins them in the order given. */
const forkAndJoin =
  (order: readonly number[]) =>
  ({ library: { fork, join }, leaf, context }: Body): void => {
    const handles = order.map((_, k) => fork(leaf, k + 1));
    context.note(order.map((k) => join(handles[k - 1])).join(' '));
  };

/** A task that forks two leaves of its own: 10 k + 1 and 10 k + 2. */
const defineParent = ({ library: { forkable, fork, join }, leaf, context }: Omit<Body, 'defined'>): Call =>
  forkable('model', 'parent', (k: number): number => {
    context.note(`ran ${k}`);
    const one = fork(leaf, 10 * k + 1);
    const two = fork(leaf, 10 * k + 2);
    return join(two) + join(one);
  });

/** A task that is forked outside of isolations. */
const defineOuter = ({ library, context }: Omit<Body, 'defined'>): Call =>
  library.forkable('model', 'outer', (k: number): number => {
    context.note(`ran ${k}`);
    if (library.thread.race !== 0) throw new Error('it counts as one of an isolation');
    return 0;
  });

/** The first task is not run where a thread is in an isolation. */
function noneEntered({ notes }: { readonly notes: readonly (readonly string[])[] }): void {
  for (const own of notes) {
    const from = own.indexOf('in');
    if (from >= 0 && own.slice(from, own.indexOf('out')).includes('ran 1')) throw new Error('an isolation was entered');
  }
}

const notAllMayRun =
  (most: readonly number[]) =>
  (end: { readonly notes: readonly (readonly string[])[] }): void => {
    const ran = end.notes.flat().filter((note) => note.startsWith('ran '));
    if (new Set(ran).size < ran.length) throw new Error(`ran twice: ${ran}`);
    if (ran.some((note) => !most.includes(Number(note.slice(4))))) throw new Error(`ran ${ran}`);
  };

const CASES: Record<string, GroupCase> = {
  'one task, one thief': {
    name: 'one task, one thief',
    parallelism: 2,
    workers: [2],
    ...asked,
    body: forkAndJoin([1]),
    ran: [1],
    notes: ['10'],
  },
  'newest first': {
    name: 'two tasks joined newest first, one thief',
    parallelism: 2,
    workers: [2],
    ...asked,
    body: forkAndJoin([2, 1]),
    ran: [1, 2],
    notes: ['20 10'],
  },
  'oldest first': {
    name: 'three tasks joined oldest first, one thief',
    parallelism: 2,
    workers: [2],
    body: (body) => {
      const { library, leaf, context } = body;
      const handles = [1, 2, 3].map((k) => library.fork(leaf, k));
      context.seam.or(body.own.words, body.own.requestsWord, REQUEST_STEAL); // two of three become public at once
      context.note(handles.map((handle) => library.join(handle)).join(' '));
    },
    ran: [1, 2, 3],
    notes: ['10 20 30'],
  },
  'two thieves': {
    name: 'three tasks, two thieves',
    parallelism: 3,
    workers: [2, 3],
    ...asked,
    body: forkAndJoin([3, 1, 2]),
    ran: [1, 2, 3],
    notes: ['30 10 20'],
  },
  nested: {
    name: 'a stolen task forks: its forker helps its thief',
    parallelism: 2,
    workers: [2],
    capacities: { ringLog2: 2, recordsPerSlot: 2 },
    ...asked,
    define: defineParent,
    body: (body) => {
      const { library, leaf, context } = body;
      const parent = library.fork(body.defined as Call, 1);
      const other = library.fork(leaf, 2);
      context.note(`${library.join(parent)} ${library.join(other)}`);
    },
    ran: [1, 2, 11, 12],
    notes: ['230 20'],
  },
  'one record': {
    name: 'one record, used again and again',
    parallelism: 2,
    workers: [2],
    capacities: { ringLog2: 1, recordsPerSlot: 1 },
    ...asked,
    body: ({ library: { fork, join }, leaf, context }) => {
      const one = fork(leaf, 1);
      const two = fork(leaf, 2); // finds no record
      context.note(`${join(two)} ${join(one)}`);
      context.note(String(join(fork(leaf, 3))));
      context.note(String(join(fork(leaf, 4))));
    },
    ran: [1, 2, 3, 4],
    notes: ['20 10', '30', '40'],
  },
  classes: {
    name: 'class tasks, with a field that comes home',
    parallelism: 2,
    workers: [2],
    ...asked,
    define: ({ library, context }) => {
      class Double extends library.RecursiveTask<number> {
        n = 0;
        compute(): number {
          context.note(`ran ${this.n}`);
          this.n *= 2;
          return this.n;
        }
      }
      Double.register('model', 'Double');
      return Double;
    },
    body: ({ defined, context }) => {
      const Double = defined as new () => NumberTask;
      const tasks = [1, 2].map((n) => Object.assign(new Double(), { n }).fork());
      context.note(`${tasks[0].join()} ${tasks[1].join()} ${tasks[0].n} ${tasks[1].n} ${tasks[0].isCompletedNormally}`);
    },
    ran: [1, 2],
    notes: ['2 4 2 4 true'],
  },
  unfork: {
    name: 'a task that is taken back or cancelled while a thief reaches for it',
    parallelism: 2,
    workers: [2],
    ...asked,
    define: ({ library, context }) => {
      class Mark extends library.RecursiveTask<number> {
        n = 0;
        compute(): number {
          context.note(`ran ${this.n}`);
          return this.n;
        }
      }
      Mark.register('model', 'Mark');
      return Mark;
    },
    body: ({ defined, context }) => {
      const Mark = defined as new () => NumberTask;
      const one = Object.assign(new Mark(), { n: 1 }).fork();
      const two = Object.assign(new Mark(), { n: 2 }).fork();
      if (two.cancel()) context.note('cancelled 2');
      else two.join();
      if (one.cancel()) context.note('cancelled 1');
      else context.note(`joined ${one.join()}`);
    },
    check: ({ notes }) => {
      const own = notes[0].filter((note) => !note.startsWith('ran'));
      const isJoined = own.includes('joined 1');
      if (own.includes('cancelled 1') === isJoined) throw new Error(`noted ${own}`);
      expectRuns(notes, [...(isJoined ? [1] : []), ...(own.includes('cancelled 2') ? [] : [2])]);
    },
  },
  throws: {
    name: 'a body that throws leaves nothing of its tasks behind',
    parallelism: 2,
    workers: [2],
    ...asked,
    define: ({ library: { forkable, fork }, leaf }) =>
      forkable('model', 'throws', (): number => {
        fork(leaf, 1);
        fork(leaf, 2);
        throw new Error('on purpose');
      }),
    body: (body) => {
      const { library, context } = body;
      try {
        library.runTask(new library.CallTask(library.indexOf(body.defined) as number, []));
      } catch (error) {
        context.note((error as Error).message);
      }
      context.note(`${library.local.sp} ${body.own.records.live}`);
    },
    notes: ['on purpose', '0 0'],
    check: notAllMayRun([1, 2]),
  },
  alone: {
    name: 'one thread: what it has published it takes back',
    parallelism: 1,
    workers: [],
    ...asked,
    define: defineParent,
    body: (body) => {
      const { library, leaf, context } = body;
      const first = library.fork(body.defined as Call, 1);
      context.seam.or(body.own.words, body.own.requestsWord, REQUEST_STEAL);
      const other = library.fork(leaf, 2);
      context.note(`${library.join(first)} ${library.join(other)}`);
    },
    ran: [1, 2, 11, 12],
    notes: ['230 20'],
  },
  checked: {
    name: 'checked mode: every fork is run as if stolen',
    parallelism: 2,
    workers: [2],
    requests: REQUEST_PUBLISH,
    checked: true,
    timeouts: { upToMs: 1, most: 2 },
    body: forkAndJoin([1, 2]),
    ran: [1, 2],
    notes: ['10 20'],
  },
  isolated: {
    name: 'an isolation: what was forked before it is published as what it is, and not run inside',
    parallelism: 2,
    workers: [2],
    define: defineOuter,
    body: ({ library: { fork, isolate, join }, context, leaf, defined, own }) => {
      const ask = (): number => context.seam.or(own.words, own.requestsWord, REQUEST_STEAL);
      const outer = fork(defined as Call, 1);
      context.note('in');
      isolate(() => {
        ask();
        const inner = fork(leaf, 2); // publishes the outer one
        ask();
        const last = fork(leaf, 3); // publishes the inner one
        return join(last) + join(inner);
      });
      context.note('out');
      join(outer);
    },
    ran: [1, 2, 3],
    notes: ['in', 'out'],
    check: noneEntered,
  },
  'isolated, beside others': {
    name: 'an isolation that waits while another thread offers tasks',
    parallelism: 3,
    workers: [2, 3],
    requests: REQUEST_PUBLISH,
    define: (body) => {
      const { library, context, flags } = body;
      const held = library.forkable('model', 'held', (): number => {
        context.note('ran 2');
        const word = new Int32Array(context.buffer, 4 * flags, 1);
        context.seam.store(word, 0, 1);
        context.until([flags], (words) => words[flags] >= 2);
        return 0;
      });
      const section = library.forkable('model', 'section', (): number => {
        const own = library.thread.own as WorkerSlot;
        context.note('in');
        context.seam.or(own.words, own.requestsWord, REQUEST_PUBLISH);
        const sum = library.isolate(() => {
          const one = library.fork(held);
          context.until([flags], (words) => words[flags] >= 1); // another thread has it
          return library.join(one);
        });
        context.seam.and(own.words, own.requestsWord, ~REQUEST_PUBLISH);
        context.note('out');
        return sum;
      });
      return { section, outer: defineOuter(body) };
    },
    body: ({ library: { fork, join }, defined, context, flags }) => {
      const { section, outer } = defined as { readonly section: Call; readonly outer: Call };
      const one = fork(section, 0);
      context.until([flags], (words) => words[flags] >= 1);
      const other = fork(outer, 1);
      context.seam.store(new Int32Array(context.buffer, 4 * flags, 1), 0, 2);
      join(one);
      join(other);
    },
    ran: [1, 2],
    check: noneEntered,
  },
};

export const joinScenario = (name: string, changes: Partial<GroupCase> = {}) =>
  groupScenario({ ...CASES[name], ...changes });

export const JOIN_CASES = Object.keys(CASES);
