/**
 * The one place that decides grain: how units become slots, and how many units a thread takes at once; runs on every thread
 * that computes.
 *
 * A chunk is what a thread runs between two looks at the clock, at requests of thieves and at cancellation. It should take
 * `CHUNK_US`, by the cost measured so far. An unknown cost begins with one unit, and later chunks grow with what was measured.
 * `threshold` replaces all that by a chunk of so many elements. Ranges.ts has how threads share the units, stages.ts the loop.
 *
 * Nothing here may change a result: stages see their units in chunks whose boundaries depend on the clock.
 */
import { CALLER_BLOCK_US, CALLER_PIECE_US, CHUNK_US, LONE_CHUNK_US, MAX_GROWTH } from '../tuning.js';
import { Cost } from './cost.js';
import { MAX_SLOTS } from './ranges.js';

export interface GrainOptions {
  /** Of an element. */
  readonly cost: Cost;
  /** Elements in a unit. */
  readonly unitElements: number;
  /** Units of the whole call. */
  readonly units: number;
  /** Elements in a chunk as the user wants it; 0 for adaptive. */
  readonly threshold: number;
  /** Threads. */
  readonly parallelism: number;
  /** How many units are done faster at once than one by one, if they begin at a multiple of that; 1 if it does not say. */
  readonly together?: number;
}

/** What decides the grain of one call in one realm. A unit is what cannot be cut: an element, a block of a reduction. */
export class Grain {
  /** How many units are done faster at once than one by one, if they begin at a multiple of that. */
  readonly together: number;
  readonly #cost: Cost;
  readonly #unitElements: number;
  /** Units in a chunk, if the user has said so; or else 0. */
  readonly #thresholdUnits: number;
  readonly #chunkUs: number;
  readonly #units: number;

  constructor({ cost, unitElements, units, threshold, parallelism, together = 1 }: GrainOptions) {
    this.#cost = cost;
    this.#unitElements = unitElements;
    this.#thresholdUnits = threshold === 0 ? 0 : Math.max(1, Math.floor(threshold / unitElements));
    this.#units = units;
    this.#chunkUs = parallelism === 1 ? LONE_CHUNK_US : CHUNK_US;
    this.together = this.#thresholdUnits === 0 ? together : 1;
  }

  /** Units in a chunk, now. */
  chunkUnits(): number {
    return this.#thresholdUnits !== 0 ? this.#thresholdUnits : this.#unitsIn(this.#chunkUs);
  }

  /** Whether so many units are known to be a chunk at most: sharing them would not pay. */
  isChunk(units: number): boolean {
    return units <= (this.#thresholdUnits !== 0 ? this.#thresholdUnits : this.#unitsIn(CHUNK_US));
  }

  /** How many units go into a slot, so that there are no more slots than `MAX_SLOTS`; with a threshold, whole chunks. */
  slotUnits(units: number): number {
    const least = Math.ceil(units / MAX_SLOTS);
    if (this.#thresholdUnits !== 0) return Math.ceil(least / this.#thresholdUnits) * this.#thresholdUnits;
    return least === 1 ? 1 : Math.ceil(least / this.together) * this.together;
  }

  /** Where the next chunk from `lo` ends, if there is nobody to leave anything to. */
  chunkEnd(lo: number, hi: number): number {
    const end = lo + this.chunkUnits();
    if (end >= hi) return hi;
    const whole = end - (end % this.together);
    return whole > lo ? whole : end;
  }

  /**
   * Units that the caller runs between two looks at the clock: at most half, should they be more expensive than they were, unless the
   * look is what would take long.
   */
  callerUnits(): number {
    if (this.#cost.nsPerElement === 0) return 1;
    const isPiece = this.#cost.nsPerElement * this.#unitElements * this.#units < CALLER_PIECE_US * 1000;
    return Math.min(this.#unitsIn(CALLER_BLOCK_US), isPiece ? this.#units : Math.ceil(this.#units / 2));
  }

  /** Takes in how long some units took. */
  note(units: number, ms: number): void {
    this.#cost.note(units * this.#unitElements, ms);
  }

  /** Units that should take so long: at least one, and not too many more than were measured. */
  #unitsIn(us: number): number {
    const nsPerUnit = this.#cost.nsPerElement * this.#unitElements;
    if (nsPerUnit === 0) return 1;
    const mostGrown = (MAX_GROWTH * this.#cost.measuredElements) / this.#unitElements;
    return Math.max(1, Math.floor(Math.min((us * 1000) / nsPerUnit, mostGrown)));
  }
}

/** One unit a chunk, whatever it costs: for few units, of which each is work enough. */
export const unitByUnit = (): Grain =>
  new Grain({ cost: new Cost(), unitElements: 1, units: 1, threshold: 1, parallelism: 1 });
