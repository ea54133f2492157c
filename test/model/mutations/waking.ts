/** Bugs planted in sleeping, waking and steal requests; all.ts says how. */
import type { Mutation } from './mutation.js';

const IDLE = 'src/core/worker/sleep.ts';
const LOOP = 'src/core/worker/search.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const STEAL = 'src/core/worker/steal.ts';

export const WAKING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a sleeper looks before it registers (S2)',
    known: 'oneTBB #2136: a wake-up lost between the last look and the sleep',
    file: IDLE,
    from: `  register(own, state);
  if (!look()) {
    own.note('sleeps', 1, state);
    wait(`,
    to: `  const stays = look();
  register(own, state);
  if (!stays) {
    own.note('sleeps', 1, state);
    wait(`,
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper does not look again (S2)',
    known: 'oneTBB #2136: a wake-up lost between the last look and the sleep',
    file: IDLE,
    from: "  register(own, state);\n  if (!look()) {\n    own.note('sleeps', 1, state);\n    wait(",
    to: "  register(own, state);\n  if (look !== undefined) {\n    own.note('sleeps', 1, state);\n    wait(",
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies before it changes the word (S1)',
    file: IDLE,
    from: `  add(memory.words, event, 1); // S1: before notify; pairs with the value that \`sleep\` waits on
  notify(memory.words, event);`,
    to: `  notify(memory.words, event);
  add(memory.words, event, 1);`,
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies without changing the word (S1)',
    file: IDLE,
    from: '  add(memory.words, event, 1); // S1: before notify; pairs with the value that `sleep` waits on\n',
    to: '',
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper waits on what its event word holds when it goes to sleep (S1)',
    file: IDLE,
    from: '    wait(words, own.eventWord, event, sliceMs);',
    to: '    wait(words, own.eventWord, load(words, own.eventWord), sliceMs);',
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a waker notifies the wrong word',
    file: IDLE,
    from: '  notify(memory.words, event);',
    to: '  notify(memory.words, event + 1);',
    caughtBy: 'steps: sleeper',
  },
  {
    name: 'a sleeper that was claimed takes itself off the list too (S3)',
    file: IDLE,
    from: '  if (isClaimable(state) && !isClaimed) sub(words, C_SLEEPERS, 1); // else the waker did',
    to: '  if (isClaimable(state)) sub(words, C_SLEEPERS, 1);',
    caughtBy: 'waking: one thief',
  },
  {
    name: 'wakers claim a sleeper without a compareExchange (S3)',
    file: IDLE,
    from: '    if (compareExchange(words, at, state, STATE_RUNNING) !== state) continue; // S3: one waker for each sleeper\n',
    to: '    store(words, at, STATE_RUNNING);\n',
    caughtBy: 'steps: a sleeper, twice',
  },
  {
    name: 'a publisher looks for sleepers after its first batch only (S2)',
    known: 'this project, before 0.1.0',
    file: PUBLISH,
    from: '  if (publish(own, want - 1) > 0) wakeOne(own.memory, thread.invocation); // the thief may have run the first one and sleep again',
    to: '  publish(own, want - 1);',
    caughtBy: 'waking: two batches',
  },
  {
    name: 'a publisher clears its request after it has looked for sleepers (S5)',
    file: PUBLISH,
    from: `  and(own.words, own.requestsWord, ~REQUEST_STEAL); // S5: before the look for sleepers, who ask once they are registered
  feedSleepers(own);`,
    to: `  if (load(own.words, C_SLEEPERS) > 0) feedSleepers(own);
  else and(own.words, own.requestsWord, ~REQUEST_STEAL);`,
    caughtBy: 'waking: one thief',
  },
  {
    name: 'a worker that starts a task does not think of those asleep (S5)',
    file: STEAL,
    from: '  feedSleepers(own);\n',
    to: '',
    caughtBy: 'pool: a root that needs help',
  },
  {
    name: 'an idle worker asks nobody once it is registered (S5)',
    file: LOOP,
    from: '  askForWork(own, nowUs()); // S5: once registered; pairs with `feedSleepers`\n',
    to: '',
    caughtBy: 'waking: one thief',
  },
  {
    name: 'the last searcher wakes idle workers only, not a join that could help (S2)',
    known: 'this project, until these models found it',
    file: LOOP,
    from: '    if (wakeOne(memory, invocationOf(memory, slot))) return; // an idle worker, which comes here in its turn',
    to: '    if (wakeOne(memory, NO_INVOCATION)) return;',
    caughtBy: 'waking: a big task',
    bound: 1,
  },
  {
    name: 'the last worker goes to rest though a caller relied on its search (S4)',
    known: 'this project, until these models found it',
    file: LOOP,
    from: '  wakeInstead(own);\n  return STATE_WAITING;',
    to: '  return STATE_WAITING;',
    caughtBy: 'pool: a caller that needs help',
    bound: 2,
  },
  {
    name: 'a searcher that takes a task does not think of a caller that relied on it (S4)',
    known: 'this project, until these models found it',
    file: LOOP,
    from: '  if (load(words, C_MONITOR) === 0 && sparesCaller(own)) wakeHelper(memory);\n',
    to: '',
    caughtBy: 'pool: a caller beside a root',
    bound: 1,
  },
];
