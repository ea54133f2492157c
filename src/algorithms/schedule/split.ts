/**
 * The one place that decides grain: how a range becomes tasks and blocks; runs on every thread that computes.
 *
 * A task cuts its range in half until a leaf is left, forks each right half, and runs the leaf. Forks are cheap (they stay
 * private until a thief asks), so the number of leaves follows from the work: a leaf should take `LEAF_US`, by the cost
 * measured so far. An unknown cost begins with one unit, and later leaves grow with what was measured. A leaf runs as a
 * few blocks with a checkpoint and a clock reading between them, and decides anew after each: dearer elements than
 * expected, or a thief with nothing to do, and what is left is cut again. `threshold` replaces all that by a leaf size.
 *
 * Nothing here may change a result: the caller's `block` and `absorb` see their range from left to right, in pieces
 * whose boundaries depend on the clock. Errors: the first thing to throw from the left wins, which is the lowest index,
 * since left parts run or are joined before right ones, and a body that throws cancels what it forked.
 */
import type { Fork } from '../../core/task/function-task.js';
import { checkpoint, someoneIsHungry } from '../../core/worker/checkpoint.js';
import {
  BLOCKS_PER_LEAF,
  CALLER_BLOCK_US,
  CALLER_PIECE_US,
  HUNGRY_LEAF_US,
  LEAF_US,
  LEAVES_PER_THREAD,
  LONE_LEAF_US,
  MAX_GROWTH,
  UNIT_BLOCKS,
} from '../tuning.js';
import type { Cost } from './cost.js';

/** What decides the grain of one call in one realm. A unit is what cannot be cut: an element, a block of a reduction. */
export class Grain {
  readonly #cost: Cost;
  readonly #unitElements: number;
  readonly #thresholdUnits: number;
  readonly #mostUnits: number;
  readonly #together: number;
  readonly #leafUs: number;
  readonly #units: number;

  /**
   * @param cost of an element
   * @param unitElements elements in a unit
   * @param units of the whole call
   * @param threshold elements in a leaf as the user wants it; 0 for adaptive
   * @param parallelism threads
   * @param together how many units are done faster at once than one by one, if they begin at a multiple of that
   */
  constructor(cost: Cost, unitElements: number, units: number, threshold: number, parallelism: number, together = 1) {
    this.#cost = cost;
    this.#unitElements = unitElements;
    this.#thresholdUnits = threshold === 0 ? 0 : Math.max(1, Math.floor(threshold / unitElements));
    this.#units = units;
    this.#mostUnits = Math.max(1, Math.ceil(units / (LEAVES_PER_THREAD * parallelism)));
    this.#together = together;
    this.#leafUs = parallelism === 1 ? LONE_LEAF_US : LEAF_US;
  }

  /** Units in a leaf, now. */
  leafUnits(hungry: boolean): number {
    if (this.#thresholdUnits !== 0) return this.#thresholdUnits;
    const nsPerUnit = this.#cost.nsPerElement * this.#unitElements;
    if (nsPerUnit === 0) return 1;
    const wanted = Math.floor(((hungry ? HUNGRY_LEAF_US : this.#leafUs) * 1000) / nsPerUnit);
    const mostGrown = Math.floor((MAX_GROWTH * this.#cost.measuredElements) / this.#unitElements);
    return Math.max(1, Math.min(wanted, this.#mostUnits, mostGrown));
  }

  /**
   * Units that the caller runs between two looks at the clock: at most half, should they be dearer than they were, unless the
   * look is what would take long.
   */
  callerUnits(): number {
    const nsPerUnit = this.#cost.nsPerElement * this.#unitElements;
    if (nsPerUnit === 0) return 1;
    const mostGrown = Math.floor((MAX_GROWTH * this.#cost.measuredElements) / this.#unitElements);
    const isPiece = nsPerUnit * this.#units < CALLER_PIECE_US * 1000;
    const most = isPiece ? this.#units : Math.ceil(this.#units / BLOCKS_PER_LEAF);
    return Math.max(1, Math.min(Math.floor((CALLER_BLOCK_US * 1000) / nsPerUnit), mostGrown, most));
  }

  /** Units in the next block of a leaf. */
  blockUnits(leafUnits: number): number {
    if (this.#thresholdUnits !== 0) return leafUnits;
    return Math.max(1, this.#whole(Math.ceil(leafUnits / BLOCKS_PER_LEAF), leafUnits));
  }

  /** Where a range of more than a leaf is cut: in the middle, or a little after. */
  middle(lo: number, hi: number, leafUnits: number): number {
    const middle = lo + this.#whole(Math.ceil((hi - lo) / 2), leafUnits);
    return middle < hi ? middle : lo + Math.ceil((hi - lo) / 2);
  }

  /** So many units or a few more, that they are whole groups of what is done together. */
  #whole(units: number, leafUnits: number): number {
    return leafUnits < this.#together ? units : Math.ceil(units / this.#together) * this.#together;
  }

  /** Takes in how long a block took. */
  note(units: number, ms: number): void {
    this.#cost.note(units * this.#unitElements, ms);
  }
}

/**
 * How many blocks go into a unit: several if that leaves enough units for all threads, since kernels take four at once; one
 * where the user has said how large a leaf is (`threshold`, 0 if not).
 */
export function unitBlocksFor(
  blocks: number,
  threshold: number,
  parallelism: number,
  mostBlocks = UNIT_BLOCKS,
): number {
  if (threshold !== 0) return 1;
  let unit = 1;
  while (unit < mostBlocks && 2 * unit * LEAVES_PER_THREAD * parallelism <= blocks) unit *= 2;
  return unit;
}

/** How an array is cut: into blocks, which decide what is combined with what, and units of a few blocks, which threads take. */
export interface Cut {
  /** Elements in a block, and in a unit; the last of each may have fewer. */
  readonly block: number;
  readonly unit: number;
  readonly blocks: number;
  readonly units: number;
  readonly unitBlocks: number;
}

/** The cut of an array; the caller and its pool must make the same, or what one has done is lost to the other. */
export function cutInto(
  block: number,
  length: number,
  threshold: number,
  parallelism: number,
  mostBlocks = UNIT_BLOCKS,
): Cut {
  const blocks = Math.ceil(length / block);
  const unitBlocks = unitBlocksFor(blocks, threshold, parallelism, mostBlocks);
  return { block, unit: unitBlocks * block, blocks, units: Math.ceil(blocks / unitBlocks), unitBlocks };
}

/** Runs units [lo, hi); returns how many it ran: fewer, if what comes after them does not matter any more. */
export type Block = (lo: number, hi: number) => number;

const MAX_INT32 = 0x7fffffff;

/**
 * Runs a block. Grain is reckoned in doubles, and a loop into which that is inlined would count in them: two to eight times
 * slower.
 */
const runBlock = (block: Block, lo: number, hi: number): number =>
  hi <= MAX_INT32 ? block(lo | 0, hi | 0) : block(lo, hi);

/**
 * Runs units [lo, hi) of a job as the body of one task, giving parts of it away.
 *
 * @param forkPart forks a task for a part that may be stolen
 * @param block called from left to right, never twice for a unit
 * @param absorb joins a part, and takes in what it returned; called from left to right, after the blocks
 * @returns milliseconds spent in blocks here
 */
export function splitRange<R>(
  lo: number,
  hi: number,
  grain: Grain,
  forkPart: (lo: number, hi: number) => Fork<R>,
  block: Block,
  absorb: (part: Fork<R>, lo: number, hi: number) => void,
): number {
  const forks: Fork<R>[] = [];
  const bounds: number[] = [hi];
  let busyMs = 0;
  let thenMs = performance.now();
  while (lo < hi) {
    const leaf = grain.leafUnits(someoneIsHungry());
    while (hi - lo > leaf) {
      const middle = grain.middle(lo, hi, leaf);
      forks.push(forkPart(middle, hi));
      bounds.push(middle);
      hi = middle;
    }
    const end = Math.min(hi, lo + grain.blockUnits(leaf));
    const ran = runBlock(block, lo, end);
    const nowMs = performance.now(); // read once a block: the forks before it hardly count
    if (ran > 0) grain.note(ran, nowMs - thenMs);
    busyMs += nowMs - thenMs;
    thenMs = nowMs;
    if (ran < end - lo) break;
    lo = end;
    if (lo < hi) checkpoint();
  }
  for (let i = forks.length - 1; i >= 0; i--) absorb(forks[i], bounds[i + 1], bounds[i]);
  return busyMs;
}

/**
 * Runs units from `lo` on the calling thread, until `hi` or until `limitUs` have passed.
 *
 * @returns the unit to go on from; `hi` when done
 */
export function runOnCaller(lo: number, hi: number, grain: Grain, limitUs: number, block: Block): number {
  const startMs = performance.now();
  let nowMs = startMs;
  while (lo < hi && (nowMs - startMs) * 1000 < limitUs) {
    const end = Math.min(hi, lo + grain.callerUnits());
    const ran = runBlock(block, lo, end);
    const thenMs = nowMs;
    nowMs = performance.now();
    if (ran > 0) grain.note(ran, nowMs - thenMs);
    if (ran < end - lo) return hi;
    lo = end;
  }
  return lo;
}
