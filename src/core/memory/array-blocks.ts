/**
 * Array blocks of the shared heap: which realms have references to them, and when their bytes may be used again; runs on
 * every thread.
 *
 * Each realm has one reference to a block at most, however many views it has of the block. The reference is a bit in the block's mask,
 * so repair can release the references of a dead thread. Threads beyond those that have a bit are counted. The block is freed when it
 * has no reference.
 *
 * While an invocation is in flight, records may name blocks to which no realm has a reference any more, such as a result whose maker
 * has dropped it. So blocks that are freed meanwhile, or that a worker drops, wait on a list. There are two lists, by epoch,
 * as in epoch-based reclamation (Fraser 2004): a list is freed once every deferral that began before its last entry has
 * ended, so that overlapping invocations do not starve it.
 */

import {
  A_MASK,
  A_NEXT_PENDING,
  A_PENDING,
  A_SERIAL,
  A_UNMASKED,
  ARRAY_HEADER_UNITS,
  H_BYTES,
  H_SIZE,
  MASKED_THREADS,
  NO_BLOCK,
  STATE_ARRAY,
  STATE_DOOMED,
  STATE_FREE,
  STATE_MASK,
  THREAD_MASK_WORDS,
  UNIT_BYTES,
  UNIT_WORDS_SHIFT,
  unitsFor,
  W_DEFERRALS,
  W_EPOCH,
  W_PENDING,
  W_SERIAL,
} from './heap-layout.js';
import { SharedHeap } from './shared-heap.js';

/** The tag of byte blocks that one thread uses alone, such as one that becomes an array next. Repair frees them if the thread dies. */
function ownTag(thread: number): number {
  return -1 - thread;
}

/** The shared heap with arrays, as one realm has it. Its private members are not `#names`, which the build cannot convert in a subclass. */
export class ArrayHeap extends SharedHeap {
  /** A zero-filled array block with a reference of this realm. */
  allocateZeroed(bytes: number): number {
    const unit = this.allocate(bytes);
    const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
    const end = (unit + this.blocks.dirtyUnits) * UNIT_BYTES;
    // Outside the lock, because 80 MB take 10 ms. Bytes that were never handed out are zero already.
    // As doubles, because V8 fills shared bytes one by one, which takes a third longer.
    if (end > start)
      new Float64Array(this.memory.buffer, start, (end - start) / Float64Array.BYTES_PER_ELEMENT).fill(0);
    return unit;
  }

  /** An array block with a reference of this realm. Its bytes have any values. */
  allocate(bytes: number): number {
    return this.allocateBlock(ARRAY_HEADER_UNITS, bytes, ownTag(this.thread), 'sharedArray', (unit) => {
      const { words } = this;
      const at = unit << UNIT_WORDS_SHIFT;
      words[at + A_SERIAL] = ++this.root[W_SERIAL]; // wraps after 2^32 arrays
      words[at + A_UNMASKED] = 0;
      words[at + A_PENDING] = 0;
      for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) words[word] = 0; // `fill` takes 0.1 us
      this.refer(at, this.thread, 1);
      this.blocks.setState(unit, STATE_ARRAY); // only now: repair reads an array's words
    });
  }

  /** Bytes of any values for this thread's own use. `freeBytes` frees them; repair does so if the thread dies. */
  allocateScratch(bytes: number): number {
    return this.allocBytes(bytes, ownTag(this.thread), 'a temporary array');
  }

  /** Cuts a block down to `bytes`. No thread may use the bytes beyond. */
  shrink(unit: number, bytes: number): void {
    this.locked(() => {
      this.words[(unit << UNIT_WORDS_SHIFT) + H_BYTES] = bytes;
      this.blocks.shrink(unit, ARRAY_HEADER_UNITS + unitsFor(bytes));
    });
  }

  /** Takes a reference to a block for this realm; false if there is no array. */
  retain(unit: number): boolean {
    return this.locked(() => {
      if (!this.blocks.isBlock(unit) || this.blocks.stateOf(unit) < STATE_ARRAY) return false;
      this.refer(unit << UNIT_WORDS_SHIFT, this.thread, 1);
      return true;
    });
  }

  /**
   * Gives up this realm's reference to a block, if the block still has that serial. Unless `atOnce`, a block without references waits for
   * the invocations in flight.
   */
  release(unit: number, serial: number, atOnce: boolean): void {
    this.locked(() => {
      if (!this.blocks.isBlock(unit) || !this.isLive(unit, serial)) return;
      this.refer(unit << UNIT_WORDS_SHIFT, this.thread, -1);
      if (this.isGarbage(unit)) this.freeOrWait(unit, atOnce);
    });
  }

  /** Frees a block, whoever has references to it; false if the block has another serial by now, or was freed before. */
  free(unit: number, serial: number, atOnce: boolean): boolean {
    return this.locked(() => {
      if (!this.blocks.isBlock(unit) || this.stateOf(unit, serial) !== STATE_ARRAY) return false;
      this.blocks.setState(unit, STATE_DOOMED);
      this.freeOrWait(unit, atOnce);
      return true;
    });
  }

  /** Begins to defer frees; `endDeferral` takes what this returns. */
  beginDeferral(): number {
    return this.locked(() => {
      const { root } = this;
      root[W_DEFERRALS + root[W_EPOCH]]++;
      return root[W_EPOCH];
    });
  }

  endDeferral(epoch: number): void {
    this.locked(() => {
      this.root[W_DEFERRALS + epoch]--;
      this.advance();
    });
  }

  /**
   * Under the lock, in a repair: releases the references of a dead thread, frees its own byte blocks, and frees the blocks that it was
   * about to free: those without references that are on no list.
   */
  protected override releaseThread(thread: number): void {
    this.releaseTagged(ownTag(thread));
    for (const unit of this.blocks.units()) {
      if (this.blocks.stateOf(unit) < STATE_ARRAY) continue;
      const at = unit << UNIT_WORDS_SHIFT;
      if (thread < MASKED_THREADS) this.refer(at, thread, -1);
      if (this.isGarbage(unit) && this.words[at + A_PENDING] === 0) this.freeOrWait(unit, false);
    }
  }

  /**
   * `STATE_ARRAY` while the array of that serial lives at `unit`, `STATE_DOOMED` while it waits after `free`, a lower state once it is
   * gone. The reads are plain and without the lock. They are right while this realm has a reference. A `free` in another realm is seen
   * at the latest when a message or record of that thread arrives.
   */
  stateOf(unit: number, serial: number): number {
    const { words } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    return words[at + A_SERIAL] === serial ? words[at + H_SIZE] & STATE_MASK : STATE_FREE;
  }

  /** Whether the array of that serial lives or waits, so that its bytes belong to nobody else. */
  isLive(unit: number, serial: number): boolean {
    return this.stateOf(unit, serial) >= STATE_ARRAY;
  }

  /** The array block whose payload contains these bytes, or `NO_BLOCK`. It walks the heap, for views of unknown origin. */
  blockAround(byteOffset: number, byteLength: number): number {
    return this.locked(() => {
      for (const unit of this.blocks.units()) {
        const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
        const isInside = byteOffset >= start && byteOffset + byteLength <= start + this.bytesOf(unit);
        if (isInside && this.blocks.stateOf(unit) === STATE_ARRAY) return unit;
      }
      return NO_BLOCK;
    });
  }

  /** The serial of the array at `unit`, to which this realm has a reference. */
  serialOf(unit: number): number {
    return this.words[(unit << UNIT_WORDS_SHIFT) + A_SERIAL];
  }

  /** Gives a thread a reference (1), or takes it away (-1), by one store. */
  private refer(at: number, thread: number, change: 1 | -1): void {
    const { words } = this;
    const bit = 1 << (thread & 31);
    if (thread >= MASKED_THREADS) words[at + A_UNMASKED] += change;
    else if (change === 1) words[at + A_MASK + (thread >>> 5)] |= bit;
    else words[at + A_MASK + (thread >>> 5)] &= ~bit;
  }

  private isGarbage(unit: number): boolean {
    const { words } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    if (this.blocks.stateOf(unit) === STATE_DOOMED) return true;
    let references = words[at + A_UNMASKED];
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) references |= words[word];
    return references === 0;
  }

  /** Frees a block, or puts it on the current epoch's list. A block on the other epoch's list is moved when that list is drained. */
  private freeOrWait(unit: number, atOnce: boolean): void {
    const { root, words } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    const isListed = words[at + A_PENDING] !== 0;
    const mustWait = !atOnce && (root[W_DEFERRALS] !== 0 || root[W_DEFERRALS + 1] !== 0);
    if (isListed || mustWait) words[at + A_PENDING] = 1 + root[W_EPOCH];
    else this.blocks.release(unit);
    if (mustWait && !isListed) this.push(unit, root[W_EPOCH]);
  }

  private push(unit: number, epoch: number): void {
    const { root } = this;
    this.words[(unit << UNIT_WORDS_SHIFT) + A_NEXT_PENDING] = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = unit;
  }

  /** Changes the epoch while the other epoch has no deferrals. After two changes nothing waits. */
  private advance(): void {
    const { root } = this;
    for (let turns = 0; turns < 2; turns++) {
      const other = 1 - root[W_EPOCH];
      if (root[W_DEFERRALS + other] !== 0) return;
      this.drain(other);
      root[W_EPOCH] = other;
    }
  }

  private drain(epoch: number): void {
    const { root } = this;
    let unit = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = NO_BLOCK;
    while (unit !== NO_BLOCK) {
      const at = unit << UNIT_WORDS_SHIFT;
      const next = this.words[at + A_NEXT_PENDING];
      if (this.words[at + A_PENDING] !== 1 + epoch) this.push(unit, 1 - epoch);
      else {
        this.words[at + A_PENDING] = 0;
        if (this.isGarbage(unit)) this.blocks.release(unit);
      }
      unit = next;
    }
  }
}
