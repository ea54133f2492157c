/**
 * Array blocks of the shared heap: which realms have references to them, and when their bytes may be used again; runs on
 * every thread.
 *
 * A block is reference counted. Each realm has one reference at most, however many views it has of the block: a bit in the
 * block's mask, and one in its count. The count decides; repair needs the mask, to release the references of a dead realm.
 *
 * While an invocation is in flight, records may name blocks that no realm refers to any more, such as a result whose maker
 * has dropped it. So blocks that are freed meanwhile, or that a worker drops, wait on a list. There are two lists, by epoch,
 * as in epoch-based reclamation (Fraser 2004): a list is freed once every deferral that began before its last entry has
 * ended, so that overlapping invocations do not starve it.
 */

import { NO_BLOCK } from './free-lists.js';
import {
  A_MASK,
  A_NEXT_PENDING,
  A_PENDING,
  A_REFERENCES,
  A_SERIAL,
  ARRAY_HEADER_UNITS,
  H_BYTES,
  H_SIZE,
  MASKED_THREADS,
  STATE_ARRAY,
  STATE_BYTES,
  STATE_DOOMED,
  STATE_FREE,
  STATE_MASK,
  THREAD_MASK_WORDS,
  UNIT_BYTES,
  UNIT_WORDS_SHIFT,
  unitsFor,
  W_DEFERRALS,
  W_EPOCH,
  W_LIMIT,
  W_PENDING,
  W_SERIAL,
  W_UNMASKED_THREADS,
} from './heap-layout.js';
import type { SharedHeap } from './shared-heap.js';

/** The tag of a byte block that is its thread's alone, such as one that it is about to turn into an array: repair frees it. */
function ownTag(thread: number): number {
  return -1 - thread;
}

export class ArrayBlocks {
  readonly #heap: SharedHeap;

  constructor(heap: SharedHeap) {
    this.#heap = heap;
  }

  /** A zero-filled array block with a reference of this realm. */
  allocateZeroed(bytes: number): number {
    const heap = this.#heap;
    const unit = this.allocate(bytes);
    const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
    const end = (unit + heap.blocks.dirtyUnits) * UNIT_BYTES;
    // Outside the lock: 80 MB take 10 ms. Bytes never handed out are zero already, and left to be touched in parallel.
    // Doubles: V8 fills shared bytes one by one, a third slower.
    if (end > start)
      new Float64Array(heap.memory.buffer, start, (end - start) / Float64Array.BYTES_PER_ELEMENT).fill(0);
    return unit;
  }

  /** An array block with a reference of this realm, and with whatever bytes were there. */
  allocate(bytes: number): number {
    const heap = this.#heap;
    const units = ARRAY_HEADER_UNITS + unitsFor(bytes);
    const unit = units > heap.root[W_LIMIT] ? NO_BLOCK : heap.locked(() => this.#make(units, bytes));
    if (unit === NO_BLOCK) throw heap.full('sharedArray', bytes);
    return unit;
  }

  #make(units: number, bytes: number): number {
    const heap = this.#heap;
    const unit = heap.take(units, STATE_BYTES, ownTag(heap.thread), bytes);
    if (unit === NO_BLOCK) return NO_BLOCK;
    const words = heap.blocks.words;
    const at = unit << UNIT_WORDS_SHIFT;
    words[at + A_SERIAL] = ++heap.root[W_SERIAL]; // wraps after 2^32 arrays; a stale view would have to wait for that
    words[at + A_REFERENCES] = 0;
    words[at + A_PENDING] = 0;
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) words[word] = 0; // `fill` takes 0.1 us
    this.#addReference(at);
    heap.blocks.setState(unit, STATE_ARRAY); // only now: repair reads an array's words
    return unit;
  }

  /** Bytes for this thread's own use, with whatever was there: `freeBytes` frees them, and repair if the thread dies. */
  allocateScratch(bytes: number): number {
    return this.#heap.allocBytes(bytes, ownTag(this.#heap.thread), 'a temporary array');
  }

  /** Cuts a block down to `bytes`; nobody may use what lies beyond. */
  shrink(unit: number, bytes: number): void {
    const heap = this.#heap;
    heap.locked(() => {
      heap.blocks.words[(unit << UNIT_WORDS_SHIFT) + H_BYTES] = bytes;
      heap.blocks.shrink(unit, ARRAY_HEADER_UNITS + unitsFor(bytes), ownTag(heap.thread));
    });
  }

  /** Takes a reference to a block for this realm; false where no array lives there. */
  retain(unit: number): boolean {
    return this.#heap.locked(() => {
      if (!this.#isArray(unit)) return false;
      this.#addReference(unit << UNIT_WORDS_SHIFT);
      return true;
    });
  }

  /**
   * Gives up this realm's reference to a block, if it is still the block of that serial. Unless `atOnce`, a block without
   * references waits for the invocations in flight.
   */
  release(unit: number, serial: number, atOnce: boolean): void {
    const heap = this.#heap;
    heap.locked(() => {
      if (!this.#isArray(unit) || this.serialOf(unit) !== serial) return;
      if (this.#dropReference(unit << UNIT_WORDS_SHIFT, heap.thread) !== 0) return;
      if (heap.blocks.stateOf(unit) === STATE_ARRAY) this.#freeOrWait(unit, atOnce); // a doomed one waits already
    });
  }

  /** Frees a block whoever refers to it; false if it is no more the block of that serial, or was freed before. */
  free(unit: number, serial: number, atOnce: boolean): boolean {
    const heap = this.#heap;
    return heap.locked(() => {
      if (!this.#isArray(unit) || this.serialOf(unit) !== serial) return false;
      if (heap.blocks.stateOf(unit) === STATE_DOOMED) return false;
      heap.blocks.setState(unit, STATE_DOOMED);
      this.#freeOrWait(unit, atOnce);
      return true;
    });
  }

  /** Begins to defer frees; `endDeferral` takes what this returns. */
  beginDeferral(): number {
    return this.#heap.locked(() => {
      const { root } = this.#heap;
      root[W_DEFERRALS + root[W_EPOCH]]++;
      return root[W_EPOCH];
    });
  }

  endDeferral(epoch: number): void {
    this.#heap.locked(() => {
      this.#heap.root[W_DEFERRALS + epoch]--;
      this.#advance();
    });
  }

  /**
   * Under the lock, in a repair: releases the references of a dead thread, and frees what it was about to make or to free:
   * blocks that should wait and are on no list.
   */
  releaseThread(thread: number): void {
    const { blocks } = this.#heap;
    let dropped = this.#heap.dropTagged(ownTag(thread));
    for (const unit of blocks.units()) {
      if (blocks.stateOf(unit) < STATE_ARRAY) continue;
      const at = unit << UNIT_WORDS_SHIFT;
      if (this.#hasReference(at, thread)) this.#dropReference(at, thread);
      this.#recount(at);
      if (!this.#isGarbage(unit) || blocks.words[at + A_PENDING] !== 0) continue;
      if (this.#isDeferring()) this.#wait(unit);
      else {
        blocks.setState(unit, STATE_FREE);
        dropped++;
      }
    }
    if (dropped > 0) blocks.rebuild();
  }

  /**
   * `STATE_ARRAY` while the array of that serial lives at `unit`, `STATE_DOOMED` once it was freed and still waits, a lower
   * state when it is gone. Plain reads, without the lock: while a realm has a reference they tell the truth; of an array freed
   * in another realm, as soon as that thread's message or record reaches this one.
   */
  stateOf(unit: number, serial: number): number {
    const { words } = this.#heap.memory;
    const at = unit << UNIT_WORDS_SHIFT;
    return words[at + A_SERIAL] === serial ? words[at + H_SIZE] & STATE_MASK : STATE_FREE;
  }

  /** Whether that array lives or waits: its bytes are nobody else's. */
  isLive(unit: number, serial: number): boolean {
    return this.stateOf(unit, serial) >= STATE_ARRAY;
  }

  /** The array block whose payload contains these bytes, or `NO_BLOCK`. Walks the heap: for views of unknown origin. */
  blockAround(byteOffset: number, byteLength: number): number {
    const heap = this.#heap;
    return heap.locked(() => {
      for (const unit of heap.blocks.units()) {
        const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
        const isInside = byteOffset >= start && byteOffset + byteLength <= start + heap.bytesOf(unit);
        if (isInside && heap.blocks.stateOf(unit) === STATE_ARRAY) return unit;
      }
      return NO_BLOCK;
    });
  }

  /** The serial of the array at `unit`, to which this realm has a reference. */
  serialOf(unit: number): number {
    return this.#heap.memory.words[(unit << UNIT_WORDS_SHIFT) + A_SERIAL];
  }

  /** Under the lock: whether an array block begins here. */
  #isArray(unit: number): boolean {
    const { blocks } = this.#heap;
    return blocks.isBlock(unit) && blocks.stateOf(unit) >= STATE_ARRAY;
  }

  #hasReference(at: number, thread: number): boolean {
    return (
      thread < MASKED_THREADS && (this.#heap.blocks.words[at + A_MASK + (thread >>> 5)] & (1 << (thread & 31))) !== 0
    );
  }

  /** The count before the bit: a thread that dies between the two leaves a block referenced too long, never too short. */
  #addReference(at: number): void {
    const { thread, blocks } = this.#heap;
    blocks.words[at + A_REFERENCES]++;
    if (thread < MASKED_THREADS) blocks.words[at + A_MASK + (thread >>> 5)] |= 1 << (thread & 31);
  }

  /** The bit before the count, for the same reason. Returns how many references are left. */
  #dropReference(at: number, thread: number): number {
    const { words } = this.#heap.blocks;
    if (thread < MASKED_THREADS) words[at + A_MASK + (thread >>> 5)] &= ~(1 << (thread & 31));
    words[at + A_REFERENCES]--;
    return words[at + A_REFERENCES];
  }

  /** Makes the count agree with the mask, where the dead thread changed one of them. A thread without a bit forbids it. */
  #recount(at: number): void {
    const { root, blocks } = this.#heap;
    if (root[W_UNMASKED_THREADS] !== 0) return;
    let references = 0;
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) {
      for (let bits = blocks.words[word]; bits !== 0; bits &= bits - 1) references++;
    }
    blocks.words[at + A_REFERENCES] = references;
  }

  #isGarbage(unit: number): boolean {
    const { blocks } = this.#heap;
    return blocks.words[(unit << UNIT_WORDS_SHIFT) + A_REFERENCES] === 0 || blocks.stateOf(unit) === STATE_DOOMED;
  }

  #freeOrWait(unit: number, atOnce: boolean): void {
    const { blocks } = this.#heap;
    const listed = blocks.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING] !== 0;
    if (listed || (!atOnce && this.#isDeferring())) this.#wait(unit);
    else blocks.release(unit);
  }

  #isDeferring(): boolean {
    const { root } = this.#heap;
    return root[W_DEFERRALS] !== 0 || root[W_DEFERRALS + 1] !== 0;
  }

  /** Puts a block on the current epoch's list; one that is on the other's is moved when that is drained. */
  #wait(unit: number): void {
    const { root, blocks } = this.#heap;
    const at = unit << UNIT_WORDS_SHIFT;
    const listed = blocks.words[at + A_PENDING] !== 0;
    blocks.words[at + A_PENDING] = 1 + root[W_EPOCH];
    if (!listed) this.#push(unit, root[W_EPOCH]);
  }

  #push(unit: number, epoch: number): void {
    const { root, blocks } = this.#heap;
    blocks.words[(unit << UNIT_WORDS_SHIFT) + A_NEXT_PENDING] = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = unit;
  }

  /** Turns the epoch while the deferrals of the epoch before have all ended: twice at most, then nothing waits. */
  #advance(): void {
    const { root } = this.#heap;
    for (let turns = 0; turns < 2; turns++) {
      const other = 1 - root[W_EPOCH];
      if (root[W_DEFERRALS + other] !== 0) return;
      this.#drain(other);
      root[W_EPOCH] = other;
    }
  }

  #drain(epoch: number): void {
    const { root, blocks } = this.#heap;
    let unit = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = NO_BLOCK;
    while (unit !== NO_BLOCK) {
      const at = unit << UNIT_WORDS_SHIFT;
      const next = blocks.words[at + A_NEXT_PENDING];
      if (blocks.words[at + A_PENDING] !== 1 + epoch) this.#push(unit, 1 - epoch);
      else {
        blocks.words[at + A_PENDING] = 0;
        if (this.#isGarbage(unit)) blocks.release(unit);
      }
      unit = next;
    }
  }
}
