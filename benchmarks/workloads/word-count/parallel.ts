/** Collects the hashes of all words, and adds ones by hash. */
import { parallelFill, parallelFlatMap, parallelReduceByKey, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import type { Counts, Text } from './config.js';

/** Emits the hash of the word that begins at byte `i`, if one does. */
const hashIfStart = (byte: number, emit: (hash: number) => void, i: number, { bytes }: { bytes: Uint8Array }): void => {
  if (byte === 32 || bytes[i - 1] !== 32) return;
  // FNV-1a, written out: a function of one text crosses to the threads as it is, and they need not load this module.
  let hash = 0x811c9dc5;
  for (let at = i; bytes[at] !== 32; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  emit(hash >>> 0);
};

export const ways: Ways<Text, Counts> = {
  async ''({ bytes }, pool) {
    const hashes = await parallelFlatMap(bytes, hashIfStart, { type: Uint32Array, pool, context: { bytes } });
    const ones = await parallelFill(sharedArray(Uint32Array, hashes.length, { uninitialized: true }), 1, { pool });
    return parallelReduceByKey(hashes, ones, 'sum', { pool });
  },
};
