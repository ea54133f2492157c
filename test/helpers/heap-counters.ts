/** The shared heap's own counts, read from its words: what a test that only has the public face may look at. */
import {
  BASE_UNITS,
  CODE_TAG,
  H_SIZE,
  H_TAG,
  STATE_BITS,
  STATE_BYTES,
  STATE_FREE,
  STATE_MASK,
  THREAD_MASK_WORDS,
  UNIT_WORDS_SHIFT,
  W_BLOCKS_IN_USE,
  W_THREADS,
  W_TOP,
  W_UNITS_IN_USE,
  W_UNMASKED_THREADS,
} from '../../src/core/memory/heap-layout.js';

type SharedArray = (type: typeof Int32Array, n: number) => Int32Array;

export interface HeapCounters {
  /** Blocks in use, the units of 16 bytes that they take, and the threads that take part. */
  inUse(): { readonly blocks: number; readonly units: number; readonly threads: number };
  /**
   * Blocks of calls: jobs, messages, scratch space. Arrays stay until a collector runs, in workers too; code stays for good,
   * and which code is published depends on the schedule.
   */
  byteBlocks(): number;
  /**
   * Whether a block in use holds all bytes of the array. Unlike counts, it does not hang on what a collector frees meanwhile; what is new and
   * smaller may lie in the place of an array that was freed.
   */
  holds(array: ArrayBufferView): boolean;
  /** The units of everything but code: of arrays, too, which a test must have freed. */
  units(): number;
}

const UNIT_BYTES = 4 << UNIT_WORDS_SHIFT;

const bitsIn = (words: Int32Array): number =>
  words.reduce((count, word) => count + [...(word >>> 0).toString(2)].filter((bit) => bit === '1').length, 0);

/** @param sharedArray of the build that the test runs on */
export function heapCounters(sharedArray: SharedArray): HeapCounters {
  const probe = sharedArray(Int32Array, 1);
  const root = new Int32Array(probe.buffer, 0, 64);
  /** All blocks in use but those of code. */
  const blocksInUse = (): { readonly state: number; readonly unit: number; readonly units: number }[] => {
    const all = new Int32Array(sharedArray(Int32Array, 1).buffer); // a view of all that the memory has now
    const found = [];
    for (let unit = BASE_UNITS; unit < (all[W_TOP] as number); ) {
      const at = unit << UNIT_WORDS_SHIFT;
      const size = all[at + H_SIZE] as number;
      const state = size & STATE_MASK;
      const isCode = state === STATE_BYTES && all[at + H_TAG] === CODE_TAG;
      if (state !== STATE_FREE && !isCode) found.push({ state, unit, units: size >>> STATE_BITS });
      unit += size >>> STATE_BITS;
    }
    return found;
  };
  return {
    inUse: () => ({
      blocks: root[W_BLOCKS_IN_USE] as number,
      units: root[W_UNITS_IN_USE] as number,
      threads: bitsIn(root.subarray(W_THREADS, W_THREADS + THREAD_MASK_WORDS)) + (root[W_UNMASKED_THREADS] as number),
    }),
    byteBlocks: () => blocksInUse().filter(({ state }) => state === STATE_BYTES).length,
    holds: ({ byteOffset, byteLength }) =>
      blocksInUse().some(
        ({ unit, units }) => unit * UNIT_BYTES <= byteOffset && byteOffset + byteLength <= (unit + units) * UNIT_BYTES,
      ),
    units: () => blocksInUse().reduce((sum, { units }) => sum + units, 0),
  };
}
