/** How an array is cut into blocks, which decide what is combined with what; runs on every thread that computes. */
import { MAX_REDUCE_BLOCK, MIN_REDUCE_BLOCKS } from '../tuning.js';

/** Elements in a block. Functions may be dear, so a short array gives small blocks; named reductions are never dear. */
export function blockElements(elements: number, callsFunctions: boolean): number {
  if (!callsFunctions) return MAX_REDUCE_BLOCK;
  let block = 1;
  while (block < MAX_REDUCE_BLOCK && 2 * block * MIN_REDUCE_BLOCKS <= elements) block *= 2;
  return block;
}
