/**
 * Activations of one thread: whatever runs on top changes every field, and none of it is left when that has ended. There is one schedule only.
 */
import { layoutOf, slotWord, W_INVOCATION } from '../../../src/core/memory/layout.js';
import type { WorkerSlot } from '../../../src/core/worker/worker-slot.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import { FLAGS } from './worker-group.js';

const layout = layoutOf(1, { ringLog2: 1, recordsPerSlot: 2 });
const WORDS = slotWord(layout, layout.slots) + FLAGS;
const LOWER = { name: 'lower', parallelism: 1 };
const UPPER = { name: 'upper', parallelism: 1 };

/** What an activation consists of, and what other threads see of it. */
function fields({ local, thread }: Library, seen: () => number): Readonly<Record<string, unknown>> {
  const { sp, base, split, floor, requests } = local;
  return { ...thread, sp, base, split, floor, requests, seen: seen() };
}

function expectFields(library: Library, seen: () => number, expected: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields(library, seen)))
    if (value !== expected[name]) throw new Error(`${name} is ${String(value)}, and was ${String(expected[name])}`);
}

/** Three tasks: the first of them is public, and the last one alone belongs to the present invocation. */
function pushTasks({ local }: Library): void {
  for (let k = 0; k < 3; k++) {
    local.stack[local.sp] = {};
    const call = local.calls[local.sp++];
    if (call !== undefined) call.handle = k;
  }
  local.split = local.base + 1;
  local.floor = local.base + 2;
}

/** @param seen the invocation for which others see the thread work */
type Body = (library: Library, seen: () => number, own: WorkerSlot, other: WorkerSlot) => void;

/** A thread that works for a pool on a slot, with tasks on its stack. */
const scenario = (name: string, body: Body): Scenario => ({
  name,
  words: WORDS,
  threads: [
    {
      name: 'thread',
      run(library, { buffer, seam }) {
        const memory = new library.ControlMemory(buffer, layout, 0);
        const [own, other] = [1, 0].map((slot) => new library.WorkerSlot(memory, slot, false)) as never as [
          WorkerSlot,
          WorkerSlot,
        ];
        const outside = library.enter(own, LOWER);
        library.attach(own, 5, 0);
        Object.assign(library.thread, { dependencies: 3, race: 6, nestedSteals: 1, nestedOwn: 2, running: {} });
        pushTasks(library);
        body(library, () => seam.load(own.words, own.invocationWord), own, other);
        library.leave(outside);
      },
    },
  ],
  setUp(cells) {
    for (let slot = 0; slot < layout.slots; slot++) cells[slotWord(layout, slot) + W_INVOCATION] = -1;
  },
  check() {},
});

export const ACTIVATIONS = {
  'on another slot': () =>
    scenario('an activation on another slot leaves nothing behind', (library, seen, _own, other) => {
      const before = fields(library, seen);
      const below = library.enter(other, UPPER);
      const { sp, base, split, floor, requests } = library.local;
      if (base !== sp || split !== sp || floor !== sp) throw new Error('its stack is not empty');
      if (requests !== other.requests) throw new Error('it does not hear what is asked of its slot');
      if (library.thread.dependencies + library.thread.nestedSteals + library.thread.nestedOwn !== 0)
        throw new Error('it begins with what is below');
      library.attach(other, 9, 0);
      Object.assign(library.thread, { below, dependencies: 4, race: 7, nestedSteals: 3, nestedOwn: 4 });
      pushTasks(library);
      library.leave(below);
      expectFields(library, seen, before);
    }),
  'without a pool': () =>
    scenario('an activation without a pool leaves nothing behind', (library, seen) => {
      const before = fields(library, seen);
      const below = library.enter(null, UPPER);
      if (library.thread.pool !== UPPER) throw new Error('its pool is not the one that it was given');
      library.attach(null, -2, 0);
      library.leave(below);
      expectFields(library, seen, before);
    }),
  'a task of others': () =>
    scenario('a task of another thread leaves nothing behind', (library, seen, own) => {
      const before = fields(library, seen);
      const outer = library.attached();
      library.attach(own, 9, 0);
      if (seen() !== 9) throw new Error('nobody sees for whom it works');
      Object.assign(library.thread, { dependencies: 4, running: {} });
      library.detach(outer);
      expectFields(library, seen, before);
      library.detach({ invocation: -1, dependencies: 0, race: 0, running: undefined });
      if (!library.hasLeftStack()) throw new Error('forks outside of tasks are taken for those of a task');
      library.attach(own, 5, 0);
    }),
  'what is below': () =>
    scenario(
      'what publishes tasks from below changes only where those begin that are private',
      (library, seen, own) => {
        const below = library.enter(own, UPPER);
        library.attach(own, 9, 0);
        library.thread.dependencies = 4;
        pushTasks(library);
        const before = fields(library, seen);
        library.within(below, () => {
          const { sp, split } = library.local;
          const { invocation, dependencies } = library.thread;
          if (sp !== below.sp || split !== below.split || invocation !== 5 || dependencies !== 3)
            throw new Error('it does not act for what is below');
          library.local.split++;
        });
        expectFields(library, seen, before);
        library.leave(below);
        if (library.local.split !== library.local.base + 2) throw new Error('what was published is private again');
      },
    ),
};
