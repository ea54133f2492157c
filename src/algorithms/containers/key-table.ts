/**
 * A table of distinct numbers that threads fill at the same time; runs on every thread. A key has a *cell*, which it keeps. README.md has the protocol.
 *
 * Linear probing, in generations: when one is half full, the next has sixteen times as many cells. Nothing moves, no thread waits for another, and which
 * cell a key gets means nothing: the order of the keys follows from their hashes alone.
 *
 * ```
 * cell 0    1        2 ...              ...
 * key 0     other    generation 0  S    generation 1  S   ...     S: a stopper, which is sealed
 * ```
 *
 * What cells are made of is in number-tables.ts.
 */
import { add, compareExchange, load, store } from '../../core/memory/atomics.js';

/** The two cells of keys that look like free and sealed cells. */
const SPECIALS = 2;
/** Cells after a generation, for keys whose cells are at its end; the last one is sealed. */
const BEYOND = 64;
/** No cell: what `findFrom` gives where it comes to a seal. */
const SEALED = -2;
/** Few generations, because a new key looks into each of them: sets of 1,000,000 took 1.9 times as long when each was four times the one before. */
const BITS_EACH = 4;
/** The least logarithm of the cells of generation 0. */
const FIRST_BITS = 10;
/** Keys are counted in several words, on cache lines of their own, so that threads rarely meet there. */
const STRIPES = 16;
const LINE_WORDS = 16;
/** The word in which this thread counts. Threads that have the same one are slower, no more. */
const STRIPE = Math.floor(Math.random() * STRIPES);
/** Smaller generations are counted in one word. */
const STRIPED_BITS = 14;
/** Shares of a generation (logarithm): a thread that has counted so many more keys looks whether it is half full. With 16 stripes, the first who sees it finds at most 5/8. */
const LOOK_BITS = 7;

// Words of the state.
/** The generation that takes new keys. */
const W_NEWEST = 0;
/** Flags for the presence of the special keys: two words. */
const W_SPECIALS = 1;
/** Counts of keys: `STRIPES` lines for each generation. */
const W_COUNTS = LINE_WORDS;

/** The generations of a table for so many keys. */
export interface TableShape {
  readonly maxSize: number;
  /** The logarithm of the cells of generation 0. */
  readonly firstBits: number;
  /** The generation that has room for all keys. */
  readonly last: number;
}

export function shapeFor(maxSize: number, leastBits = FIRST_BITS): TableShape {
  const bits = Math.max(leastBits, 33 - Math.clz32(maxSize - 1)); // twice as many cells
  const last = Math.floor((bits - leastBits) / BITS_EACH);
  return { maxSize, firstBits: bits - BITS_EACH * last, last };
}

/** Start of a generation. */
export const startOf = ({ firstBits }: TableShape, generation: number): number =>
  SPECIALS +
  generation * BEYOND +
  ((((1 << (firstBits + BITS_EACH * generation)) - (1 << firstBits)) / ((1 << BITS_EACH) - 1)) | 0);

/** End of a generation; of the last one, the number of cells. */
export const endOf = (shape: TableShape, generation: number): number =>
  startOf(shape, generation) + (1 << (shape.firstBits + BITS_EACH * generation)) + BEYOND;

export const stateWords = ({ last }: TableShape): number => W_COUNTS + (last + 1) * STRIPES * LINE_WORDS;

/** Its fields travel. */
export abstract class KeyTable implements TableShape {
  readonly maxSize: number;
  readonly firstBits: number;
  readonly last: number;
  readonly words: Int32Array;

  constructor({ maxSize, firstBits, last }: TableShape, words: Int32Array) {
    this.maxSize = maxSize;
    this.firstBits = firstBits;
    this.last = last;
    this.words = words;
  }

  /** The hash of what a cell holds, whose upper bits depend on all of its bits. */
  protected abstract hashOf(held: number): number;
  /** 0 or 1 for a key that looks like a free or a sealed cell; -1 for all others. @throws TypeError, RangeError for what is no key */
  protected abstract specialOf(key: number): number;
  /** The content of a cell that has this key. */
  protected abstract heldFor(key: number): number;
  /** The key of a cell with this content. */
  protected abstract keyOf(held: number): number;
  /**
   * Reads what a cell holds: 0 if it is free. K2: plain, because a cell changes once, and `tryTake` shows whoever has read it too
   * early.
   */
  protected abstract read(cell: number): number;
  protected abstract isSeal(held: number): boolean;
  /** K1: a free cell gets a key. False if another thread was first. */
  protected abstract tryTake(cell: number, held: number): boolean;
  /** K1: a free cell gets a seal. False if another thread was first. */
  protected abstract trySeal(cell: number): boolean;
  /** Makes cells [from, to) free. */
  protected abstract free(from: number, to: number): void;
  /** The key of special cell 1. */
  protected abstract readonly specialKey: number;

  /** Seals the stopper of each generation. */
  protected sealStoppers(): void {
    for (let g = 0; g <= this.last; g++) this.trySeal(endOf(this, g) - 1);
  }

  private cellIn(generation: number, hash: number): number {
    return startOf(this, generation) + (hash >>> (32 - this.firstBits - BITS_EACH * generation));
  }

  /** The cell of a key; -1 if it has none. */
  find(key: number): number {
    const special = this.specialOf(key);
    if (special >= 0) return load(this.words, W_SPECIALS + special) === 1 ? special : -1; // K3
    const held = this.heldFor(key);
    const hash = this.hashOf(held);
    for (let g = this.words[W_NEWEST] as number; g >= 0; g--) {
      const cell = this.findIn(g, held, hash);
      if (cell >= 0) return cell;
    }
    return -1;
  }

  /** As `find`, in one generation. */
  private findIn(g: number, held: number, hash: number): number {
    const cell = this.findFrom(this.cellIn(g, hash), held);
    return cell === SEALED && g === this.last ? this.findFrom(startOf(this, g), held) : cell; // K5
  }

  /** As `find`, from a cell on; -1, or `SEALED` where its place is sealed. */
  private findFrom(from: number, held: number): number {
    for (let cell = from; ; cell++) {
      const found = this.read(cell);
      if (found === held) return cell;
      if (found === 0) return -1;
      if (this.isSeal(found)) return SEALED;
    }
  }

  /**
   * Puts a key into the table.
   *
   * @returns its cell if this call has put it there, -1 - cell if it was there
   * @throws RangeError when the table is full
   */
  insert(key: number): number {
    const special = this.specialOf(key);
    if (special >= 0) return compareExchange(this.words, W_SPECIALS + special, 0, 1) === 0 ? special : -1 - special; // K3
    const held = this.heldFor(key);
    const hash = this.hashOf(held);
    const newest = this.words[W_NEWEST] as number; // K4: plain
    if (newest > 0) {
      const there = this.findIn(newest, held, hash);
      if (there >= 0) return -1 - there;
    }
    for (let g = 0; ; g++) {
      const cell = this.insertIn(g, held, hash);
      if (cell !== 0) return cell;
      if (g === load(this.words, W_NEWEST)) this.grow(g);
    }
  }

  /** As `insert`, in one generation; 0 where the key's place is sealed. */
  private insertIn(g: number, held: number, hash: number): number {
    const cell = this.insertFrom(g, this.cellIn(g, hash), held);
    return cell === 0 && g === this.last ? this.insertFrom(g, startOf(this, g), held) : cell; // K5
  }

  /** As `insertIn`, from a cell on. */
  private insertFrom(g: number, from: number, held: number): number {
    for (let cell = from; ; ) {
      const found = this.read(cell);
      if (found === held) return -1 - cell;
      if (this.isSeal(found)) return 0;
      if (found !== 0) cell++;
      else if (g < (this.words[W_NEWEST] as number)) {
        // K4: plain
        if (this.trySeal(cell)) return 0; // no key comes here any more
      } else if (this.tryTake(cell, held)) {
        this.count(g);
        return cell;
      }
    }
  }

  private cellsOf(generation: number): number {
    return 1 << (this.firstBits + BITS_EACH * generation);
  }

  /** Counts a key that this thread has put into a generation. */
  private count(g: number): void {
    const cells = this.cellsOf(g);
    const stripe = cells < 1 << STRIPED_BITS ? 0 : STRIPE;
    const count = add(this.words, W_COUNTS + (g * STRIPES + stripe) * LINE_WORDS, 1) + 1;
    const isLooking = (count & (Math.max(1, cells >> LOOK_BITS) - 1)) === 0;
    if (isLooking && g < this.last && 2 * this.keysIn(g) > cells) this.grow(g);
  }

  /** Number of keys in a generation, without the special ones. */
  private keysIn(g: number): number {
    let keys = 0;
    for (let stripe = 0; stripe < STRIPES; stripe++)
      keys += load(this.words, W_COUNTS + (g * STRIPES + stripe) * LINE_WORDS);
    return keys;
  }

  /** K4. @throws RangeError if the generation is the last one */
  private grow(g: number): void {
    if (g < this.last) compareExchange(this.words, W_NEWEST, g, g + 1);
    else
      throw new RangeError(
        `furcate: a shared table is full: it has room for ${this.maxSize} keys. Make it with a greater maxSize.`,
      );
  }

  /** Number of keys. */
  get size(): number {
    let size = load(this.words, W_SPECIALS) + load(this.words, W_SPECIALS + 1);
    for (let g = load(this.words, W_NEWEST); g >= 0; g--) size += this.keysIn(g);
    return size;
  }

  /** The key of a cell that has one. */
  keyAt(cell: number): number {
    return cell >= SPECIALS ? this.keyOf(this.read(cell)) : cell === 0 ? 0 : this.specialKey;
  }

  /** The cells of all keys, in the order of their hashes. No thread may put keys into the table meanwhile. */
  inOrder(): Uint32Array {
    const ordered = new Uint32Array(this.size);
    let end = 0;
    for (let special = 0; special < SPECIALS; special++)
      if (load(this.words, W_SPECIALS + special) === 1) ordered[end++] = special;
    const begin = end;
    for (let g = load(this.words, W_NEWEST); g >= 0; g--) {
      const middle = end;
      end = this.collect(g, ordered, end, false);
      this.merge(ordered, begin, middle, end);
    }
    const middle = end;
    end = this.collect(this.last, ordered, end, true);
    this.merge(ordered, begin, middle, end);
    return ordered;
  }

  /**
   * Collects the cells of a generation. They are nearly in order: a key is a few cells behind its hash.
   *
   * @param isRest whether those before the first free cell whose hash is that of a cell behind it (K5), or all others
   */
  private collect(g: number, ordered: Uint32Array, from: number, isRest: boolean): number {
    let end = from;
    let isFree = g < this.last;
    for (let cell = startOf(this, g); cell < endOf(this, g); cell++) {
      const key = this.read(cell);
      isFree ||= key === 0;
      if (isFree && isRest) break;
      if (key === 0 || this.isSeal(key)) continue;
      if (!isFree && this.cellIn(g, this.hashOf(key)) > cell !== isRest) continue;
      let at = end++;
      for (; at > from && this.isBefore(cell, ordered[at - 1] as number); at--) ordered[at] = ordered[at - 1] as number;
      ordered[at] = cell;
    }
    return end;
  }

  /** Merges cells [from, middle) and [middle, to), the fewer of which are behind. */
  private merge(ordered: Uint32Array, from: number, middle: number, to: number): void {
    const behind = ordered.slice(middle, to);
    let [left, right] = [middle - 1, behind.length - 1];
    for (let at = to - 1; right >= 0; at--) {
      const isLeft = left >= from && this.isBefore(behind[right] as number, ordered[left] as number);
      ordered[at] = (isLeft ? ordered[left--] : behind[right--]) as number;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [heldA, heldB] = [this.read(a), this.read(b)];
    const order = (this.hashOf(heldA) >>> 0) - (this.hashOf(heldB) >>> 0);
    return order === 0 ? heldA < heldB : order < 0;
  }

  /** End of the cells that were used. */
  get end(): number {
    return endOf(this, load(this.words, W_NEWEST));
  }

  /** Removes all keys. No other thread may use the table meanwhile. */
  clear(): void {
    this.free(0, this.end);
    for (let word = 0; word < stateWords(this); word++) store(this.words, word, 0);
    this.sealStoppers();
  }
}
