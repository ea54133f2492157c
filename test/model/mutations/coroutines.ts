/** Bugs planted in what forks of coroutines need; all.ts says how. */
import type { Mutation } from './mutation.js';

const COROUTINES = 'src/core/worker/tell.ts';
const THREAD = 'src/extensions/async/thread.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const SLOT = 'src/core/worker/worker-slot.ts';
const STEAL = 'src/core/worker/steal.ts';
const IDLE = 'src/core/worker/sleep.ts';

export const COROUTINE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a thief looks whether the forker sleeps before it links the record (A1)',
    file: COROUTINES,
    from: `  do {
    next = load(words, list);
    words[record + R_NEXT] = next; // plain: published by A1
  } while (compareExchange(words, list, next, record) !== next); // A1: before the look at the state; pairs with \`park\`
  if (load(words, slotWord(layout, slot) + W_STATE) !== STATE_RUNNING) wakeSlot(memory, slot);`,
    to: `  const sleeps = load(words, slotWord(layout, slot) + W_STATE) !== STATE_RUNNING;
  do {
    next = load(words, list);
    words[record + R_NEXT] = next;
  } while (compareExchange(words, list, next, record) !== next);
  if (sleeps) wakeSlot(memory, slot);`,
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a thief links the record and wakes nobody (A1)',
    file: COROUTINES,
    from: '  if (load(words, slotWord(layout, slot) + W_STATE) !== STATE_RUNNING) wakeSlot(memory, slot);',
    to: '',
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'records are linked without a compareExchange (A1)',
    file: COROUTINES,
    from: '  } while (compareExchange(words, list, next, record) !== next); // A1: before the look at the state; pairs with `park`',
    to: '    store(words, list, record);\n  } while (next < 0);',
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'the forker empties its list by a load and a store (A1)',
    file: THREAD,
    from: '    let record = exchange(words, list, 0); // A1: pairs with tellCoroutine',
    to: '    let record = load(words, list);\n    store(words, list, 0);',
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'W_SETTLED: a forker goes to sleep without a look at its list',
    file: THREAD,
    from: '    return own.ready.size > 0 || this.hasSettled(own) || this.#isAskedToCancel(own);',
    to: '    return own.ready.size > 0 || this.#isAskedToCancel(own);',
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a forker publishes forks and wakes nobody (S2)',
    file: THREAD,
    from: '      if (done++ === 0) wakeOne(memory, NO_INVOCATION); // the thief wakes up while the others are encoded\n    }\n    forks.splice(0, k);\n    if (k > 1) wakeOne(memory, NO_INVOCATION);',
    to: '      done++;\n    }\n    forks.splice(0, k);',
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'C_ASYNC: thieves do not look into ready deques',
    file: SLOT,
    from: '    return load(this.words, C_ASYNC) === 0 ? this.lowRoots + 1 : this.#ofSpares;',
    to: '    return this.lowRoots + 1;',
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'the loop over ready deques leaves out the first worker',
    file: SLOT,
    from: 'for (let worker = 1; worker <= layout.parallelism; worker++)',
    to: 'for (let worker = 2; worker <= layout.parallelism; worker++)',
    caughtBy: 'coroutines: two thieves',
  },
  {
    name: 'R_NEXT: a record does not say that a coroutine has forked it',
    file: PUBLISH,
    from: '  words[record + R_NEXT] = next; // plain: not public yet\n',
    to: '',
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a thief reads who has forked a record after it is settled (R2)',
    file: STEAL,
    from: '  return isOfCoroutine ? tellCoroutine : forkerSleeps ? wakeForker : nobodyWaits;',
    to: '  return words[record + R_NEXT] === OF_COROUTINE ? tellCoroutine : forkerSleeps ? wakeForker : nobodyWaits;',
    caughtBy: 'steps: a record again',
  },
  {
    name: 'a forker runs a published fork without taking it back',
    file: THREAD,
    from: '      if (!tryClaim(own.words, record, fork.entry)) return false;\n',
    to: '',
    caughtBy: 'coroutines: a published fork',
  },
  {
    name: 'a worker whose coroutines wait looks before it registers (S2)',
    file: IDLE,
    from: "  register(own, state);\n  if (!look()) {\n    own.note('sleeps', 1, state);\n    await wait(",
    to: "  const stays = look();\n  register(own, state);\n  if (!stays) {\n    own.note('sleeps', 1, state);\n    await wait(",
    caughtBy: 'coroutines: a published fork',
  },
];
