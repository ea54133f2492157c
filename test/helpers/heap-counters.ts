/** The shared heap's own counts, read from its words: what a test that only has the public face may look at. */
import {
  BASE_UNITS,
  H_SIZE,
  STATE_BITS,
  STATE_BYTES,
  STATE_MASK,
  UNIT_WORDS_SHIFT,
  W_BLOCKS_IN_USE,
  W_TOP,
  W_UNITS_IN_USE,
} from '../../src/core/memory/heap-layout.js';

type SharedArray = (type: typeof Int32Array, n: number) => Int32Array;

export interface HeapCounters {
  /** Blocks in use, and the units of 16 bytes that they take. */
  inUse(): { readonly blocks: number; readonly units: number };
  /** Blocks that are no arrays: jobs, messages, code. Arrays stay until a collector runs, in workers too. */
  byteBlocks(): number;
}

/** @param sharedArray of the build that the test runs on */
export function heapCounters(sharedArray: SharedArray): HeapCounters {
  const probe = sharedArray(Int32Array, 1);
  const root = new Int32Array(probe.buffer, 0, 64);
  return {
    inUse: () => ({ blocks: root[W_BLOCKS_IN_USE] as number, units: root[W_UNITS_IN_USE] as number }),
    byteBlocks() {
      const words = new Int32Array(sharedArray(Int32Array, 1).buffer); // a view of all that the memory has now
      let count = 0;
      for (let unit = BASE_UNITS; unit < (words[W_TOP] as number); ) {
        const size = words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] as number;
        if ((size & STATE_MASK) === STATE_BYTES) count++;
        unit += size >>> STATE_BITS;
      }
      return count;
    },
  };
}
