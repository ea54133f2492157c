/**
 * Partitions that the user has chosen: which lane gets which units, before thieves come; runs on every thread that computes.
 *
 * The units of a stage are cut into blocks, and the blocks are dealt to the lanes in turn, as cards are. `'static'` has one block for
 * each lane. `'cyclic'` has blocks of a size of the user's. A block belongs to one thread: a thief takes whole blocks only.
 *
 *     static, 3 lanes               0 0 0 0 1 1 1 1 2 2 2
 *     cyclic, 3 lanes, blocks of 2  0 0 1 1 2 2 0 0 1 1 2
 *
 * The lanes share their blocks by the words of ranges.ts. A lane's share is its turns of the deal, and a tile is one turn, or a few of
 * them if there are more than there may be tiles. So the blocks of a range are `lanes` apart. Failures are noted by the number of the
 * block, because tiles are not in the order of the units.
 *
 * Source: OpenMP's `schedule(static)` and `schedule(static, chunk)`, but for the thieves.
 * Checked by: test/property/algorithms/partition.test.ts, test/conformance/partitions.test.ts.
 */
import { builtin, jobWords, loopCheckpoint, progress } from '../../core/engine.js';
import * as ranges from './ranges.js';
import { clock, type Dealing, type LaneTask, NAMES, runUnits, stageOf, type WorkStage } from './stages.js';
import { checkWrites, explained } from './user-piece.js';

/** Units in a block of a static partition: as many as there are for each lane. */
export const ONE_EACH = 0;

/** Start of part k of n, if `parts` parts differ by one at most. */
export const evenPart = (n: number, parts: number, k: number): number =>
  k * Math.floor(n / parts) + Math.min(k, n % parts);

/** The blocks of units [from, units), and their lanes. All threads make the same of the same numbers. */
export class Deal {
  readonly lanes: number;
  readonly blocks: number;
  /** Blocks of each lane; the last lanes may have one less. */
  readonly turns: number;
  /** Turns in a tile; the last one of a lane may have fewer. */
  readonly tileTurns: number;
  /** Tiles of each lane. */
  readonly tiles: number;
  readonly #blockUnits: number;
  readonly #from: number;
  readonly #units: number;

  constructor(blockUnits: number, mostLanes: number, from: number, units: number) {
    const left = units - from;
    // The number of a block fits into the word for failures.
    const size = Math.max(blockUnits, Math.ceil(left / ranges.NO_TILE));
    this.#blockUnits = blockUnits === ONE_EACH ? ONE_EACH : size;
    this.#from = from;
    this.#units = units;
    this.blocks = blockUnits === ONE_EACH ? Math.min(mostLanes, left) : Math.ceil(left / size);
    this.lanes = Math.min(mostLanes, this.blocks);
    this.turns = Math.ceil(this.blocks / this.lanes);
    this.tileTurns = Math.ceil(this.turns / Math.floor(ranges.MAX_TILES / this.lanes));
    this.tiles = Math.ceil(this.turns / this.tileTurns);
  }

  /** The unit at which a block begins; that of the block after the last is the end. */
  start(block: number): number {
    const left = this.#units - this.#from;
    if (this.#blockUnits === ONE_EACH) return this.#from + evenPart(left, this.blocks, block);
    return this.#from + Math.min(left, block * this.#blockUnits);
  }
}

/** Some turns of one lane, which a thread runs from the first to the last; a block may be run in several chunks. */
class LaneTurns {
  readonly #deal: Deal;
  readonly #end: number;
  /** The block to go on with, and the unit in it. */
  block: number;
  #at: number;
  /** Number of units that were run. */
  ran = 0;

  /** @param claimed tiles of one lane */
  constructor(deal: Deal, claimed: number) {
    const { lanes, blocks, tiles, tileTurns, turns } = deal;
    const tile = ranges.firstOf(claimed);
    const lane = Math.floor(tile / tiles);
    const blockOf = (of: number): number => Math.min(turns, (of - lane * tiles) * tileTurns) * lanes + lane;
    this.#deal = deal;
    this.block = blockOf(tile);
    this.#end = Math.min(blocks, blockOf(ranges.endOf(claimed)));
    this.#at = deal.start(this.block);
  }

  get isDone(): boolean {
    return this.block >= this.#end;
  }

  /**
   * Runs a chunk of so many units at most, up to block `last`; returns how many elements they were. When it throws, `block` has failed.
   */
  run(stage: WorkStage, chunkUnits: number, lane: number, last: number): number {
    let elements = 0;
    for (let left = chunkUnits; left > 0 && this.block <= last && !this.isDone; ) {
      const end = this.#deal.start(this.block + 1);
      const stop = Math.min(end, this.#at + left);
      elements += runUnits(stage, this.#at, stop, lane);
      this.ran += stop - this.#at;
      left -= stop - this.#at;
      this.#at = stop;
      if (stop === end) {
        this.block += this.#deal.lanes;
        if (!this.isDone) this.#at = this.#deal.start(this.block);
      }
    }
    return elements;
  }
}

/** Runs one chunk; returns the milliseconds that took. */
function runChunk(job: number, stage: WorkStage, turns: LaneTurns, lane: number, last: number): number {
  const { grain } = stage;
  const startMs = clock.now();
  const before = turns.ran;
  let elements: number;
  try {
    elements = turns.run(stage, grain.chunkUnits(), lane, last);
  } catch (error) {
    throw explained(stage, error);
  }
  checkWrites(stage, false);
  if (elements !== 0) progress(job, elements);
  const ms = clock.now() - startMs;
  grain.note(turns.ran - before, ms);
  return ms;
}

const dealtLane: LaneTask = builtin(
  'dealt',
  (job: number, index: number, lane: number, from: number): number => {
    const stage = stageOf(job, index);
    const words = jobWords(job);
    const deal = (stage.dealing as BlocksInTurn).deal(words, from, stage.units);
    const tileUnits = Math.ceil((deal.start(deal.lanes) - from) / deal.lanes) * deal.tileTurns;
    let busyMs = 0;
    let failed = false;
    let failure: unknown;
    for (;;) {
      const wanted = Math.max(1, Math.floor(stage.grain.chunkUnits() / tileUnits));
      let claimed = ranges.claim(words, lane, wanted, 1);
      if (claimed === ranges.NONE) claimed = ranges.steal(words, lane, wanted, 1);
      if (claimed === ranges.NONE) break;
      const turns = new LaneTurns(deal, claimed);
      while (!turns.isDone) {
        const least = ranges.leastFailure(words);
        if (turns.block > least) {
          ranges.drop(words, lane); // later turns have later blocks
          break;
        }
        try {
          busyMs += runChunk(job, stage, turns, lane, least);
        } catch (error) {
          failure = error; // of a lower block than any failure before
          failed = true;
          ranges.noteFailure(words, lane, turns.block);
          break;
        }
        loopCheckpoint();
      }
    }
    if (failed) throw failure;
    return busyMs;
  },
  NAMES,
);

/** Shares the units of a stage with a partition. */
class BlocksInTurn implements Dealing {
  readonly lane = dealtLane;
  readonly #blockUnits: number;

  /** @param blockUnits units in a block, or `ONE_EACH` */
  constructor(blockUnits: number) {
    this.#blockUnits = blockUnits;
  }

  deal(words: Int32Array, from: number, units: number): Deal {
    return new Deal(this.#blockUnits, ranges.lanesIn(words), from, units);
  }

  /** Gives each lane its turns; returns how many lanes have any. Called before any lane runs. */
  shareOut(words: Int32Array, from: number, units: number): number {
    const { lanes, tiles } = this.deal(words, from, units);
    ranges.shareOut(words, 0, lanes * tiles, lanes, 1);
    return lanes;
  }
}

/** Deals units that can be cut, such as elements. */
export const dealt = (blockUnits: number): Dealing => new BlocksInTurn(blockUnits);
