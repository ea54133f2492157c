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
import {
  CALLER_BLOCK_US,
  CALLER_PIECE_US,
  CHUNK_US,
  LEAVES_PER_THREAD,
  LONE_CHUNK_US,
  MAX_GROWTH,
  UNIT_BLOCKS,
} from '../tuning.js';
import type { Cost } from './cost.js';
import { MAX_SLOTS } from './ranges.js';

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

  /**
   * @param cost of an element
   * @param unitElements elements in a unit
   * @param units of the whole call
   * @param threshold elements in a chunk as the user wants it; 0 for adaptive
   * @param parallelism threads
   * @param together how many units are done faster at once than one by one, if they begin at a multiple of that
   */
  constructor(cost: Cost, unitElements: number, units: number, threshold: number, parallelism: number, together = 1) {
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
   * Units that the caller runs between two looks at the clock: at most half, should they be dearer than they were, unless the
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
    const ran = block(lo, end);
    const thenMs = nowMs;
    nowMs = performance.now();
    if (ran > 0) grain.note(ran, nowMs - thenMs);
    if (ran < end - lo) return hi;
    lo = end;
  }
  return lo;
}
