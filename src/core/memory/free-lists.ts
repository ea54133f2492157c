/**
 * The free blocks of the shared heap, in lists by size; runs on every thread, under the heap's lock.
 *
 * Two-level segregated fit (Masmano, Ripoll, Crespo and Real 2004): below 64 units (1 KiB) every size has a list of its
 * own; above, every power of two is cut into 16. A bitmap tells the next list that is not empty.
 * Unlike TLSF, a request first searches its own list for the best fit. TLSF rounds the size up, so it never gives back a block that was
 * just freed, which is still in the caches.
 *
 * The lists are derived from the chain of headers: repair empties them and fills them again.
 */

import {
  BIN_COUNT,
  BIN_MAP_WORDS,
  H_NEXT_FREE,
  H_PREVIOUS_FREE,
  H_SIZE,
  STATE_BITS,
  UNIT_WORDS_SHIFT,
  W_BIN_MAP,
  W_BINS,
} from './heap-layout.js';

/** Sizes below this have a list each, in units. */
const EXACT_UNITS = 64;
const EXACT_LOG2 = 6;
/** Lists in each power of two above, as a shift. */
const SPLIT_LOG2 = 4;
/** Blocks of its own list that a request looks at. */
const OWN_LIST_PROBES = 32;
/** Blocks of a larger list that a request looks at. Every block of such a list fits. */
const LARGER_LIST_PROBES = 8;

/** No block: unit 0 is the root page. */
export const NO_BLOCK = 0;

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
  const bin = binOf(units);
  const own = bestOf(words, words[W_BINS + bin], units, OWN_LIST_PROBES);
  if (own !== NO_BLOCK) return own;
  const larger = nextBin(words, bin + 1);
  return larger < 0 ? NO_BLOCK : bestOf(words, words[W_BINS + larger], units, LARGER_LIST_PROBES);
}

/** The smallest block that fits among the first `probes` of a list. */
function bestOf(words: Int32Array, head: number, units: number, probes: number): number {
  let best = NO_BLOCK;
  let bestUnits = 0;
  for (let unit = head; unit !== NO_BLOCK && probes > 0; probes--) {
    const at = unit << UNIT_WORDS_SHIFT;
    const has = words[at + H_SIZE] >>> STATE_BITS;
    if (has === units) return unit;
    if (has > units && (best === NO_BLOCK || has < bestUnits)) {
      best = unit;
      bestUnits = has;
    }
    unit = words[at + H_NEXT_FREE];
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
