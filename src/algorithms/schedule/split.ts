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
import type { Grain } from './grain.js';

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
