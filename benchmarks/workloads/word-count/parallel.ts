/** Finds where words begin, hashes each, and adds ones by hash. */
import { forkable, parallelFill, parallelFilter, parallelReduceByKey, parallelTabulate, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import { type Counts, hashAt, type Text } from './config.js';

const hashOf = forkable(
  import.meta.url,
  'hashOf',
  (word: number, { bytes, starts }: { bytes: Uint8Array; starts: Uint32Array }): number => hashAt(bytes, starts[word]),
);

export const ways: Ways<Text, Counts> = {
  async ''({ bytes }, pool) {
    const isStart = (byte: number, i: number, { bytes }: { bytes: Uint8Array }) => byte !== 32 && bytes[i - 1] === 32;
    const starts = await parallelFilter(bytes, isStart, { indices: true, pool, context: { bytes } });
    const words = starts.length;
    const hashes = await parallelTabulate(Uint32Array, words, hashOf, { pool, context: { bytes, starts } });
    const ones = await parallelFill(sharedArray(Uint32Array, words, { uninitialized: true }), 1, { pool });
    return parallelReduceByKey(hashes, ones, 'sum', { pool });
  },
};
