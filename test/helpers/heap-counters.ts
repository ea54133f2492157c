/** The shared heap's own counts, read from its root page: what a test that only has the public face may look at. */
import { W_BLOCKS_IN_USE, W_UNITS_IN_USE } from '../../src/core/memory/heap-layout.js';

type SharedArray = (type: typeof Int32Array, n: number) => Int32Array;

/**
 * @param sharedArray of the build that the test runs on
 * @returns a function that counts the blocks in use, and the units of 16 bytes that they take
 */
export function heapCounters(sharedArray: SharedArray): () => { readonly blocks: number; readonly units: number } {
  const root = new Int32Array(sharedArray(Int32Array, 1).buffer, 0, 64);
  return () => ({ blocks: root[W_BLOCKS_IN_USE] as number, units: root[W_UNITS_IN_USE] as number });
}
