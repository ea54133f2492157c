/** What a worker does that searches: it is on the thread of the test, and what others have published lies there before it looks. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import '../../../../src/extensions/async/index.js';
import { codeTable, wordOfCodes } from '../../../../src/core/code/table.js';
import { add, load, store } from '../../../../src/core/memory/atomics.js';
import {
  C_ASYNC,
  C_CALLER_COMPUTES,
  C_CALLS,
  C_MONITOR,
  C_SEARCHERS,
  C_SLEEPERS,
  C_SPARES,
  CALLER_SLOT,
  REQUEST_STEAL,
  rootsSlot,
  STATE_IDLE,
  STATE_RUNNING,
  slotWord,
  spareSlot,
  W_EVENT,
  W_INVOCATION,
  W_REQUESTS,
  W_STATE,
} from '../../../../src/core/memory/layout.js';
import { DONE, R_CODE, stateOf } from '../../../../src/core/memory/records.js';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Invocations } from '../../../../src/core/pool/invocation.js';
import { poolSettings, type SubmitOptions } from '../../../../src/core/pool/options.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { asyncForkable, type Scope } from '../../../../src/core/task/async-task.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { checkpoint } from '../../../../src/core/worker/checkpoint.js';
import { hooks } from '../../../../src/core/worker/extension.js';
import { publishRecord } from '../../../../src/core/worker/publish.js';
import { residents } from '../../../../src/core/worker/residents.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { outcomeOf } from '../../../../src/core/worker/wait.js';
import { NO_INVOCATION, thread, WorkerSlot } from '../../../../src/core/worker/worker-slot.js';
import { serveHere } from '../../../helpers/local-worker.js';

/** Called in each turn of the worker's event loop. */
let onTurn: () => void = () => {};

registerHost(() => ({
  ...(detectNode() as PlatformHost),
  turn: async () => onTurn(),
  hasPending: () => false, // what the test has is not the worker's
}));

const WORKERS = 3;
const VICTIM = 2;

let ran: unknown[] = [];
/** Called by the next task that runs, if it is set. */
let meanwhile: (() => void) | undefined;
const note = forkable(import.meta.url, 'note', (x: unknown) => {
  ran.push(x);
  const act = meanwhile;
  meanwhile = undefined;
  act?.();
  return x;
});

const waits = asyncForkable(import.meta.url, 'waits', async (_scope: Scope, x: unknown) => void ran.push(x));

let group: WorkerGroup;
let invocations: Invocations;
let victim: WorkerSlot;
let running: Promise<unknown>[] = [];

beforeEach(() => {
  onTurn = () => {};
  ran = [];
  running = [];
  invocations = new Invocations(poolSettings({ parallelism: WORKERS, name: 'p' }), () => {});
  group = invocations.group;
  victim = new WorkerSlot(group.memory, VICTIM, false);
});

const word = (at: number): number => load(group.memory.words, at);

afterEach(async () => {
  await Promise.all(running);
  expect([word(C_SEARCHERS), word(C_SLEEPERS)]).toEqual([0, 0]);
  expect(word(slotWord(group.memory.layout, 1) + W_STATE)).toBe(STATE_RUNNING);
});

function submit(x: unknown, options: SubmitOptions = {}, dependencies = 0): void {
  running.push(invocations.submit(taskOf('invoke', note, [x]), options, dependencies));
}

/** Puts a task where the victim's forks lie; returns what has become of it. */
function publish(x: unknown, invocation = 5): () => unknown {
  const entry = victim.records.allocate();
  const task = taskOf('fork', note, [x]);
  expect(publishRecord(victim, entry, task, invocation, 0)).toBe(true);
  const record = victim.records.wordOf(entry);
  return () =>
    stateOf(group.memory.words, record) === DONE ? outcomeOf(group.memory, record, task).value : 'not done';
}

/** As `sleep` does it, up to the wait. */
function fallAsleep(slot: number): void {
  store(group.memory.words, slotWord(group.memory.layout, slot) + W_STATE, STATE_IDLE);
  add(group.memory.words, C_SLEEPERS, 1);
}

const wakeUps = (slot: number): number => word(slotWord(group.memory.layout, slot) + W_EVENT);

const isAsked = (slot: number): boolean =>
  (word(slotWord(group.memory.layout, slot) + W_REQUESTS) & REQUEST_STEAL) !== 0;

test('it steals the oldest tasks first, settles them, and asks their forker for more', async () => {
  const outcomes = [1, 2, 3].map((x) => publish(x));
  await serveHere(group);
  expect(ran).toEqual([1, 2, 3]);
  expect(outcomes.map((outcome) => outcome())).toEqual([1, 2, 3]);
  expect(isAsked(VICTIM)).toBe(true);
  expect(isAsked(1)).toBe(false);
});

test('it passes over tasks that their forker has taken back', async () => {
  const [first, second] = [victim.records.allocate(), victim.records.allocate()];
  for (const entry of [first, second]) publishRecord(victim, entry, taskOf('fork', note, [entry]), 5, 0);
  store(group.memory.words, victim.records.wordOf(first), 0);
  victim.records.release(first);
  await serveHere(group);
  expect(ran).toEqual([second]);
});

test('roots and tasks take turns, roots of high priority come first, those of low priority last', async () => {
  for (const x of ['task 1', 'task 2', 'task 3']) publish(x);
  submit('low', { priority: 'low' });
  for (const x of ['root 1', 'root 2']) submit(x);
  submit('high', { priority: 'high' });
  await serveHere(group);
  expect(ran[0]).toBe('high');
  expect(ran.at(-1)).toBe('low');
  const kinds = ran.slice(1, 5).map((x) => String(x).split(' ')[0]);
  expect(kinds.toString()).toMatch(/^(root,task,root,task|task,root,task,root)$/);
});

test('it leaves the tasks of a low root until nothing of normal priority is left', async () => {
  submit('low', { priority: 'low' });
  const root = group.roots.victims[group.roots.lowRoots]?.peek() as number;
  store(group.memory.words, slotWord(group.memory.layout, VICTIM) + W_INVOCATION, root);
  publish('of low', root);
  submit('normal');
  await serveHere(group);
  expect(ran[0]).toBe('normal');
  expect(ran.slice(1).sort()).toEqual(['low', 'of low']);
});

test('it loads code that a task needs, and runs the task then', async () => {
  const url = 'file:///searching.mjs';
  const id = codeTable().idOf('function', url, 'later');
  submit(1, {}, wordOfCodes([id]));
  submit(2);
  const loaded: number[] = [];
  await serveHere(group, 1, async (code) => {
    loaded.push(code);
    forkable(url, 'later', () => 0);
  });
  expect(loaded).toEqual([id]);
  expect(ran).toEqual([1, 2]);
});

test('code that an asynchronous task needs is not taken for what later tasks need', async () => {
  const url = 'file:///searching.mjs';
  forkable(url, 'needed', () => 0);
  const dependencies = wordOfCodes([codeTable().idOf('function', url, 'needed')]);
  running.push(invocations.submit(taskOf('invoke', waits, [1]), {}, dependencies));
  await serveHere(group);
  expect(ran).toEqual([1]);
  expect(thread.dependencies).toBe(0);
});

test('it loads the code of a task itself, and runs the task then', async () => {
  const url = 'file:///searching.mjs';
  const id = codeTable().idOf('function', url, 'unknown');
  publish(3);
  const entry = victim.deque.peek();
  group.memory.words[victim.records.wordOf(entry) + R_CODE] = id;
  let loads = 0;
  await serveHere(group, 1, async () => {
    loads++;
    forkable(url, 'unknown', (x: number) => void ran.push(`unknown ${x}`));
  });
  expect(loads).toBe(1);
  expect(ran).toEqual(['unknown 3']);
});

test('it sees work that comes while it prepares to sleep', async () => {
  const sleepsBefore = group.counters()[1].sleeps;
  let sleepsThen = -1;
  onTurn = () => {
    onTurn = () => {};
    meanwhile = () => {
      sleepsThen = group.counters()[1].sleeps;
    };
    publish('late');
  };
  await serveHere(group);
  expect(ran).toEqual(['late']);
  expect(sleepsThen).toBe(sleepsBefore);
});

describe('the last searcher that finds work', () => {
  test('wakes another worker if there is more', async () => {
    fallAsleep(3);
    publish(1);
    await serveHere(group);
    expect(wakeUps(3)).toBe(0);
    publish(2);
    publish(3);
    await serveHere(group);
    expect(wakeUps(3)).toBe(1);
  });

  test('wakes a helper for a caller that has not been asked for tasks', async () => {
    store(group.memory.words, slotWord(group.memory.layout, CALLER_SLOT) + W_INVOCATION, 9);
    submit(1);
    fallAsleep(2); // afterwards, because a submission wakes an idle worker, too
    await serveHere(group);
    expect(wakeUps(2)).toBe(1);
    store(group.memory.words, slotWord(group.memory.layout, CALLER_SLOT) + W_INVOCATION, NO_INVOCATION);
  });
});

test('the last worker takes nothing while the caller computes', async () => {
  submit(1);
  store(group.memory.words, C_CALLER_COMPUTES, 1);
  await serveHere(group, WORKERS);
  expect(ran).toEqual([]);
  await serveHere(group, WORKERS - 1);
  expect(ran).toEqual([1]);
});

test('it asks those that compute for tasks, and nobody else', async () => {
  store(group.memory.words, slotWord(group.memory.layout, VICTIM) + W_INVOCATION, 5);
  await serveHere(group);
  expect([0, 1, 2, 3].map(isAsked)).toEqual([false, false, true, false]);
  store(group.memory.words, slotWord(group.memory.layout, VICTIM) + W_INVOCATION, NO_INVOCATION);
});

test('worker 1 watches a caller that has computed lately, until it has something else to do', async () => {
  group.memory.words[C_CALLS] = (group.memory.words[C_CALLS] as number) + 1;
  await serveHere(group, 2);
  expect(word(C_MONITOR)).toBe(0);
  await serveHere(group, 1);
  expect(word(C_MONITOR)).toBe(1);
  submit(2);
  await serveHere(group, 2);
  expect(word(C_MONITOR)).toBe(1);
  submit(1);
  let monitored = -1;
  running.push(
    invocations.submit(
      taskOf(
        'invoke',
        forkable(import.meta.url, 'looks', () => {
          monitored = word(C_MONITOR);
        }),
        [],
      ),
      {},
      0,
    ),
  );
  await serveHere(group, 1);
  expect(monitored).toBe(0);
});

test('worker 1 watches nobody while it lends its place, though it does not run the task that it meets', async () => {
  group.memory.words[C_CALLS] = (group.memory.words[C_CALLS] as number) + 1;
  await serveHere(group, 1);
  expect(word(C_MONITOR)).toBe(1);
  residents.moveIn();
  const { lend } = hooks;
  hooks.lend = () => () => {};
  submit(1);
  await serveHere(group, 1);
  const asLender = [...ran, word(C_MONITOR)];
  hooks.lend = lend;
  residents.moveOut();
  await serveHere(group, 2);
  expect(asLender).toEqual([0]);
});

test('the only worker watches nobody, because the caller is in its place', async () => {
  const alone = new WorkerGroup(poolSettings({ parallelism: 1 }), { crashed() {}, releasing() {} });
  alone.memory.words[C_CALLS] = 1 + (alone.memory.words[C_CALLS] as number);
  await serveHere(alone);
  expect(load(alone.memory.words, C_MONITOR)).toBe(0);
});

test('it looks at ready deques once an asynchronous task has run, and at the deques of spares that have a thread', () => {
  const { layout, words } = group.memory;
  const looked = (): number[] => victim.victims.slice(0, victim.victimCount).map(({ slot }) => slot);
  const roots = rootsSlot(layout);
  const threads = [0, 1, 2, 3, roots, roots, roots];
  expect(looked()).toEqual(threads);
  store(words, C_ASYNC, 1);
  expect(looked()).toEqual([...threads, 1, 2, 3]);
  store(words, C_SPARES, 2);
  const [first, second] = [spareSlot(layout, 1), spareSlot(layout, 2)];
  expect(looked()).toEqual([...threads, 1, 2, 3, first, first, second, second]);
  for (const slot of [1, 3, first, second]) expect(victim.victims[victim.victimOf(slot)]?.slot).toBe(slot);
  store(words, C_SPARES, 0);
});

describe('a worker that runs a task', () => {
  /** Submits a task that lets its worker look up, and notes when it ends. */
  function submitLong(name: string, options: SubmitOptions, then: () => void): void {
    meanwhile = () => {
      then();
      checkpoint();
      ran.push(`${name} goes on`);
    };
    submit(name, options);
  }

  test('runs roots of high priority on top of it, one after the other', async () => {
    submitLong('long', {}, () => {
      submit('high 1', { priority: 'high' });
      submit('high 2', { priority: 'high' });
      submit('normal');
    });
    await serveHere(group);
    expect(ran).toEqual(['long', 'high 1', 'high 2', 'long goes on', 'normal']);
  });

  test('does not look up again in the middle of such a root', async () => {
    submitLong('long', {}, () => {
      submitLong('high 1', { priority: 'high' }, () => submit('high 2', { priority: 'high' }));
    });
    await serveHere(group);
    expect(ran).toEqual(['long', 'high 1', 'high 1 goes on', 'high 2', 'long goes on']);
  });

  test('runs roots of normal priority on top of a low one', async () => {
    submitLong('low', { priority: 'low' }, () => submit('normal'));
    await serveHere(group);
    expect(ran).toEqual(['low', 'normal', 'low goes on']);
  });
});

test('it counts what it does', async () => {
  publish('task');
  submit('root');
  const before = group.counters()[1];
  await serveHere(group);
  const after = group.counters()[1];
  expect([after.roots - before.roots, after.stolen - before.stolen]).toEqual([1, 1]);
});
