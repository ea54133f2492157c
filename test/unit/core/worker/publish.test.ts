import { afterEach, beforeEach, expect, test } from 'vitest';
import { local } from '../../../../src/core/deque/private-stack.js';
import { EMPTY } from '../../../../src/core/deque/public-deque.js';
import { add, load, or, store } from '../../../../src/core/memory/atomics.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import {
  C_SLEEPERS,
  CALLER_SLOT,
  layoutOf,
  REQUEST_STEAL,
  STATE_IDLE,
  STATE_RUNNING,
} from '../../../../src/core/memory/layout.js';
import { free, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { leave as end, enter } from '../../../../src/core/worker/activation.js';
import { serveRequests } from '../../../../src/core/worker/requests.js';
import { helpQuiesce } from '../../../../src/core/worker/scope-exit.js';
import { thread, WorkerSlot } from '../../../../src/core/worker/worker-slot.js';
import '../../../../src/core/worker/scheduler.js';
import { fillHeap } from '../../../helpers/full-heap.js';

registerHost(detectNode);

const take = forkable(import.meta.url, 'take', (_value: unknown) => 0);

const runs: number[] = [];
const countRuns = forkable(import.meta.url, 'countRuns', (n: number): number => {
  runs.push(n);
  return 10 * n;
});

const OWNER = 1;
const THIEF = 2;
const LAYOUT = layoutOf(2, { ringLog2: 4, recordsPerSlot: 16 });

let owner: WorkerSlot;
let thief: WorkerSlot;
let leave: () => void;

beforeEach(() => {
  const memory = new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 1);
  owner = new WorkerSlot(memory, OWNER, false);
  thief = new WorkerSlot(memory, THIEF, false);
  const below = enter(owner, undefined);
  leave = () => end(below);
});

afterEach(() => {
  for (let i = 0; i < local.sp; i++) local.stack[i] = null;
  leave();
  thread.own = null;
});

const takeOldest = (): boolean => thief.victims[OWNER].peek() !== EMPTY && thief.victims[OWNER].tryTake();

/** As `sleep` does it, up to the wait. */
function fallAsleep(): void {
  store(thief.words, thief.stateWord, STATE_IDLE);
  add(thief.words, C_SLEEPERS, 1);
  expect(takeOldest()).toBe(false); // its last look
}

/** A value whose encoding gives the thief one turn. */
function whileEncoding(turn: () => void): object {
  let turns = 0;
  return {
    get x() {
      if (turns++ === 0) turn();
      return 1;
    },
  };
}

test('a published call that was taken back and run while its forker waited is not run again by its join', () => {
  const handle = fork(countRuns, 1);
  const newest = fork(countRuns, 2);
  or(owner.words, owner.requestsWord, REQUEST_STEAL);
  serveRequests();
  expect(owner.deque.size).toBe(1);
  helpQuiesce();
  expect(runs).toEqual([2, 1]);
  expect([join(newest), join(handle)]).toEqual([20, 10]);
  expect(runs).toEqual([2, 1]);
});

test('a thief that ran the first published task and fell asleep while the rest was encoded is woken for it', () => {
  const event = load(thief.words, thief.eventWord);
  let asleep = false;
  fork(take, 1);
  fork(
    take,
    whileEncoding(() => {
      expect(takeOldest()).toBe(true);
      fallAsleep();
      asleep = true;
    }),
  );
  fork(take, 3);
  fork(take, 4);
  or(owner.words, owner.requestsWord, REQUEST_STEAL);
  serveRequests();
  expect(asleep).toBe(true);
  expect(load(thief.words, thief.stateWord)).toBe(STATE_RUNNING);
  expect(load(thief.words, C_SLEEPERS)).toBe(0);
  expect(load(thief.words, thief.eventWord)).not.toBe(event);
  expect(takeOldest()).toBe(true);
});

test('from the first task that the caller publishes, what it frees stays until its invocation has ended', () => {
  const caller = new WorkerSlot(owner.memory, CALLER_SLOT, false);
  leave();
  const below = enter(caller, undefined);
  leave = () => end(below);
  const before = heapStats().blocks;
  const [early, late] = [sharedArray(Int32Array, 4), sharedArray(Int32Array, 4)];
  fork(take, late);
  free(early);
  expect(heapStats().blocks).toBe(before + 1); // nobody else has heard of anything
  or(caller.words, caller.requestsWord, REQUEST_STEAL);
  serveRequests();
  expect(caller.deque.size).toBe(1);
  free(late);
  expect(heapStats().blocks).toBe(before + 1);
  caller.releaseFrees();
  expect(heapStats().blocks).toBe(before);
});

const publishEverything = (): void => {
  or(owner.words, owner.requestsWord, REQUEST_STEAL);
  serveRequests();
};

test('a task that throws when it is encoded fails at its own join, whatever it throws', () => {
  const hostile = {
    get field(): never {
      throw new RangeError('of the user');
    },
  };
  const [first, second] = [fork(take, hostile), fork(take, 2)];
  publishEverything();
  expect(join(second)).toBe(0);
  expect(() => join(first)).toThrow('of the user');
});

test('a task for which the heap has no room stays private', () => {
  const handle = fork(take, 'a text');
  const giveBack = fillHeap();
  publishEverything();
  giveBack();
  expect(owner.deque.size).toBe(0);
  expect(join(handle)).toBe(0);
});

test('a task whose encoding uses up the stack stays private', () => {
  let chain: object = {};
  for (let depth = 0; depth < 100_000; depth++) chain = { chain };
  const handle = fork(take, chain);
  publishEverything();
  expect(owner.deque.size).toBe(0);
  expect(join(handle)).toBe(0);
});
