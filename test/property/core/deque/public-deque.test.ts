import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY, OwnerDeque, ThiefDeque } from '../../../../src/core/deque/public-deque.js';
import { type Layout, layoutOf, slotWord, W_BOTTOM, W_TOP } from '../../../../src/core/memory/layout.js';

const SLOT = 1;
/** A ring of 16 entries, so that it fills and wraps at once. */
const TINY: Layout = layoutOf(1, { ringLog2: 4, recordsPerSlot: 8 });
const CAPACITY = 16;

/** Where the indices start: their wrap is near, or far. */
const start = fc.oneof(
  fc.integer({ min: 0x7fffffff - 40, max: 0x7fffffff }),
  fc.integer({ min: -40, max: 4 }),
  fc.integer({ min: -0x80000000, max: 0x7fffffff }),
);

type Step = 'push' | 'pop' | 'peek' | 'steal' | 'look' | 'take';
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>('push') },
    { weight: 2, arbitrary: fc.constant<Step>('pop') },
    fc.constantFrom<Step>('peek', 'steal', 'look', 'take'),
  ),
  { maxLength: 200, size: 'max' }, // by default about ten: never full
);

function dequeAt(index: number): { words: Int32Array; owner: OwnerDeque; thief: () => ThiefDeque } {
  const words = new Int32Array(new SharedArrayBuffer(TINY.totalBytes));
  words[slotWord(TINY, SLOT) + W_TOP] = index;
  words[slotWord(TINY, SLOT) + W_BOTTOM] = index;
  return { words, owner: new OwnerDeque(words, TINY, SLOT), thief: () => new ThiefDeque(words, TINY, SLOT) };
}

test('the owner takes the newest, thieves the oldest, and a full deque refuses, wherever the indices wrap', () => {
  fc.assert(
    fc.property(start, steps, (index, all) => {
      const { owner, thief } = dequeAt(index);
      const [prompt, slow] = [thief(), thief()];
      const model: number[] = [];
      /** How many entries have left at the top: what a slow thief has seen is stale when it changes. */
      let left = 0;
      let seen: { entry: number; left: number } | undefined;
      let next = 0;
      for (const step of all) {
        if (step === 'push') {
          expect(owner.tryPush(next)).toBe(model.length < CAPACITY);
          if (model.length < CAPACITY) model.push(next);
          next++;
        } else if (step === 'pop') {
          if (model.length === 1) left++; // the last one is decided at the top
          expect(owner.pop()).toBe(model.pop() ?? EMPTY);
        } else if (step === 'peek') {
          expect(owner.peek()).toBe(model.at(-1) ?? EMPTY);
        } else if (step === 'steal') {
          const oldest = prompt.peek();
          expect(oldest).toBe(model[0] ?? EMPTY);
          if (oldest === EMPTY) continue;
          expect(prompt.tryTake()).toBe(true);
          model.shift();
          left++;
        } else if (step === 'look') {
          const entry = slow.peek();
          expect(entry).toBe(model[0] ?? EMPTY);
          if (entry !== EMPTY) seen = { entry, left };
        } else if (seen !== undefined) {
          const mayTake = seen.left === left;
          expect(slow.tryTake()).toBe(mayTake);
          if (mayTake) {
            expect(model.shift()).toBe(seen.entry);
            left++;
          }
          seen = undefined;
        }
        expect(owner.size).toBe(model.length);
      }
      while (model.length > 0) expect(owner.pop()).toBe(model.pop());
      expect(owner.pop()).toBe(EMPTY);
    }),
    { numRuns: 500 },
  );
});

describe('examples', () => {
  test('a full deque takes entries again once one has left at either end', () => {
    const { owner, thief } = dequeAt(0x7fffffff - 3);
    const other = thief();
    for (let i = 0; i < CAPACITY; i++) expect(owner.tryPush(i)).toBe(true);
    expect(owner.tryPush(99)).toBe(false);
    expect(other.peek()).toBe(0);
    expect(other.tryTake()).toBe(true);
    expect(owner.tryPush(100)).toBe(true);
    expect(owner.tryPush(101)).toBe(false);
    expect(owner.pop()).toBe(100);
    expect(owner.tryPush(102)).toBe(true);
    expect(owner.size).toBe(CAPACITY);
  });

  test('a thief that looked before many pushes takes the entry that it saw', () => {
    const { owner, thief } = dequeAt(-1);
    const other = thief();
    owner.tryPush(7);
    expect(other.peek()).toBe(7);
    for (let i = 0; i < 10; i++) owner.tryPush(i);
    expect(other.tryTake()).toBe(true);
    expect(other.peek()).toBe(0);
  });

  test('two thieves and the owner share out one entry', () => {
    const { owner, thief } = dequeAt(0x7fffffff);
    const [one, two] = [thief(), thief()];
    owner.tryPush(1);
    expect([one.peek(), two.peek()]).toEqual([1, 1]);
    expect([two.tryTake(), one.tryTake(), owner.pop()]).toEqual([true, false, EMPTY]);
    owner.tryPush(2);
    expect([one.peek(), owner.pop(), one.tryTake()]).toEqual([2, 2, false]);
  });

  test('the next thread of a slot goes on where the one before has ended', () => {
    const { words, owner, thief } = dequeAt(0x7fffffff - 5);
    const slow = thief();
    for (let i = 0; i < 10; i++) owner.tryPush(i);
    expect(slow.peek()).toBe(0);
    for (let i = 9; i >= 0; i--) expect(owner.pop()).toBe(i);
    const next = new OwnerDeque(words, TINY, SLOT);
    expect([next.size, next.peek(), next.pop()]).toEqual([0, EMPTY, EMPTY]);
    next.tryPush(70);
    expect(slow.tryTake()).toBe(false); // what it has seen is gone
    expect([slow.peek(), slow.tryTake()]).toEqual([70, true]);
    for (let i = 0; i < CAPACITY; i++) expect(next.tryPush(100 + i)).toBe(true);
    expect(next.tryPush(0)).toBe(false);
    for (let i = 0; i < CAPACITY; i++) expect([slow.peek(), slow.tryTake()]).toEqual([100 + i, true]);
  });

  test('slots do not touch each other', () => {
    const layout = layoutOf(2, { ringLog2: 4, recordsPerSlot: 8 });
    const words = new Int32Array(new SharedArrayBuffer(layout.totalBytes));
    const owners = Array.from({ length: layout.slots }, (_, slot) => new OwnerDeque(words, layout, slot));
    for (const [slot, owner] of owners.entries()) for (let i = 0; i < CAPACITY; i++) owner.tryPush(slot * 100 + i);
    for (const [slot] of owners.entries()) {
      const thief = new ThiefDeque(words, layout, slot);
      for (let i = 0; i < CAPACITY; i++) expect([thief.peek(), thief.tryTake()]).toEqual([slot * 100 + i, true]);
    }
  });
});
