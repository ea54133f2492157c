/** Takes all that is left of the shared heap; nothing of it is touched, so it costs address space only. */
import { ownArena } from '../../src/core/memory/arena.js';
import { isHeapFull } from '../../src/core/memory/heap.js';

/** @returns gives it back */
export function fillHeap(): () => void {
  const blocks: number[] = [];
  for (let bytes = 2 ** 31; bytes >= 1; ) {
    try {
      blocks.push(ownArena.allocate(bytes));
    } catch (error) {
      if (!isHeapFull(error)) throw error;
      bytes /= 2;
    }
  }
  return () => {
    for (const block of blocks) ownArena.free(block);
  };
}
