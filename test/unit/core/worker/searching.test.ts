/** What a worker does that searches: it is on the thread of the test, and what others have published lies there before it looks. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeTable, wordOfCodes } from '../../../../src/core/code/table.js';
import { load, store } from '../../../../src/core/memory/atomics.js';
import {
  C_CALLER_COMPUTES,
  C_CALLS,
  C_MONITOR,
  C_SEARCHERS,
  C_SLEEPERS,
  REQUEST_STEAL,
  STATE_RUNNING,
  slotWord,
  W_INVOCATION,
  W_REQUESTS,
  W_STATE,
} from '../../../../src/core/memory/layout.js';
import { DONE, stateOf } from '../../../../src/core/memory/records.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Invocations, type SubmitOptions } from '../../../../src/core/pool/invocation.js';
import { poolSettings } from '../../../../src/core/pool/options.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { publishRecord } from '../../../../src/core/worker/publish.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { outcomeOf } from '../../../../src/core/worker/wait.js';
import { NO_INVOCATION, WorkerSlot } from '../../../../src/core/worker/worker-slot.js';
import { serveHere } from '../../../helpers/local-worker.js';

registerHost(detectNode);

const WORKERS = 3;
const VICTIM = 2;

let ran: unknown[] = [];
const note = forkable(import.meta.url, 'note', (x: unknown) => {
  ran.push(x);
  return x;
});

let group: WorkerGroup;
let invocations: Invocations;
let victim: WorkerSlot;
let running: Promise<unknown>[] = [];

beforeEach(() => {
  ran = [];
  running = [];
  group = new WorkerGroup(poolSettings({ parallelism: WORKERS, name: 'p' }), () => {});
  invocations = new Invocations(group);
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

test('it counts what it does', async () => {
  publish('task');
  submit('root');
  const before = group.counters()[1];
  await serveHere(group);
  const after = group.counters()[1];
  expect([after.roots - before.roots, after.stolen - before.stolen]).toEqual([1, 1]);
});
