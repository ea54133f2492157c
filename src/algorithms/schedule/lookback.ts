/**
 * Two stages for work that can finish a block once the results of all blocks before it are known (scans and filters); runs on
 * every thread that computes.
 *
 * Threads take units of a few blocks in order, whichever units their lane was given. When a thread has looked at a unit, other
 * threads have mostly looked at all units before it, too. The thread then finishes the unit at once, while the cache holds it, so
 * memory is read once and not twice. A thread never waits long for another one: a unit that cannot be finished soon is left for
 * the second stage.
 *
 *     word of a unit, at its first block      blocks << 4 | LEFT | FOLDED | KNOWN | LOOKED
 *
 * One thread sets LOOKED, and one sets KNOWN when the carry of the unit, which combines the results of all blocks before it, is known.
 * The thread that sets the second of the two bits computes the carry of the next unit, and makes that unit KNOWN. Each carry is
 * computed once, and in order, so values are combined in the order of a single thread.
 * Source: Yan, Long, Zhang (2013), "StreamScan"; Merrill, Garland (2016), "Single-pass parallel prefix scan with decoupled
 * look-back".
 */
import { add, load, or } from '../../core/memory/atomics.js';
import { eachUnit } from './cut.js';
import type { Grain } from './grain.js';
import type { WorkStage } from './stages.js';
import type { UserPiece } from './user-piece.js';

/** Work of a chain, done by units: blocks [lo, hi). */
export interface Chain {
  readonly blocks: number;
  /** Blocks in a unit, the least that a thread takes; the last unit may have fewer. */
  readonly unitBlocks: number;
  /** `chainWords(blocks)` words: zeros, but for those that `startChain` writes. */
  readonly control: Int32Array;
  /**
   * True if looking may fail. Then each task looks at the units that it was given, so that the first error is reported. Most
   * units of other threads than the first are left for the second stage then.
   */
  readonly mayFail: boolean;
  /** Elements in them, for progress. */
  elements(lo: number, hi: number): number;
  /** Computes the result of blocks [lo, hi) alone: a total, or the number of matches. */
  look(lo: number, hi: number): void;
  /** Combines the carry of blocks [lo, hi) with their result, to the carry of the next unit. */
  carryOn(lo: number, hi: number): void;
  /** Finishes blocks [lo, hi). Called once, when their carry is known: at once by the thread that looked, or later. */
  finish(lo: number, hi: number): void;
}

/** The first block that nobody has taken. */
const W_NEXT = 0;
const W_STATES = 1;

const LOOKED = 1;
const KNOWN = 2;
const FOLDED = 4;
const LEFT = 8;
const BLOCKS_SHIFT = 4;

/**
 * Number of looks of a thread whether it can finish a unit before it leaves the unit: 20 to 40 us, less than a unit takes.
 */
const PATIENCE = 4000;

export const chainWords = (blocks: number): number => W_STATES + blocks + 1;

/** Notes how many blocks the caller has done, before it hands over. */
export function noteDone(control: Int32Array, blocks: number): void {
  control[W_NEXT] = blocks;
}

/** The part of `CallArrays` that is used here. */
interface Scratch {
  readonly inOrder: boolean;
  scratch(type: Int32ArrayConstructor, length: number, initially: number): Int32Array;
}

/** The words of a call: all for a pool; for a caller, which goes from left to right, only the number of blocks it has done. */
export function chainControl(arrays: Scratch, blocks: number): Int32Array {
  const control = arrays.scratch(Int32Array, arrays.inOrder ? 1 : chainWords(blocks), 0);
  if (!arrays.inOrder) startChain(control);
  return control;
}

/** Prepares the words for all threads: the carry of the first block that is not done is known. */
export function startChain(control: Int32Array): void {
  control[W_STATES + control[W_NEXT]] = KNOWN;
}

function carryOnFrom(first: number, { blocks, control, carryOn }: Chain): void {
  for (;;) {
    const end = first + (load(control, W_STATES + first) >>> BLOCKS_SHIFT);
    carryOn(first, end);
    or(control, W_STATES + first, FOLDED);
    if (end >= blocks || (or(control, W_STATES + end, KNOWN) & LOOKED) === 0) return;
    first = end;
  }
}

function isFoldedSoon(control: Int32Array, at: number): boolean {
  for (let k = 0; k < PATIENCE; k++) if ((load(control, at) & FOLDED) !== 0) return true;
  return false;
}

/** Takes the next unit; returns its elements, counted once for each pass. */
function takeUnit(chain: Chain, given: number): number {
  const { blocks, unitBlocks, control, mayFail } = chain;
  const first = mayFail ? given * unitBlocks : add(control, W_NEXT, unitBlocks);
  const end = Math.min(blocks, first + unitBlocks);
  const at = W_STATES + first;
  chain.look(first, end);
  if ((or(control, at, ((end - first) << BLOCKS_SHIFT) | LOOKED) & KNOWN) !== 0) carryOnFrom(first, chain);
  if (mayFail ? (load(control, at) & FOLDED) !== 0 : isFoldedSoon(control, at)) {
    chain.finish(first, end);
    return 2 * chain.elements(first, end);
  }
  or(control, at, LEFT);
  return chain.elements(first, end);
}

/**
 * The two stages, which have the same units.
 *
 * @param user the user's functions that the chain calls
 * @param looking the grain of the first stage, which looks and finishes
 * @param finishing the grain of the second stage, which finishes the units that were left
 */
export function chainedStages(chain: Chain, user: UserPiece, looking: Grain, finishing: Grain): WorkStage[] {
  const { blocks, unitBlocks, control } = chain;
  const { calls, context } = user;
  const units = Math.ceil(blocks / unitBlocks);

  function finishLeft(unit: number): number {
    const first = unit * unitBlocks;
    const word = control[W_STATES + first]; // plain: written in the stage before
    if ((word & LEFT) === 0) return 0;
    const end = first + (word >>> BLOCKS_SHIFT);
    chain.finish(first, end);
    return chain.elements(first, end);
  }

  /** Not `eachUnit`: V8 inlines the user's function only where a loop has one caller. A filter by a function took 22 to 42 ms, not 16. */
  function look(lo: number, hi: number): number {
    let elements = 0;
    for (let unit = lo; unit < hi; unit++) elements += takeUnit(chain, unit);
    return elements;
  }

  return [
    { calls, context, units, grain: looking, run: look },
    { calls, context, units, grain: finishing, run: eachUnit(finishLeft) },
  ];
}
