/** Bugs planted in the readiness of a graph's nodes; all.ts says how. */
import { binary, call, drop, ifOn, loadAndStore, moveBefore, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const READINESS = 'src/flows/graph/readiness.ts';

export const READINESS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a count is brought down by a load and a store (R1 of graphs)',
    changes: [loadAndStore(READINESS, 'countDown', call('sub'))],
    caughtBy: 'readiness: two threads',
  },
  {
    name: 'a failure is marked after the count was brought down (R1 of graphs)',
    changes: [moveBefore(READINESS, 'countDown', call('sub'), ifOn('failed'))],
    caughtBy: 'readiness: a failure',
  },
  {
    name: 'a failure is not marked',
    changes: [drop(READINESS, 'countDown', ifOn('failed'))],
    caughtBy: 'readiness: a failure',
  },
  {
    name: 'a mark is taken for a count that is left',
    changes: [replace(READINESS, 'countDown', binary('!==', 'FAILED_BEFORE'), 'before !== 1')],
    caughtBy: 'readiness: a failure',
  },
];
