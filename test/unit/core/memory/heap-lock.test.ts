import { afterEach, describe, expect, test, vi } from 'vitest';
import { W_LOCK, W_TORN } from '../../../../src/core/memory/heap-layout.js';
import { HeapLock, holderIn } from '../../../../src/core/memory/heap-lock.js';

/** What a waiter finds happened while it slept; tests set it. */
let whileAsleep: () => void = () => {};
let sleeps = 0;
let wakes = 0;

vi.mock('../../../../src/core/memory/atomics.js', async (original) => ({
  ...(await original<typeof import('../../../../src/core/memory/atomics.js')>()),
  wait: () => {
    sleeps++;
    whileAsleep();
    return 'timed-out';
  },
  notify: () => {
    wakes++;
    return 0;
  },
}));

function locks(): { words: Int32Array; mine: HeapLock; theirs: HeapLock } {
  const words = new Int32Array(new SharedArrayBuffer(1024));
  return { words, mine: new HeapLock(words, 0), theirs: new HeapLock(words, 7) };
}

afterEach(() => {
  whileAsleep = () => {};
  sleeps = 0;
  wakes = 0;
  vi.useRealTimers();
});

describe('the lock of the heap', () => {
  test('names its holder, and nobody once it is released', () => {
    const { words, theirs } = locks();
    theirs.acquire();
    expect(holderIn(words[W_LOCK] as number)).toBe(7);
    theirs.release();
    expect(holderIn(words[W_LOCK] as number)).toBe(-1);
    expect(wakes).toBe(0);
  });

  test('sleeps while another holds it, and is woken by the release', () => {
    const { words, mine, theirs } = locks();
    theirs.acquire();
    whileAsleep = () => {
      if (sleeps < 3) return;
      expect(words[W_LOCK], 'marked as contended').toBeLessThan(0);
      theirs.release();
      expect(wakes).toBe(1);
    };
    mine.acquire();
    expect(sleeps).toBe(3);
    expect(holderIn(words[W_LOCK] as number)).toBe(0);
    mine.release();
    expect(wakes, 'others may sleep still').toBe(2);
    expect(words[W_LOCK]).toBe(0);
    expect(words[W_TORN]).toBe(0);
  });

  test('spins where sleeping is not allowed', () => {
    const { words, mine, theirs } = locks();
    theirs.acquire();
    whileAsleep = () => {
      theirs.release();
      throw new TypeError('may not wait here');
    };
    mine.acquire();
    expect(holderIn(words[W_LOCK] as number)).toBe(0);
    expect(sleeps).toBe(1);
  });

  test('is taken from a holder that is known to be dead, and marks what it left as torn', () => {
    const { words, mine, theirs } = locks();
    theirs.acquire();
    mine.isDead = (thread) => thread === 7;
    mine.acquire();
    expect(holderIn(words[W_LOCK] as number)).toBe(0);
    expect(words[W_TORN]).toBe(1);
  });

  test('is freed of a dead holder, and left to a living one', () => {
    const { words, mine, theirs } = locks();
    theirs.acquire();
    mine.breakLockOf(3);
    expect(holderIn(words[W_LOCK] as number)).toBe(7);
    mine.breakLockOf(7);
    expect(holderIn(words[W_LOCK] as number)).toBe(-1);
    expect(words[W_TORN]).toBe(1);
  });

  test('counts a section of its own that never released as torn', () => {
    const { words, mine } = locks();
    mine.acquire();
    mine.acquire();
    expect(words[W_TORN]).toBe(1);
    mine.release();
    expect(holderIn(words[W_LOCK] as number)).toBe(-1);
  });

  test('gives up with an error that names the holder when nothing moves', () => {
    const { mine, theirs } = locks();
    theirs.acquire();
    vi.useFakeTimers();
    whileAsleep = () => vi.advanceTimersByTime(1_000);
    expect(() => mine.acquire()).toThrow(/locked by thread 7.*terminate\(\) or close\(\)/);
  });
});
