/** What an observer sees of a thread: notes with the forks so far, and a look at its next fork. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { local } from '../../../../src/core/deque/private-stack.js';
import { load, or } from '../../../../src/core/memory/atomics.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { layoutOf, REQUEST_LOOK, REQUEST_STEAL } from '../../../../src/core/memory/layout.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { attach, enter, leave } from '../../../../src/core/worker/activation.js';
import { hooks, install } from '../../../../src/core/worker/extension.js';
import { WorkerSlot } from '../../../../src/core/worker/worker-slot.js';
import '../../../../src/core/worker/scheduler.js';

registerHost(detectNode);

const LAYOUT = layoutOf(2, { ringLog2: 4, recordsPerSlot: 16 });
const leaf = forkable(import.meta.url, 'leaf', (n: number): number => n);

let own: WorkerSlot;
let below: ReturnType<typeof enter>;
const { look: nothing } = hooks;

beforeEach(() => {
  own = new WorkerSlot(new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 1), 1, false);
  below = enter(own, undefined);
  attach(own, 0, 0);
});

afterEach(() => {
  install({ look: nothing });
  leave(below);
});

test('a request to look is answered once, at the next fork', () => {
  const look = vi.fn();
  install({ look });
  join(fork(leaf, 1));
  expect(look).not.toHaveBeenCalled();
  or(own.words, own.requestsWord, REQUEST_LOOK);
  const forked = fork(leaf, 2);
  expect(look.mock.calls).toEqual([[own]]);
  expect(load(own.words, own.requestsWord)).toBe(0);
  join(forked);
  expect(look).toHaveBeenCalledOnce();
});

test('a request to look changes nothing where nobody observes', () => {
  or(own.words, own.requestsWord, REQUEST_LOOK);
  expect(join(fork(leaf, 3))).toBe(3);
  expect(load(own.words, own.requestsWord)).toBe(0);
});

test('each note says how many forks there were', () => {
  const notes: unknown[][] = [];
  own.sink = { noted: (...note) => void notes.push(note), beside() {} };
  const before = local.forks;
  const first = fork(leaf, 1);
  or(own.words, own.requestsWord, REQUEST_STEAL);
  const second = fork(leaf, 2); // publishes the first
  expect(notes).toEqual([['published', 1, expect.any(Number), before + 2]]);
  expect([join(second), join(first)]).toEqual([2, 1]);
  expect(notes.slice(1)).toEqual([['reclaimed', 1, 0, before + 2]]);
  expect(own.counters.read()).toMatchObject({ published: 1, reclaimed: 1 });
});
