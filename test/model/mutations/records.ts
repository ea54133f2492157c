/** Bugs planted in records and publication; all.ts says how. */
import type { Mutation } from './mutation.js';

const RECORDS = 'src/core/memory/records.ts';
const PUBLISH = 'src/core/worker/publish.ts';
const STEAL = 'src/core/worker/steal.ts';

export const RECORD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a record changes hands by a load and a store (R1)',
    known: 'crossbeam-deque CVE-2021-32810: a task run twice',
    file: RECORDS,
    from: 'return compareExchange(words, record + R_STATUS, generation | from, generation | to) === (generation | from);',
    to: 'return load(words, record + R_STATUS) === (generation | from) && store(words, record + R_STATUS, generation | to) !== -1;',
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'the generation stays when a record is freed (P4)',
    file: RECORDS,
    from: 'const generation = entry >>> 16 === MAX_GENERATION ? 0 : (entry >>> 16) + 1;',
    to: 'const generation = entry >>> 16;',
    caughtBy: 'steps: a record again',
  },
  {
    name: 'the generation grows beyond its bits',
    known: 'Tokio #5041: counters of the queue that wrap',
    file: RECORDS,
    from: 'const generation = entry >>> 16 === MAX_GENERATION ? 0 : (entry >>> 16) + 1;',
    to: 'const generation = (entry >>> 16) + 1;',
    caughtBy: 'steps: the last generation',
  },
  {
    name: 'completion stores where it must exchange: the mark of a forker that sleeps is lost (P3)',
    file: RECORDS,
    from: 'const before = exchange(words, record + R_STATUS, (status & ~STATE_MASK) | state); // P2, P3: publishes result and fields\n  return (before & 1) === 1;',
    to: 'store(words, record + R_STATUS, (status & ~STATE_MASK) | state);\n  return (status & 1) === 1;',
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a task is done before its outcome is written (P2)',
    file: STEAL,
    from: `  const normal = encodeOutcome(memory, record, task, failed, value);
  const forkerSleeps = complete(words, record, normal ? DONE : FAILED);`,
    to: `  const forkerSleeps = complete(words, record, failed ? FAILED : DONE);
  encodeOutcome(memory, record, task, failed, value);`,
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'the thief reads the record once more after it is done (R2)',
    known: 'Rayon #768: a latch used after its owner was free to drop it',
    file: STEAL,
    from: '  return isOfCoroutine ? tellCoroutine : forkerSleeps ? wakeForker : nobodyWaits;',
    to: '  return forkerSleeps && words[record + R_DEPENDENCIES + 0 * words[record + 8]] >= 0 ? wakeForker : nobodyWaits;',
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'a record is public before it is filled in (P1)',
    file: PUBLISH,
    from: `  words[record + R_INVOCATION] = invocation; // plain: not public yet
  words[record + R_NEXT] = next; // plain: not public yet
  if (next === OF_COROUTINE) store(words, record + R_CANCEL, 0);
  setPublic(words, record, entry);`,
    to: `  setPublic(words, record, entry);
  words[record + R_INVOCATION] = invocation;
  words[record + R_NEXT] = OF_STACK;`,
    caughtBy: 'steps: one task, one thief',
  },
  {
    name: 'an entry is pushed before its record is public (I4)',
    file: PUBLISH,
    from: `  setPublic(words, record, entry);
  if (deque.tryPush(entry)) return true;`,
    to: `  const pushed = own.deque.tryPush(entry);
  setPublic(words, record, entry);
  if (pushed) return true;`,
    caughtBy: 'waking: one thief',
  },
];
