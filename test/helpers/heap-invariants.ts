/** Checks of a whole shared heap, for tests: the chain of blocks, the free lists, the counts. */
import { expect } from 'vitest';
import { binOf } from '../../src/core/memory/allocator.js';
import {
  A_NEXT_PENDING,
  A_PENDING,
  A_UNMASKED,
  BASE_UNITS,
  BIN_COUNT,
  H_NEXT_FREE,
  H_PREVIOUS,
  PINNED,
  STATE_ARRAY,
  STATE_FREE,
  UNIT_WORDS_SHIFT,
  W_BIN_MAP,
  W_BINS,
  W_BLOCKS_IN_USE,
  W_FRESH,
  W_PENDING,
  W_TOP,
  W_UNITS_IN_USE,
} from '../../src/core/memory/heap-layout.js';
import type { SharedHeap } from '../../src/core/memory/shared-heap.js';

/** More than any test has: a longer list goes round in circles. */
const MAX_LISTED = 1e5;

/** What a walk of the chain saw. */
export interface HeapWalk {
  readonly used: number[];
  readonly free: number[];
}

/** Walks the chain and expects every invariant of the allocator. */
export function expectSound(heap: SharedHeap): HeapWalk {
  heap.locked(() => {}); // settles: growth elsewhere, a torn section
  const { words } = heap.memory;
  const walk: HeapWalk = { used: [], free: [] };
  let previous = 0;
  let previousFree = false;
  let usedUnits = 0;
  let unit = BASE_UNITS;
  while (unit < words[W_TOP]) {
    const at = unit << UNIT_WORDS_SHIFT;
    const units = heap.blocks.unitsOf(unit);
    expect(units).toBeGreaterThanOrEqual(2);
    expect(words[at + H_PREVIOUS]).toBe(previous);
    const isFree = heap.blocks.stateOf(unit) === STATE_FREE;
    expect(isFree && previousFree, 'two free neighbours').toBe(false);
    if (isFree) walk.free.push(unit);
    else {
      walk.used.push(unit);
      usedUnits += units;
    }
    if (heap.blocks.stateOf(unit) >= STATE_ARRAY) expect(words[at + A_UNMASKED], 'every thread has a bit').toBe(0);
    previous = units;
    previousFree = isFree;
    unit += units;
  }
  expect(unit, 'the chain ends at the top').toBe(words[W_TOP]);
  expect(words[(unit << UNIT_WORDS_SHIFT) + H_PREVIOUS]).toBe(previous);
  expect(previousFree, 'a free block at the top').toBe(false);
  expect(words[W_FRESH]).toBeGreaterThanOrEqual(unit === BASE_UNITS ? unit : unit + 1);
  expect(words[W_UNITS_IN_USE]).toBe(usedUnits);
  expect(words[W_BLOCKS_IN_USE]).toBe(walk.used.length);
  expect(listed(heap)).toEqual(walk.free);
  expect(waiting(heap)).toEqual(walk.used.filter((used) => isWaiting(heap, used)));
  return walk;
}

function isWaiting(heap: SharedHeap, unit: number): boolean {
  if (heap.blocks.stateOf(unit) < STATE_ARRAY) return false;
  const pending = heap.memory.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING];
  return pending !== 0 && pending !== PINNED;
}

/** Every block on a pending list, in the order of the heap. */
function waiting(heap: SharedHeap): number[] {
  const { words } = heap.memory;
  const found: number[] = [];
  for (const list of [W_PENDING, W_PENDING + 1]) {
    for (let unit = words[list]; unit !== 0; unit = words[(unit << UNIT_WORDS_SHIFT) + A_NEXT_PENDING]) {
      found.push(unit);
      if (found.length > MAX_LISTED) throw new Error('a pending list has a cycle');
    }
  }
  return found.sort((a, b) => a - b);
}

/** Every block on a free list, in the order of the heap. */
function listed(heap: SharedHeap): number[] {
  const { words } = heap.memory;
  const found: number[] = [];
  for (let bin = 0; bin < BIN_COUNT; bin++) {
    const marked = (words[W_BIN_MAP + (bin >>> 5)] & (1 << (bin & 31))) !== 0;
    expect(marked, `bit of list ${bin}`).toBe(words[W_BINS + bin] !== 0);
    for (let unit = words[W_BINS + bin]; unit !== 0; unit = words[(unit << UNIT_WORDS_SHIFT) + H_NEXT_FREE]) {
      expect(binOf(heap.blocks.unitsOf(unit))).toBe(bin);
      found.push(unit);
      if (found.length > MAX_LISTED) throw new Error('a free list has a cycle');
    }
  }
  return found.sort((a, b) => a - b);
}
