/** What tasks report, on its way to the owner of the pool; and calls that the owner has for one worker each. */
import type { Scenario } from '../explorer/scenario.js';
import { type Owner, outcome, type PoolCase, poolScenario, submit } from './pool.js';
import type { Call } from './worker-group.js';

/** Submits a call and waits for it; notes what it reports, and how it ended. */
function listen(owner: Owner, fn: Call, k: number, onReport: (k: number) => void = () => {}): void {
  const { context } = owner;
  const task = submit(owner, fn, k, {
    onReport: (value: number) => {
      context.note(`heard ${value}`);
      onReport(value);
    },
  });
  context.drain();
  context.note(outcome(task));
}

const CASES: Readonly<Record<string, PoolCase>> = {
  'a broadcast': {
    name: 'a call for each worker is run by that worker, once it has run what it has',
    parallelism: 2,
    owner: (owner) => {
      const tasks = [submit(owner, owner.leaf, 1, {}, 1), submit(owner, owner.leaf, 2, {}, 2)];
      owner.context.drain();
      tasks.push(submit(owner, owner.leaf, 3, {}, 2));
      owner.context.drain();
      owner.context.note(tasks.map(outcome).join(' '));
    },
    notes: ['10 20 30'],
    check: ({ notes }) => {
      const ran = JSON.stringify(notes.slice(1));
      if (ran !== '[["ran 1"],["ran 2","ran 3"]]') throw new Error(`the workers noted ${ran}`);
    },
  },
  'a root': {
    name: 'what a root reports is heard in order, before its result',
    parallelism: 1,
    owner: (owner) => {
      listen(owner, owner.reporter, 1);
      listen(owner, owner.leaf, 1);
    },
    ran: [1],
    notes: ['heard 1', 'heard 2', '10', '10'],
  },
  'two tasks': {
    name: 'what two tasks report at once is heard in the order of each',
    parallelism: 2,
    owner: (owner) => listen(owner, owner.reporters, 1),
    check: ({ notes: [heard] }) => {
      const own = [heard.filter((note) => /[12]$/.test(note)), heard.filter((note) => /[34]$/.test(note))];
      const last = heard[heard.length - 1];
      if (JSON.stringify(own) !== '[["heard 1","heard 2"],["heard 3","heard 4"]]' || last !== '40')
        throw new Error(`the owner noted ${heard.join(', ')}`);
    },
  },
  'while a task runs': {
    name: 'a report is heard while its task runs',
    parallelism: 1,
    owner: (owner) => {
      const { context, flags } = owner;
      listen(owner, owner.heard, 1, () => {
        context.seam.store(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
      });
    },
    notes: ['heard 1', '10'],
  },
  'a listener that throws': {
    name: 'a listener that throws is not called again, and its invocation fails',
    parallelism: 1,
    owner: (owner) => {
      listen(owner, owner.reporter, 1, () => {
        throw new RangeError('enough');
      });
    },
    notes: ['heard 1', '3 RangeError'],
  },
};

export const reportCase = (name: string): Scenario => poolScenario(CASES[name]);
export const REPORT_CASES = Object.keys(CASES);
