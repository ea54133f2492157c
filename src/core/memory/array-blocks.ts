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
 *
 * README.md has the states of an array block as a table: live, dropped, freed and pinned, freed and named, kept.
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
  PINNED,
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
  W_KEEPERS,
  W_KEPT_SERIALS,
  W_PENDING,
  W_SERIAL,
} from './heap-layout.js';
import { SharedHeap } from './shared-heap.js';

/** Nobody may name the freed block, because no other realm knows it. */
export const BY_NOBODY = 0;
/** No invocation of this realm, which knows what they name; those of other realms may. */
export const BY_OTHERS = 1;
/** Invocations or calls of this realm: the block is freed by `unpin`. */
export const BY_PINS = 2;
/** Any invocation in flight. */
export const BY_ANYBODY = 3;

/** The tag of byte blocks that one thread uses alone, such as one that becomes an array next. Repair frees them if the thread dies. */
function ownTag(thread: number): number {
  return -1 - thread;
}

/** The shared heap with arrays, as one realm has it. Its private members are not `#names`, which the build cannot convert in a subclass. */
export class ArrayHeap extends SharedHeap {
  /** Number of deferrals this realm has begun that have not ended. */
  private deferrals = 0;

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
      if (!this.giveBackIfDoomed(unit) && this.isGarbage(unit)) this.freeOrWait(unit, atOnce);
    });
  }

  /**
   * Frees a block, whoever has references to it; false if the block has another serial by now, or was freed before.
   *
   * @param named who may name the block: one of `BY_NOBODY` ... `BY_ANYBODY`
   */
  free(unit: number, serial: number, named: number): boolean {
    return this.locked(() => {
      if (!this.blocks.isBlock(unit) || this.stateOf(unit, serial) !== STATE_ARRAY) return false;
      const pending = (unit << UNIT_WORDS_SHIFT) + A_PENDING;
      // Before the state, so that a doomed block that waits for nothing is one whose bytes may be given back.
      if (named === BY_PINS && this.words[pending] === 0) this.words[pending] = PINNED;
      else if (this.mustWait(named)) this.wait(unit);
      this.blocks.setState(unit, STATE_DOOMED);
      if (this.words[pending] === 0) this.giveBack(unit);
      return true;
    });
  }

  /** Gives back a block that was freed while it was pinned. */
  unpin(unit: number, serial: number): void {
    this.locked(() => {
      const pending = (unit << UNIT_WORDS_SHIFT) + A_PENDING;
      if (!this.isLive(unit, serial) || this.words[pending] !== PINNED) return;
      this.words[pending] = 0;
      if (this.mustWait(BY_OTHERS)) this.wait(unit);
      else this.giveBack(unit);
    });
  }

  /** Begins to defer frees; `endDeferral` takes what this returns. */
  beginDeferral(): number {
    return this.locked(() => {
      const { root } = this;
      root[W_DEFERRALS + root[W_EPOCH]]++;
      this.deferrals++;
      return root[W_EPOCH];
    });
  }

  endDeferral(epoch: number): void {
    this.locked(() => {
      this.root[W_DEFERRALS + epoch]--;
      this.deferrals--;
      this.advance();
    });
  }

  /** From now on all blocks of today that this thread has references to keep their bytes, even if they are freed. */
  beginKeeping(): void {
    if (this.thread >= MASKED_THREADS) return;
    this.locked(() => {
      this.root[W_KEPT_SERIALS + this.thread] = this.root[W_SERIAL];
      this.root[W_KEEPERS + (this.thread >>> 5)] |= 1 << (this.thread & 31);
    });
  }

  endKeeping(): void {
    this.locked(() => {
      this.forgetKeeper(this.thread);
      for (const unit of this.blocks.units()) this.giveBackIfDoomed(unit);
    });
  }

  /**
   * Under the lock, in a repair: releases the references of a dead thread, frees its own byte blocks, and frees the blocks that it was
   * about to free: those without references that are on no list.
   */
  protected override releaseThread(thread: number): void {
    this.releaseTagged(ownTag(thread));
    if (thread < MASKED_THREADS) this.forgetKeeper(thread);
    for (const unit of this.blocks.units()) {
      if (this.blocks.stateOf(unit) < STATE_ARRAY) continue;
      const at = unit << UNIT_WORDS_SHIFT;
      if (thread < MASKED_THREADS) this.refer(at, thread, -1);
      if (this.giveBackIfDoomed(unit)) continue;
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

  /** Checks whether the array of that serial lives or waits, so that its bytes belong to nobody else. */
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

  /** Frees a block without references, or lets it wait. */
  private freeOrWait(unit: number, atOnce: boolean): void {
    const isListed = this.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING] !== 0;
    if (isListed || this.mustWait(atOnce ? BY_NOBODY : BY_ANYBODY)) this.wait(unit);
    else this.giveBack(unit);
  }

  /** Returns true if a block that may be named so must wait for invocations in flight. */
  private mustWait(named: number): boolean {
    const inFlight = this.root[W_DEFERRALS] + this.root[W_DEFERRALS + 1];
    return named >= BY_ANYBODY ? inFlight !== 0 : named !== BY_NOBODY && inFlight !== this.deferrals;
  }

  /** Puts a block on the current epoch's list. A block on the other epoch's list is moved when that list is drained. */
  private wait(unit: number): void {
    const { root, words } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    const pending = words[at + A_PENDING];
    if (pending === PINNED) return;
    words[at + A_PENDING] = 1 + root[W_EPOCH];
    if (pending === 0) this.push(unit, root[W_EPOCH]);
  }

  /** Gives the bytes of a block back that waits for no invocation; not yet, if something that was abandoned may write to it. */
  private giveBack(unit: number): void {
    if (!this.isKept(unit << UNIT_WORDS_SHIFT)) this.blocks.release(unit);
  }

  /** Gives back a block that only a keeper has kept; false for any other block. */
  private giveBackIfDoomed(unit: number): boolean {
    if (this.blocks.stateOf(unit) !== STATE_DOOMED || this.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING] !== 0)
      return false;
    this.giveBack(unit);
    return true;
  }

  /** Checks whether a keeper has had a reference to the block since it began. */
  private isKept(at: number): boolean {
    const { root, words } = this;
    for (let word = 0; word < THREAD_MASK_WORDS; word++) {
      for (let keepers = words[at + A_MASK + word] & root[W_KEEPERS + word]; keepers !== 0; keepers &= keepers - 1) {
        const keeper = (word << 5) + 31 - Math.clz32(keepers & -keepers);
        if (((words[at + A_SERIAL] - root[W_KEPT_SERIALS + keeper]) | 0) <= 0) return true; // serials wrap
      }
    }
    return false;
  }

  private forgetKeeper(thread: number): void {
    this.root[W_KEEPERS + (thread >>> 5)] &= ~(1 << (thread & 31));
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
        if (this.isGarbage(unit)) this.giveBack(unit);
      }
      unit = next;
    }
  }
}
