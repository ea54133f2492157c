/**
 * Array blocks of the shared heap: which realms hold them, and when their bytes may be used again; runs on every thread.
 *
 * A block lives while a realm holds it. A holder is one realm, whatever number of views it has there: its bit in the mask
 * and one in the count. The count decides; the mask is for repair, which takes a dead realm's holds back.
 *
 * While an invocation is in flight, records may name blocks that no realm holds any more, such as a result whose maker has
 * dropped it. So what is freed meanwhile, and what a worker drops, waits on a list. There are two, by epoch, as in
 * epoch-based reclamation (Fraser 2004): a list is freed once every hold that began before its last entry has ended, so
 * that overlapping invocations do not starve it.
 */

import { NO_BLOCK } from './free-lists.js';
import {
  A_HOLDERS,
  A_MASK,
  A_NEXT_PENDING,
  A_PENDING,
  A_SERIAL,
  ARRAY_HEADER_UNITS,
  BASE_UNITS,
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
  W_EPOCH,
  W_HOLDS,
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

  /** A zero-filled array block that this realm holds. */
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

  /** An array block that this realm holds, with whatever bytes were there. */
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
    words[at + A_HOLDERS] = 0;
    words[at + A_PENDING] = 0;
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) words[word] = 0; // `fill` takes 0.1 us
    this.#addHolder(at);
    heap.blocks.setState(unit, STATE_ARRAY); // only now: repair reads an array's words
    return unit;
  }

  /** Bytes for this thread's own use, with whatever was there: `freeBytes` frees them, and repair if the thread dies. */
  allocateScratch(bytes: number): number {
    return this.#heap.allocBytes(bytes, ownTag(this.#heap.thread), 'a temporary array');
  }

  /** Cuts a block that this realm holds down to `bytes`; nobody may use what lies beyond. */
  shrink(unit: number, bytes: number): void {
    const heap = this.#heap;
    heap.locked(() => {
      heap.blocks.words[(unit << UNIT_WORDS_SHIFT) + H_BYTES] = bytes;
      heap.blocks.shrink(unit, ARRAY_HEADER_UNITS + unitsFor(bytes), ownTag(heap.thread));
    });
  }

  /** Holds a block for this realm; false where no array lives there. */
  retain(unit: number): boolean {
    return this.#heap.locked(() => {
      if (!this.#isArray(unit)) return false;
      this.#addHolder(unit << UNIT_WORDS_SHIFT);
      return true;
    });
  }

  /**
   * Ends this realm's hold of a block, if it is still the block of that serial. Unless `atOnce`, a block that nobody
   * holds any more waits for the invocations in flight.
   */
  release(unit: number, serial: number, atOnce: boolean): void {
    const heap = this.#heap;
    heap.locked(() => {
      if (!this.#isArray(unit) || this.serialOf(unit) !== serial) return;
      if (this.#dropHolder(unit << UNIT_WORDS_SHIFT, heap.thread) !== 0) return;
      if (heap.blocks.stateOf(unit) === STATE_ARRAY) this.#freeOrWait(unit, atOnce); // a doomed one waits already
    });
  }

  /** Frees a block whoever holds it; false if it is no more the block of that serial, or was freed before. */
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

  /** Begins to hold frees back; `endDeferral` takes what this returns. */
  beginDeferral(): number {
    return this.#heap.locked(() => {
      const { root } = this.#heap;
      root[W_HOLDS + root[W_EPOCH]]++;
      return root[W_EPOCH];
    });
  }

  endDeferral(epoch: number): void {
    this.#heap.locked(() => {
      this.#heap.root[W_HOLDS + epoch]--;
      this.#advance();
    });
  }

  /**
   * Under the lock, in a repair: takes back what a dead thread held or was about to hold, and frees what it died freeing:
   * blocks that should wait and are on no list.
   */
  releaseThread(thread: number): void {
    const { blocks } = this.#heap;
    let dropped = this.#heap.dropTagged(ownTag(thread));
    for (let unit = blocks.next(BASE_UNITS); unit !== NO_BLOCK; unit = blocks.next(unit + blocks.unitsOf(unit))) {
      if (blocks.stateOf(unit) < STATE_ARRAY) continue;
      const at = unit << UNIT_WORDS_SHIFT;
      if (this.#isHolder(at, thread)) this.#dropHolder(at, thread);
      this.#recount(at);
      const unheld = blocks.words[at + A_HOLDERS] === 0 || blocks.stateOf(unit) === STATE_DOOMED;
      if (!unheld || blocks.words[at + A_PENDING] !== 0) continue;
      if (this.#anyHold()) this.#wait(unit);
      else {
        blocks.setState(unit, STATE_FREE);
        dropped++;
      }
    }
    if (dropped > 0) blocks.rebuild();
  }

  /**
   * Whether the array of that serial still lives at `unit`. Plain reads, without the lock: while a realm holds a block
   * they tell the truth, and of one freed in another realm as soon as that thread's message or record reaches this one.
   */
  isLive(unit: number, serial: number): boolean {
    const { words } = this.#heap.memory;
    const at = unit << UNIT_WORDS_SHIFT;
    return words[at + A_SERIAL] === serial && (words[at + H_SIZE] & STATE_MASK) >= STATE_ARRAY;
  }

  /** Whether that array lives and `free` was not called on it, as far as this thread can know. */
  isArray(unit: number, serial: number): boolean {
    const { words } = this.#heap.memory;
    const at = unit << UNIT_WORDS_SHIFT;
    return words[at + A_SERIAL] === serial && (words[at + H_SIZE] & STATE_MASK) === STATE_ARRAY;
  }

  /** The array block whose payload contains these bytes, or `NO_BLOCK`. Walks the heap: for views of unknown origin. */
  blockAround(byteOffset: number, byteLength: number): number {
    const { blocks } = this.#heap;
    return this.#heap.locked(() => {
      for (let unit = blocks.next(BASE_UNITS); unit !== NO_BLOCK; unit = blocks.next(unit + blocks.unitsOf(unit))) {
        if ((unit + blocks.unitsOf(unit)) * UNIT_BYTES < byteOffset) continue;
        const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
        const end = start + this.#heap.bytesOf(unit);
        if (blocks.stateOf(unit) === STATE_ARRAY && byteOffset >= start && byteOffset + byteLength <= end) return unit;
        if (unit * UNIT_BYTES > byteOffset) break;
      }
      return NO_BLOCK;
    });
  }

  /** The serial of the array at `unit`, which this realm holds. */
  serialOf(unit: number): number {
    return this.#heap.memory.words[(unit << UNIT_WORDS_SHIFT) + A_SERIAL];
  }

  /** Under the lock: whether an array block begins here. */
  #isArray(unit: number): boolean {
    const { blocks } = this.#heap;
    return blocks.isBlock(unit) && blocks.stateOf(unit) >= STATE_ARRAY;
  }

  #isHolder(at: number, thread: number): boolean {
    return (
      thread < MASKED_THREADS && (this.#heap.blocks.words[at + A_MASK + (thread >>> 5)] & (1 << (thread & 31))) !== 0
    );
  }

  /** The count before the bit: a thread that dies between them leaves a block held too long, never too short. */
  #addHolder(at: number): void {
    const { thread, blocks } = this.#heap;
    blocks.words[at + A_HOLDERS]++;
    if (thread < MASKED_THREADS) blocks.words[at + A_MASK + (thread >>> 5)] |= 1 << (thread & 31);
  }

  /** The bit before the count, for the same reason. Returns how many holders are left. */
  #dropHolder(at: number, thread: number): number {
    const { words } = this.#heap.blocks;
    if (thread < MASKED_THREADS) words[at + A_MASK + (thread >>> 5)] &= ~(1 << (thread & 31));
    words[at + A_HOLDERS]--;
    return words[at + A_HOLDERS];
  }

  /** Makes the count agree with the mask, where the dead thread changed one of them. A thread without a bit forbids it. */
  #recount(at: number): void {
    const { root, blocks } = this.#heap;
    if (root[W_UNMASKED_THREADS] !== 0) return;
    let holders = 0;
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) {
      for (let bits = blocks.words[word]; bits !== 0; bits &= bits - 1) holders++;
    }
    blocks.words[at + A_HOLDERS] = holders;
  }

  #freeOrWait(unit: number, atOnce: boolean): void {
    const { blocks } = this.#heap;
    const listed = blocks.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING] !== 0;
    if (listed || (!atOnce && this.#anyHold())) this.#wait(unit);
    else blocks.release(unit);
  }

  #anyHold(): boolean {
    const { root } = this.#heap;
    return root[W_HOLDS] !== 0 || root[W_HOLDS + 1] !== 0;
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

  /** Turns the epoch while the holds of the one before have all ended: twice at most, then nothing waits. */
  #advance(): void {
    const { root } = this.#heap;
    for (let turns = 0; turns < 2; turns++) {
      const other = 1 - root[W_EPOCH];
      if (root[W_HOLDS + other] !== 0) return;
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
        if (blocks.words[at + A_HOLDERS] === 0 || blocks.stateOf(unit) === STATE_DOOMED) blocks.release(unit);
      }
      unit = next;
    }
  }
}
