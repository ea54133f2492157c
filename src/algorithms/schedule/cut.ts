/**
 * Cut of an array: into blocks, which decide what is combined with what, and into units of a few blocks, which threads take.
 * Runs on every thread that computes. The cut follows from the length, the threshold and the parallelism alone.
 */
import { LEAVES_PER_THREAD, MAX_REDUCE_BLOCK, MIN_REDUCE_BLOCKS, UNIT_BLOCKS } from '../tuning.js';
import type { ShareOptions } from './grain.js';

/** Elements in a block. A short array gives small blocks if functions are called, because these may be expensive. */
export function blockElements(elements: number, callsFunctions: boolean): number {
  if (!callsFunctions) return MAX_REDUCE_BLOCK;
  let block = 1;
  while (block < MAX_REDUCE_BLOCK && 2 * block * MIN_REDUCE_BLOCKS <= elements) block *= 2;
  return block;
}

export interface Cut {
  /** Elements in a block, and in a unit; the last of each may have fewer. */
  readonly block: number;
  readonly unit: number;
  readonly blocks: number;
  readonly units: number;
  readonly unitBlocks: number;
}

/**
 * The cut of an array. A unit has several blocks if that leaves enough units for all threads, because kernels take four at once; it has
 * one if the user has chosen a `threshold`. The caller and its pool must make equal cuts, because a pool goes on from a unit of the
 * caller's.
 */
export function cutInto(block: number, length: number, sharing: ShareOptions, mostBlocks = UNIT_BLOCKS): Cut {
  const { threshold, parallelism } = sharing;
  const blocks = Math.ceil(length / block);
  let unitBlocks = 1;
  if (threshold === 0)
    while (unitBlocks < mostBlocks && 2 * unitBlocks * LEAVES_PER_THREAD * parallelism <= blocks) unitBlocks *= 2;
  return { block, unit: unitBlocks * block, blocks, units: Math.ceil(blocks / unitBlocks), unitBlocks };
}

/** The `run` of a stage that takes its units one by one; `unit` returns how many elements it counts as progress. */
export const eachUnit =
  (unit: (unit: number, lane: number) => number) =>
  (lo: number, hi: number, lane: number): number => {
    let elements = 0;
    for (let k = lo; k < hi; k++) elements += unit(k, lane);
    return elements;
  };
