/**
 * What a join does while another thread has its task. The forker is the thread of the test. The thief takes tasks when the test says so, and
 * completes them in the middle of what the join does meanwhile.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codeTable, wordOfCodes } from '../../../../src/core/code/table.js';
import { local } from '../../../../src/core/deque/private-stack.js';
import { WorkerCrashError } from '../../../../src/core/errors.js';
import { load, or, store } from '../../../../src/core/memory/atomics.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import {
  C_PHASE,
  layoutOf,
  PHASE_CRASHED,
  REQUEST_STEAL,
  slotWord,
  W_REQUESTS,
} from '../../../../src/core/memory/layout.js';
import { DONE, stateOf } from '../../../../src/core/memory/records.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import type { ForkJoinTask } from '../../../../src/core/task/fork-join-task.js';
import { type Fork, fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { leave as end, enter } from '../../../../src/core/worker/activation.js';
import { publishRecord } from '../../../../src/core/worker/publish.js';
import { serveRequests } from '../../../../src/core/worker/requests.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { abandon, finish, poll, unfork } from '../../../../src/core/worker/scope-exit.js';
import { completeTask, forIdle, NOTHING, trySteal } from '../../../../src/core/worker/steal.js';
import { NO_INVOCATION, setInvocation, thread, WorkerSlot } from '../../../../src/core/worker/worker-slot.js';

registerHost(detectNode);

const [FORKER, THIEF, OTHER] = [1, 2, 3];
const INVOCATION = 5;

let ran: unknown[] = [];
/** Called by the next task that runs, if it is set. */
let meanwhile: (() => void) | undefined;
const work = forkable(import.meta.url, 'work', (x: unknown) => {
  ran.push(x);
  const act = meanwhile;
  meanwhile = undefined;
  act?.();
  return x;
});

let memory: ControlMemory;
let own: WorkerSlot;
let thief: WorkerSlot;
let other: WorkerSlot;
let leave: () => void;

beforeEach(() => {
  ran = [];
  meanwhile = undefined;
  const layout = layoutOf(3, { ringLog2: 4, recordsPerSlot: 16 });
  memory = new ControlMemory(new SharedArrayBuffer(layout.totalBytes), layout, 1);
  [own, thief, other] = [FORKER, THIEF, OTHER].map((slot) => new WorkerSlot(memory, slot, false)) as [
    WorkerSlot,
    WorkerSlot,
    WorkerSlot,
  ];
  const below = enter(own, undefined);
  leave = () => end(below);
  setInvocation(own, INVOCATION);
});

afterEach(() => {
  for (let i = 0; i < local.sp; i++) local.stack[i] = null;
  expect([thread.nestedOwn, thread.nestedSteals]).toEqual([0, 0]);
  leave();
  thread.own = null;
  thread.invocation = NO_INVOCATION;
});

interface Stolen {
  readonly handle: Fork<unknown>;
  /** Completes it, as its thief does. */
  completeAs(value: unknown, failed?: boolean): void;
  /** A task that was forked after it, and that nobody has taken. */
  readonly second: Fork<unknown>;
}

/** Forks two tasks, and lets the thief take the first. */
function forkStolen(x: unknown): Stolen {
  const handle = fork(work, x);
  const second = fork(work, 'second');
  or(own.words, own.requestsWord, REQUEST_STEAL);
  serveRequests(); // publishes the older half
  const record = trySteal(thief, FORKER, forIdle) as number;
  expect(record).not.toBe(NOTHING);
  own.words[own.requestsWord] = 0;
  return {
    handle,
    second,
    completeAs: (value, failed = false) => completeTask(thief, record, null, failed, value)(memory, record),
  };
}

/** Puts a task where a thread's forks lie; returns whether it is done. */
function publish(by: WorkerSlot, x: unknown, invocation = INVOCATION, dependencies = 0): () => boolean {
  const entry = by.records.allocate();
  publishRecord(by, entry, taskOf('fork', work, [x]), invocation, dependencies);
  return () => stateOf(by.words, by.records.wordOf(entry)) === DONE;
}

test('it runs the newest task of its own stack that nobody has started', () => {
  const { handle, completeAs } = forkStolen('stolen');
  fork(work, 'newest');
  meanwhile = () => completeAs(42);
  expect(join(handle)).toBe(42);
  expect(ran).toEqual(['newest']);
});

test('then it takes tasks from its thief, even if these are nested deep', () => {
  const { handle, second, completeAs } = forkStolen('stolen');
  join(second);
  ran = [];
  const [fromThief, fromOther] = [publish(thief, 'of the thief'), publish(other, 'of another')];
  meanwhile = () => completeAs(1);
  expect(join(handle)).toBe(1);
  expect(ran).toEqual(['of the thief']);
  expect([fromThief(), fromOther()]).toEqual([true, false]);
});

describe('with an empty stack and nothing at its thief', () => {
  let completeAs: Stolen['completeAs'];
  let handle: Fork<unknown>;
  beforeEach(() => {
    const stolen = forkStolen('stolen');
    ({ handle, completeAs } = stolen);
    join(stolen.second);
    ran = [];
  });

  test('it takes tasks of its invocation from others, but none of another invocation', () => {
    const [foreign, ours] = [publish(thief, 'foreign', INVOCATION + 1), publish(other, 'ours')];
    meanwhile = () => completeAs(2);
    expect(join(handle)).toBe(2);
    expect(ran).toEqual(['ours']);
    expect([foreign(), ours()]).toEqual([false, true]);
  });

  test('it leaves tasks whose code this thread lacks', () => {
    const id = codeTable().idOf('function', 'file:///joining.mjs', 'unknown');
    const lacking = publish(other, 'lacking', INVOCATION, wordOfCodes([id]));
    own.onSlice = () => completeAs(2);
    expect(join(handle)).toBe(2);
    expect([ran, lacking()]).toEqual([[], false]);
  });

  test('it asks its thief for tasks, sleeps, and looks for the dead after each slice', () => {
    let slices = 0;
    const seen: number[] = [];
    own.onSlice = () => {
      seen.push(load(memory.words, slotWord(memory.layout, THIEF) + W_REQUESTS) & REQUEST_STEAL);
      if (++slices === 2) completeAs(3);
    };
    expect(join(handle)).toBe(3);
    expect(seen).toEqual([REQUEST_STEAL, REQUEST_STEAL]);
    expect(own.counters.read().sleeps).toBe(2);
  });

  test('it is woken as soon as the thief completes the task', () => {
    own.onSlice = () => {
      const event = load(memory.words, own.eventWord);
      completeAs(4);
      expect(load(memory.words, own.eventWord)).toBe(event + 1);
    };
    expect(join(handle)).toBe(4);
  });

  test('it throws what the task has thrown', () => {
    own.onSlice = () => completeAs(new RangeError('of the thief'), true);
    expect(() => join(handle)).toThrow(new RangeError('of the thief'));
  });

  test('it ends with an error when a worker has crashed', () => {
    own.onSlice = () => store(memory.words, C_PHASE, PHASE_CRASHED);
    expect(() => join(handle)).toThrow(WorkerCrashError);
  });

  test('a body that returns waits for it, and throws what it has thrown', () => {
    own.onSlice = () => completeAs(new RangeError('of the thief'), true);
    expect(() => finish(0)).toThrow(new RangeError('of the thief'));
    expect(local.sp).toBe(0);
  });

  test('a body that returns ends with an error when a worker has crashed', () => {
    own.onSlice = () => store(memory.words, C_PHASE, PHASE_CRASHED);
    expect(() => finish(0)).toThrow(WorkerCrashError);
  });

  test('a body that throws waits for it', () => {
    let slices = 0;
    own.onSlice = () => {
      if (++slices === 2) completeAs(1);
    };
    abandon(0);
    expect([slices, local.sp]).toEqual([2, 0]);
  });

  test('a body that throws waits for nothing when a worker has crashed', () => {
    store(memory.words, C_PHASE, PHASE_CRASHED);
    abandon(0);
    expect(local.sp).toBe(0);
  });
});

describe('a forked task', () => {
  const forkTask = (x: unknown): ForkJoinTask<unknown> => taskOf('fork', work, [x]).fork() as ForkJoinTask<unknown>;

  test('is taken back, also the first of its frame, as long as nobody has started it', () => {
    const first = forkTask(1);
    expect([unfork(first), local.sp]).toEqual([true, 0]);
    expect(unfork(first)).toBe(false);
    expect(ran).toEqual([]);
  });

  test('is not waited for by who asks whether it is done', () => {
    const first = forkTask(1);
    fork(work, 'second');
    or(own.words, own.requestsWord, REQUEST_STEAL);
    serveRequests();
    own.onSlice = () => {
      throw new Error('it has waited');
    };
    poll(first);
    expect(first.isDone).toBe(false);
    const record = trySteal(thief, FORKER, forIdle) as number;
    poll(first);
    expect(first.isDone).toBe(false);
    completeTask(thief, record, null, false, 8)(memory, record);
    poll(first);
    expect([first.isDone, first.getRawResult()]).toEqual([true, 8]);
  });
});
