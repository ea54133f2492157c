/**
 * How many units go into a leaf, a block of a leaf, and a piece of the caller's; runs on every thread that computes.
 */
import {
  BLOCKS_PER_LEAF,
  CALLER_BLOCK_US,
  CALLER_PIECE_US,
  HUNGRY_LEAF_US,
  LEAF_US,
  LEAVES_PER_THREAD,
  LONE_LEAF_US,
  MAX_GROWTH,
} from '../tuning.js';
import { Cost } from './cost.js';

export interface GrainOptions {
  /** Of an element. */
  readonly cost: Cost;
  /** Elements in a unit. */
  readonly unitElements: number;
  /** Units of the whole call. */
  readonly units: number;
  /** Elements in a leaf as the user wants it; 0 for adaptive. */
  readonly threshold: number;
  /** Threads. */
  readonly parallelism: number;
  /** How many units are done faster at once than one by one, if they begin at a multiple of that; 1 if it does not say. */
  readonly together?: number;
}

/** What decides the grain of one call in one realm. A unit is what cannot be cut: an element, a block of a reduction. */
export class Grain {
  readonly #cost: Cost;
  readonly #unitElements: number;
  readonly #thresholdUnits: number;
  readonly #mostUnits: number;
  readonly #together: number;
  readonly #leafUs: number;
  readonly #units: number;

  constructor({ cost, unitElements, units, threshold, parallelism, together = 1 }: GrainOptions) {
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

/** One unit a leaf, whatever it costs: for few units, of which each is work enough. */
export const unitByUnit = (): Grain =>
  new Grain({ cost: new Cost(), unitElements: 1, units: 1, threshold: 1, parallelism: 1 });
