/** Roots that do not wait until a worker's stack is empty, and what the worker's own invocation must not lose by that. */
import { C_SLEEPERS, slotWord, W_INVOCATION } from '../../../src/core/memory/layout.js';
import type { Scenario } from '../explorer/scenario.js';
import {
  callHere,
  type ModelHost,
  type Owner,
  outcome,
  type PoolCase,
  poolScenario,
  signalOf,
  submit,
} from './pool.js';

/** Waits until a worker has taken a root. */
function untilBusy({ context, group }: Owner, worker = 1): void {
  const invocation = slotWord(group.memory.layout, worker) + W_INVOCATION;
  context.until([invocation], (words) => words[invocation] !== -1);
}

/** Lets the time pass that all timers wait for. */
function tick({ library }: Owner): void {
  const { timers } = library.host() as unknown as ModelHost;
  for (const timer of timers.splice(0)) timer();
}

const CASES: Readonly<Record<string, PoolCase>> = {
  'a high root': {
    name: 'a worker that joins runs a root of high priority',
    parallelism: 1,
    owner: (owner) => {
      const below = submit(owner, owner.giving, 1);
      untilBusy(owner);
      const high = submit(owner, owner.counting, 2, { priority: 'high' });
      owner.context.drain();
      owner.context.note([below, high].map(outcome).join(' '));
    },
    ran: [2],
    notes: ['10 20'],
  },
  'two high roots': {
    name: 'a root of high priority lets no other one in, which is not forgotten',
    parallelism: 1,
    owner: (owner) => {
      const { context, flags } = owner;
      const below = submit(owner, owner.giving, 1);
      untilBusy(owner);
      const first = submit(owner, owner.looking, 2, { priority: 'high' });
      context.until([flags + 1], (words) => words[flags + 1] > 0);
      const second = submit(owner, owner.counting, 3, { priority: 'high' });
      context.drain();
      context.note([below, first, second].map(outcome).join(' '));
    },
    ran: [3],
    notes: ['10 0 30'],
  },
  'high roots in a row': {
    name: 'a root of high priority that comes when another one ends is not forgotten',
    parallelism: 1,
    owner: (owner) => {
      const below = submit(owner, owner.giving, 1);
      untilBusy(owner);
      const high = [owner.leaf, owner.counting].map((fn, k) => submit(owner, fn, k + 2, { priority: 'high' }));
      owner.context.drain();
      owner.context.note([below, ...high].map(outcome).join(' '));
    },
    ran: [2, 3],
    notes: ['10 20 30'],
  },
  'a join that sleeps': {
    name: 'a join that waits for another worker runs a root of high priority',
    parallelism: 2,
    owner: (owner) => {
      const { context, flags } = owner;
      const below = submit(owner, owner.joining, 1);
      context.until([flags + 1], (words) => words[flags + 1] > 0); // both workers are busy
      const high = submit(owner, owner.counting, 2, { priority: 'high' });
      context.drain();
      context.note([below, high].map(outcome).join(' '));
    },
    ran: [2],
    notes: ['10 20'],
  },
  'a join on top': {
    name: 'a join of a root on top of another invocation leaves the tasks of that one alone',
    parallelism: 2,
    owner: (owner) => {
      const { context, flags } = owner;
      const below = submit(owner, owner.forking, 1);
      submit(owner, owner.holding, 3); // on the other worker, which is free again when the high root has begun
      untilBusy(owner);
      untilBusy(owner, 2);
      const high = submit(owner, owner.joining, 2, { priority: 'high' });
      context.until([flags + 1], (words) => words[flags + 1] > 0);
      context.seam.store(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
      context.drain();
      context.note([below, high].map(outcome).join(' '));
    },
    check: ({ notes }) => {
      if (notes.flat().includes('another invocation ran it')) throw new Error('a task ran for another invocation');
    },
    notes: ['1 20'],
  },
  'an abort below': {
    name: 'a root of high priority does not swallow the abort of the invocation below',
    parallelism: 1,
    owner: (owner) => {
      const { context, flags } = owner;
      const { signal, abort } = signalOf();
      const below = submit(owner, owner.endless, 1, { signal });
      untilBusy(owner);
      const high = submit(owner, owner.looking, 2, { priority: 'high' });
      context.until([flags + 1], (words) => words[flags + 1] > 0);
      abort();
      context.drain();
      context.note([below, high].map(outcome).join(' '));
    },
    notes: ['3 AbortError 0'],
  },
  'an old root': {
    name: 'a normal root that has waited long does not wait for the end of another',
    parallelism: 1,
    owner: (owner) => {
      const below = submit(owner, owner.giving, 1);
      untilBusy(owner);
      const old = submit(owner, owner.counting, 2);
      tick(owner);
      owner.context.drain();
      owner.context.note([below, old].map(outcome).join(' '));
    },
    ran: [2],
    notes: ['10 20'],
  },
  'a low root': {
    name: 'a root of low priority finds a worker that sleeps',
    parallelism: 1,
    owner: (owner) => {
      owner.context.until([C_SLEEPERS], (words) => words[C_SLEEPERS] > 0);
      const low = submit(owner, owner.leaf, 1, { priority: 'low' });
      owner.context.drain();
      owner.context.note(outcome(low));
    },
    ran: [1],
    notes: ['10'],
  },
  'a caller after a low root': {
    name: 'a caller in the record of a root of low priority has none',
    parallelism: 1,
    owner: (owner) => {
      const { context, library, group } = owner;
      submit(owner, owner.leaf, 1, { priority: 'low' });
      context.drain();
      callHere(owner, () => {
        const { invocation } = library.thread;
        context.note(library.isLowInvocation(group.caller, invocation) ? 'low' : 'not low');
        return invocation;
      });
    },
    ran: [1],
    notes: ['not low'],
  },
  'a low root below': {
    name: 'a root of low priority gives way to a normal one',
    parallelism: 1,
    owner: (owner) => {
      const below = submit(owner, owner.giving, 1, { priority: 'low' });
      untilBusy(owner);
      const normal = submit(owner, owner.counting, 2);
      owner.context.drain();
      owner.context.note([below, normal].map(outcome).join(' '));
    },
    ran: [2],
    notes: ['10 20'],
  },
};

export const priorityCase = (name: string): Scenario => poolScenario(CASES[name]);
export const PRIORITY_CASES = Object.keys(CASES);
