/**
 * The lock of the shared heap: a spin lock whose waiters go to sleep, and which survives the death of its holder; runs on every thread.
 * The lock word names the holder, so a waiter or a repair can tell that the holder has died.
 *
 * A waiter spins, then marks the word as contended (its sign bit) and sleeps in short slices, so a lost wake-up costs one slice only. A
 * thread that may not sleep (a browser's main thread) goes on spinning. An uncontended section takes one compareExchange and one
 * exchange, 8 ns each on V8.
 */

import { compareExchange, exchange, load, notify, wait } from './atomics.js';
import { W_LOCK, W_TORN } from './heap-layout.js';

/** Loads of the lock word before a waiter sleeps. They take about 10 us, longer than most critical sections. */
const SPINS = 1_000;
const SLEEP_SLICE_MS = 2;
/** Spins between two looks at the clock in a thread that may not sleep. */
const SPINS_PER_CHECK = 10_000;
/** Time after which a waiter takes the holder for lost. Critical sections take microseconds. */
const STALL_LIMIT_MS = 10_000;
const CONTENDED = 0x8000_0000 | 0;
const HOLDER_MASK = 0x7fff_ffff;

/** The thread that holds a lock of this word, or -1. */
export const holderIn = (held: number): number => (held & HOLDER_MASK) - 1;

export class HeapLock {
  readonly #words: Int32Array;
  readonly #self: number;
  #maySleep = true;
  /**
   * Tells whether a thread is known to have ended: asked while this thread waits for the lock, which it then breaks. The realm that starts
   * threads sets it, because no event tells a realm that blocks of a worker's end.
   */
  isDead: ((thread: number) => boolean) | undefined;

  constructor(words: Int32Array, thread: number) {
    this.#words = words;
    this.#self = thread + 1;
  }

  /**
   * Takes the lock. Nothing is called once this thread holds it, so a stack overflow here cannot leave it taken.
   */
  acquire(): void {
    if (compareExchange(this.#words, W_LOCK, 0, this.#self) === 0) return; // L1, pairs with release
    this.#acquireContended();
  }

  /** Frees the lock if a thread that has ended holds it. The next holder rebuilds. */
  breakLockOf(deadThread: number): void {
    let held = load(this.#words, W_LOCK);
    while (holderIn(held) === deadThread) {
      if (this.#take(held)) this.release();
      held = load(this.#words, W_LOCK);
    }
  }

  /** Gives the lock back. It calls one builtin, no deeper than `acquire` does, so it cannot overflow the stack. */
  release(): void {
    if (exchange(this.#words, W_LOCK, 0) < 0) notify(this.#words, W_LOCK, 1); // L1
  }

  #acquireContended(): void {
    const words = this.#words;
    // This thread's own name: one of its sections was cut off before it could release.
    if ((load(words, W_LOCK) & HOLDER_MASK) === this.#self) {
      words[W_TORN] = 1; // plain: we hold the lock
      return;
    }
    for (let spins = SPINS; spins > 0; spins--) {
      if (load(words, W_LOCK) === 0 && compareExchange(words, W_LOCK, 0, this.#self) === 0) return;
    }
    const stalledAt = Date.now() + STALL_LIMIT_MS;
    for (;;) {
      const held = load(words, W_LOCK);
      // A free lock is taken as contended, because others may sleep.
      if (held === 0 && compareExchange(words, W_LOCK, 0, this.#self | CONTENDED) === 0) return;
      if (held !== 0 && this.isDead?.(holderIn(held)) && this.#take(held)) return;
      if (held > 0) compareExchange(words, W_LOCK, held, held | CONTENDED);
      if (Date.now() > stalledAt) throw stalled(holderIn(held));
      this.#pause(held | CONTENDED);
    }
  }

  /** Takes over a lock whose holder is dead. The section that follows rebuilds. */
  #take(held: number): boolean {
    if (compareExchange(this.#words, W_LOCK, held, this.#self | CONTENDED) !== held) return false;
    this.#words[W_TORN] = 1; // plain: we hold the lock
    return true;
  }

  #pause(held: number): void {
    if (this.#maySleep) {
      try {
        wait(this.#words, W_LOCK, held, SLEEP_SLICE_MS);
        return;
      } catch {
        this.#maySleep = false;
      }
    }
    for (let spins = SPINS_PER_CHECK; spins > 0 && load(this.#words, W_LOCK) === held; spins--);
  }
}

function stalled(thread: number): Error {
  return new Error(
    `furcate: the shared heap is locked by thread ${thread}, which has not released it for ${STALL_LIMIT_MS / 1000} s; ` +
      'a worker seems to have been terminated from outside: end it through its pool (terminate() or close()) instead.',
  );
}
