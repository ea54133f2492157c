/** Bugs planted in pools and their owners; all.ts says how. */
import type { Mutation } from './mutation.js';

const REQUESTS = 'src/core/worker/requests.ts';
const LOOP = 'src/core/worker/search.ts';
const STEAL = 'src/core/worker/steal.ts';
const CALLER = 'src/core/pool/caller.ts';
const GROUP = 'src/core/pool/worker-group.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const WATCH = 'src/core/pool/root-watch.ts';

export const POOL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a worker does not look whether the pool closes before it sleeps (S7)',
    file: LOOP,
    from: '  if (isStopping(own)) return true; // S7\n',
    to: '',
    caughtBy: 'pool: a root',
  },
  {
    name: 'a closing pool wakes its workers before it says that it closes (S7)',
    file: GROUP,
    from: `    store(this.memory.words, C_PHASE, PHASE_STOP); // S7: before all are woken
    this.wakeAll();`,
    to: `    this.wakeAll();
    store(this.memory.words, C_PHASE, PHASE_STOP);`,
    caughtBy: 'pool: a root',
  },
  {
    name: 'a root is counted as settled before it is (S8)',
    file: STEAL,
    from: '  const forkerSleeps = complete(words, record, normal ? DONE : FAILED);',
    to: '  const isRoot = isOfRoots(memory, record);\n  if (isRoot) tellOwner(memory);\n  const forkerSleeps = complete(words, record, normal ? DONE : FAILED);\n  if (isRoot) return nobodyWaits;',
    caughtBy: 'pool: a root',
  },
  {
    name: 'the owner looks at its roots before it reads the count that it waits on (S8)',
    file: WATCH,
    from: `    const seen = load(words, C_SETTLED); // S8, N1: before the look; what comes later changes it
    watched.look();`,
    to: `    watched.look();
    const seen = load(words, C_SETTLED);`,
    caughtBy: 'pool: a root',
  },
  {
    name: 'a worker settles a root and tells nobody (S8)',
    file: 'src/core/worker/tell.ts',
    from: '  notify(words, C_SETTLED);\n',
    to: '',
    caughtBy: 'pool: a root',
  },
  {
    name: 'an owner publishes a root and wakes nobody',
    file: INVOCATION,
    from: '    else wakeOne(memory, NO_INVOCATION);\n',
    to: '',
    caughtBy: 'pool: a root',
  },
  {
    name: 'a thread reads why it was cancelled before it clears its bit (C1)',
    file: REQUESTS,
    from: `  and(own.words, own.requestsWord, ~REQUEST_CANCEL); // C1: before the reason is read; a later cancellation sets it again
  moments.cancelled();
  const reason = cancellation(own);`,
    to: `  const reason = cancellation(own);
  and(own.words, own.requestsWord, ~REQUEST_CANCEL);`,
    caughtBy: 'pool: a long root',
  },
  {
    name: 'an owner asks for requests before it says why (C1)',
    file: 'src/core/pool/cancellation.ts',
    from: `    store(memory.words, record + R_CANCEL, reason); // C1: before the bit; a thread that sees the bit sees the reason
    requestOfAll(memory, REQUEST_CANCEL);`,
    to: `    requestOfAll(memory, REQUEST_CANCEL);
    store(memory.words, record + R_CANCEL, reason);`,
    caughtBy: 'pool: a long root',
  },
  {
    name: 'the owner cancels a root that a worker may have taken, without asking its record',
    file: INVOCATION,
    from: 'else if (!tryClaim(memory.words, roots.records.wordOf(entry), entry)) return false;',
    to: 'else if (stateOf(memory.words, roots.records.wordOf(entry)) !== 1) return false;',
    caughtBy: 'pool: cancel',
  },
  {
    name: 'a caller looks for the monitor before it names its invocation (S4)',
    file: CALLER,
    from: `  attach(caller, entry, 0); // S4: before the monitor word is read
  if (load(words, C_MONITOR) === 0) wakeHelper(memory);`,
    to: `  if (load(words, C_MONITOR) === 0) wakeHelper(memory);
  attach(caller, entry, 0);`,
    caughtBy: 'pool: a caller that needs help',
    bound: 2,
  },
  {
    name: 'a caller that is done leaves the last worker asleep (S6)',
    file: CALLER,
    from: '    wakeLast(memory);\n',
    to: '',
    caughtBy: 'pool: a root before a caller',
  },
  {
    name: 'a caller looks at the last worker before it says that it is done (S6)',
    file: CALLER,
    from: `    store(words, C_CALLER_COMPUTES, 0); // S6: before the look at the last worker's state
    wakeLast(memory);`,
    to: `    wakeLast(memory);
    store(words, C_CALLER_COMPUTES, 0);`,
    caughtBy: 'pool: a root before a caller',
  },
  {
    name: 'the last worker goes to sleep without a last look while the caller computes (S2)',
    file: LOOP,
    from: '() => isStopping(own) || workAwaits(own)',
    to: '() => isStopping(own)',
    caughtBy: 'pool: the last worker',
  },
  {
    name: 'the last worker goes to sleep beside a worker that it has not asked, while the caller computes (S5)',
    file: LOOP,
    from: '    if (computes(own, slot)) return true;\n',
    to: '',
    caughtBy: 'pool: a needy root beside a caller',
  },
  {
    name: 'a worker goes to sleep in its event loop without a last look (S2, S7)',
    file: LOOP,
    from: `    state,
    event,
    () => lastLook(own, state),
    () => untilWoken`,
    to: `    state,
    event,
    () => false,
    () => untilWoken`,
    caughtBy: 'pool: a root, in the loop',
  },
  {
    name: 'a worker that sleeps in its event loop waits for another change than the next (S1)',
    file: LOOP,
    from: 'untilWoken(own, event, untilLeaving)',
    to: 'untilWoken(own, eventOf(own), untilLeaving)',
    caughtBy: 'pool: a root, in the loop',
  },
  {
    name: 'a crash wakes nobody',
    file: GROUP,
    from: `    requestOfAll(this.memory, REQUEST_CANCEL);
    this.wakeAll();
    this.#terminate();`,
    to: `    requestOfAll(this.memory, REQUEST_CANCEL);
    this.#terminate();`,
    caughtBy: 'pool: crash',
  },
];
