/** How workers leave: those that leave by themselves end what they keep, and nobody does where all are ended at once or one has died. */
import type { Scenario } from '../explorer/scenario.js';
import { type ModelHost, type Owner, type PoolCase, poolScenario, submit } from './pool.js';

const ENDS = 'ends its values';
const left: PoolCase['left'] = (context) => context.note(ENDS);

/** Checks how many workers have ended their values. */
const ended =
  (count: number): PoolCase['check'] =>
  ({ notes }) => {
    const seen = notes.flat().filter((note) => note === ENDS).length;
    if (seen !== count) throw new Error(`${seen} workers ended their values, not ${count}`);
  };

const kill = (owner: Owner): void => {
  submit(owner, owner.parent, 1);
  owner.group.kill().catch(() => {});
};

const CASES: Readonly<Record<string, PoolCase>> = {
  'a close': {
    name: 'all workers of a pool that is closed end their values',
    parallelism: 2,
    owner: (owner) => {
      submit(owner, owner.leaf, 1);
      owner.context.drain();
    },
    left,
    check: ended(2),
  },
  'a termination': {
    name: 'no worker of a pool that is terminated at any moment ends its values',
    parallelism: 1,
    closes: false,
    owner: kill,
    left,
    check: ended(0),
  },
  'a crash': {
    name: 'no worker ends its values when another one dies at any moment',
    parallelism: 2,
    closes: false,
    owner: (owner) => {
      submit(owner, owner.leaf, 1);
      owner.context.kill(1);
      (owner.library.host() as unknown as ModelHost).spawned[0].exit(1);
      owner.invocations.abandonAll({ worker: { name: 'worker 1', error: undefined }, exitCode: 1, isReported: true });
      owner.context.drain();
    },
    left,
    check: ended(0),
  },
};

export const endingScenario = (name: string): Scenario => poolScenario(CASES[name] as PoolCase);
export const ENDING_CASES = Object.keys(CASES);
