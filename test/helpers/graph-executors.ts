/** Executors for tests of task graphs: without workers, and pools of 1, 2 and 4, also checked. */
import { type Executor, SequentialExecutor } from 'furcate';
import { ofEachKind } from './environment.js';
import { poolMaker } from './pools.js';

export const poolOf = poolMaker('terminate');
export const EXECUTORS: readonly (readonly [name: string, make: () => Executor])[] = ofEachKind(
  [
    ['SequentialExecutor', () => new SequentialExecutor()],
    ['a pool of 1', () => poolOf(1)],
    ['a pool of 2', () => poolOf(2)],
    ['a pool of 4', () => poolOf(4)],
    ['a checked pool of 2', () => poolOf(2, { checked: true })],
  ],
  ([name]) => !/of [14]$/.test(name),
);
