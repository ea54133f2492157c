/** Every scenario by name, with how far it is taken: here within a minute or so altogether, and deeper on request. */

import type { Change } from '../../../scripts/changes/index.js';
import type { Scenario } from '../explorer/scenario.js';
import { ACTIVATIONS } from './activation.js';
import { BEST } from './best.js';
import { chainScenario } from './chain.js';
import { STEPS } from './core-steps.js';
import { coroutineScenario, ENDLESS_PATIENCE } from './coroutines.js';
import { DEQUE_CASES, dequeScenario } from './deque.js';
import { endingScenario } from './endings.js';
import { dyingHolder, lockScenario } from './heap-lock.js';
import { joinScenario } from './joins.js';
import { LOOP_IN_USE, MONITOR_ON_DUTY, poolCase } from './pool.js';
import { priorityCase } from './priorities.js';
import { RANGES_CASES, rangesScenario } from './ranges.js';
import { READINESS } from './readiness.js';
import { reportCase } from './reports.js';
import { spareScenario } from './spares.js';
import { TABLES } from './tables.js';
import { wakingScenario } from './waking.js';

export interface Entry {
  readonly make: () => Scenario;
  /** Most preemptions; undefined to exhaust the whole space. */
  readonly bound?: number;
  /** The same in a deep run. */
  readonly deep?: number;
  readonly changes?: readonly Change[];
}

const entries = (
  prefix: string,
  make: (name: string) => Scenario,
  bounds: Record<string, readonly [number, number]>,
  changes: readonly Change[] = [],
) =>
  Object.entries(bounds).map(([name, [bound, deep]]): [string, Entry] => [
    `${prefix}: ${name}`,
    { make: () => make(name), bound, deep, changes },
  ]);

const exhausted = (prefix: string, scenarios: Readonly<Record<string, () => Scenario>>) =>
  Object.entries(scenarios).map(([name, make]): [string, Entry] => [`${prefix}: ${name}`, { make }]);

const DEQUE = Object.fromEntries(
  Object.entries(DEQUE_CASES).map(([name, given]) => [name, () => dequeScenario({ name, ...given })]),
);

export const SCENARIOS: ReadonlyMap<string, Entry> = new Map([
  ...exhausted('deque', DEQUE),
  ...exhausted('activation', ACTIVATIONS),
  ...exhausted('steps', STEPS),
  ['steps: a sleeper, twice', { make: STEPS['a sleeper, twice'], bound: 3 }],
  ...entries('readiness', (name) => READINESS[name](), {
    'two threads': [2, 3],
    'three threads': [2, 3],
    'a failure': [2, 3],
  }),
  ...entries('tables', (name) => TABLES[name](), {
    'two threads': [2, 4],
    'three threads': [2, 3],
    'a key that looks free': [2, 4],
  }),
  ...entries('best', (name) => BEST[name](), { 'two threads': [2, 3], 'three threads': [2, 3], 'a death': [2, 3] }),
  ...exhausted('lock', {
    'two threads': () => lockScenario([2, 2]),
    'three threads': () => lockScenario([1, 1, 1]),
    'a death': dyingHolder,
  }),
  ...exhausted('chain', {
    'two threads': () => chainScenario([2, 2], 1),
    'two threads, units of two blocks': () => chainScenario([2, 1], 2),
    'three threads': () => chainScenario([1, 1, 1], 1),
  }),
  ...exhausted(
    'ranges',
    Object.fromEntries(Object.entries(RANGES_CASES).map(([name, given]) => [name, () => rangesScenario(given)])),
  ),
  ...entries('priorities', priorityCase, {
    'a high root': [2, 3],
    'two high roots': [2, 3],
    'high roots in a row': [2, 3],
    'a join that sleeps': [1, 2],
    'a join on top': [1, 2],
    'an abort below': [2, 3],
    'an old root': [2, 3],
    'a low root': [2, 3],
    'a low root below': [2, 3],
    'a caller after a low root': [2, 3],
  }),
  ...entries('reports', reportCase, {
    'a root': [2, 3],
    'two tasks': [1, 2],
    'while a task runs': [2, 4],
    'a listener that throws': [2, 3],
    'a broadcast': [1, 2],
  }),
  ...entries('endings', endingScenario, {
    'a close': [1, 2],
    'a termination': [2, 3],
    'a crash': [1, 2],
  }),
  ...entries('coroutines', coroutineScenario, {
    'one fork, one thief': [2, 3],
    'two forks, one thief': [2, 3],
    'a published fork': [2, 3],
    'a race': [1, 2],
    'two thieves': [1, 2],
    'a fork that is left': [1, 2],
    'a fork that is left in vain': [1, 2],
  }),
  ...entries(
    'coroutines',
    coroutineScenario,
    {
      'a fork for a free thread': [2, 3],
      'a fork beside a thread that computes': [1, 2],
      'a fork beside a thread that rests': [1, 2],
    },
    ENDLESS_PATIENCE,
  ),
  ...entries('spares', spareScenario, {
    'a section': [2, 4],
    'a section that forks': [2, 4],
    'two sections': [1, 3],
    'a spare that blocks': [1, 2],
    'a spare that forks': [1, 2],
    'a spare that leaves': [1, 2],
    'a caller that blocks': [2, 3],
  }),
  ...entries('joins', joinScenario, {
    'one task, one thief': [3, 4],
    'newest first': [2, 4],
    'oldest first': [2, 4],
    'two thieves': [1, 2],
    nested: [2, 4],
    'one record': [2, 4],
    classes: [2, 4],
    unfork: [2, 4],
    throws: [2, 4],
    alone: [3, 4],
    checked: [2, 3],
    isolated: [2, 3],
    'isolated, beside others': [0, 2],
  }),
  ...entries('waking', wakingScenario, {
    'one thief': [2, 4],
    'two batches': [2, 4],
    'two thieves': [1, 2],
    'a join that helps': [2, 4],
    'a big task': [0, 2],
    'a thief of the caller': [2, 4],
    'a caller that helps': [1, 4],
    'a join beside a caller': [1, 1],
    'a join beside the last worker': [1, 1],
  }),
  ...entries('pool', poolCase, {
    'a root': [2, 4],
    'two roots': [1, 2],
    'two roots that meet': [1, 2],
    'after a cancellation': [1, 2],
    'a tree': [1, 2],
    'a root that needs help': [1, 2],
    cancel: [3, 4],
    'a long root': [3, 4],
    caller: [2, 3],
    'the last worker': [2, 4],
    'a root before a caller': [2, 4],
    'a needy root beside a caller': [1, 2],
    'a caller that needs help': [1, 3],
    'a caller beside a root': [0, 1],
    crash: [2, 3],
  }),
  [
    'pool: a monitor that leaves',
    { make: () => poolCase('a monitor that leaves'), bound: 0, deep: 1, changes: MONITOR_ON_DUTY },
  ],
  ['pool: a root, in the loop', { make: () => poolCase('a root'), bound: 2, deep: 3, changes: LOOP_IN_USE }],
  [
    'pool: a root that needs help, in the loop',
    { make: () => poolCase('a root that needs help'), bound: 1, deep: 2, changes: LOOP_IN_USE },
  ],
  [
    'pool: a root before a caller, in the loop',
    { make: () => poolCase('a root before a caller'), bound: 1, deep: 2, changes: LOOP_IN_USE },
  ],
  [
    'pool: the last worker, in the loop',
    { make: () => poolCase('the last worker'), bound: 2, deep: 3, changes: LOOP_IN_USE },
  ],
  ['pool: monitor', { make: () => poolCase('monitor'), bound: 1, deep: 2, changes: MONITOR_ON_DUTY }],
]);
