import { expect, test } from 'vitest';
import { ownArena } from '../../../../src/core/memory/arena.js';
import { store } from '../../../../src/core/memory/atomics.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { C_PHASE, layoutOf, PHASE_CRASHED, PHASE_STOP } from '../../../../src/core/memory/layout.js';

const LAYOUT = layoutOf(1, { ringLog2: 2, recordsPerSlot: 4 });
let tag = 900;
const group = (): ControlMemory => new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, ++tag);
const blocks = (): number => heapStats().blocks;

test('a block of a worker group is freed by its threads, also while the worker group stops', () => {
  const memory = group();
  const before = blocks();
  const [a, b] = [memory.allocate(100), memory.allocate(100)];
  memory.free(a);
  store(memory.words, C_PHASE, PHASE_STOP);
  memory.free(b);
  expect(blocks()).toBe(before);
  expect(() => memory.free(b)).toThrow(RangeError);
});

test('a block of a crashed worker group stays until nobody of the worker group can write to it', () => {
  const memory = group();
  const before = blocks();
  const at = memory.allocate(100);
  store(memory.words, C_PHASE, PHASE_CRASHED);
  memory.free(at);
  expect(blocks()).toBe(before + 1);
  memory.release();
  expect(blocks()).toBe(before);
});

test('a block of a worker group that is gone is not freed again, though others have its place by then', () => {
  const memory = group();
  const at = memory.allocate(100);
  memory.release();
  const before = blocks();
  const others = ownArena.allocate(100);
  expect(others).toBe(at);
  memory.free(at);
  expect(blocks()).toBe(before + 1);
  ownArena.free(others);
});
