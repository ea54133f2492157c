/** The vectors of a collection that are most similar to a query: a dot product with each of them, and the best ten. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export const BEST = 10;

export interface Size {
  readonly vectors: number;
  readonly queries: number;
}

export interface Collection extends Size {
  readonly dims: number;
  readonly data: Float32Array;
  /** Vectors of the same length, one after the other. */
  readonly wanted: Float32Array;
}

export const config: Config<Size, Collection, number[]> = {
  what: 'dot products and the best ten; checked by queries that are vectors of the collection, nearly',
  sizes: { 'one query': { vectors: 200_000, queries: 1 }, '20 queries': { vectors: 200_000, queries: 20 } },
  small: { vectors: 300, queries: 3 },
  open({ vectors, queries }, make) {
    const dims = 256;
    const data = make(Float32Array, vectors * dims);
    const wanted = make(Float32Array, queries * dims);
    const random = randomNumbers(3);
    for (let v = 0; v < vectors; v++) {
      // All vectors have the same length, so that each is most similar to itself.
      let squares = 0;
      const at = v * dims;
      for (let d = 0; d < dims; d++) {
        data[at + d] = random() - 0.5;
        squares += data[at + d] ** 2;
      }
      for (let d = 0; d < dims; d++) data[at + d] /= Math.sqrt(squares);
    }
    for (let q = 0; q < queries; q++) {
      const from = Math.floor(((q + 0.5) * vectors) / queries) * dims;
      for (let d = 0; d < dims; d++) wanted[q * dims + d] = data[from + d] + 0.02 * (random() - 0.5);
    }
    return { vectors, queries, dims, data, wanted };
  },
  answer: (_, found) => found.join(),
  expected: ({ vectors, queries }) =>
    Array.from({ length: queries }, (_, q) => Math.floor(((q + 0.5) * vectors) / queries)).join(),
};
