/**
 * How an array is cut: into blocks, which decide what is combined with what, and into units of a few blocks, which threads take.
 * Runs on every thread that computes. The cut follows from the length, the threshold and the parallelism alone.
 */
import { LEAVES_PER_THREAD, MAX_REDUCE_BLOCK, MIN_REDUCE_BLOCKS, UNIT_BLOCKS } from '../tuning.js';

/** Elements in a block. A short array gives small blocks if functions are called, because these may be expensive. */
export function blockElements(elements: number, callsFunctions: boolean): number {
  if (!callsFunctions) return MAX_REDUCE_BLOCK;
  let block = 1;
  while (block < MAX_REDUCE_BLOCK && 2 * block * MIN_REDUCE_BLOCKS <= elements) block *= 2;
  return block;
}

/**
 * How many blocks go into a unit: several if that leaves enough units for all threads, because kernels take four at once; one if
 * the user has chosen a `threshold`.
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

export interface Cut {
  /** Elements in a block, and in a unit; the last of each may have fewer. */
  readonly block: number;
  readonly unit: number;
  readonly blocks: number;
  readonly units: number;
  readonly unitBlocks: number;
}

/** The cut of an array. The caller and its pool must make equal cuts, because a pool goes on from a unit of the caller's. */
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
