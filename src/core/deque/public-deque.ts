/**
 * The public deque of a worker: a Chase-Lev deque of record entries in control memory.
 *
 * The owner pushes and pops at the bottom, thieves take from the top. Source: Chase and Lev, "Dynamic circular
 * work-stealing deque" (2005), with the orders of Le et al. (2013), which JavaScript's sequentially consistent atomics
 * give for free. README.md says how we differ, and has the protocol with its proof sketch.
 */
import { compareExchange, load, store } from '../memory/atomics.js';
import {
  dequeWord,
  INBOX_DEQUE,
  type Layout,
  PUBLIC_DEQUE,
  ringWord,
  rootsSlot,
  W_BOTTOM,
  W_TOP,
} from '../memory/layout.js';

/** No entry: entries are never negative. */
export const EMPTY = -1;

/** The owner's end: one for each slot, on the thread that owns the slot. */
export class OwnerDeque {
  readonly #words: Int32Array;
  readonly #top: number;
  readonly #bottom: number;
  readonly #ring: number;
  readonly #mask: number;

  /** @param deque which of the slot's deques */
  constructor(words: Int32Array, layout: Layout, slot: number, deque = PUBLIC_DEQUE) {
    const base = dequeWord(layout, slot, deque);
    this.#words = words;
    this.#top = base + W_TOP;
    this.#bottom = base + W_BOTTOM;
    this.#ring = ringWord(layout, slot, deque);
    this.#mask = 2 ** layout.ringLog2 - 1;
  }

  /** Entries in the deque, stale ones included. */
  get size(): number {
    const size = (this.#words[this.#bottom] - load(this.#words, this.#top)) | 0; // bottom plain: sole writer (I1)
    return size > 0 ? size : 0;
  }

  /** The index of the next entry. Indices count all entries that were ever pushed, modulo 2^32. */
  get end(): number {
    return this.#words[this.#bottom]; // plain: sole writer (I1)
  }

  /** Adds the newest entry; false when the ring is full. */
  tryPush(entry: number): boolean {
    const words = this.#words;
    const bottom = words[this.#bottom]; // plain: sole writer (I1)
    const top = load(words, this.#top);
    if (((bottom - top) | 0) > this.#mask) return false;
    words[this.#ring + (bottom & this.#mask)] = entry; // plain: before O1 no thief reads index `bottom`
    store(words, this.#bottom, (bottom + 1) | 0); // O1: publishes the entry; pairs with ThiefDeque.peek
    return true;
  }

  /** Removes the newest entry, or gives `EMPTY`. */
  pop(): number {
    const words = this.#words;
    const bottom = (words[this.#bottom] - 1) | 0; // plain: sole writer (I1)
    store(words, this.#bottom, bottom); // O2: before top is read; pairs with peek's top before bottom
    const top = load(words, this.#top);
    const left = (bottom - top) | 0;
    if (left < 0) {
      store(words, this.#bottom, (bottom + 1) | 0);
      return EMPTY;
    }
    const entry = words[this.#ring + (bottom & this.#mask)]; // plain: own write
    if (left > 0) return entry;
    const won = compareExchange(words, this.#top, top, (top + 1) | 0) === top; // O3: decides who gets the last entry
    store(words, this.#bottom, (bottom + 1) | 0);
    return won ? entry : EMPTY;
  }

  /** The newest entry without removing it, or `EMPTY`; it may be stolen at any moment. */
  peek(): number {
    if (this.size === 0) return EMPTY;
    return this.#words[this.#ring + ((this.#words[this.#bottom] - 1) & this.#mask)]; // plain: own writes
  }
}

/** A thief's view of another thread's deque: one for each thief and victim. */
export class ThiefDeque {
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #ring: number;
  readonly #mask: number;
  /** Slot whose records its entries name: the owner of the pool pushes to inboxes. */
  readonly slot: number;
  #seenTop = 0;

  /** @param deque which of the slot's deques */
  constructor(words: Int32Array, layout: Layout, slot: number, deque = PUBLIC_DEQUE) {
    this.#words = words;
    this.#base = dequeWord(layout, slot, deque);
    this.#ring = ringWord(layout, slot, deque);
    this.#mask = 2 ** layout.ringLog2 - 1;
    this.slot = deque === INBOX_DEQUE ? rootsSlot(layout) : slot;
  }

  /** True if it seems to have entries. A hint for a thread that asks again and again: plain reads, 1 ns instead of 16. */
  get seemsFilled(): boolean {
    const words = this.#words;
    return words[this.#base + W_TOP] !== words[this.#base + W_BOTTOM]; // plain: a hint
  }

  /** The oldest entry, or `EMPTY`. `tryTake` tells whether it is still there. */
  peek(): number {
    const words = this.#words;
    const top = load(words, this.#base + W_TOP); // O2: top before bottom
    const bottom = load(words, this.#base + W_BOTTOM); // O1
    if (((bottom - top) | 0) <= 0) return EMPTY;
    this.#seenTop = top;
    return words[this.#ring + (top & this.#mask)]; // plain: validated by tryTake
  }

  /** Returns true if the entry that `peek` gave is older than the one of index `end`. */
  isBefore(end: number): boolean {
    return ((end - this.#seenTop) | 0) > 0;
  }

  /** Removes the entry that `peek` gave; false if another thread was first. */
  tryTake(): boolean {
    const top = this.#seenTop;
    return compareExchange(this.#words, this.#base + W_TOP, top, (top + 1) | 0) === top; // O3
  }
}
