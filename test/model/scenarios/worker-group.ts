/**
 * A worker group in a model: forkers that run a body, workers that serve, all with the shipped code of tasks and workers.
 */
import {
  C_PHASE,
  type Layout,
  layoutOf,
  PHASE_STOP,
  recordWord,
  rootsSlot,
  slotWord,
  W_INVOCATION,
  W_REQUESTS,
} from '../../../src/core/memory/layout.js';
import { R_CANCEL, R_CARRIED } from '../../../src/core/memory/record-kinds.js';
import type { Forkable } from '../../../src/core/task/function-task.js';
import type { WorkerSlot } from '../../../src/core/worker/worker-slot.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody, ThreadContext } from '../explorer/virtual-thread.js';
import { nameWord } from './names.js';
import { expectAtRest, groupRules, leaveStale } from './rules.js';

/** Words behind control memory that bodies use among themselves. */
export const FLAGS = 8;
/** The invocation that bodies belong to: the first record of the roots' slot. */
export const ROOT = 0;
const NO_INVOCATION = -1;

/** A forkable function of one number. */
export type Call = Forkable<[k: number], number>;

/** What a body of a forker is given. */
export interface Body {
  readonly library: Library;
  readonly context: ThreadContext;
  readonly layout: Layout;
  readonly own: InstanceType<Library['WorkerSlot']>;
  /** A leaf, noted as `ran k`; its result is 10 k. */
  readonly leaf: Call;
  /** What the case's `define` gave. */
  readonly defined: unknown;
  /** First of the free words. */
  readonly flags: number;
}

export interface GroupCase {
  readonly name: string;
  readonly parallelism: number;
  readonly maxSpares?: number;
  /** Entries of a ring (log2), records a slot. */
  readonly capacities?: { readonly ringLog2: number; readonly recordsPerSlot: number };
  /** Who forks: a worker's slot, or 0 for the caller. */
  readonly forker?: number;
  /** Slots whose threads serve. */
  readonly workers: readonly number[];
  /** What the forker does, inside of its invocation. */
  readonly body: (body: Body) => void;
  /** Registers more code, in every thread alike; what it returns is `defined`. */
  readonly define?: (body: Omit<Body, 'defined'>) => unknown;
  readonly checked?: boolean;
  readonly requests?: number;
  readonly timeouts?: Scenario['timeouts'];
  readonly setUp?: (cells: Int32Array, layout: Layout) => void;
  /** More threads, after the forker and the workers. */
  readonly others?: readonly (ThreadBody & { readonly slots: readonly number[] })[];
  /** Does the forker end the worker group when it is done? By default. */
  readonly ends?: boolean;
  /** Tasks that must have run, each once; left out where `check` decides. */
  readonly ran?: readonly number[];
  /** Notes that the forker must have left, beside `ran ...`. */
  readonly notes?: readonly string[];
  readonly check?: (
    end: { readonly notes: readonly (readonly string[])[]; readonly words: Int32Array },
    layout: Layout,
  ) => void;
}

const TINY = { ringLog2: 2, recordsPerSlot: 4 };

export const layoutFor = (given: Pick<GroupCase, 'parallelism' | 'capacities' | 'maxSpares'>): Layout =>
  layoutOf(given.parallelism, given.capacities ?? TINY, given.maxSpares);

export const flagsOf = (layout: Layout): number => layout.totalBytes / 4;

/** Takes a slot, as serve.ts and caller.ts do. */
export function takeSlot(
  { checked = false }: { readonly checked?: boolean },
  layout: Layout,
  library: Library,
  { buffer }: ThreadContext,
  slot: number,
): WorkerSlot {
  const own = new library.WorkerSlot(new library.ControlMemory(buffer, layout, 1), slot, checked);
  library.thread.own = own;
  library.local.requests = own.requests;
  return own;
}

/** Takes a slot, and registers the functions of the model. */
export function sit(given: GroupCase, layout: Layout, library: Library, context: ThreadContext, slot: number): Body {
  const own = takeSlot(given, layout, library, context, slot);
  const leaf = library.forkable('model', 'leaf', (k: number): number => {
    context.note(`ran ${k}`);
    return 10 * k;
  });
  const body = { library, context, layout, own, leaf, flags: flagsOf(layout) };
  return { ...body, defined: given.define?.(body) };
}

/** Ends a worker group, as `WorkerGroup.stop` does. */
export function stopGroup({ library, context, own }: Body): void {
  context.seam.store(own.words, C_PHASE, PHASE_STOP);
  for (let slot = 0, { slots } = own.memory; slot < slots; slot++) library.wakeSlot(own.memory, slot);
}

export function groupScenario(given: GroupCase): Scenario {
  const layout = layoutFor(given);
  const words = flagsOf(layout) + FLAGS;
  const forkerSlot = given.forker ?? 1;

  const forker: ThreadBody = {
    name: 'forker',
    run(library, context) {
      const body = sit(given, layout, library, context, forkerSlot);
      library.setInvocation(body.own, ROOT);
      library.feedSleepers(body.own); // as runStolen does
      given.body(body);
      library.setInvocation(body.own, NO_INVOCATION);
      if (given.ends !== false) stopGroup(body);
    },
  };
  const worker = (slot: number): ThreadBody => ({
    name: `worker ${slot}`,
    run(library, context) {
      const { own } = sit(given, layout, library, context, slot);
      library.setInvocation(own, NO_INVOCATION);
      void library.workLoop(own, () => Promise.resolve());
    },
  });
  const threads = [forker, ...given.workers.map(worker), ...(given.others ?? [])];
  const slotsOf = [
    [forkerSlot],
    ...given.workers.map((slot) => [slot]),
    ...(given.others ?? []).map(({ slots }) => slots),
  ];
  return {
    name: given.name,
    words: words + (words % 2),
    threads,
    ...(given.timeouts === undefined ? {} : { timeouts: given.timeouts }),
    setUp(cells) {
      leaveStale(layout, cells);
      for (const word of [R_CANCEL, R_CARRIED]) cells[recordWord(layout, rootsSlot(layout), ROOT) + word] = 0;
      for (let slot = 0; slot < layout.slots; slot++) cells[slotWord(layout, slot) + W_INVOCATION] = NO_INVOCATION;
      cells[slotWord(layout, forkerSlot) + W_REQUESTS] = given.requests ?? 0;
      given.setUp?.(cells, layout);
    },
    check(end) {
      if (given.ran !== undefined) expectRuns(end.notes, given.ran);
      const own = end.notes[0].filter((note) => !note.startsWith('ran '));
      if (given.notes !== undefined && JSON.stringify(own) !== JSON.stringify(given.notes)) {
        throw new Error(`the forker noted ${own.join(', ')} and not ${given.notes.join(', ')}`);
      }
      given.check?.(end, layout);
      if (given.ends !== false) expectAtRest(layout, end.words);
    },
    ...groupRules(layout, slotsOf),
    nameOf: (at) => nameWord(layout, at),
  };
}

/** Each task once, whoever ran it. */
export function expectRuns(notes: readonly (readonly string[])[], tasks: readonly number[]): void {
  const ran = notes
    .flat()
    .filter((note) => note.startsWith('ran '))
    .map((note) => Number(note.slice(4)));
  const [seen, due] = [ran, [...tasks]].map((list) => list.sort((a, b) => a - b).join(', '));
  if (seen !== due) throw new Error(`ran ${seen || 'nothing'}, not ${due}`);
}
