/** Bugs planted in joins; all.ts says how. */
import { binary, call, drop, ifOn, name, not, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const SCOPE_EXIT = 'src/core/worker/scope-exit.ts';
const JOIN = 'src/core/worker/join.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const STEAL = 'src/core/worker/steal.ts';
const HELP = 'src/core/worker/help.ts';
const WAIT = 'src/core/worker/wait.ts';

export const JOIN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a call that was taken back and run while its forker waited keeps its handle, and is run again by its join',
    known: 'this project, before 0.1.0',
    changes: [replace(HELP, 'runInPlace', call('putForked'), 'local.stack[$1] = $2')],
    caughtBy: 'steps: the middle',
  },
  {
    name: 'a join runs a public task without taking it back',
    changes: [replace(PUBLISH, 'reclaim', call('tryClaim'), 'isPublic($1, $2, $3)')],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a join does not take back what it has published: with one thread nobody runs it',
    known: 'JDK 8u40: a join that hangs with a parallelism of one',
    changes: [replace(JOIN, 'joinAt', binary('===', 'checked'), '$1 === false')],
    caughtBy: 'joins: alone',
  },
  {
    name: 'a forker sleeps without saying that it waits (P3)',
    changes: [replace(WAIT, 'sleepUntil', call('tryAwait'), 'isTaken(stateOf($1, $2))')],
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a join does not look for a crash before it sleeps (S7)',
    changes: [drop(WAIT, 'mayGoOn', name('hasCrashed')), drop(WAIT, 'mayGoOn', call('mustGiveWay'))],
    caughtBy: 'steps: a crash',
  },
  {
    name: 'a join does not look at what else is public before it sleeps (S2)',
    changes: [drop(WAIT, 'mayGoOn', ifOn('hasWork'))],
    caughtBy: 'waking: a join that helps',
  },
  {
    name: 'a body that throws does not wait for its stolen tasks',
    changes: [replace(SCOPE_EXIT, 'abandon', not('hasCrashed'), '$1')],
    caughtBy: 'joins: throws',
  },
  {
    name: 'what was forked before an isolation is published as a part of it',
    changes: [replace(PUBLISH, 'raceAt', binary('<', 'base'), 'false')],
    caughtBy: 'joins: isolated',
  },
  {
    name: 'a join in an isolation takes what other threads offer',
    changes: [replace(STEAL, 'forJoin', binary('===', 'race'), 'true')],
    caughtBy: 'joins: isolated, beside others',
    bound: 1,
  },
];
