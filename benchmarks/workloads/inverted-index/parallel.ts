/** The same steps as the sequential version, each by the algorithm for it. */
import { parallelFilter, parallelHistogram, parallelScan, parallelSort, parallelTabulate, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import type { Documents, Index } from './config.js';

export const ways: Ways<Documents, Index> = {
  async ''(input, pool) {
    const { documents, vocabulary, words } = input;
    const pairOf = (i: number, { documents, wordsEach, words }: Documents) =>
      words[i] * documents + Math.floor(i / wordsEach);
    const sorted = await parallelTabulate(Float64Array, words.length, pairOf, { pool, context: input });
    await parallelSort(sorted, { pool });
    const isFirst = (pair: number, i: number, { sorted }: { sorted: Float64Array }) => pair !== sorted[i - 1];
    const pairs = await parallelFilter(sorted, isFirst, { pool, context: { sorted } });
    const wordOf = (pair: number, _: number, { documents }: { documents: number }) => Math.floor(pair / documents);
    const counts = await parallelHistogram(pairs, wordOf, { bins: vocabulary, pool, context: { documents } });
    const starts = sharedArray(Uint32Array, vocabulary + 1);
    await parallelScan(counts, 'sum', { into: starts.subarray(1), pool });
    const documentOf = (i: number, { pairs, documents }: { pairs: Float64Array; documents: number }) =>
      pairs[i] % documents;
    const context = { pairs, documents };
    return { starts, documents: await parallelTabulate(Uint32Array, pairs.length, documentOf, { pool, context }) };
  },
};
