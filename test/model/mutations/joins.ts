/** Bugs planted in joins; all.ts says how. */
import type { Mutation } from './mutation.js';

const FRAMES = 'src/core/worker/scope-exit.ts';
const JOIN = 'src/core/worker/join.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const WAIT = 'src/core/worker/wait.ts';

export const JOIN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a call that was taken back and run while its forker waited keeps its handle, and is run again by its join',
    known: 'this project, before 0.1.0',
    file: WAIT,
    from: '  putForked(k, forked);',
    to: '  local.stack[k] = forked;',
    caughtBy: 'steps: the middle',
  },
  {
    name: 'a join runs a public task without taking it back',
    file: PUBLISH,
    from: 'if (!tryClaim(own.words, own.records.wordOf(item.entry), item.entry)) return false;',
    to: 'if (!isPublic(own.words, own.records.wordOf(item.entry), item.entry)) return false;',
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a join does not take back what it has published: with one thread nobody runs it',
    known: 'JDK 8u40: a join that hangs with a parallelism of one',
    file: JOIN,
    from: '  if (item instanceof Forked && (thread.own?.checked === true || !reclaim(k))) {',
    to: '  if (item instanceof Forked && (thread.own?.checked === false || !reclaim(k))) {',
    caughtBy: 'joins: alone',
  },
  {
    name: 'a forker sleeps without saying that it waits (P3)',
    file: WAIT,
    from: '  if (!tryAwait(own.words, record)) return; // P3',
    to: '  if (!isTaken(stateOf(words, record))) return;',
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a join does not look for a crash before it sleeps (S7)',
    file: WAIT,
    from: '  if (!isTaken(stateOf(words, record)) || memory.hasCrashed || mustGiveWay()) return true;',
    to: '  if (!isTaken(stateOf(words, record))) return true;',
    caughtBy: 'steps: a crash',
  },
  {
    name: 'a join does not look at what else is public before it sleeps (S2)',
    file: WAIT,
    from: '    if (hasWork(own, own.victimOf(slot), forJoin)) return true;\n',
    to: '',
    caughtBy: 'waking: a join that helps',
  },
  {
    name: 'a body that throws does not wait for its stolen tasks',
    file: FRAMES,
    from: '    if (item.entry !== SETTLED && !own.memory.hasCrashed) awaitResult(own, item);',
    to: '    if (item.entry !== SETTLED && own.memory.hasCrashed) awaitResult(own, item);',
    caughtBy: 'joins: throws',
  },
];
