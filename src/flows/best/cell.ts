/**
 * A value and its solution in shared memory, which change together; runs on every thread. README.md has the protocol.
 *
 * ```
 * word  0         1      2 .. 15   16 ..
 *       current   free   -         slots: | value, 2 words | is there one? | solution | up to a multiple of 16 words
 * ```
 *
 * One slot is current. Whoever has something better fills a slot of its own and makes it the current one by one compare-and-swap. So nobody
 * ever waits for a thread that was interrupted, or has died, in the middle of an offer.
 */
import { compareExchange, load, or, store } from '../../core/memory/atomics.js';

/** The current slot, and how often it has changed: version << SLOT_BITS | slot. */
export const W_CURRENT = 0;
/** One bit for each slot that nobody holds. */
export const W_FREE = 1;
const W_SLOTS = 16;
/** More slots than threads that offer at the same time; the others wait for one. A thread that dies in the middle of an offer keeps its slot. */
export const SLOT_BITS = 5;
const SLOTS = 1 << SLOT_BITS;
const SLOT_MASK = SLOTS - 1;
const S_VALUE = 0;
const S_EXISTS = 2;
const S_SOLUTION = 3;
const ALIGNMENT = 16;

/** Number of looks of a thread for a free slot before it gives up: minutes. Only dead threads keep slots for so long. */
const PATIENCE = 1e9;

/**
 * Number of reads of the value that look at `W_CURRENT` plainly before one looks atomically, for engines that move plain reads out of loops
 * (B4).
 */
const PLAIN_LOOKS = 100;

/** A double as two words, and back. */
const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

const slotWords = (length: number): number => Math.ceil((S_SOLUTION + length) / ALIGNMENT) * ALIGNMENT;

/** @param length of a solution (words) */
export const cellWords = (length: number): number => W_SLOTS + SLOTS * slotWords(length);

const slotAt = (current: number, length: number): number => W_SLOTS + (current & SLOT_MASK) * slotWords(length);

/** Prepares words that are zero: slot 0 is current, with a value and no solution. */
export function openCell(words: Int32Array, initial: number): void {
  writeValue(words, W_SLOTS, initial);
  store(words, W_FREE, ~1); // all but slot 0
}

function writeValue(words: Int32Array, slot: number, value: number): void {
  double[0] = value;
  store(words, slot + S_VALUE, halves[0] as number);
  store(words, slot + S_VALUE + 1, halves[1] as number);
}

function readValue(words: Int32Array, slot: number): number {
  const low = load(words, slot + S_VALUE); // before the halves are written to: two words that belong together
  halves[1] = load(words, slot + S_VALUE + 1);
  halves[0] = low;
  return double[0] as number;
}

/** The value that this thread has read last, and where. It is right while that slot is current. `looks` is how many plain looks are left (B4). */
const seen = { words: undefined as Int32Array | undefined, current: 0, value: Number.NaN, looks: 0 };

/** One plain look, unless the value has changed. */
export function bestValue(words: Int32Array, length: number): number {
  return words[W_CURRENT] === seen.current && words === seen.words && seen.looks-- > 0 // B4
    ? seen.value
    : freshValue(words, length);
}

function freshValue(words: Int32Array, length: number): number {
  for (;;) {
    const current = load(words, W_CURRENT);
    const value = readValue(words, slotAt(current, length));
    if (load(words, W_CURRENT) !== current) continue; // B2: the slot may have been written to
    seen.words = words;
    seen.current = current;
    seen.value = value;
    seen.looks = PLAIN_LOOKS;
    return value;
  }
}

/** The solution of the current value; undefined if nothing was offered. */
export function solutionOf(words: Int32Array, length: number): Int32Array | undefined {
  const found = new Int32Array(length);
  for (;;) {
    const current = load(words, W_CURRENT);
    const slot = slotAt(current, length);
    const exists = load(words, slot + S_EXISTS) !== 0;
    for (let k = 0; k < length; k++) found[k] = load(words, slot + S_SOLUTION + k);
    if (load(words, W_CURRENT) === current) return exists ? found : undefined; // B2
  }
}

/**
 * Makes a value and its solution the current ones, if they are better.
 *
 * @param sign 1 if less is better, -1 if more is
 * @returns whether they were
 */
export function offer(words: Int32Array, value: number, solution: ArrayLike<number>, sign: number): boolean {
  const { length } = solution;
  let mine = -1;
  for (;;) {
    const current = load(words, W_CURRENT);
    const isBetter = beats(words, slotAt(current, length), value, solution, sign);
    if (load(words, W_CURRENT) !== current) continue; // B2
    if (!isBetter) {
      if (mine >= 0) release(words, mine);
      return false;
    }
    if (mine < 0) {
      mine = claim(words);
      fill(words, slotAt(mine, length), value, solution);
    }
    const next = (((current >>> SLOT_BITS) + 1) << SLOT_BITS) | mine;
    if (compareExchange(words, W_CURRENT, current, next) !== current) continue; // B1
    release(words, current & SLOT_MASK); // B3: after it is current no more
    return true;
  }
}

function beats(words: Int32Array, slot: number, value: number, solution: ArrayLike<number>, sign: number): boolean {
  const there = readValue(words, slot);
  if (value !== there) return sign * (value - there) < 0;
  if (load(words, slot + S_EXISTS) === 0) return true; // as good as what is known, of which there is no solution
  for (let k = 0; k < solution.length; k++) {
    const word = load(words, slot + S_SOLUTION + k);
    if (solution[k] !== word) return (solution[k] as number) < word;
  }
  return false;
}

function fill(words: Int32Array, slot: number, value: number, solution: ArrayLike<number>): void {
  writeValue(words, slot, value);
  for (let k = 0; k < solution.length; k++) store(words, slot + S_SOLUTION + k, solution[k] as number);
  store(words, slot + S_EXISTS, 1);
}

/** Takes a slot that nobody holds. */
function claim(words: Int32Array): number {
  for (let looks = 0; looks < PATIENCE; looks++) {
    const free = load(words, W_FREE);
    const lowest = free & -free;
    if (lowest !== 0 && compareExchange(words, W_FREE, free, free & ~lowest) === free) return 31 - Math.clz32(lowest);
  }
  throw new Error(
    'furcate: offer() of a sharedBest() found no place to write to: too many workers have died in the middle of offers. Make another sharedBest().',
  );
}

const release = (words: Int32Array, slot: number): void => void or(words, W_FREE, 1 << slot);
