/**
 * Decides grain: how many units a thread takes at once, and how units become tiles; runs on every thread that computes.
 *
 * A chunk is what a thread runs between two looks at the clock, at steal requests and at cancellation. It should take `CHUNK_US`,
 * by the cost measured so far. An unknown cost begins with one unit, and later chunks grow with what was measured. `threshold`
 * replaces this by chunks of so many elements. ranges.ts shares the units among threads, stages.ts has the loop.
 *
 * Grain must not change a result: stages see their units in chunks whose boundaries depend on the clock.
 */
import { CALLER_BLOCK_US, CALLER_PIECE_US, CHUNK_US, LONE_CHUNK_US, MAX_GROWTH } from '../tuning.js';
import { Cost } from './cost.js';
import { MAX_TILES } from './ranges.js';

/** Options for sharing a call among threads. */
export interface ShareOptions {
  /** Elements in a chunk if the user has chosen them, else 0. */
  readonly threshold: number;
  /** Threads. */
  readonly parallelism: number;
}

interface GrainOptions extends ShareOptions {
  /** Of an element. */
  readonly cost: Cost;
  /** Elements in a unit. */
  readonly unitElements: number;
  /** Units of the whole call. */
  readonly units: number;
  /**
   * Number of units that are faster together than one by one, if they begin at a multiple of that number; 1 by default.
   */
  readonly together?: number;
  /** Work that one thread does alone, because sharing it gains nothing (microseconds): a chunk if this is left out. */
  readonly loneUs?: number;
}

/** The grain of one call in one realm. A unit is what cannot be cut: an element, a block of a reduction. */
export class Grain {
  /** As in the options; 1 with a threshold. */
  readonly together: number;
  readonly #options: GrainOptions;
  /** Units in a chunk if the user has chosen them, else 0. */
  readonly #thresholdUnits: number;
  readonly #chunkUs: number;

  constructor(options: GrainOptions) {
    const { unitElements, threshold, parallelism, together = 1 } = options;
    this.#options = options;
    this.#thresholdUnits = threshold === 0 ? 0 : Math.max(1, Math.floor(threshold / unitElements));
    this.#chunkUs = parallelism === 1 ? LONE_CHUNK_US : CHUNK_US;
    this.together = threshold === 0 ? together : 1;
  }

  /** Units in a chunk, by what is known now. */
  chunkUnits(): number {
    return this.#thresholdUnits !== 0 ? this.#thresholdUnits : this.#unitsIn(this.#chunkUs);
  }

  /** Number of units that one thread does alone, by what is known now. */
  loneUnits(): number {
    const { loneUs } = this.#options;
    return this.#thresholdUnits !== 0 || loneUs === undefined ? this.chunkUnits() : this.#unitsIn(loneUs);
  }

  /** Number of units that go into a tile, so that there are at most `MAX_TILES` tiles; with a threshold, whole chunks. */
  tileUnits(units: number): number {
    const least = Math.ceil(units / MAX_TILES);
    if (this.#thresholdUnits !== 0) return Math.ceil(least / this.#thresholdUnits) * this.#thresholdUnits;
    return least === 1 ? 1 : Math.ceil(least / this.together) * this.together;
  }

  /** End of the next chunk from `lo`, if nothing has to be left for other threads. */
  chunkEnd(lo: number, hi: number): number {
    const end = lo + this.chunkUnits();
    if (end >= hi) return hi;
    const whole = end - (end % this.together);
    return whole > lo ? whole : end;
  }

  /**
   * Units that the caller runs between two looks at the clock. At most half of all units, in case they are more expensive than
   * they were; all of them where looking at the clock would take a noticeable share of the time.
   */
  callerUnits(): number {
    const { cost, unitElements, units } = this.#options;
    if (cost.nsPerElement === 0) return 1;
    const isPiece = cost.nsPerElement * unitElements * units < CALLER_PIECE_US * 1000;
    return Math.min(this.#unitsIn(CALLER_BLOCK_US), isPiece ? units : Math.ceil(units / 2));
  }

  /** Takes in how long some units took. */
  note(units: number, ms: number): void {
    this.#options.cost.note(units * this.#options.unitElements, ms);
  }

  /** Units that should take so long: at least one, and at most `MAX_GROWTH` times as many as were measured. */
  #unitsIn(us: number): number {
    const { cost, unitElements } = this.#options;
    const nsPerUnit = cost.nsPerElement * unitElements;
    if (nsPerUnit === 0) return 1;
    const mostGrown = (MAX_GROWTH * cost.measuredElements) / unitElements;
    return Math.max(1, Math.floor(Math.min((us * 1000) / nsPerUnit, mostGrown)));
  }
}

/** A grain of one unit a chunk, whatever it costs: for few units, each of which is work enough. */
export const unitByUnit = (): Grain =>
  new Grain({ cost: new Cost(), unitElements: 1, units: 1, threshold: 1, parallelism: 1 });
