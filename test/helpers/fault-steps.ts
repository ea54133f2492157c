/**
 * The steps of the protocol at which a worker can be killed: hooks in a build of their own, so that the shipped one has
 * none. Each calls `globalThis.furcateStep?.(name)`; test/fixtures/fault-preload.mjs decides who dies where.
 */
import type { Change } from '../../scripts/build.js';

interface Step extends Change {
  readonly name: string;
}

const call = (name: string): string => `globalThis.furcateStep?.('${name}')`;

/** A hook as a statement before the text `at`. */
const before = (file: string, name: string, at: string): Step => ({
  name,
  file: `src/core/${file}.ts`,
  find: at,
  replace: `${call(name)};\n${at}`,
});

/** A hook as a statement after the text `at`. */
const after = (file: string, name: string, at: string): Step => ({
  name,
  file: `src/core/${file}.ts`,
  find: at,
  replace: `${at}\n${call(name)};`,
});

/** A hook between two conditions. */
const between = (file: string, name: string, first: string, second: string): Step => ({
  name,
  file: `src/core/${file}.ts`,
  find: `${first} && ${second}`,
  replace: `${first} && (${call(name)}, ${second})`,
});

const steps: readonly Step[] = [
  before(
    'worker/serve',
    'start: before it is online',
    'store(own.words, slotWord(data.layout, data.slot) + W_ONLINE, 1);',
  ),
  after('worker/serve', 'start: online', 'store(own.words, slotWord(data.layout, data.slot) + W_ONLINE, 1);\n'),

  after('worker/search', 'search: registered', 'add(words, C_SEARCHERS, 1);'),
  before('worker/search', 'load: code is wanted', 'await loadCode(missing.code);'),

  between('worker/steal', 'steal: entry taken', 'thief.tryTake()', 'tryTake(words, record, entry, own.slot)'),
  before('worker/steal', 'steal: record taken', 'if (thief.slot !== rootsSlot(memory.layout)) requestSteal'),
  before('worker/steal', 'run: named', 'let task: ForkJoinTask<unknown> | null = null;'),
  before('worker/steal', 'run: body returned', 'const normal = encodeOutcome('),
  before('worker/steal', 'complete: encoded', 'const forkerSleeps = complete('),
  before('worker/steal', 'complete: settled', 'setInvocation(own, outer);\n  thread.dependencies'),
  before('worker/steal', 'complete: root not counted', 'add(words, C_SETTLED, 1);'),
  before('worker/steal', 'complete: root counted', 'notify(words, C_SETTLED);'),

  before('worker/publish', 'publish: encoded', 'setPublic(words, record, entry);'),
  before('worker/publish', 'publish: public', 'if (deque.tryPush(entry)) return true;'),
  before('worker/publish', 'publish: pushed', "own.counters.count('published');"),

  before('worker/publish', 'join: claimed', 'if (item.task === null) local.handles[k] &= HANDLE_MASK;'),
  before('worker/wait', 'join: about to sleep', 'const canHelp = thread.nestedSteals'),
  before('worker/wait', 'join: task settled', 'Object.assign(forked, outcomeOf('),
  before('worker/publish', 'join: record to free', 'own.records.release(entry);\n  trimDeque(own);'),

  after('worker/sleep', 'sleep: state set', 'store(words, stateWord, state);'),
  before('worker/sleep', 'sleep: registered', "if (!look()) {\n    own.counters.count('sleeps');\n    wait("),
  before('worker/sleep', 'sleep: about to wait', 'wait(words, own.eventWord, event, sliceMs);'),
  before('worker/sleep', 'sleep: woken', 'const isClaimed = compareExchange('),
  before('worker/sleep', 'wake: sleeper claimed', 'sub(words, C_SLEEPERS, 1);\n    wakeSlot('),
  before('worker/sleep', 'wake: sleeper to notify', 'wakeSlot(memory, slot);\n    return true;'),

  after('async/thread', 'coroutine: fork published', "own.counters.count('published');"),
  before('async/thread', 'coroutine: fork claimed', "own.counters.count('reclaimed');"),
  before('worker/coroutines', 'coroutine: record settled', 'const list = slotWord(layout, slot) + W_SETTLED;'),
  before('worker/coroutines', 'coroutine: record linked', 'if (load(words, slotWord(layout, slot) + W_STATE)'),
  before('async/thread', 'coroutine: list taken', 'const next = words[record + R_NEXT];'),

  before('spares/blocking', 'spare: tasks published', 'isBlocked = true;'),
  before('spares/blocking', 'spare: thread counted', 'if (number <= load(words, C_SPARES)) wakeSlot('),
  before('spares/blocking', 'spare: section ended', 'const last = sub(words, C_BLOCKED, 1);'),
  before('spares/rest', 'spare: rests', 'const event = eventOf(own);'),
  before('spares/rest', 'spare: has left', 'wakeSlot(memory, slot - 1);'),

  before('reports/index', 'report: encoded', 'let next: number;'),
  before('reports/index', 'report: linked', 'if (next === 0) tellOwner(memory);'),

  after('memory/shared-heap', 'heap: lock taken', 'this.lock.acquire();\n'),
  before('memory/shared-heap', 'heap: lock to release', 'this.lock.release();'),
];

/** What a build with hooks changes in the sources. */
export const FAULT_CHANGES: readonly Change[] = steps.map(({ file, find, replace }) => ({ file, find, replace }));

export const STEPS: readonly string[] = steps.map(({ name }) => name);
