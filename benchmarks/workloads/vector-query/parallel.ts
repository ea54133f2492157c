/** Computes all scores of a query by a kernel, on all threads, then takes the best. */
import { kernel, parallelTabulate, parallelTopK, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import { BEST, type Collection } from './config.js';

export const ways: Ways<Collection, number[]> = {
  async ''({ vectors, queries, dims, data, wanted }, pool) {
    const query = sharedArray(Float32Array, dims);
    const scores = sharedArray(Float32Array, vectors);
    // Compiled once on each thread. The next query goes into the same array.
    const dot = kernel(
      (v: number): number => {
        let score = 0;
        for (let d = 0; d < dims; d++) score += data[v * dims + d] * query[d];
        return score;
      },
      { data, dims, query },
    );
    const found: number[] = [];
    for (let q = 0; q < queries; q++) {
      query.set(wanted.subarray(q * dims, (q + 1) * dims));
      await parallelTabulate(Float32Array, vectors, dot, { into: scores, pool });
      const [best] = await parallelTopK(scores, BEST, { indices: true, pool });
      found.push(best);
    }
    return found;
  },
};
