/**
 * A deque with a lock, as one writes it first: the measure for the one without. The owner pushes and pops at the bottom, thieves take at the top; each
 * holds the lock meanwhile. Threads that wait for the lock spin for a moment, and then sleep. Runs on any thread.
 */
const W_LOCK = 0;
const W_BOTTOM = 32; // two cache lines away, as in the library's deque
const W_TOP = 64;
const W_RING = 96;

const [FREE, HELD, CONTENDED] = [0, 1, 2];
const SPINS = 100;

/** The capacity is a power of two. */
export const lockedDequeWords = (capacity: number): number => W_RING + capacity;

export class LockedDeque {
  readonly #words: Int32Array;
  readonly #mask: number;

  constructor(words: Int32Array) {
    this.#words = words;
    this.#mask = words.length - W_RING - 1;
  }

  tryPush(entry: number): boolean {
    const words = this.#words;
    this.#acquire();
    const bottom = words[W_BOTTOM];
    const hasRoom = bottom - words[W_TOP] <= this.#mask;
    if (hasRoom) {
      words[W_RING + (bottom & this.#mask)] = entry;
      words[W_BOTTOM] = bottom + 1;
    }
    this.#release();
    return hasRoom;
  }

  /** The newest entry, or -1. */
  pop(): number {
    const words = this.#words;
    this.#acquire();
    const isEmpty = words[W_BOTTOM] === words[W_TOP];
    const entry = isEmpty ? -1 : words[W_RING + (--words[W_BOTTOM] & this.#mask)];
    this.#release();
    return entry;
  }

  /** The oldest entry, or -1. */
  take(): number {
    const words = this.#words;
    // A plain look first, as the library's thieves have it: most deques are empty.
    if (words[W_BOTTOM] === words[W_TOP]) return -1;
    this.#acquire();
    const isEmpty = words[W_BOTTOM] === words[W_TOP];
    const entry = isEmpty ? -1 : words[W_RING + (words[W_TOP]++ & this.#mask)];
    this.#release();
    return entry;
  }

  /** The mutex of Drepper, "Futexes Are Tricky" (2011). */
  #acquire(): void {
    const words = this.#words;
    for (let k = 0; k < SPINS; k++) if (Atomics.compareExchange(words, W_LOCK, FREE, HELD) === FREE) return;
    while (Atomics.exchange(words, W_LOCK, CONTENDED) !== FREE) Atomics.wait(words, W_LOCK, CONTENDED);
  }

  #release(): void {
    if (Atomics.exchange(this.#words, W_LOCK, FREE) === CONTENDED) Atomics.notify(this.#words, W_LOCK, 1);
  }
}
