/** Takes all that is left of the shared heap; nothing of it is touched, so it costs address space only. */
import { ownArena } from '../../src/core/memory/arena.js';
import { isHeapFull } from '../../src/core/memory/heap.js';

/**
 * @param leftBytes how much of it stays free, in one piece
 * @returns gives it back
 */
export function fillHeap(leftBytes = 0): () => void {
  const blocks: number[] = [];
  const left = leftBytes > 0 ? ownArena.allocate(leftBytes) : undefined;
  for (let bytes = 2 ** 31; bytes >= 1; ) {
    try {
      blocks.push(ownArena.allocate(bytes));
    } catch (error) {
      if (!isHeapFull(error)) throw error;
      bytes /= 2;
    }
  }
  if (left !== undefined) ownArena.free(left);
  return () => {
    for (const block of blocks) ownArena.free(block);
  };
}
