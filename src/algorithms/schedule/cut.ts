/**
 * How an array is cut into blocks, which decide what is combined with what, and units of blocks, which threads take; runs on
 * every thread that computes. All of it follows from the length, the threshold and the parallelism.
 */
import { LEAVES_PER_THREAD, MAX_REDUCE_BLOCK, MIN_REDUCE_BLOCKS, UNIT_BLOCKS } from '../tuning.js';

/** Elements in a block. Functions may be expensive, so a short array gives small blocks; named reductions are never expensive. */
export function blockElements(elements: number, callsFunctions: boolean): number {
  if (!callsFunctions) return MAX_REDUCE_BLOCK;
  let block = 1;
  while (block < MAX_REDUCE_BLOCK && 2 * block * MIN_REDUCE_BLOCKS <= elements) block *= 2;
  return block;
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
