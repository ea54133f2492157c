/** Keeps the ten best vectors in a list while it goes through all. */
import { BEST, type Collection } from './config.js';

/** The best vectors, the best one first. */
export interface Best {
  readonly scores: Float64Array;
  readonly vectors: Uint32Array;
}

/** The best of vectors lo to hi - 1 for one query. */
export function bestOf(lo: number, hi: number, query: Float32Array, { dims, data }: Collection): Best {
  const scores = new Float64Array(BEST).fill(Number.NEGATIVE_INFINITY);
  const vectors = new Uint32Array(BEST);
  for (let v = lo; v < hi; v++) {
    let score = 0;
    for (let d = 0; d < dims; d++) score += data[v * dims + d] * query[d];
    if (score <= scores[BEST - 1]) continue;
    let place = BEST - 1;
    for (; place > 0 && scores[place - 1] < score; place--) {
      scores[place] = scores[place - 1];
      vectors[place] = vectors[place - 1];
    }
    scores[place] = score;
    vectors[place] = v;
  }
  return { scores, vectors };
}

/** The numbers of one query. */
export const queryOf = (q: number, { dims, wanted }: Collection): Float32Array =>
  wanted.subarray(q * dims, (q + 1) * dims);

export function sequential(collection: Collection): number[] {
  const found: number[] = [];
  for (let q = 0; q < collection.queries; q++)
    found.push(bestOf(0, collection.vectors, queryOf(q, collection), collection).vectors[0]);
  return found;
}
