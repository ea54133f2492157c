/**
 * Ranges by which the lanes of one stage share its units; runs on every thread that computes.
 *
 * The units of a stage are numbered as at most 65,535 tiles of equal size. Each lane (one for each thread that may take part)
 * has a range of tiles in ONE 32-bit word. The owner of a lane claims tiles from the front of its range. When the range is
 * empty, the owner becomes a thief: it takes the back half of the fullest range. So a stage needs no fork for each part of the
 * work.
 *
 *     word        0          32         64         ..
 *     holds       LEAST      lane 0     lane 1     ..
 *     lane, +0    RANGE      lo | hi << 16: tiles [lo, hi), which nobody has claimed; empty if lo == hi
 *     lane, +1    FAILED     the least tile that failed in this lane, or NO_TILE
 *
 * | word   | written by                                      | read by   | access                        |
 * | ------ | ----------------------------------------------- | --------- | ----------------------------- |
 * | RANGE  | the owner; a thief, while there are tiles in it | all       | compareExchange, store (O1)   |
 * | FAILED | the owner                                       | the root  | plain: the root reads it after it has joined the lane |
 * | LEAST  | all                                             | all       | compareExchange, load         |
 *
 * - **I1** Only the owner raises `lo`, or writes a range into an empty word. A thief only lowers `hi`, and only in a word that
 *   it has seen with tiles in it.
 * - **I2** A tile is in one range, or in the hands of one thief between its `compareExchange` and its `store`, or claimed. A
 *   claimed tile stays claimed. So no tile is claimed twice.
 * - **I3** A lane returns only when its own range is empty, and only its owner can fill that range again. So when all lanes have
 *   returned, every tile was claimed, and by I2 once.
 * - **I4** LEAST only falls. A lane runs a claimed tile unless LEAST is less. So all tiles before the final LEAST were run, and
 *   the least tile that fails is LEAST.
 *
 * **O1** The thief lowers the victim's `hi` before it stores the range into its own word. In the other order a tile would be in
 * two ranges. The store needs no compareExchange, because no thief writes to an empty word (I1).
 *
 * *ABA*: a word may return to an earlier value, when a lane steals back what was stolen from it. This is harmless, because the
 * word is all that there is to know about a range: a thread that exchanges the value [lo, hi) finds exactly these tiles
 * unclaimed, whatever happened in between. All lanes of a stage are joined before the words serve the next stage, so no thread
 * holds a value of another stage.
 *
 * *When an operation takes effect*: a claim and a steal at their `compareExchange`.
 *
 * *Progress*: lock-free. An exchange fails only if another thread's has succeeded, and each successful exchange of a range claims
 * a tile: a thief claims the first tiles of what it takes by the same exchange, so other thieves can take only the rest from it.
 * A lane that looks while the last tiles are in the hands of a thief returns early; the thief runs these tiles.
 *
 * Rejected: one shared counter for a stage (each claim takes the cache line from another core, and neighbours in memory go to
 * different threads); 64-bit words (`BigInt64Array` atomics take six times as long); a tree of forks, which took V8 29 ms of
 * compiling in each of the calls 2 to 10 of a sum; a thief that stores all that it takes and claims it in a second step (lanes
 * that are preempted between the two steps could take the last tile from each other without end).
 *
 * Source: the ranges of parallel loops in libgomp and OpenMP "static-steal"; stealing halves is Cilk's.
 * Checked by: test/model (ranges), test/property/algorithms/ranges.test.ts.
 */
import { compareExchange, load, store } from '../../core/memory/atomics.js';

/** Distance between the words of two lanes (words): two cache lines, because processors fetch lines in pairs. */
const LANE_WORDS = 32;

const W_LEAST = 0;
const W_RANGE = 0;
const W_FAILED = 1;

/** Most tiles of a stage. */
export const MAX_TILES = 65_535;

/** More than any tile or block (partition.ts) has for a number: nothing has failed. */
export const NO_TILE = 0x7fffffff;

/** An empty range: what `claim` and `steal` return when there is nothing left. */
export const NONE = 0;

/** A claim takes at most 1/4 of a range; the rest is left to thieves. */
const CLAIM_DIVISOR = 4;

/** A claim takes at least 1/2^5 of what the cost asks for, so that the end of a range is not claimed tile by tile. */
const LEAST_CLAIM_SHIFT = 5;

/** Words that a stage with so many lanes needs. */
export const rangeWords = (lanes: number): number => (lanes + 1) * LANE_WORDS;

/** Number of lanes that these words are for. */
export const lanesIn = (words: Int32Array): number => words.length / LANE_WORDS - 1;

/** The first tile of a range, and the tile after its last. */
export const firstOf = (range: number): number => range & 0xffff;
export const endOf = (range: number): number => range >>> 16;

const laneWord = (lane: number): number => (lane + 1) * LANE_WORDS;
const rangeOf = (lo: number, hi: number): number => lo | (hi << 16);

/**
 * Gives each of `lanes` lanes an equal share of tiles [first, end), and all further lanes an empty range. Called before any lane
 * runs.
 *
 * @param end at most `MAX_TILES`
 * @param together shares begin at multiples of so many tiles, where there are enough tiles
 */
export function shareOut(words: Int32Array, first: number, end: number, lanes: number, together: number): void {
  store(words, W_LEAST, NO_TILE);
  let lo = first;
  for (let lane = 0; lane < lanesIn(words); lane++) {
    const hi = lane >= lanes - 1 ? end : aligned(lo, first + Math.ceil(((lane + 1) * (end - first)) / lanes), together);
    words[laneWord(lane) + W_FAILED] = NO_TILE; // plain: the lanes are forked later
    store(words, laneWord(lane) + W_RANGE, rangeOf(lo, hi));
    lo = hi;
  }
}

/** `at`, or the last multiple of `together` before it if that is greater than `lo`. */
function aligned(lo: number, at: number, together: number): number {
  const multiple = at - (at % together);
  return multiple > lo ? multiple : at;
}

/** End of a claim from the front of [lo, hi). */
function claimEnd(lo: number, hi: number, wanted: number, together: number): number {
  const fair = Math.max(Math.ceil((hi - lo) / CLAIM_DIVISOR), wanted >>> LEAST_CLAIM_SHIFT);
  return aligned(lo, Math.min(hi, lo + Math.min(wanted, fair)), together);
}

/**
 * Claims tiles from the front of a lane's range. For the lane's owner.
 *
 * @param wanted most tiles, according to the cost; fewer are claimed where that would leave little to thieves
 * @returns the range that the caller now has to run, or `NONE`
 */
export function claim(words: Int32Array, lane: number, wanted: number, together: number): number {
  const at = laneWord(lane) + W_RANGE;
  for (;;) {
    const range = load(words, at);
    const lo = firstOf(range);
    const hi = endOf(range);
    if (lo === hi) return NONE;
    const end = claimEnd(lo, hi, wanted, together);
    if (compareExchange(words, at, range, rangeOf(end, hi)) === range) return rangeOf(lo, end); // I2
  }
}

/**
 * Takes the back half of the fullest range: claims its first tiles and stores the rest as the lane's own range, which must be
 * empty. For the lane's owner.
 *
 * @param wanted as in `claim`
 * @returns the range that the caller now has to run, or `NONE` if all ranges are empty
 */
export function steal(words: Int32Array, lane: number, wanted: number, together: number): number {
  for (;;) {
    let victim = -1;
    let seen = NONE;
    let most = 0;
    for (let other = 0; other < lanesIn(words); other++) {
      const range = load(words, laneWord(other) + W_RANGE);
      const left = endOf(range) - firstOf(range);
      if (left <= most) continue;
      most = left;
      victim = other;
      seen = range;
    }
    if (victim < 0) return NONE;
    const lo = firstOf(seen);
    const hi = endOf(seen);
    const middle = most < 2 * together ? lo + (most >>> 1) : aligned(lo, lo + (most >>> 1), together);
    const end = claimEnd(middle, hi, wanted, together);
    if (compareExchange(words, laneWord(victim) + W_RANGE, seen, rangeOf(lo, middle)) === seen) {
      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi)); // O1
      return rangeOf(middle, end); // I2
    }
  }
}

/** Empties a lane's range, because nothing in it matters any more. For the lane's owner. */
export function drop(words: Int32Array, lane: number): void {
  store(words, laneWord(lane) + W_RANGE, NONE);
}

/** Notes that a tile has failed. For the owner of the lane that ran the tile. */
export function noteFailure(words: Int32Array, lane: number, tile: number): void {
  const at = laneWord(lane) + W_FAILED;
  words[at] = Math.min(words[at], tile); // plain: only the owner writes it
  let least = load(words, W_LEAST);
  while (tile < least) {
    const seen = compareExchange(words, W_LEAST, least, tile); // I4
    if (seen === least) return;
    least = seen;
  }
}

/** The least tile that has failed in any lane so far, or `NO_TILE`. */
export const leastFailure = (words: Int32Array): number => load(words, W_LEAST);

/** The least tile that has failed in a lane that was joined, or `NO_TILE`. */
export const failureIn = (words: Int32Array, lane: number): number => words[laneWord(lane) + W_FAILED]; // plain: see the table
