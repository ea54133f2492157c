/** Collects the hashes of all words, and adds ones by hash. */
import { forkable, parallelFill, parallelFlatMap, parallelReduceByKey, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import { type Counts, hashAt, type Text } from './config.js';

/** Emits the hash of the word that begins at byte `i`, if one does. */
const hashIfStart = forkable(
  import.meta.url,
  'hashIfStart',
  (byte: number, emit: (hash: number) => void, i: number, { bytes }: { bytes: Uint8Array }): void => {
    if (byte !== 32 && bytes[i - 1] === 32) emit(hashAt(bytes, i));
  },
);

export const ways: Ways<Text, Counts> = {
  async ''({ bytes }, pool) {
    const hashes = await parallelFlatMap(bytes, hashIfStart, { type: Uint32Array, pool, context: { bytes } });
    const ones = await parallelFill(sharedArray(Uint32Array, hashes.length, { uninitialized: true }), 1, { pool });
    return parallelReduceByKey(hashes, ones, 'sum', { pool });
  },
};
