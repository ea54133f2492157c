/**
 * The chain of blocks of the shared heap, and the lists of its free blocks: allocate, release, rebuild; runs on every thread, under the
 * heap's lock.
 *
 * Blocks lie without gaps from `BASE_UNITS` to `W_TOP`. The header of a block holds its size, so a walk of the chain needs the headers
 * only. Free neighbours are merged at once, and a free block at the end is given back to the top. Everything else (free lists, the size
 * of the previous block, counts) is derived from the chain.
 *
 * A thread may be terminated between any two stores. So the chain is whole after each store that changes it (I1 in the folder's
 * README); these stores are marked `commits`. `rebuild` derives everything else again.
 *
 * The lists are a two-level segregated fit (Masmano, Ripoll, Crespo and Real 2004): below 64 units (1 KiB) every size has a list of its
 * own; above, every power of two is cut into 16. A bitmap tells the next list that is not empty. Unlike TLSF, a request first searches
 * its own list for the best fit. TLSF rounds the size up, so it never gives back a block that was just freed, which is still in the
 * caches.
 *
 * All accesses are plain, because the lock orders them between threads.
 */

import {
  A_NEXT_PENDING,
  A_PENDING,
  BASE_UNITS,
  BIN_COUNT,
  BIN_MAP_WORDS,
  H_BYTES,
  H_NEXT_FREE,
  H_PREVIOUS,
  H_PREVIOUS_FREE,
  H_SIZE,
  H_TAG,
  HEADER_UNITS,
  MIN_BLOCK_UNITS,
  NO_BLOCK,
  PINNED,
  STATE_ARRAY,
  STATE_BITS,
  STATE_BYTES,
  STATE_FREE,
  STATE_MASK,
  UNIT_WORDS_SHIFT,
  W_BIN_MAP,
  W_BINS,
  W_BLOCKS_IN_USE,
  W_FRESH,
  W_PENDING,
  W_RESERVED,
  W_TOP,
  W_UNITS_IN_USE,
} from './heap-layout.js';

/** Sizes below this have a list each, in units. */
const EXACT_UNITS = 64;
const EXACT_LOG2 = 6;
/** Lists in each power of two above, as a shift. */
const SPLIT_LOG2 = 4;
/** Blocks of a list that a request looks at for the best fit. */
const PROBES = 16;

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

  /** A byte block of at least `units`, header included; `NO_BLOCK` if the memory must grow first. */
  allocate(units: number, tag: number, bytes: number): number {
    const words = this.words;
    const size = units < MIN_BLOCK_UNITS ? MIN_BLOCK_UNITS : units;
    const unit = findFree(words, size);
    if (unit === NO_BLOCK) return this.#extend(size, tag, bytes);
    const has = this.unitsOf(unit);
    removeFree(words, unit, has);
    this.#use(unit, has, tag, bytes);
    this.shrink(unit, size);
    this.dirtyUnits = this.unitsOf(unit);
    return unit;
  }

  /** Takes a block from the top, if the memory reaches that far and has room for the header after it. */
  #extend(size: number, tag: number, bytes: number): number {
    const words = this.words;
    const unit = words[W_TOP];
    const end = unit + size;
    if (end >= words[W_RESERVED]) return NO_BLOCK;
    const fresh = words[W_FRESH];
    this.dirtyUnits = Math.min(fresh - unit, size);
    if (end + HEADER_UNITS > fresh) words[W_FRESH] = end + HEADER_UNITS; // before the commit: bytes in use are never taken for zero
    this.#use(unit, size, tag, bytes);
    words[W_TOP] = end; // commits
    return unit;
  }

  /** Writes the header of a block in use, which is in the chain already, or is about to become its end. */
  #use(unit: number, size: number, tag: number, bytes: number): void {
    const words = this.words;
    const at = unit << UNIT_WORDS_SHIFT;
    words[at + H_TAG] = tag;
    words[at + H_BYTES] = bytes;
    words[at + H_SIZE] = (size << STATE_BITS) | STATE_BYTES; // commits
    this.#setPrevious(unit + size, size);
    this.#count(size, 1);
  }

  /** Cuts a used block down to `units`, header included, and frees its tail. */
  shrink(unit: number, units: number): void {
    const words = this.words;
    const size = units < MIN_BLOCK_UNITS ? MIN_BLOCK_UNITS : units;
    const rest = this.unitsOf(unit) - size;
    if (rest < MIN_BLOCK_UNITS) return;
    words[((unit + size) << UNIT_WORDS_SHIFT) + H_SIZE] = (rest << STATE_BITS) | STATE_FREE; // inside a used block until the commit
    this.#setPrevious(unit + size, size);
    words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] = (size << STATE_BITS) | this.stateOf(unit); // commits
    this.#count(-rest, 0);
    this.#setFree(unit + size, rest);
  }

  /** Frees a used block and merges it with its neighbours. */
  release(unit: number): void {
    const words = this.words;
    let size = this.unitsOf(unit);
    this.setState(unit, STATE_FREE); // commits; a second free sees it, although the header ends up inside a merged block
    this.#count(-size, -1);
    const before = words[(unit << UNIT_WORDS_SHIFT) + H_PREVIOUS];
    if (before !== 0 && this.stateOf(unit - before) === STATE_FREE) {
      removeFree(words, unit - before, before);
      unit -= before;
      size += before;
    }
    this.#setFree(unit, size);
  }

  /** Makes one free block of a stretch of the chain and the free block after it, or gives them back to the top. */
  #setFree(unit: number, size: number): void {
    const words = this.words;
    const next = unit + size;
    if (next < words[W_TOP] && this.stateOf(next) === STATE_FREE) {
      removeFree(words, next, this.unitsOf(next));
      size += this.unitsOf(next);
    }
    if (unit + size === words[W_TOP]) {
      words[W_TOP] = unit; // commits
    } else {
      words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] = (size << STATE_BITS) | STATE_FREE; // commits
      this.#setPrevious(unit + size, size);
      insertFree(words, unit, size);
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
    let unit = BASE_UNITS;
    let previous = 0;
    while (unit < words[W_TOP]) {
      this.#setPrevious(unit, previous);
      let size = this.unitsOf(unit);
      if (this.stateOf(unit) === STATE_FREE) {
        const top = words[W_TOP];
        while (unit + size < top && this.stateOf(unit + size) === STATE_FREE) size += this.unitsOf(unit + size);
        this.#setFree(unit, size);
        if (words[W_TOP] === unit) return;
      } else {
        this.#count(size, 1);
        this.#relink(unit);
      }
      previous = size;
      unit += size;
    }
    this.#setPrevious(unit, previous);
  }

  /** Puts an array block that waits for the deferrals of an epoch back on that epoch's list. */
  #relink(unit: number): void {
    const words = this.words;
    const at = unit << UNIT_WORDS_SHIFT;
    if (this.stateOf(unit) < STATE_ARRAY || words[at + A_PENDING] === 0 || words[at + A_PENDING] === PINNED) return;
    const list = W_PENDING + words[at + A_PENDING] - 1;
    words[at + A_NEXT_PENDING] = words[list];
    words[list] = unit;
  }

  /** All blocks of the chain. Each may be released before the next one is asked for: the header of the next stays, even if merged. */
  *units(): Generator<number> {
    for (let unit = BASE_UNITS, next = unit; unit < this.words[W_TOP]; unit = next) {
      next = unit + this.unitsOf(unit);
      yield unit;
    }
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
   * Checks whether a block in use begins here, as far as its header and the next block's header tell. This catches most wrong or
   * second calls of `freeBytes`. Bytes inside a block can look like a header.
   */
  isBlock(unit: number): boolean {
    const top = this.words[W_TOP];
    if (!Number.isInteger(unit) || unit < BASE_UNITS || unit >= top || this.stateOf(unit) === STATE_FREE) return false;
    const size = this.unitsOf(unit);
    return unit + size <= top && this.words[((unit + size) << UNIT_WORDS_SHIFT) + H_PREVIOUS] === size;
  }

  /** Tells a block, or the end of the chain, the size of the block before it. */
  #setPrevious(unit: number, size: number): void {
    this.words[(unit << UNIT_WORDS_SHIFT) + H_PREVIOUS] = size;
  }

  #count(units: number, blocks: number): void {
    this.words[W_UNITS_IN_USE] += units;
    this.words[W_BLOCKS_IN_USE] += blocks;
  }
}

/** The list for blocks of this size. */
export function binOf(units: number): number {
  if (units < EXACT_UNITS) return units;
  const log2 = 31 - Math.clz32(units);
  const part = (units >>> (log2 - SPLIT_LOG2)) & ((1 << SPLIT_LOG2) - 1);
  return EXACT_UNITS + ((log2 - EXACT_LOG2) << SPLIT_LOG2) + part;
}

/** Empties every list. */
export function clearFreeLists(words: Int32Array): void {
  words.fill(0, W_BIN_MAP, W_BIN_MAP + BIN_MAP_WORDS);
  words.fill(NO_BLOCK, W_BINS, W_BINS + BIN_COUNT);
}

/** Puts a free block, whose header is written, at the head of its list: the last one freed is the warmest. */
export function insertFree(words: Int32Array, unit: number, units: number): void {
  const bin = binOf(units);
  const head = words[W_BINS + bin];
  const at = unit << UNIT_WORDS_SHIFT;
  words[at + H_NEXT_FREE] = head;
  words[at + H_PREVIOUS_FREE] = NO_BLOCK;
  words[W_BINS + bin] = unit;
  if (head !== NO_BLOCK) words[(head << UNIT_WORDS_SHIFT) + H_PREVIOUS_FREE] = unit;
  else words[W_BIN_MAP + (bin >>> 5)] |= 1 << (bin & 31);
}

/** Takes a free block out of its list. */
export function removeFree(words: Int32Array, unit: number, units: number): void {
  const at = unit << UNIT_WORDS_SHIFT;
  const next = words[at + H_NEXT_FREE];
  const previous = words[at + H_PREVIOUS_FREE];
  if (next !== NO_BLOCK) words[(next << UNIT_WORDS_SHIFT) + H_PREVIOUS_FREE] = previous;
  if (previous !== NO_BLOCK) {
    words[(previous << UNIT_WORDS_SHIFT) + H_NEXT_FREE] = next;
    return;
  }
  const bin = binOf(units);
  words[W_BINS + bin] = next;
  if (next === NO_BLOCK) words[W_BIN_MAP + (bin >>> 5)] &= ~(1 << (bin & 31));
}

/** Finds a free block of at least `units`, close to the best fit, or `NO_BLOCK`. It stays in its list. */
export function findFree(words: Int32Array, units: number): number {
  let best = NO_BLOCK;
  let bestUnits = 0;
  for (let bin = nextBin(words, binOf(units)); bin >= 0 && best === NO_BLOCK; bin = nextBin(words, bin + 1)) {
    let unit = words[W_BINS + bin];
    for (let probes = PROBES; unit !== NO_BLOCK && probes > 0; probes--) {
      const at = unit << UNIT_WORDS_SHIFT;
      const has = words[at + H_SIZE] >>> STATE_BITS;
      if (has === units) return unit;
      if (has > units && (best === NO_BLOCK || has < bestUnits)) {
        best = unit;
        bestUnits = has;
      }
      unit = words[at + H_NEXT_FREE];
    }
  }
  return best;
}

/** The first list from `bin` on that is not empty, or -1. */
function nextBin(words: Int32Array, bin: number): number {
  let mask = -1 << (bin & 31);
  for (let mapWord = bin >>> 5; mapWord < BIN_MAP_WORDS; mapWord++) {
    const bits = words[W_BIN_MAP + mapWord] & mask;
    if (bits !== 0) return (mapWord << 5) + 31 - Math.clz32(bits & -bits); // the lowest bit
    mask = -1;
  }
  return -1;
}
