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
  W_UNMASKED_THREADS,
} from './heap-layout.js';
import { SharedHeap } from './shared-heap.js';

/** The tag of a byte block that is its thread's alone, such as one that it is about to turn into an array: repair frees it. */
function ownTag(thread: number): number {
  return -1 - thread;
}

/** The shared heap with arrays, as one realm has it. */
export class ArrayHeap extends SharedHeap {
  /** A zero-filled array block with a reference of this realm. */
  allocateZeroed(bytes: number): number {
    const unit = this.allocate(bytes);
    const start = (unit + ARRAY_HEADER_UNITS) * UNIT_BYTES;
    const end = (unit + this.blocks.dirtyUnits) * UNIT_BYTES;
    // Outside the lock: 80 MB take 10 ms. Bytes never handed out are zero already, and left to be touched in parallel.
    // Doubles: V8 fills shared bytes one by one, a third slower.
    if (end > start)
      new Float64Array(this.memory.buffer, start, (end - start) / Float64Array.BYTES_PER_ELEMENT).fill(0);
    return unit;
  }

  /** An array block with a reference of this realm, and with whatever bytes were there. */
  allocate(bytes: number): number {
    return this.allocateBlock(ARRAY_HEADER_UNITS, bytes, ownTag(this.thread), 'sharedArray', (unit) => {
      const { words } = this;
      const at = unit << UNIT_WORDS_SHIFT;
      words[at + A_SERIAL] = ++this.root[W_SERIAL]; // wraps after 2^32 arrays; a stale view would have to wait for that
      words[at + A_REFERENCES] = 0;
      words[at + A_PENDING] = 0;
      for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) words[word] = 0; // `fill` takes 0.1 us
      this.#addReference(at);
      this.blocks.setState(unit, STATE_ARRAY); // only now: repair reads an array's words
    });
  }

  /** Bytes for this thread's own use, with whatever was there: `freeBytes` frees them, and repair if the thread dies. */
  allocateScratch(bytes: number): number {
    return this.allocBytes(bytes, ownTag(this.thread), 'a temporary array');
  }

  /** Cuts a block down to `bytes`; nobody may use what lies beyond. */
  shrink(unit: number, bytes: number): void {
    this.locked(() => {
      this.words[(unit << UNIT_WORDS_SHIFT) + H_BYTES] = bytes;
      this.blocks.shrink(unit, ARRAY_HEADER_UNITS + unitsFor(bytes), ownTag(this.thread));
    });
  }

  /** Takes a reference to a block for this realm; false where no array lives there. */
  retain(unit: number): boolean {
    return this.locked(() => {
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
    this.locked(() => {
      if (!this.#isArray(unit) || this.serialOf(unit) !== serial) return;
      if (this.#dropReference(unit << UNIT_WORDS_SHIFT, this.thread) !== 0) return;
      if (this.blocks.stateOf(unit) === STATE_ARRAY) this.#freeOrWait(unit, atOnce); // a doomed one waits already
    });
  }

  /** Frees a block whoever refers to it; false if it is no more the block of that serial, or was freed before. */
  free(unit: number, serial: number, atOnce: boolean): boolean {
    return this.locked(() => {
      if (!this.#isArray(unit) || this.serialOf(unit) !== serial) return false;
      if (this.blocks.stateOf(unit) === STATE_DOOMED) return false;
      this.blocks.setState(unit, STATE_DOOMED);
      this.#freeOrWait(unit, atOnce);
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
      this.#advance();
    });
  }

  /**
   * Under the lock, in a repair: releases the references of a dead thread, and frees what it was about to make or to free:
   * blocks that should wait and are on no list.
   */
  protected override releaseThread(thread: number): void {
    const { blocks } = this;
    let dropped = this.dropTagged(ownTag(thread));
    for (const unit of blocks.units()) {
      if (blocks.stateOf(unit) < STATE_ARRAY) continue;
      const at = unit << UNIT_WORDS_SHIFT;
      if (this.#hasReference(at, thread)) this.#dropReference(at, thread);
      this.#recount(at);
      if (!this.#isGarbage(unit) || this.words[at + A_PENDING] !== 0) continue;
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
    const { words } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    return words[at + A_SERIAL] === serial ? words[at + H_SIZE] & STATE_MASK : STATE_FREE;
  }

  /** Whether that array lives or waits: its bytes are nobody else's. */
  isLive(unit: number, serial: number): boolean {
    return this.stateOf(unit, serial) >= STATE_ARRAY;
  }

  /** The array block whose payload contains these bytes, or `NO_BLOCK`. Walks the heap: for views of unknown origin. */
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

  /** Under the lock: whether an array block begins here. */
  #isArray(unit: number): boolean {
    const { blocks } = this;
    return blocks.isBlock(unit) && blocks.stateOf(unit) >= STATE_ARRAY;
  }

  #hasReference(at: number, thread: number): boolean {
    return thread < MASKED_THREADS && (this.words[at + A_MASK + (thread >>> 5)] & (1 << (thread & 31))) !== 0;
  }

  /** The count before the bit: a thread that dies between the two leaves a block referenced too long, never too short. */
  #addReference(at: number): void {
    const { thread } = this;
    this.words[at + A_REFERENCES]++;
    if (thread < MASKED_THREADS) this.words[at + A_MASK + (thread >>> 5)] |= 1 << (thread & 31);
  }

  /** The bit before the count, for the same reason. Returns how many references are left. */
  #dropReference(at: number, thread: number): number {
    const { words } = this;
    if (thread < MASKED_THREADS) words[at + A_MASK + (thread >>> 5)] &= ~(1 << (thread & 31));
    words[at + A_REFERENCES]--;
    return words[at + A_REFERENCES];
  }

  /** Makes the count agree with the mask, where the dead thread changed one of them. A thread without a bit forbids it. */
  #recount(at: number): void {
    if (this.root[W_UNMASKED_THREADS] !== 0) return;
    let references = 0;
    for (let word = at + A_MASK; word < at + A_MASK + THREAD_MASK_WORDS; word++) {
      for (let bits = this.words[word]; bits !== 0; bits &= bits - 1) references++;
    }
    this.words[at + A_REFERENCES] = references;
  }

  #isGarbage(unit: number): boolean {
    return this.words[(unit << UNIT_WORDS_SHIFT) + A_REFERENCES] === 0 || this.blocks.stateOf(unit) === STATE_DOOMED;
  }

  #freeOrWait(unit: number, atOnce: boolean): void {
    const listed = this.words[(unit << UNIT_WORDS_SHIFT) + A_PENDING] !== 0;
    if (listed || (!atOnce && this.#isDeferring())) this.#wait(unit);
    else this.blocks.release(unit);
  }

  #isDeferring(): boolean {
    const { root } = this;
    return root[W_DEFERRALS] !== 0 || root[W_DEFERRALS + 1] !== 0;
  }

  /** Puts a block on the current epoch's list; one that is on the other's is moved when that is drained. */
  #wait(unit: number): void {
    const { root } = this;
    const at = unit << UNIT_WORDS_SHIFT;
    const listed = this.words[at + A_PENDING] !== 0;
    this.words[at + A_PENDING] = 1 + root[W_EPOCH];
    if (!listed) this.#push(unit, root[W_EPOCH]);
  }

  #push(unit: number, epoch: number): void {
    const { root } = this;
    this.words[(unit << UNIT_WORDS_SHIFT) + A_NEXT_PENDING] = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = unit;
  }

  /** Turns the epoch while the deferrals of the epoch before have all ended: twice at most, then nothing waits. */
  #advance(): void {
    const { root } = this;
    for (let turns = 0; turns < 2; turns++) {
      const other = 1 - root[W_EPOCH];
      if (root[W_DEFERRALS + other] !== 0) return;
      this.#drain(other);
      root[W_EPOCH] = other;
    }
  }

  #drain(epoch: number): void {
    const { root } = this;
    let unit = root[W_PENDING + epoch];
    root[W_PENDING + epoch] = NO_BLOCK;
    while (unit !== NO_BLOCK) {
      const at = unit << UNIT_WORDS_SHIFT;
      const next = this.words[at + A_NEXT_PENDING];
      if (this.words[at + A_PENDING] !== 1 + epoch) this.#push(unit, 1 - epoch);
      else {
        this.words[at + A_PENDING] = 0;
        if (this.#isGarbage(unit)) this.blocks.release(unit);
      }
      unit = next;
    }
  }
}
