/**
 * The shares of one stage: which units each lane has left, and how a lane that has none steals; runs on every thread that
 * computes.
 *
 * The units of a stage are numbered as at most 65,535 slots of equal size. Each lane (one for each thread that may take part)
 * has a range of slots, in ONE 32-bit word. Its owner claims slots from the front. A thief takes the back half. Lanes move on
 * their own, so a stage needs no fork for each part of the work.
 *
 *     word        0          32         64         ..
 *     holds       LEAST      lane 0     lane 1     ..
 *     lane, +0    RANGE      lo | hi << 16: slots [lo, hi), which nobody has claimed; none if lo == hi
 *     lane, +1    FAILED     the least slot that failed in this lane, or NO_SLOT
 *
 * | word   | written by                                      | read by   | access                        |
 * | ------ | ----------------------------------------------- | --------- | ----------------------------- |
 * | RANGE  | the owner; a thief, while there are slots in it | all       | compareExchange, store (O1)   |
 * | FAILED | the owner                                       | the root  | plain: the root reads it after it has joined the lane |
 * | LEAST  | all                                             | all       | compareExchange, load         |
 *
 * - **I1** Only the owner raises `lo`, or writes a range into an empty word. A thief only lowers `hi`, and only in a word that
 *   it has seen with slots in it.
 * - **I2** A slot is in one range, or in the hands of one thief between its `compareExchange` and its `store`, or claimed. It
 *   never goes back from claimed. So no slot is claimed twice.
 * - **I3** A lane returns only when its own range is empty, and only its owner can fill it again. So when all lanes have
 *   returned, every slot was claimed, and by I2 once.
 * - **I4** LEAST only falls. A lane runs a claimed slot unless LEAST is less, so all slots before the final LEAST were run, and
 *   the least slot that fails is LEAST.
 *
 * **O1** The thief lowers the victim's `hi` before it stores the range into its own word, or a slot would be in two ranges. The
 * store needs no compareExchange: no thief writes to an empty word (I1).
 *
 * *ABA*: a word may return to an earlier value, when a lane steals back what was stolen from it. That is harmless: the word is
 * all that there is to know about a range. Whoever exchanges it while it has the value [lo, hi) finds exactly these slots
 * unclaimed, whatever happened in between. All lanes of a stage are joined before the words serve the next stage, so no thread
 * holds a value of another stage.
 *
 * *When an operation takes effect*: a claim and a steal at their `compareExchange`.
 * *Progress*: an exchange fails only if another one has succeeded. A slot that is stolen is claimed in a second step, so lanes that
 * are preempted just between the two could take the last slot from each other for as long as that goes on: it is lock-free word by
 * word, not slot by slot. A lane that looks while the last slots are in the hands of a thief returns early; the thief runs them.
 *
 * Rejected: one shared counter for a stage (each claim takes the cache line from another core, and neighbours in memory go to
 * different threads); 64-bit words (`BigInt64Array` atomics take six times as long); a tree of forks, which took V8 29 ms of
 * compiling in each of the calls 2 to 10 of a sum.
 *
 * Source: the ranges of parallel loops in libgomp and OpenMP "static-steal"; the halves are those of Cilk's.
 * Checked by: test/model (ranges), test/property/algorithms/ranges.test.ts.
 */
import { compareExchange, exchange, load, store } from '../../core/memory/atomics.js';

/** Words from one lane's words to the next one's: two cache lines, since processors fetch lines in pairs. */
const LANE_WORDS = 32;

const W_LEAST = 0;
const W_RANGE = 0;
const W_FAILED = 1;

/** Most slots of a stage. */
export const MAX_SLOTS = 65_535;

/** More than any slot: nothing has failed. */
export const NO_SLOT = MAX_SLOTS + 1;

/** No slots: what `claim` returns when the range is empty. */
export const NONE = 0;

/** A claim leaves three quarters of the range to thieves. */
const LEFT_TO_THIEVES = 4;

/** The smallest claim is this part of what the cost asks for, so that the end of a range is not claimed slot by slot. */
const LEAST_CLAIM_SHIFT = 5;

/** Words that a stage with so many lanes needs. */
export const rangeWords = (lanes: number): number => (lanes + 1) * LANE_WORDS;

/** For how many lanes there are words. */
export const lanesIn = (words: Int32Array): number => words.length / LANE_WORDS - 1;

/** The first slot of a range, and the slot behind its last. */
export const firstOf = (range: number): number => range & 0xffff;
export const endOf = (range: number): number => range >>> 16;

const laneWord = (lane: number): number => (lane + 1) * LANE_WORDS;
const rangeOf = (lo: number, hi: number): number => lo | (hi << 16);

/**
 * Gives each of so many lanes an equal share of slots [first, end), and further lanes none. Before any lane runs.
 *
 * @param end at most `MAX_SLOTS`
 * @param together shares begin at multiples of so many slots, where there are enough
 */
export function shareOut(words: Int32Array, first: number, end: number, lanes: number, together: number): void {
  store(words, W_LEAST, NO_SLOT);
  let lo = first;
  for (let lane = 0; lane < lanesIn(words); lane++) {
    const hi = lane >= lanes - 1 ? end : aligned(lo, first + Math.ceil(((lane + 1) * (end - first)) / lanes), together);
    words[laneWord(lane) + W_FAILED] = NO_SLOT; // plain: the lanes are forked later
    store(words, laneWord(lane) + W_RANGE, rangeOf(lo, hi));
    lo = hi;
  }
}

/** `at`, or the last multiple of `together` before it if that is greater than `lo`. */
function aligned(lo: number, at: number, together: number): number {
  const multiple = at - (at % together);
  return multiple > lo ? multiple : at;
}

/**
 * Claims slots from the front of a lane's range. For its owner.
 *
 * @param wanted most slots, as the cost has it; fewer while that would leave little to thieves
 * @returns the range that is now the caller's to run, or `NONE`
 */
export function claim(words: Int32Array, lane: number, wanted: number, together: number): number {
  const at = laneWord(lane) + W_RANGE;
  for (;;) {
    const range = load(words, at);
    const lo = firstOf(range);
    const hi = endOf(range);
    if (lo === hi) return NONE;
    const fair = Math.max(Math.ceil((hi - lo) / LEFT_TO_THIEVES), wanted >>> LEAST_CLAIM_SHIFT);
    const end = aligned(lo, Math.min(hi, lo + Math.min(wanted, fair)), together);
    if (compareExchange(words, at, range, rangeOf(end, hi)) === range) return rangeOf(lo, end); // I2
  }
}

/**
 * Fills a lane's empty range with the back half of the fullest one. For its owner.
 *
 * @returns false if all ranges are empty
 */
export function steal(words: Int32Array, lane: number, lanes: number, together: number): boolean {
  for (;;) {
    let victim = -1;
    let seen = NONE;
    let most = 0;
    for (let other = 0; other < lanes; other++) {
      const range = load(words, laneWord(other) + W_RANGE);
      const left = endOf(range) - firstOf(range);
      if (left <= most) continue;
      most = left;
      victim = other;
      seen = range;
    }
    if (victim < 0) return false;
    const lo = firstOf(seen);
    const hi = endOf(seen);
    const middle = most < 2 * together ? lo + (most >>> 1) : aligned(lo, lo + (most >>> 1), together);
    if (compareExchange(words, laneWord(victim) + W_RANGE, seen, rangeOf(lo, middle)) === seen) {
      store(words, laneWord(lane) + W_RANGE, rangeOf(middle, hi)); // O1
      return true;
    }
  }
}

/** Empties a lane's range: nothing in it matters any more. For its owner. */
export function drop(words: Int32Array, lane: number): void {
  exchange(words, laneWord(lane) + W_RANGE, NONE);
}

/** Notes that a slot has failed. For the owner of the lane that ran it. */
export function noteFailure(words: Int32Array, lane: number, slot: number): void {
  const at = laneWord(lane) + W_FAILED;
  words[at] = Math.min(words[at], slot); // plain: the owner's, see the table
  let least = load(words, W_LEAST);
  while (slot < least) {
    const seen = compareExchange(words, W_LEAST, least, slot); // I4
    if (seen === least) return;
    least = seen;
  }
}

/** The least slot that has failed in any lane so far, or `NO_SLOT`. */
export const leastFailure = (words: Int32Array): number => load(words, W_LEAST);

/** The least slot that has failed in a lane that was joined, or `NO_SLOT`. */
export const failureIn = (words: Int32Array, lane: number): number => words[laneWord(lane) + W_FAILED]; // plain: see the table
