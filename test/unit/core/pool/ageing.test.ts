/** Which low roots count as normal, and when. */
import { beforeEach, expect, test } from 'vitest';
import { ThiefDeque } from '../../../../src/core/deque/public-deque.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { LOW_ROOTS, layoutOf, rootsSlot } from '../../../../src/core/memory/layout.js';
import { LOW_ROOT, OF_STACK, originOf } from '../../../../src/core/memory/record-kinds.js';
import { tryClaim } from '../../../../src/core/memory/records.js';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Ageing } from '../../../../src/core/pool/ageing.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { publishRecord } from '../../../../src/core/worker/publish.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { WorkerSlot } from '../../../../src/core/worker/worker-slot.js';

/** The time, which only a test moves on, and what is to be called then. */
let nowMs = 0;
let timers: { atMs: number; callback(): void }[] = [];

registerHost(
  () =>
    ({
      ...(detectNode() as PlatformHost),
      nowMs: () => nowMs,
      backgroundTimer(ms, callback) {
        timers.push({ atMs: nowMs + ms, callback });
        return () => {};
      },
    }) satisfies PlatformHost,
);

function until(ms: number): void {
  for (;;) {
    const next = timers.find(({ atMs }) => atMs <= ms);
    if (next === undefined) break;
    timers.splice(timers.indexOf(next), 1);
    nowMs = next.atMs;
    next.callback();
  }
  nowMs = ms;
}

const noop = forkable(import.meta.url, 'noop', () => 0);
const LAYOUT = layoutOf(1, { ringLog2: 4, recordsPerSlot: 16 });

let roots: WorkerSlot;
let ageing: Ageing;
let aged: number[];

beforeEach(() => {
  nowMs = 0;
  timers = [];
  aged = [];
  roots = new WorkerSlot(
    new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 1),
    rootsSlot(LAYOUT),
    false,
  );
  ageing = new Ageing(roots, (entry) => aged.push(entry));
});

function pushLow(): number {
  const entry = roots.records.allocate();
  expect(publishRecord(roots, entry, taskOf('invoke', noop, []), entry, 0, LOW_ROOT, roots.deques[LOW_ROOTS])).toBe(
    true,
  );
  ageing.pushedLow();
  return entry;
}

/** A worker takes the first low root, runs it, and its record is free for the next root. */
function begins(entry: number): void {
  const thief = new ThiefDeque(roots.words, LAYOUT, rootsSlot(LAYOUT), LOW_ROOTS);
  expect(thief.peek()).toBe(entry);
  expect(thief.tryTake()).toBe(true);
  roots.records.release(entry);
}

const priorityOf = (entry: number): number => originOf(roots.words, roots.records.wordOf(entry));

test('a low root counts as normal after a second, in the order of the low roots', () => {
  const first = pushLow();
  nowMs = 500;
  const second = pushLow();
  ageing.watch();
  until(1000);
  expect([aged, priorityOf(first)]).toEqual([[], LOW_ROOT]);
  until(1020);
  expect([aged, priorityOf(first), priorityOf(second)]).toEqual([[first], OF_STACK, LOW_ROOT]);
  until(1520);
  expect(aged).toEqual([first, second]);
  expect([roots.deque.size, roots.deques[LOW_ROOTS].size]).toEqual([2, 0]);
});

test('a low root has its own age, not that of an earlier one in the same record', () => {
  const early = pushLow();
  const between = pushLow();
  begins(early);
  nowMs = 900;
  const late = pushLow();
  begins(between);
  ageing.watch();
  until(1890);
  expect(aged).toEqual([]);
  until(1920);
  expect(aged).toEqual([late]);
});

test('a low root that was cancelled is dropped', () => {
  const cancelled = pushLow();
  const kept = pushLow();
  expect(tryClaim(roots.words, roots.records.wordOf(cancelled), cancelled)).toBe(true);
  ageing.watch();
  until(1020);
  expect(aged).toEqual([kept]);
});
