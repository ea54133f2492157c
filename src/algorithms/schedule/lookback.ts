/**
 * Stages of work that looks at every block, and can finish a block once it knows what all blocks before it came to; runs on
 * every thread that computes.
 *
 * Threads take units of a few blocks in their order, whichever ones their task was given. Mostly all before a unit was looked
 * at by the time that the unit was, so it is finished at once, while the cache holds it: memory is read once, not twice. A
 * thread never waits for another for long: what has to be left is finished in a second stage.
 *
 *     word of a unit, at its first block      blocks << 4 | LEFT | FOLDED | KNOWN | LOOKED
 *
 * LOOKED and KNOWN (what precedes it) are set by two threads, or one; whoever sets the second of them carries on, and so
 * makes the next unit KNOWN. Each unit is carried on once, in order: the association is that of one thread.
 * Source: Yan, Long, Zhang (2013), "StreamScan"; Merrill, Garland (2016), "Single-pass parallel prefix scan with decoupled
 * look-back".
 */
import { add, load, or } from '../../core/memory/atomics.js';
import type { Grain } from './grain.js';
import type { Stage } from './stages.js';
import type { UserPiece } from './user-piece.js';

/** What is done with blocks [lo, hi), a unit. */
export interface Chain {
  readonly blocks: number;
  /** Blocks in a unit, the least that a thread takes; the last unit may have fewer. */
  readonly unitBlocks: number;
  /** `chainWords(blocks)` words: zeros, but for those that `startChain` writes. */
  readonly control: Int32Array;
  /**
   * Whether looking may fail. Then each task looks at the units that it was given, so that the first error is the one that
   * is reported, and most of what was not given to the first thread is left for the second stage.
   */
  readonly mayFail: boolean;
  /** Elements in them, for progress. */
  elements(lo: number, hi: number): number;
  /** Finds what they come to. */
  look(lo: number, hi: number): void;
  /** From what precedes them to what precedes what follows. */
  carryOn(lo: number, hi: number): void;
  /** Called once, after `look`, when it is known what precedes them; at once by the same thread, or in the second stage. */
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

/** Looks at the state of a unit before it is left: 20 to 40 us, less than a unit takes. */
const PATIENCE = 4000;

export const chainWords = (blocks: number): number => W_STATES + blocks + 1;

/** Notes how many blocks the caller has done, before it hands over. */
export function noteDone(control: Int32Array, blocks: number): void {
  control[W_NEXT] = blocks;
}

/** The arrays of a call, as far as they matter here. */
interface Scratch {
  readonly inOrder: boolean;
  scratch(type: Int32ArrayConstructor, length: number, initially: number): Int32Array;
}

/** The words of a call: for a pool all of them, and for a caller, who goes from left to right, what it notes. */
export function chainControl(arrays: Scratch, blocks: number): Int32Array {
  const control = arrays.scratch(Int32Array, arrays.inOrder ? 1 : chainWords(blocks), 0);
  if (!arrays.inOrder) startChain(control);
  return control;
}

/** Prepares the words for all threads: what precedes the first block that is not done is known. */
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

/** Takes the next unit; returns elements, counted once for each pass. */
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
 * The stages; both have as many units.
 *
 * @param user the user's functions that it calls
 * @param looking the grain of looking and finishing
 * @param finishing that of finishing what was left
 */
export function chainedStages(chain: Chain, user: UserPiece, looking: Grain, finishing: Grain): Stage[] {
  const { blocks, unitBlocks, control } = chain;
  const units = Math.ceil(blocks / unitBlocks);
  return [
    {
      ...user,
      units,
      grain: looking,
      run(lo, hi) {
        let elements = 0;
        for (let unit = lo; unit < hi; unit++) elements += takeUnit(chain, unit);
        return elements;
      },
    },
    {
      ...user,
      units,
      grain: finishing,
      run(lo, hi) {
        let elements = 0;
        for (let first = lo * unitBlocks; first < Math.min(blocks, hi * unitBlocks); first += unitBlocks) {
          const word = control[W_STATES + first]; // plain: written in the stage before
          if ((word & LEFT) === 0) continue;
          const end = first + (word >>> BLOCKS_SHIFT);
          chain.finish(first, end);
          elements += chain.elements(first, end);
        }
        return elements;
      },
    },
  ];
}
