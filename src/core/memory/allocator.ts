/**
 * The chain of blocks of the shared heap: allocate, release, rebuild; runs on every thread, under the heap's lock.
 *
 * Blocks lie without gaps from `BASE_UNITS` to `W_TOP`. The header of a block holds its size, so a walk of the chain needs the headers
 * only. Free neighbours are merged at once, and a free block at the end is given back to the top. Everything else (free lists, the size
 * of the previous block, counts) is derived from the chain.
 *
 * A thread may be terminated between any two stores. So the chain is whole after each store that changes it (I1 in the folder's
 * README); these stores are marked `commits`. `rebuild` derives everything else again.
 *
 * All accesses are plain, because the lock orders them between threads.
 */

import { clearFreeLists, findFree, insertFree, NO_BLOCK, removeFree } from './free-lists.js';
import {
  A_NEXT_PENDING,
  A_PENDING,
  BASE_UNITS,
  H_BYTES,
  H_PREVIOUS,
  H_SIZE,
  H_TAG,
  HEADER_UNITS,
  MIN_BLOCK_UNITS,
  STATE_ARRAY,
  STATE_BITS,
  STATE_BYTES,
  STATE_FREE,
  STATE_MASK,
  UNIT_WORDS_SHIFT,
  W_BLOCKS_IN_USE,
  W_FRESH,
  W_LAST,
  W_PENDING,
  W_RESERVED,
  W_TOP,
  W_UNITS_IN_USE,
} from './heap-layout.js';

export class Allocator {
  readonly #memory: { readonly words: Int32Array };
  /** Units at the start of the block allocated last that may hold old bytes. The rest of the block is zero. */
  dirtyUnits = 0;

  constructor(memory: { readonly words: Int32Array }) {
    this.#memory = memory;
  }

  /** The whole heap as words, as far as this realm sees it; growth replaces it. */
  get words(): Int32Array {
    return this.#memory.words;
  }

  /** Writes the words of an empty chain. */
  initialize(reservedUnits: number): void {
    const words = this.words;
    words[W_TOP] = BASE_UNITS;
    words[W_FRESH] = BASE_UNITS;
    words[W_RESERVED] = reservedUnits;
    clearFreeLists(words);
  }

  /** A byte block of at least `units`, header included; `NO_BLOCK` if the memory must grow first. */
  allocate(units: number, tag: number, bytes: number): number {
    const words = this.words;
    const size = units < MIN_BLOCK_UNITS ? MIN_BLOCK_UNITS : units;
    const found = findFree(words, size);
    return found === NO_BLOCK ? this.#extend(size, tag, bytes) : this.#carve(found, size, tag, bytes);
  }

  /** Turns a free block, or its lower part, into a used block. */
  #carve(unit: number, size: number, tag: number, bytes: number): number {
    const words = this.words;
    const at = unit << UNIT_WORDS_SHIFT;
    const has = words[at + H_SIZE] >>> STATE_BITS;
    removeFree(words, unit, has);
    const rest = has - size;
    let taken = has;
    if (rest >= MIN_BLOCK_UNITS) {
      taken = size;
      const restAt = (unit + size) << UNIT_WORDS_SHIFT;
      words[restAt + H_SIZE] = (rest << STATE_BITS) | STATE_FREE; // inside a free block until the commit
      words[restAt + H_PREVIOUS] = size;
      this.#setPrevious(unit + has, rest);
    }
    words[at + H_TAG] = tag;
    words[at + H_BYTES] = bytes;
    words[at + H_SIZE] = (taken << STATE_BITS) | STATE_BYTES; // commits
    if (taken !== has) insertFree(words, unit + size, rest);
    this.#count(taken, 1);
    this.dirtyUnits = taken;
    return unit;
  }

  /** Takes a block from the top, if the memory reaches that far. */
  #extend(size: number, tag: number, bytes: number): number {
    const words = this.words;
    const unit = words[W_TOP];
    const end = unit + size;
    if (end > words[W_RESERVED]) return NO_BLOCK;
    const at = unit << UNIT_WORDS_SHIFT;
    words[at + H_SIZE] = (size << STATE_BITS) | STATE_BYTES; // beyond the chain until the commit
    words[at + H_PREVIOUS] = words[W_LAST];
    words[at + H_TAG] = tag;
    words[at + H_BYTES] = bytes;
    const fresh = words[W_FRESH];
    this.dirtyUnits = fresh <= unit ? HEADER_UNITS : Math.min(fresh - unit, size);
    if (end > fresh) words[W_FRESH] = end; // before the commit: bytes in use are never taken for zero
    words[W_TOP] = end; // commits
    words[W_LAST] = size;
    this.#count(size, 1);
    return unit;
  }

  /**
   * Cuts a used block down to `units`, header included. The tail becomes a byte block with this tag, by which repair would free it, and
   * is then freed.
   */
  shrink(unit: number, units: number, tag: number): void {
    const words = this.words;
    const has = this.unitsOf(unit);
    const size = units < MIN_BLOCK_UNITS ? MIN_BLOCK_UNITS : units;
    const rest = has - size;
    if (rest < MIN_BLOCK_UNITS) return;
    const at = unit << UNIT_WORDS_SHIFT;
    const restAt = (unit + size) << UNIT_WORDS_SHIFT;
    words[restAt + H_SIZE] = (rest << STATE_BITS) | STATE_BYTES; // inside a used block until the commit
    words[restAt + H_PREVIOUS] = size;
    words[restAt + H_TAG] = tag;
    words[at + H_SIZE] = (size << STATE_BITS) | this.stateOf(unit); // commits
    this.#count(0, 1);
    this.release(unit + size);
  }

  /** Frees a used block and merges it with its neighbours. */
  release(unit: number): void {
    const words = this.words;
    let start = unit;
    let size = this.unitsOf(unit);
    this.setState(unit, STATE_FREE); // commits; a second free sees it, although the header ends up inside a merged block
    this.#count(-size, -1);
    const next = unit + size;
    if (next < words[W_TOP] && this.stateOf(next) === STATE_FREE) {
      const nextUnits = this.unitsOf(next);
      removeFree(words, next, nextUnits);
      size += nextUnits;
    }
    const previousUnits = words[(unit << UNIT_WORDS_SHIFT) + H_PREVIOUS];
    if (previousUnits !== 0 && this.stateOf(unit - previousUnits) === STATE_FREE) {
      start = unit - previousUnits;
      removeFree(words, start, previousUnits);
      size += previousUnits;
    }
    this.#setFree(start, size);
  }

  /** Makes one free block of a stretch of the chain, or gives the stretch back to the top. */
  #setFree(start: number, size: number): void {
    const words = this.words;
    const at = start << UNIT_WORDS_SHIFT;
    if (start + size === words[W_TOP]) {
      words[W_TOP] = start; // commits
      words[W_LAST] = words[at + H_PREVIOUS];
    } else {
      words[at + H_SIZE] = (size << STATE_BITS) | STATE_FREE; // commits
      this.#setPrevious(start + size, size);
      insertFree(words, start, size);
    }
  }

  /** Derives everything but the chain again, and merges free neighbours. */
  rebuild(): void {
    const words = this.words;
    clearFreeLists(words);
    words[W_UNITS_IN_USE] = 0;
    words[W_BLOCKS_IN_USE] = 0;
    words[W_PENDING] = NO_BLOCK;
    words[W_PENDING + 1] = NO_BLOCK;
    words[W_LAST] = 0;
    let unit = BASE_UNITS;
    while (unit < words[W_TOP]) {
      const at = unit << UNIT_WORDS_SHIFT;
      words[at + H_PREVIOUS] = words[W_LAST];
      let size = words[at + H_SIZE] >>> STATE_BITS;
      if (this.stateOf(unit) === STATE_FREE) {
        const top = words[W_TOP];
        while (unit + size < top && this.stateOf(unit + size) === STATE_FREE) size += this.unitsOf(unit + size);
        this.#setFree(unit, size);
        if (words[W_TOP] === unit) return;
      } else {
        this.#count(size, 1);
        this.#relink(unit);
      }
      words[W_LAST] = size;
      unit += size;
    }
  }

  /** Puts an array block that waits for the deferrals of an epoch back on that epoch's list. */
  #relink(unit: number): void {
    const words = this.words;
    const at = unit << UNIT_WORDS_SHIFT;
    if (this.stateOf(unit) < STATE_ARRAY || words[at + A_PENDING] === 0) return;
    const list = W_PENDING + words[at + A_PENDING] - 1;
    words[at + A_NEXT_PENDING] = words[list];
    words[list] = unit;
  }

  /** All blocks of the chain. A block must keep its size until the next block is asked for. */
  *units(): Generator<number> {
    for (let unit = BASE_UNITS; unit < this.words[W_TOP]; unit += this.unitsOf(unit)) yield unit;
  }

  /** The state of a block, one of `STATE_`. */
  stateOf(unit: number): number {
    return this.words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] & STATE_MASK;
  }

  /** Units of a block, header included. */
  unitsOf(unit: number): number {
    return this.words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] >>> STATE_BITS;
  }

  /** Changes the state of a used block, by one store, so that the chain stays whole. */
  setState(unit: number, state: number): void {
    const at = (unit << UNIT_WORDS_SHIFT) + H_SIZE;
    this.words[at] = (this.words[at] & ~STATE_MASK) | state; // commits
  }

  /**
   * Whether a block in use begins here, as far as its header and the next block's header tell. This catches most wrong or second calls
   * of `freeBytes`. Bytes inside a block can look like a header.
   */
  isBlock(unit: number): boolean {
    const words = this.words;
    const top = words[W_TOP];
    if (!Number.isInteger(unit) || unit < BASE_UNITS || unit >= top || this.stateOf(unit) === STATE_FREE) return false;
    const end = unit + this.unitsOf(unit);
    if (end > top) return false;
    return (end === top ? words[W_LAST] : words[(end << UNIT_WORDS_SHIFT) + H_PREVIOUS]) === this.unitsOf(unit);
  }

  #setPrevious(unit: number, size: number): void {
    if (unit === this.words[W_TOP]) this.words[W_LAST] = size;
    else this.words[(unit << UNIT_WORDS_SHIFT) + H_PREVIOUS] = size;
  }

  #count(units: number, blocks: number): void {
    this.words[W_UNITS_IN_USE] += units;
    this.words[W_BLOCKS_IN_USE] += blocks;
  }
}
